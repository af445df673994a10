/*
 * lineindex.h - a line index of a large file, which is not held in memory.
 *
 * One pass over the file validates UTF-8, hashes it and counts the newlines of
 * each 64 KiB block; with that table any line is found by reading one block.
 * Recent indexes are cached, so that the next page of the same file costs only
 * what it shows. Indexes of files in other encodings are made by decoded.h.
 */
#ifndef STET_LINEINDEX_H
#define STET_LINEINDEX_H

#include "files/stat_data.h"
#include "files/workspace.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
	LINEINDEX_BLOCK = 64 * 1024,
	LINEINDEX_KEPT = 16, /* indexes in the cache */
	LINEINDEX_BYTES =
		8 * 1024 * 1024, /* total size of the cached indexes */
};

/* The decoder's offset and shift state at the start of a block. */
struct lineindex_mark {
	uint64_t at;
	unsigned shift;
};

struct lineindex {
	atomic_uint refs;
	struct stat_data stat; /* of the file when it was scanned */
	struct hash version;
	size_t newlines, lines;
	const struct encoding *named; /* the encoding requested, or NULL */
	struct detected in;
	bool ascii;                   /* only ASCII, without NUL bytes */
	size_t undecodable;           /* bytes shown as \xNN */
	struct lineindex_mark *marks; /* n + 1 of them; NULL for plain UTF-8 */
	size_t n;                     /* number of blocks */
	uint32_t newline[];           /* newlines in each block */
};

struct lineindex_cache {
	pthread_mutex_t lock;                   /* protects everything below */
	struct lineindex *kept[LINEINDEX_KEPT]; /* most recently used first */
	size_t bytes;
};

void lineindex_cache_init(struct lineindex_cache *c);
void lineindex_cache_free(struct lineindex_cache *c);

/* A new index, to be dropped; without @marks it is for plain UTF-8. */
struct lineindex *lineindex_new(const struct stat *st, size_t blocks,
				bool marks);

/* The index of the file with that stat data, to be dropped; or NULL. */
struct lineindex *lineindex_find(struct lineindex_cache *c,
				 const struct stat_data *stat,
				 const struct encoding *named);

/* Cache @x, unless its stat data was racy at @made (stat_data.h). */
void lineindex_keep(struct lineindex_cache *c, struct lineindex *x,
		    int64_t made);

/*
 * Index the file open at @fd; @st is its fresh fstat() and is updated.
 * ERR_BINARY_READ when the first block or a NUL byte shows that it is not
 * text. *@ret is NULL for text that is not plain UTF-8: see decoded.h.
 */
must_check enum err lineindex_make(int fd, struct stat *st,
				   const struct progress *progress,
				   struct lineindex **ret, struct fault *f);
void lineindex_drop(struct lineindex *x);
void lineindex_dropp(struct lineindex **x);

#define auto_lineindex cleanup(lineindex_dropp) struct lineindex

/*
 * The block that contains the @nth newline, which must exist, and the number
 * of newlines before that block.
 */
size_t lineindex_block(const struct lineindex *x, size_t nth,
		       size_t *ret_before);

/*
 * For plain UTF-8: the offset at which @line (1 to lines + 1) starts. 0, or -1
 * with errno; ESTALE when the file has changed since it was indexed.
 */
must_check int lineindex_start(const struct lineindex *x, int fd, size_t line,
			       uint64_t *ret);

#endif
