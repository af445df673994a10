/*
 * codec.h - inside the encodings: rows, codecs, and the guess.
 *
 * For the files of encoding_*.c and their tests. A codec steps through bytes
 * one code point at a time; encoding.c makes decoding, encoding and places
 * out of that. A new family of encodings is a new codec and its rows.
 */
#ifndef STET_CODEC_H
#define STET_CODEC_H

#include "text/encoding.h"

#define CODEC_BAD UINT32_MAX

struct codec {
	/*
	 * The code point at the front of @s, which is not empty, and how
	 * many bytes it takes; CODEC_BAD when that is not valid in @e.
	 */
	uint32_t (*next)(const struct encoding *e, struct str s, size_t *len);

	/* Write @code to @to, return how many bytes; 0 when @e lacks it. */
	size_t (*put)(const struct encoding *e, uint32_t code, char to[4]);

	/* Text and bytes are the same thing: nothing to convert. */
	bool is_utf8;
};

#define ENCODING(id, ...) extern const struct encoding encoding_##id;
#include "text/encodings.def"
#undef ENCODING

/*
 * The row without a mark that the bytes, which have NUL bytes, are in beyond
 * doubt; NULL when none.
 */
const struct encoding *encoding_guess(struct str bytes);

#endif
