/*
 * history_local.h - what the files of the history share.
 */
#ifndef STET_HISTORY_LOCAL_H
#define STET_HISTORY_LOCAL_H

#include "base/digest.h"
#include "base/json.h"
#include "store/db.h"
#include "store/export.h"
#include "store/process.h"

#define EXPORT_FORMAT "stet-history"
enum { EXPORT_VERSION = 2 };

/* Read OP_COLUMNS from @r; returns the process that made the operation. */
struct process_id history_get_op(struct rows *r, struct arena *mem,
				 struct op *op);

/* Bind the parameters ?1 to ?14 of the queries for operations. */
void history_put_query(struct rows *r, const struct history_query *q,
		       struct arena *mem);

/* Apply @splices to the content of the blob @before. */
must_check enum err history_get_spliced(struct db *db, int64_t before,
					struct str splices, struct arena *mem,
					struct str *ret, struct fault *f);

/* An operation as it is in an exported file, with digests for contents. */
struct exported {
	struct op op;
	bool has_before, has_after; /* contents */
	struct digest before, after;
};

/* The members of the object. */
void exported_put(struct json_out *o, const struct exported *x);

/* Hex digits of a digest. */
must_check bool exported_digest(struct json v, struct arena *mem,
				struct digest *ret);

/*
 * NULL, or which member is wrong, of an object that @version of the format has.
 * The texts are in @mem or in @v.
 */
const char *exported_read(struct json v, int64_t version, struct arena *mem,
			  struct exported *ret);

#endif
