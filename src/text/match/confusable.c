/*
 * confusable.c - look-ups in the tables of confusables and decompositions.
 *
 * Both tables are sorted and searched by bisection; in_tables() keeps most
 * characters (ASCII, ideographs, emoji) from getting that far. Hangul syllables
 * are decomposed by the rule of the Unicode standard.
 */
#include "text/match/confusable.h"

static const struct confusable rows[] = {
#define CONFUSABLE(code, plain, kind, name) \
	{ code, plain, CONFUSABLE_##kind, name },
#include "text/match/confusable.def"
#undef CONFUSABLE
};

static const struct decomposition {
	uint16_t code, base, mark;
} decompositions[] = {
#define DECOMP(code, base, mark) { code, base, mark },
#include "text/match/decompositions.def"
#undef DECOMP
};

enum {
	FIRST = 0xa0,         /* the lowest code point in the tables */
	LETTERS_END = 0x3100, /* first block of ideographs */
	WIDE = 0xff01,        /* full width "!" to "~" */
	WIDE_END = 0xff5f,
	HANGUL = 0xac00,
	HANGUL_END = 0xd7a4,
	HANGUL_LEAD = 0x1100,
	HANGUL_VOWEL = 0x1161,
	HANGUL_TAIL = 0x11a7,
	VOWELS = 21,
	TAILS = 28,
};

static bool in_tables(uint32_t code)
{
	return code >= FIRST && (code < LETTERS_END || code >= 0xa700) &&
	       code <= 0xffff && (code < HANGUL || code >= 0xfb00);
}

bool confusable_find(uint32_t code, struct confusable *ret)
{
	size_t from = 0, to = COUNT_OF(rows);

	if (!in_tables(code))
		return false;
	if (code >= WIDE && code < WIDE_END) {
		*ret = (struct confusable){ code, code - WIDE + '!',
					    CONFUSABLE_WIDE, NULL };
		return true;
	}
	while (from < to) {
		size_t mid = (from + to) / 2;

		if (rows[mid].code == code) {
			*ret = rows[mid];
			return true;
		}
		if (rows[mid].code < code)
			from = mid + 1;
		else
			to = mid;
	}
	return false;
}

static void hangul_parts(uint32_t code, uint32_t *base, uint32_t *mark)
{
	uint32_t n = code - HANGUL, tail = n % TAILS;

	if (tail) {
		*base = code - tail;
		*mark = HANGUL_TAIL + tail;
		return;
	}
	*base = HANGUL_LEAD + n / (VOWELS * TAILS);
	*mark = HANGUL_VOWEL + n / TAILS % VOWELS;
}

bool confusable_decompose(uint32_t code, uint32_t *base, uint32_t *mark)
{
	size_t from = 0, to = COUNT_OF(decompositions);

	if (code >= HANGUL && code < HANGUL_END) {
		hangul_parts(code, base, mark);
		return true;
	}
	if (!in_tables(code))
		return false;
	while (from < to) {
		size_t mid = (from + to) / 2;

		if (decompositions[mid].code == code) {
			*base = decompositions[mid].base;
			*mark = decompositions[mid].mark;
			return true;
		}
		if (decompositions[mid].code < code)
			from = mid + 1;
		else
			to = mid;
	}
	return false;
}

bool confusable_is_mark(uint32_t code)
{
	return (code >= 0x300 && code < 0x370) || code == 0x3099 ||
	       code == 0x309a ||
	       (code >= HANGUL_VOWEL && code < HANGUL_TAIL + TAILS) ||
	       (code >= 0x1ab0 && code < 0x1b00) ||
	       (code >= 0x20d0 && code < 0x2100);
}

uint32_t confusable_skeleton(uint32_t code)
{
	struct confusable a;
	uint32_t base, mark;

	if (confusable_is_mark(code))
		return 0;
	/* a letter may carry two marks, as in Vietnamese */
	for (int i = 0; i < 2 && confusable_decompose(code, &base, &mark); i++)
		code = base;
	if (confusable_find(code, &a))
		code = a.plain;
	return code >= 'A' && code <= 'Z' ? code + ('a' - 'A') : code;
}
