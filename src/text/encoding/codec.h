/*
 * codec.h - internals of the encodings: codecs, charset tables, detection.
 *
 * For the encoding_*.c files and their tests. A codec decodes and encodes one
 * code point at a time; encoding.c builds decoding, encoding and offset mapping
 * on top. A new family of encodings is a new codec and its rows in
 * encodings.def.
 */
#ifndef STET_CODEC_H
#define STET_CODEC_H

#include "text/encoding/encoding.h"

#define CODEC_BAD UINT32_MAX /* not valid in the encoding */
#define CODEC_SHIFT \
	(UINT32_MAX - 1) /* an escape sequence: only the shift state changed */

enum { CODEC_MOST = 8 }; /* bytes of one code point with its escape sequence */
_Static_assert((int)CODEC_MOST <= (int)BYTE_SOURCE_MIN_PIECE,
	       "what is cut by a piece has to fit into the next");

struct codec {
	/*
	 * Decode the code point at the front of @s, which is not empty; *@len
	 * is its size in bytes. CODEC_BAD when it is not valid in @e; then @len
	 * need not be set.
	 */
	uint32_t (*next)(const struct encoding *e, struct str s,
			 unsigned *shift, size_t *len);

	/*
	 * Encode @code to @to; returns the number of bytes, 0 when @e lacks it.
	 */
	size_t (*put)(const struct encoding *e, uint32_t code, unsigned *shift,
		      char to[CODEC_MOST]);

	/*
	 * Write the escape sequence to shift state @want; returns its bytes.
	 * NULL for stateless encodings. Files start in state 0.
	 */
	size_t (*shift)(unsigned *shift, unsigned want, char to[CODEC_MOST]);

	/* The bytes are UTF-8 already. */
	bool is_utf8;
};

extern const struct codec codec_charset; /* encoding_charset.c */
extern const struct codec codec_2022jp;  /* encoding_2022jp.c */

#define ENCODING(id, ...) extern const struct encoding encoding_##id;
#include "text/encoding/encodings.def"
#undef ENCODING

extern const struct encoding *const encoding_rows[];
extern const size_t encoding_rows_count;

/*
 * A character set of iconv as tables: built once, when first needed, and never
 * changed. Characters are converted one by one, so decoders that combine two
 * characters do not do so here.
 */
struct charset_text {
	char bytes[3]; /* UTF-8 */
	uint8_t len;   /* 0 = not cached: use the tables */
};

struct charset {
	uint32_t one[256]; /* CODEC_BAD = not a single byte */
	uint32_t (
		*two)[256]; /* by lead byte - 0x80, then second byte; or NULL */
	uint32_t (*three)[256]; /* after 0x8f (EUC-JP), in the same way */
	uint16_t *four;         /* GB18030 below U+10000; 0 = none */
	uint32_t *pages[0x300]; /* code to bytes, the first highest */
	struct charset_text (*text)[256]; /* the UTF-8 of most of @two */
};

enum { CHARSET_FOUR = 39420 }; /* four-byte codes below U+10000 */

/* NULL when this machine's iconv does not have it. */
const struct charset *charset_of(const struct encoding *e);

/* The bytes of @code, the first one highest; 0 when the set lacks it. */
static inline uint32_t charset_bytes(const struct charset *c, uint32_t code)
{
	uint32_t page = code >> 8;

	if (page >= COUNT_OF(c->pages) || !c->pages[page])
		return 0;
	return c->pages[page][code & 0xff];
}

/*
 * Decode many characters at once: write the text of @s up to its first
 * undecodable byte to *@to, which has room for 3 * s.len + 4 bytes; returns how
 * many bytes were decoded. charset_count() does not write, and adds the number
 * of non-ASCII characters to *@beyond.
 */
size_t charset_decode(const struct charset *c, struct str s, char **to);
size_t charset_count(const struct charset *c, struct str s, size_t *beyond);

/* A position in bytes and in their decoded text. */
struct cursor {
	const struct encoding *e;
	struct str rest;
	size_t at; /* offset in the text */
	unsigned shift;
};

/* The start of the text, after the byte order mark. */
struct cursor cursor_start(const struct encoding *e, struct str bytes);

/* Move to @place in the text, before any escape sequence there. */
void cursor_to(struct cursor *c, size_t place);

/* Move past escape sequences at the position. */
void cursor_settle(struct cursor *c);

/* The number of bytes to escape at the front of @s, which is not valid. */
static inline size_t undecodable_len(const struct encoding *e, struct str s)
{
	return size_min(e->unit, s.len);
}

/*
 * How well bytes fit an encoding: non-ASCII characters (not counted in UTF-8),
 * and undecodable bytes.
 */
struct encoding_counts {
	size_t beyond, undecodable;
};

struct encoding_counts encoding_count(const struct encoding *e,
				      const struct byte_source *s);

/*
 * Encode @text to @out, from the shift state *@shift on. False when @e lacks a
 * character; then *@bad is its offset.
 */
bool encoding_put(const struct encoding *e, struct str text, unsigned *shift,
		  struct buf *out, size_t *bad);

/*
 * The encoding of a file with NUL bytes and without a BOM: UTF-16 or UTF-32,
 * where that is beyond doubt; else NULL.
 */
const struct encoding *encoding_detect_utf16(const struct byte_source *s);

/*
 * The guess of uchardet for @sample; NULL when it has none, names an encoding
 * without a row, or is not installed.
 */
const struct encoding *encoding_by_statistics(struct str sample);

/*
 * Among encodings that differ in few letters, the one that the bytes of @s
 * indicate; @e itself when nothing does.
 */
const struct encoding *encoding_refine(const struct encoding *e,
				       const struct byte_source *s);

/* Are the letters of @sample plausible in @e, a single-byte encoding? */
bool encoding_plausible(const struct encoding *e, struct str sample);

/* The Western single-byte encoding in which @sample is most plausible. */
const struct encoding *encoding_western(struct str sample);

#endif
