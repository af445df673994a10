/*
 * encoding.h - decode the bytes of a file to text, and encode them back.
 *
 * Text is UTF-8 without a byte order mark (BOM). Decoding is for display and
 * matching only: an edit maps its offsets back to bytes and splices there, so
 * bytes outside an edit are never re-encoded.
 *
 * Undecodable bytes appear in the text as \xNN and are recorded as such, so
 * that they cannot be edited as if they were text.
 */
#ifndef STET_ENCODING_H
#define STET_ENCODING_H

#include "base/err.h"
#include "text/edit/edit.h"
#include "text/encoding/byte_source.h"

#include <stdatomic.h>

struct codec;   /* text/encoding/codec.h */
struct charset; /* tables of a character set */

struct encoding {
	const char *name; /* as results show it: utf-8, utf-16le */
	struct str bom;   /* byte order mark; may be empty */
	unsigned unit;    /* bytes of a code unit: 1, 2 or 4 */
	bool big_endian;
	const struct codec *codec;
	const char *iconv; /* name in iconv; NULL = built in */
	_Atomic(const struct charset *) *charset; /* built at first use */
};

extern const struct encoding encoding_utf8;

/*
 * The encoding of that name, or NULL. Case is ignored, "_" equals "-", and
 * common aliases are known.
 */
const struct encoding *encoding_named(struct str name);

/*
 * Is it a name of ASCII? encoding_named() returns UTF-8 for it, which text in
 * ASCII is as well; a caller that writes checks that all of its text is ASCII.
 */
bool encoding_name_is_ascii(struct str name);

/*
 * Is it UTF-8, with or without a BOM? Then a diff of a file is a valid patch.
 */
bool encoding_is_utf8(const struct encoding *e);

/* Do they differ at most in their BOM? */
bool encoding_equal_but_bom(const struct encoding *a, const struct encoding *b);

/* Has it no shift states, so that bytes mean the same in any context? */
bool encoding_is_stateless(const struct encoding *e);

enum confidence {
	CONFIDENCE_CERTAIN, /* valid UTF-8, a BOM, or named by a configuration */
	CONFIDENCE_LIKELY,
	CONFIDENCE_LOW, /* good enough for reading, not for writing */
};

/* "certain", "likely", "low" */
const char *confidence_name(enum confidence c);

struct detected {
	const struct encoding *encoding;
	enum confidence confidence;
};

/*
 * Detect the encoding of @bytes, a whole file. @named is what a configuration
 * says, or NULL; only a BOM in the file overrides it. ERR_BINARY_READ when the
 * file is not text: a known magic number, NUL bytes outside UTF-16 and UTF-32,
 * control characters in a merely guessed encoding, or bytes that no encoding
 * explains. An empty file is UTF-8.
 */
must_check enum err encoding_detect(struct str bytes,
				    const struct encoding *named,
				    struct detected *ret);

/* The same for a source; the result does not depend on its pieces. */
must_check enum err encoding_detect_in(const struct byte_source *s,
				       const struct encoding *named,
				       struct detected *ret);

enum { ENCODING_SAMPLE = 64 * 1024 };

/*
 * Do the first ENCODING_SAMPLE bytes contain an ISO-2022 escape sequence? Files
 * without one are never detected as ISO-2022.
 */
bool encoding_has_iso2022(struct str bytes);

/*
 * Does a file that starts with @head have the magic number of a binary format?
 */
bool encoding_magic(struct str head);

/* The decoded text of a file. */
struct decoded_text {
	struct str text;
	size_t *undecodable; /* offsets in the text of each \xNN escape */
	size_t undecodable_count;
};

/*
 * Decode @bytes from @e, without the BOM and with undecodable bytes as \xNN.
 * For valid UTF-8 the text is a view into @bytes. ERR_BINARY_READ when @bytes
 * lack the BOM of @e, or iconv the tables.
 */
must_check enum err encoding_decode_escaped(const struct encoding *e,
					    struct str bytes, struct arena *mem,
					    struct decoded_text *ret);

/*
 * The same piece by piece: initialise with @e, after the BOM. The state can be
 * copied, and decoding continued from the copy.
 */
struct decoding {
	const struct encoding *e;
	unsigned shift;
	size_t undecodable; /* bytes so far */
	/*
	 * Undecodable bytes become lone surrogates, U+DC00 and the byte, in
	 * place of \xNN: text that is no UTF-8 there, and matches nothing.
	 */
	bool surrogates;
};

/* The byte that the lone surrogate at the front of @s stands for, or -1. */
int decoding_surrogate(struct str s);

/* Room for the text of @bytes bytes. */
static inline size_t decoding_room(size_t bytes)
{
	return 4 * bytes + 16;
}

/*
 * Decode the piece to @to; returns the length of the text. *@ret_used is the
 * number of bytes decoded: an incomplete character at the end is left to the
 * next piece.
 */
size_t decoding_more(struct decoding *d, const struct byte_reader *p, char *to,
		     size_t *ret_used);

/* What is known about the encoding of bytes that a person will see. */
struct display {
	const struct encoding *written; /* NULL = unknown */
	bool named; /* by the person; not by a project file or a guess */
};

/*
 * The encoding in which a person is shown @bytes: d->written, if that is known
 * and its BOM is present, else the detected one; NULL for binary content.
 * Unless the person has named it, never a stateful encoding, nor UTF-16 or
 * UTF-32 for bytes that are UTF-8 without NUL: a shell reads them as that.
 */
const struct encoding *encoding_for_display(struct str bytes,
					    const struct display *d);

/*
 * The text of @bytes for a person; false for binary content. @was is what the
 * file held before, or @bytes itself. Unless the person has named the encoding,
 * the bytes of a letter that a program could read as ASCII are shown beside it,
 * as in <\x83|>:
 *
 *	beside a letter of several bytes with one of `|\{}[] in it
 *	in UTF-16 and UTF-32, beside all letters beyond ASCII
 *	but where @bytes and @was have a BOM, where a few in a row are ASCII
 */
must_check bool encoding_display_text(struct str bytes, struct str was,
				      const struct display *d,
				      struct arena *mem, struct str *ret);

/* As encoding_decode_escaped(), but ERR_BINARY_READ for undecodable bytes. */
must_check enum err encoding_decode(const struct encoding *e, struct str bytes,
				    struct arena *mem, struct str *ret);

/*
 * Encode @text in @e, without the BOM. For UTF-8 the result is @text itself.
 * ERR_UNENCODABLE when @e lacks a character; *@bad is its offset in @text.
 */
must_check enum err encoding_encode(const struct encoding *e, struct str text,
				    struct arena *mem, struct str *ret,
				    size_t *bad);

/*
 * Map the @n offsets of @places, ascending, in the decoded text to offsets in
 * @bytes (BOM included), in one pass.
 */
void encoding_places(const struct encoding *e, struct str bytes,
		     const size_t *places, size_t n, size_t *ret);

/* Re-encodes an edit: splices of the text become splices of the bytes. */
struct reencode {
	struct detected in;
	struct str bytes;
	const struct decoded_text *shown;
	const struct splice *splices; /* of the text; ascending, not adjacent */
	size_t n;
	struct str text; /* the text after the splices */

	/* results */
	struct splice *byte_splices; /* @n of them */
	struct str after;            /* the bytes after the splices */
	size_t bad;                  /* on failure: an offset, see below */
};

/*
 * Compute the splices of the bytes. Bytes outside them stay as they are, shift
 * states are kept, and the result decodes to r->text, or:
 *
 *	ERR_UNENCODABLE  the encoding lacks a character; bad is in r->text
 *	ERR_UNDECODABLE  a splice touches undecodable bytes, or would change
 *	                 their meaning; bad is in the decoded text
 *	ERR_UNCERTAIN    the encoding is little more than a guess, and the
 *	                 splice depends on it: it is not ASCII for ASCII
 */
must_check enum err encoding_reencode(struct reencode *r, struct arena *mem);

#endif
