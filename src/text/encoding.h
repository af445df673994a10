/*
 * encoding.h - from the bytes of a file to text, and back.
 *
 * Text is UTF-8, without a byte order mark. Decoding is for showing and
 * matching only: an edit maps its places back to byte offsets and splices,
 * so what is outside an edit is never encoded again.
 */
#ifndef STET_ENCODING_H
#define STET_ENCODING_H

#include "base/err.h"

struct codec; /* how its units become code points, in text/codec.h */

struct encoding {
	const char *name; /* "utf-8", "utf-16le" ... as results show it */
	struct str bom;   /* what a file in it starts with, "" for none */
	unsigned unit;    /* bytes of the smallest unit: 1, 2 or 4 */
	bool big_endian;
	const struct codec *codec;
};

extern const struct encoding encoding_utf8;

/* The row of that name, or NULL. */
const struct encoding *encoding_named(struct str name);

/*
 * What @bytes, a whole file, are written in. ERR_BINARY_READ when they are
 * no text: a known magic number, NUL bytes outside UTF-16 and UTF-32, or
 * bytes that nothing explains. The empty file is UTF-8.
 */
must_check enum err encoding_detect(struct str bytes,
				    const struct encoding **ret);

/* Does a file that starts with @head have a binary magic number? */
bool encoding_magic(struct str head);

/*
 * The text of @bytes, which are in @e; the mark is left out. Of UTF-8 it is
 * a view into @bytes. ERR_BINARY_READ when @bytes are not valid in @e.
 */
must_check enum err encoding_decode(const struct encoding *e, struct str bytes,
				    struct arena *mem, struct str *ret);

/*
 * The bytes of @text in @e, without the mark. Of UTF-8 it is @text itself.
 * ERR_UNENCODABLE when @e cannot hold it: then *@bad is the offset in @text.
 */
must_check enum err encoding_encode(const struct encoding *e, struct str text,
				    struct arena *mem, struct str *ret,
				    size_t *bad);

/*
 * Where the @n offsets of @places, ascending, in the decoded text stand in
 * @bytes (the mark counted). One pass for all of them.
 */
void encoding_places(const struct encoding *e, struct str bytes,
		     const size_t *places, size_t n, size_t *ret);

#endif
