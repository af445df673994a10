/*
 * lineindex.h - where the lines of a large file are, without holding it.
 *
 * One pass over the file, block by block, checks that it is UTF-8, hashes it
 * and counts the newlines of each 64 KiB; with that table any line is found
 * by reading one block. Some tables are kept, so that the next page of the
 * same file costs only what it shows. Those of files that must be decoded
 * are made elsewhere (decoded.h).
 */
#ifndef STET_LINEINDEX_H
#define STET_LINEINDEX_H

#include "files/stamp.h"
#include "files/workspace.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
	LINEINDEX_BLOCK = 64 * 1024,
	LINEINDEX_KEPT = 16,
	LINEINDEX_BYTES = 8 * 1024 * 1024,
};

/* Where the decoding of a block begins, as the one before it ended. */
struct lineindex_mark {
	uint64_t at;
	unsigned shift;
};

struct lineindex {
	atomic_uint refs;
	struct stamp stamp; /* of the file when it was read */
	struct hash version;
	size_t newlines, lines;
	const struct encoding *named; /* that it was made with, or NULL */
	struct detected in;
	bool ascii;                   /* and no NUL: all of it */
	size_t undecodable;           /* bytes shown as \xNN */
	struct lineindex_mark *marks; /* n + 1; NULL: plain UTF-8 */
	size_t n;                     /* blocks */
	uint32_t newline[];           /* in each of them */
};

struct lineindex_cache {
	pthread_mutex_t lock;                   /* for all that follows */
	struct lineindex *kept[LINEINDEX_KEPT]; /* latest first */
	size_t bytes;
};

void lineindex_cache_init(struct lineindex_cache *c);
void lineindex_cache_free(struct lineindex_cache *c);

/* For @blocks of them, to be dropped; with marks, or for plain UTF-8. */
struct lineindex *lineindex_new(const struct stat *st, size_t blocks,
				bool marks);

/* The one for the file with that stamp, to be dropped; or NULL. */
struct lineindex *lineindex_find(struct lineindex_cache *c,
				 const struct stamp *stamp,
				 const struct encoding *named);

/* Keep @x, if its stamp was old enough at @made to be trusted. */
void lineindex_keep(struct lineindex_cache *c, struct lineindex *x,
		    int64_t made);

/*
 * Read the file open at @fd, of which @st was just taken. ERR_BINARY_READ
 * when the first block, or a NUL byte later, says so. *@ret is NULL for what
 * may be text but is not plain UTF-8: that must be looked at as a whole.
 */
must_check enum err lineindex_make(int fd, struct stat *st,
				   const struct errand *errand,
				   struct lineindex **ret, struct fault *f);
void lineindex_drop(struct lineindex *x);
void lineindex_dropp(struct lineindex **x);

#define auto_lineindex cleanup(lineindex_dropp) struct lineindex

/*
 * The block with the @nth newline, which is there, and how many there are
 * before it.
 */
size_t lineindex_block(const struct lineindex *x, size_t nth,
		       size_t *ret_before);

/*
 * In plain UTF-8, where @line (1 to lines + 1) starts: 0, or -1 with errno; ESTALE when the
 * file is not what it was.
 */
must_check int lineindex_start(const struct lineindex *x, int fd, size_t line,
			       uint64_t *ret);

#endif
