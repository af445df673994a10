/*
 * encoding.h - from the bytes of a file to text, and back.
 *
 * Text is UTF-8, without a byte order mark. Decoding is for showing and
 * matching only: an edit maps its places back to byte offsets and splices,
 * so what is outside an edit is never encoded again.
 *
 * Bytes that mean nothing in a file's encoding are shown as \xNN, each of
 * them, and known to be that: nobody can edit them as if they were text.
 */
#ifndef STET_ENCODING_H
#define STET_ENCODING_H

#include "base/err.h"
#include "text/edit.h"
#include "text/supply.h"

#include <stdatomic.h>

struct codec;   /* how its units become code points, in text/codec.h */
struct charset; /* the tables of those that have some */

struct encoding {
	const char *name; /* "utf-8", "utf-16le" ... as results show it */
	struct str bom;   /* what a file in it starts with, "" for none */
	unsigned unit;    /* bytes of the smallest unit: 1, 2 or 4 */
	bool big_endian;
	const struct codec *codec;
	const char *iconv; /* what the C library calls it; NULL = ours */
	_Atomic(const struct charset *) *charset; /* NULL = not yet made */
};

extern const struct encoding encoding_utf8;

/*
 * The row of that name, or NULL. Case does not count, nor "_" for "-", and
 * usual other names are known, too.
 */
const struct encoding *encoding_named(struct str name);

/* Is a clean file in it UTF-8, mark or not, and a diff of it a patch? */
bool encoding_is_utf8(const struct encoding *e);

/* Are they the same but for the mark? */
bool encoding_alike(const struct encoding *a, const struct encoding *b);

/* Do bytes mean the same whatever stands before them: no shift states? */
bool encoding_is_free(const struct encoding *e);

enum confidence {
	CONFIDENCE_CERTAIN, /* it says so itself, or somebody who knows did */
	CONFIDENCE_LIKELY,
	CONFIDENCE_LOW, /* good enough to read it */
};

/* "certain", "likely", "low" */
const char *confidence_name(enum confidence c);

struct detected {
	const struct encoding *encoding;
	enum confidence confidence;
};

/*
 * What @bytes, a whole file, are written in. @named is what a configuration
 * says, or NULL; only a mark in the file knows better. ERR_BINARY_READ when
 * they are no text: a known magic number, NUL bytes outside UTF-16 and
 * UTF-32, controls in what is merely guessed, or bytes that nothing explains.
 * The empty file is UTF-8.
 */
must_check enum err encoding_detect(struct str bytes,
				    const struct encoding *named,
				    struct detected *ret);

/* The same of bytes that come in pieces, however these are cut. */
must_check enum err encoding_detect_in(const struct supply *s,
				       const struct encoding *named,
				       struct detected *ret);

enum { ENCODING_SAMPLE = 64 * 1024 };

/*
 * Do the first ENCODING_SAMPLE bytes of @bytes hold an escape sequence of
 * ISO-2022? What has none is not taken for it.
 */
bool encoding_escapes(struct str bytes);

/* Does a file that starts with @head have a binary magic number? */
bool encoding_magic(struct str head);

/* A file as text. */
struct shown {
	struct str text;
	size_t *strays; /* where in the text each \xNN is that is a byte */
	size_t stray_count;
};

/*
 * The text of @bytes, which are in @e; the mark is left out. Of clean UTF-8
 * it is a view into @bytes. ERR_BINARY_READ when @bytes lack the mark of @e,
 * or the C library the tables.
 */
must_check enum err encoding_show(const struct encoding *e, struct str bytes,
				  struct arena *mem, struct shown *ret);

/*
 * The same piece by piece: start with @e, behind the mark. It can be copied,
 * and decoding goes on from there another time.
 */
struct decoding {
	const struct encoding *e;
	unsigned shift;
	size_t strays; /* how many, so far */
};

/* What the text of @bytes of them may take. */
static inline size_t decoding_room(size_t bytes)
{
	return 4 * bytes + 16;
}

/*
 * Write to @to the text of the piece, and return how much that is. *@ret_used
 * is how many bytes it stands for: the last ones are left to the next piece
 * where they may be the beginning of something.
 */
size_t decoding_more(struct decoding *d, const struct pass *p, char *to,
		     size_t *ret_used);

/* What is known of the encoding of bytes that a person is shown. */
struct display {
	const struct encoding
		*written; /* they were or will be; NULL = unknown */
	bool named; /* by the person, not by a file of the project or a guess */
};

/*
 * What a person is shown @bytes in: d->written, if that is known and they have
 * its mark, or else what the bytes tell; NULL when they are no text. Unless
 * the person has named it, never an encoding with shift states, nor UTF-16 or
 * UTF-32 for what is UTF-8 without NUL bytes: that is what a shell reads.
 */
const struct encoding *encoding_displayed(struct str bytes,
					  const struct display *d);

/*
 * The text of @bytes as a person is shown it; false when they are no text.
 * @was is what the file held before, or @bytes itself. Unless the person has
 * named the encoding, bytes are spelled beside letters, as in <\x83|>:
 *
 *	beside a letter of several bytes with one of `|\{}[] in it
 *	in UTF-16 and UTF-32, beside all letters beyond ASCII
 *	but where @bytes and @was have a mark, where a few in a row are ASCII
 */
must_check bool encoding_text(struct str bytes, struct str was,
			      const struct display *d, struct arena *mem,
			      struct str *ret);

/* As encoding_show(); ERR_BINARY_READ also when there are strays. */
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
 * Where the @n offsets of @places, ascending, in the shown text stand in
 * @bytes (the mark counted). One pass for all of them.
 */
void encoding_places(const struct encoding *e, struct str bytes,
		     const size_t *places, size_t n, size_t *ret);

/* A change of a file's text on its way to its bytes. */
struct respell {
	struct detected in;
	struct str bytes;
	const struct shown *shown;
	const struct splice *splices; /* of the text; ascending, not touching */
	size_t n;
	struct str text; /* with the splices made */

	/* what comes out */
	struct splice *byte_splices; /* n of them */
	struct str after;            /* the bytes with them made */
	size_t bad;                  /* on failure: where, in ... */
};

/*
 * Make the splices in the bytes. Nothing outside them is touched, shift
 * states are kept, and the result decodes to r->text, or:
 *
 *	ERR_UNENCODABLE  the encoding lacks a character; bad is in r->text
 *	ERR_UNDECODABLE  a splice touches a stray, or would make its bytes
 *	                 mean something else; bad is in the shown text
 *	ERR_UNCERTAIN    the encoding is hardly more than a guess, and the
 *	                 splice depends on it: it is not ASCII for ASCII
 */
must_check enum err encoding_respell(struct respell *r, struct arena *mem);

#endif
