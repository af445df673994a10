/*
 * decoded.h - lines of a large file that is not plain UTF-8, which is not held
 * in memory.
 *
 * The encoding is detected in a few passes over the file. One more pass
 * decodes it block by block, hashes it, counts lines, and records the offset
 * and shift state at the start of each block: an index like that of plain
 * files. A page is decoded from the block in which its first line starts.
 */
#ifndef STET_DECODED_H
#define STET_DECODED_H

#include "files/lineindex.h"
#include "files/paging.h"

/*
 * The least that a page decodes. Larger blocks make the next page slower, and
 * nothing faster.
 */
enum { DECODED_BLOCK = 16 * 1024 };

struct decoded {
	int fd;
	size_t block; /* bytes per read; the same for an index and its use */
	const struct progress *progress;
	struct arena *mem;
	struct fault *f;

	/* internal */
	struct byte_source bytes;
	char *raw, *text; /* buffers of one block */
	uint64_t begin,
		total; /* range of the progress reports; total 0 = none yet */
	enum err failed;
	bool truncated; /* shorter than when the pass began */
};

/*
 * Index the file; @st is its fresh fstat() and is updated. @named is the
 * configured encoding, or NULL. ERR_BINARY_READ when the file is not text.
 */
must_check enum err decoded_index(struct decoded *d, struct stat *st,
				  const struct encoding *named,
				  struct lineindex **ret);

/*
 * The text from t->want->line to the line @last, as far as the budget allows.
 * ERR_LINE_TOO_LONG when not even the first line fits; a fault with ESTALE when
 * the file has changed since it was indexed.
 */
must_check enum err decoded_take(struct decoded *d, const struct lineindex *x,
				 size_t last, struct page_budget *t,
				 struct str *ret);

#endif
