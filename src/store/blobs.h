/*
 * blobs.h - contents, each kept once, named by its digest.
 *
 * Small ones are rows of the database, raw at first and compressed when the
 * writer is idle. Those larger than BLOB_IN_FILE are files in blobs/, because
 * SQLite's log would write them twice; they are compressed at once if they
 * compress well. A file is complete and has its name before a row refers to it.
 */
#ifndef STET_BLOBS_H
#define STET_BLOBS_H

#include "base/digest.h"
#include "store/db.h"

enum { BLOB_IN_FILE = 1024 * 1024, STAGED_NAME = 64 };

/* "blobs/ab/", the other digits, and ".z" when it is compressed. */
enum { BLOB_PATH = sizeof("blobs/ab/.z") + DIGEST_HEX };

/* How the bytes are stored. The numbers are in the database. */
enum blob_form {
	BLOB_RAW,
	BLOB_ZSTD,
	BLOB_FILE,
	BLOB_ZSTD_FILE,
	BLOB_SPLICES, /* of the same operation's old content (splices.h) */
};

struct content {
	bool kept;    /* false = no content is stored */
	bool spliced; /* @bytes are splices */
	struct str bytes;
	struct digest digest;
	int64_t id;               /* row; 0 before blob_put() */
	char staged[STAGED_NAME]; /* temporary file; "" = none */
	enum blob_form form;
	uint64_t stored; /* bytes in that form */
};

/*
 * Cache of the digests of recent contents. The old content of an operation is
 * mostly the new one of an earlier operation, and comparing takes a tenth of
 * the time of hashing. Compared byte by byte: anything less could give a wrong
 * digest.
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

/* Before the transaction: what takes time and needs no lock. */
must_check enum err blob_stage(struct db *db, struct content *c,
			       struct recent *recent, struct fault *f);

/* In the transaction: insert a row unless there is one; sets c->id. */
must_check enum err blob_put(struct db *db, struct content *c, struct fault *f);

/* After the transaction: remove the temporary file, if it is still there. */
void blob_unstage(struct db *db, struct content *c);

/*
 * The bytes of the row @id; *@ret_spliced: they are splices. ERR_NO_CONTENT
 * when there is no such row, ERR_STORE when the bytes do not fit the digest.
 */
must_check enum err blob_get(struct db *db, int64_t id, struct arena *mem,
			     struct str *ret, bool *ret_spliced,
			     struct fault *f);

/* The path of its file in the state directory. */
void blob_path(struct digest d, enum blob_form form, char to[BLOB_PATH]);

/* A new name for a temporary file. */
void blob_stage_name(char to[STAGED_NAME]);

/* Rename the complete file @staged to its path. In a transaction. */
must_check enum err blob_place(struct db *db, char *staged, struct digest d,
			       enum blob_form form, struct fault *f);

/*
 * Remove the files that no row refers to; with @all also temporary files that
 * are older than an hour.
 */
must_check enum err blob_sweep(struct db *db, bool all, struct fault *f);

#endif
