/*
 * codec.h - inside the encodings: rows, codecs, tables, and the guesses.
 *
 * For the files of encoding_*.c and their tests. A codec steps through bytes
 * one code point at a time; encoding.c makes decoding, encoding and places
 * out of that. A new family of encodings is a new codec and its rows.
 */
#ifndef STET_CODEC_H
#define STET_CODEC_H

#include "text/encoding.h"

#define CODEC_BAD   UINT32_MAX       /* these bytes mean nothing here */
#define CODEC_SHIFT (UINT32_MAX - 1) /* no text, but another shift state */

enum { CODEC_MOST = 8 }; /* bytes that one code point takes, shifts counted */
_Static_assert((int)CODEC_MOST <= (int)SUPPLY_LEAST,
	       "what is cut by a piece has to fit into the next");

struct codec {
	/*
	 * The code point at the front of @s, which is not empty, and how
	 * many bytes it takes; CODEC_BAD when that is not valid in @e. Then
	 * @len need not be set.
	 */
	uint32_t (*next)(const struct encoding *e, struct str s,
			 unsigned *shift, size_t *len);

	/* Write @code to @to, return how many bytes; 0 when @e lacks it. */
	size_t (*put)(const struct encoding *e, uint32_t code, unsigned *shift,
		      char to[CODEC_MOST]);

	/*
	 * Go over to the state @want, return how many bytes that took. NULL
	 * where the bytes of a character do not depend on those before it;
	 * all other files start in state 0.
	 */
	size_t (*shift)(unsigned *shift, unsigned want, char to[CODEC_MOST]);

	/* Text and bytes are the same thing: nothing to convert. */
	bool is_utf8;
};

extern const struct codec codec_charset; /* encoding_charset.c */
extern const struct codec codec_2022jp;  /* encoding_2022jp.c */

#define ENCODING(id, ...) extern const struct encoding encoding_##id;
#include "text/encodings.def"
#undef ENCODING

extern const struct encoding *const encoding_rows[];
extern const size_t encoding_rows_count;

/*
 * What iconv knows of a character set, as tables: made once, when it is first
 * needed, and never changed. Single characters are asked for one by one, so a
 * decoder that would rather see two together has no say.
 */
struct charset_text {
	char bytes[3]; /* UTF-8 */
	uint8_t len;   /* 0 = not here: look it up */
};

struct charset {
	uint32_t one[256];      /* a byte alone; CODEC_BAD = not alone */
	uint32_t (*two)[256];   /* by byte - 0x80, then byte; NULL = none has */
	uint32_t (*three)[256]; /* after 0x8f (EUC-JP), the same way */
	uint16_t *four;         /* GB18030 below U+10000; 0 = none */
	uint32_t *pages[0x300]; /* code to bytes, the first one highest */
	struct charset_text (*text)[256]; /* @two as it is shown, mostly */
};

enum { CHARSET_FOUR = 39420 }; /* codes of four bytes below U+10000 */

/* NULL when this machine's iconv does not have it. */
const struct charset *charset_of(const struct encoding *e);

/* The bytes of @code, the first one highest; 0 when it has none. */
static inline uint32_t charset_bytes(const struct charset *c, uint32_t code)
{
	uint32_t page = code >> 8;

	if (page >= COUNT_OF(c->pages) || !c->pages[page])
		return 0;
	return c->pages[page][code & 0xff];
}

/*
 * Many characters at once: write to *@to, which has room for 3 * s.len + 4
 * bytes, what @s is up to its first stray; return how far that is. And the
 * same without writing, adding to *@beyond what is outside ASCII.
 */
size_t charset_show(const struct charset *c, struct str s, char **to);
size_t charset_count(const struct charset *c, struct str s, size_t *beyond);

/* Walking through bytes and the text they are. */
struct cursor {
	const struct encoding *e;
	struct str rest;
	size_t at; /* in the text */
	unsigned shift;
};

/* Before the text, past the mark. */
struct cursor cursor_start(const struct encoding *e, struct str bytes);

/* To @place in the text; before what is only a change of state there. */
void cursor_to(struct cursor *c, size_t place);

/* Past changes of state that stand here. */
void cursor_settle(struct cursor *c);

/* How many bytes at the front of @s, which is not valid, to show escaped. */
static inline size_t stray_bytes(const struct encoding *e, struct str s)
{
	return size_min(e->unit, s.len);
}

/*
 * How well the bytes fit @e: characters outside ASCII (not counted in UTF-8),
 * and bytes that are nothing.
 */
struct tally {
	size_t beyond, strays;
};

struct tally encoding_tally(const struct encoding *e, const struct supply *s);

/*
 * Add to @out the bytes of @text, from the state *@shift on. False when @e
 * lacks a character: then *@bad is its offset.
 */
bool encoding_put(const struct encoding *e, struct str text, unsigned *shift,
		  struct buf *out, size_t *bad);

/*
 * The row without a mark that the bytes, which have NUL bytes, are in beyond
 * doubt; NULL when none.
 */
const struct encoding *encoding_guess(const struct supply *s);

/*
 * What uchardet says of @sample; NULL when it does not know, names something
 * that has no row, or is not installed.
 */
const struct encoding *encoding_by_statistics(struct str sample);

/*
 * Of encodings that differ in a few letters only, the one that these letters
 * in @s speak for; @e itself when none do.
 */
const struct encoding *encoding_sibling(const struct encoding *e,
					const struct supply *s);

/* Are the letters of @sample, in @e of single bytes, where letters are? */
bool encoding_plausible(const struct encoding *e, struct str sample);

/* The encoding of the West in which @sample makes the most sense. */
const struct encoding *encoding_western(struct str sample);

#endif
