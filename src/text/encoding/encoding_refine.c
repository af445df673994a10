/*
 * encoding_refine.c - refine a statistical guess of a single-byte encoding.
 *
 * Single-byte encodings assign nearly every byte, and uchardet knows only some
 * of them. A wrong guess puts symbols and capitals into the middle of words,
 * and turns box drawings into rows of one letter; these are counted.
 */
#include "text/encoding/codec.h"

static const struct {
	const struct encoding *from, *to;
	const char *bytes; /* any of these indicates @to; NULL = always */
} refinements[] = {
	/* no text has C1 controls: Windows has letters and quotes there */
	{ &encoding_iso_8859_1, &encoding_windows_1252, NULL },
	{ &encoding_iso_8859_7, &encoding_windows_1253, "\x80-\x9f" },
	{ &encoding_iso_8859_9, &encoding_windows_1254, "\x80-\x9f" },
	{ &encoding_iso_8859_13, &encoding_windows_1257, "\x80-\x9f" },
	/* letters in Ukrainian, box drawings in Russian */
	{ &encoding_koi8_r, &encoding_koi8_u, "\xa4\xa6\xa7\xad\xb4\xb6\xb7" },
};

struct byte_set {
	bool byte[256];
};

static struct byte_set byte_set_of(const struct byte_source *s)
{
	struct byte_reader p = { .of = s };
	struct byte_set seen = { { false } };

	for (size_t used = 0; byte_reader_next(&p, used);) {
		used = p.piece.len;
		for (size_t i = 0; i < used; i++)
			seen.byte[(unsigned char)p.piece.ptr[i]] = true;
	}
	return seen;
}

/* @any is a list of bytes, or a range as "a-z". */
static bool has_any_byte(const struct byte_set *seen, const char *any)
{
	unsigned from = (unsigned char)any[0], to = from;

	if (from && any[1] == '-')
		to = (unsigned char)any[2];
	for (; from <= to; from++)
		if (seen->byte[from])
			return true;
	for (; *any && any[1] != '-'; any++)
		if (seen->byte[(unsigned char)*any])
			return true;
	return false;
}

/* Are these bytes the same characters in Windows-1252? */
static bool same_in_1252(const struct encoding *e, const struct byte_set *seen)
{
	const struct charset *a = charset_of(e);
	const struct charset *b = charset_of(&encoding_windows_1252);

	for (size_t i = 0x80; a && b && i < 256; i++)
		if (seen->byte[i] &&
		    (a->one[i] != b->one[i] || a->one[i] == CODEC_BAD))
			return false;
	return a && b;
}

/* 0xa4 is the euro sign in Latin-9 and a currency sign in Windows-1252. */
static bool euro_of_latin9(const struct byte_set *seen)
{
	return has_any_byte(seen, "\xa4") && !has_any_byte(seen, "\x80-\x9f");
}

const struct encoding *encoding_refine(const struct encoding *e,
				       const struct byte_source *s)
{
	struct byte_set seen;

	if (e->iconv && charset_of(e) && charset_of(e)->two)
		return e; /* refinements are for single-byte encodings */
	seen = byte_set_of(s);
	for (size_t i = 0; i < COUNT_OF(refinements); i++)
		if (refinements[i].from == e &&
		    (!refinements[i].bytes ||
		     has_any_byte(&seen, refinements[i].bytes))) {
			e = refinements[i].to;
			break;
		}
	if (e == &encoding_windows_1252 && euro_of_latin9(&seen))
		return &encoding_iso_8859_15;
	/* several encodings give the same text: take the most common */
	if (e->unit == 1 && e->iconv && same_in_1252(e, &seen))
		return &encoding_windows_1252;
	return e;
}

enum { ENOUGH = 8 };

enum letter_kind { OTHER, SMALL, CAPITAL };

static enum letter_kind ascii_kind(unsigned char b)
{
	if (b >= 'a' && b <= 'z')
		return SMALL;
	return b >= 'A' && b <= 'Z' ? CAPITAL : OTHER;
}

static bool is_capital(uint32_t code)
{
	if (code >= 0xc0 && code < 0xdf)
		return true;
	/* every other letter is a capital, but the parity changes twice */
	if (code >= 0x100 && code < 0x180)
		return (code >= 0x139 && code < 0x149) || code >= 0x179
			       ? code & 1
			       : !(code & 1);
	return code == 0x178;
}

static bool is_letter(uint32_t code)
{
	return code == 0xaa || code == 0xb5 || code == 0xba ||
	       (code >= 0xc0 && code < 0x2000 && code != 0xd7 && code != 0xf7 &&
		code != 0x2c6 && code != 0x2dc);
}

/* Is @code implausible between @before and @after? */
static bool is_implausible(uint32_t code, unsigned char before,
			   unsigned char after)
{
	if (code < 0xa0)
		return true; /* a C1 control, or unassigned */
	if (!is_letter(code))
		return ascii_kind(before) != OTHER &&
		       ascii_kind(after) != OTHER;
	return is_capital(code) && ascii_kind(before) == SMALL;
}

/* The number of implausible characters of the @ret_all non-ASCII ones. */
static size_t count_implausible(const struct encoding *e, struct str s,
				size_t *ret_all)
{
	const struct charset *c = charset_of(e);
	size_t n = 0;

	*ret_all = 0;
	for (size_t i = 0; i < s.len; i++) {
		unsigned char b = (unsigned char)s.ptr[i], before, after;
		uint32_t code = c->one[b];

		if (b < 0x80)
			continue;
		before = i ? (unsigned char)s.ptr[i - 1] : '\n';
		after = i + 1 < s.len ? (unsigned char)s.ptr[i + 1] : '\n';
		++*ret_all;
		n += code == CODEC_BAD || is_implausible(code, before, after) ||
		     (before == b && after == b && is_letter(code));
	}
	return n;
}

bool encoding_plausible(const struct encoding *e, struct str sample)
{
	size_t all, n = count_implausible(e, sample, &all);

	return n <= all / 8;
}

const struct encoding *encoding_western(struct str sample)
{
	static const struct encoding *const rows[] = {
		&encoding_windows_1252,
		&encoding_macroman,
		&encoding_ibm850,
	};
	const struct encoding *best = &encoding_windows_1252;
	size_t least = SIZE_MAX, all;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		size_t n;

		if (!charset_of(rows[i]))
			continue;
		n = count_implausible(rows[i], sample, &all);
		/* few letters are no evidence for a rare encoding */
		if (n < least && (!i || all >= ENOUGH)) {
			least = n;
			best = rows[i];
		}
	}
	return best;
}
