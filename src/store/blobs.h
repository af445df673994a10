/*
 * blobs.h - contents, each kept once, named by its digest.
 *
 * Small ones are in the database, raw at first and compressed when there is
 * time; those past BLOB_IN_FILE are files in blobs/, as the log of the
 * database would write them twice, and compressed at once where they shrink
 * well. A file is complete, under its own name, before any row speaks of it.
 */
#ifndef STET_BLOBS_H
#define STET_BLOBS_H

#include "base/digest.h"
#include "store/db.h"

enum { BLOB_IN_FILE = 1024 * 1024, STAGED_NAME = 64 };

/* "blobs/ab/", the other digits, and ".z" when it is compressed. */
enum { BLOB_PATH = sizeof("blobs/ab/.z") + DIGEST_HEX };

/* Splices are of an operation's old content, which says whose (splices.h). */
enum blob_form {
	BLOB_RAW,
	BLOB_ZSTD,
	BLOB_FILE,
	BLOB_ZSTD_FILE,
	BLOB_SPLICES,
};

struct content {
	bool kept;    /* else there is none */
	bool spliced; /* the bytes are splices */
	struct str bytes;
	struct digest digest;
	int64_t id;               /* 0 until it is put */
	char staged[STAGED_NAME]; /* the file it waits in; "" = none */
	enum blob_form form;      /* as it is stored, and how many bytes */
	uint64_t stored;
};

/*
 * Contents that were staged lately. What an operation finds is mostly what
 * the one before it left: to see that it is the same takes a tenth of the
 * time that its digest takes. Compared by its bytes, as nothing less would
 * be safe.
 */
enum { RECENT = 4 };

struct recent {
	struct {
		struct str bytes;
		struct digest digest;
	} kept[RECENT];
	size_t next;
};

void recent_drop(struct recent *r);

/*
 * Before the transaction: what takes time and needs no lock.
 */
must_check enum err blob_stage(struct db *db, struct content *c,
			       struct recent *recent, struct fault *f);

/* In the transaction: it has a row then, and c->id is that. */
must_check enum err blob_put(struct db *db, struct content *c, struct fault *f);

/* After it: what was staged and not put goes. */
void blob_unstage(struct db *db, struct content *c);

/*
 * *@ret_spliced: they are splices. ERR_NO_CONTENT when it is gone, ERR_STORE
 * when it is damaged.
 */
must_check enum err blob_get(struct db *db, int64_t id, struct arena *mem,
			     struct str *ret, bool *ret_spliced,
			     struct fault *f);

/* Where its file is, if it has one. */
void blob_path(struct digest d, enum blob_form form, char to[BLOB_PATH]);

/* A new name for one that is being written. */
void blob_stage_name(char to[STAGED_NAME]);

/* Give the file @staged, which is complete, its own name. In a transaction. */
must_check enum err blob_place(struct db *db, char *staged, struct digest d,
			       enum blob_form form, struct fault *f);

/*
 * Remove the files that no row speaks of; with @all also those that somebody
 * began to write long ago.
 */
must_check enum err blob_sweep(struct db *db, bool all, struct fault *f);

#endif
