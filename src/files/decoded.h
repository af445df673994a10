/*
 * decoded.h - lines of a large file that is not plain UTF-8, without holding
 * it.
 *
 * Some passes over the file find its encoding. One more decodes it piece by
 * piece, hashes it, counts lines, and notes where each piece starts and in
 * which shift state: an index like that of plain files. A page is decoded
 * from the piece on in which its first line starts.
 */
#ifndef STET_DECODED_H
#define STET_DECODED_H

#include "files/lineindex.h"
#include "files/paging.h"

/*
 * What a page decodes at least. Larger ones make the next page slower, and
 * nothing faster.
 */
enum { DECODED_BLOCK = 16 * 1024 };

struct decoded {
	int fd;
	size_t block; /* bytes read at once; for an index, always as many */
	const struct errand *errand;
	struct arena *mem;
	struct fault *f;

	/* inside */
	struct supply bytes;
	char *raw, *text;      /* of one block */
	uint64_t begin, total; /* what the errand is told; 0: not yet */
	enum err failed;
	bool shorter; /* than it was */
};

/*
 * Read the file, of which @st was just taken. @named is what a configuration
 * says, or NULL. ERR_BINARY_READ when it is no text.
 */
must_check enum err decoded_index(struct decoded *d, struct stat *st,
				  const struct encoding *named,
				  struct lineindex **ret);

/*
 * The text from t->want->line to the line @last, as much as can be taken.
 * ERR_LINE_TOO_LONG when not even the first line can; ESTALE as a fault when
 * the file is not what it was.
 */
must_check enum err decoded_take(struct decoded *d, const struct lineindex *x,
				 size_t last, struct taking *t,
				 struct str *ret);

#endif
