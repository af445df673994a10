#include "text/codec.h"

/*
 * Second thoughts about what statistics say. Encodings of single bytes give
 * a meaning to nearly every byte, and uchardet knows only some of them; but a
 * wrong one puts signs and capitals into the middle of words, and makes rows
 * of one letter of the lines of a box.
 */

static const struct {
	const struct encoding *from, *to;
	const char *bytes; /* one of these speaks for @to; NULL = always */
} siblings[] = {
	/* C1 controls are in no text: Windows has letters and quotes there */
	{ &encoding_iso_8859_1, &encoding_windows_1252, NULL },
	{ &encoding_iso_8859_7, &encoding_windows_1253, "\x80-\x9f" },
	{ &encoding_iso_8859_9, &encoding_windows_1254, "\x80-\x9f" },
	{ &encoding_iso_8859_13, &encoding_windows_1257, "\x80-\x9f" },
	/* letters of Ukrainian, lines of boxes in Russian */
	{ &encoding_koi8_r, &encoding_koi8_u, "\xa4\xa6\xa7\xad\xb4\xb6\xb7" },
};

struct seen {
	bool byte[256];
};

static struct seen bytes_of(const struct supply *s)
{
	struct pass p = { .of = s };
	struct seen seen = { { false } };

	for (size_t used = 0; pass_on(&p, used);) {
		used = p.piece.len;
		for (size_t i = 0; i < used; i++)
			seen.byte[(unsigned char)p.piece.ptr[i]] = true;
	}
	return seen;
}

/* @any is some bytes, or the first and the last with '-' between. */
static bool has(const struct seen *seen, const char *any)
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

/* Does Windows-1252 read the same in it? */
static bool same_in_1252(const struct encoding *e, const struct seen *seen)
{
	const struct charset *a = charset_of(e);
	const struct charset *b = charset_of(&encoding_windows_1252);

	for (size_t i = 0x80; a && b && i < 256; i++)
		if (seen->byte[i] &&
		    (a->one[i] != b->one[i] || a->one[i] == CODEC_BAD))
			return false;
	return a && b;
}

/* The euro sign where Windows has the sign for any currency. */
static bool euro_of_latin9(const struct seen *seen)
{
	return has(seen, "\xa4") && !has(seen, "\x80-\x9f");
}

const struct encoding *encoding_sibling(const struct encoding *e,
					const struct supply *s)
{
	struct seen seen;

	if (e->iconv && charset_of(e) && charset_of(e)->two)
		return e; /* all of these are of single bytes */
	seen = bytes_of(s);
	for (size_t i = 0; i < COUNT_OF(siblings); i++)
		if (siblings[i].from == e &&
		    (!siblings[i].bytes || has(&seen, siblings[i].bytes))) {
			e = siblings[i].to;
			break;
		}
	if (e == &encoding_windows_1252 && euro_of_latin9(&seen))
		return &encoding_iso_8859_15;
	/* of many names for the same text, the most usual */
	if (e->unit == 1 && e->iconv && same_in_1252(e, &seen))
		return &encoding_windows_1252;
	return e;
}

enum { ENOUGH = 8 };

enum kind { OTHER, SMALL, CAPITAL };

static enum kind ascii_kind(unsigned char b)
{
	if (b >= 'a' && b <= 'z')
		return SMALL;
	return b >= 'A' && b <= 'Z' ? CAPITAL : OTHER;
}

static bool is_capital(uint32_t code)
{
	if (code >= 0xc0 && code < 0xdf)
		return true;
	/* of these blocks every other letter, but the order turns twice */
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

/* Does @code not belong between the characters @before and @after? */
static bool odd(uint32_t code, unsigned char before, unsigned char after)
{
	if (code < 0xa0)
		return true; /* a C1 control, or nothing at all */
	if (!is_letter(code))
		return ascii_kind(before) != OTHER &&
		       ascii_kind(after) != OTHER;
	return is_capital(code) && ascii_kind(before) == SMALL;
}

/* How many of the @ret_all characters outside ASCII are odd. */
static size_t oddities(const struct encoding *e, struct str s, size_t *ret_all)
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
		n += code == CODEC_BAD || odd(code, before, after) ||
		     (before == b && after == b && is_letter(code));
	}
	return n;
}

bool encoding_plausible(const struct encoding *e, struct str sample)
{
	size_t all, n = oddities(e, sample, &all);

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
		n = oddities(rows[i], sample, &all);
		/* a handful of letters is no evidence for a rare one */
		if (n < least && (!i || all >= ENOUGH)) {
			least = n;
			best = rows[i];
		}
	}
	return best;
}
