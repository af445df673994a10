#include "text/alike.h"

static const struct alike rows[] = {
#define ALIKE(code, plain, kind, name) { code, plain, ALIKE_##kind, name },
#include "text/alike.def"
#undef ALIKE
};

static const struct form {
	uint16_t code, base, mark;
} forms[] = {
#define FORM(code, base, mark) { code, base, mark },
#include "text/forms.def"
#undef FORM
};

enum {
	FIRST = 0xa0,         /* nothing below is in a table */
	LETTERS_END = 0x3100, /* where scripts give way to ideographs */
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

bool alike_find(uint32_t code, struct alike *ret)
{
	size_t from = 0, to = COUNT_OF(rows);

	if (!in_tables(code))
		return false;
	if (code >= WIDE && code < WIDE_END) {
		*ret = (struct alike){ code, code - WIDE + '!', ALIKE_WIDE,
				       NULL };
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

bool alike_parts(uint32_t code, uint32_t *base, uint32_t *mark)
{
	size_t from = 0, to = COUNT_OF(forms);

	if (code >= HANGUL && code < HANGUL_END) {
		hangul_parts(code, base, mark);
		return true;
	}
	if (!in_tables(code))
		return false;
	while (from < to) {
		size_t mid = (from + to) / 2;

		if (forms[mid].code == code) {
			*base = forms[mid].base;
			*mark = forms[mid].mark;
			return true;
		}
		if (forms[mid].code < code)
			from = mid + 1;
		else
			to = mid;
	}
	return false;
}

bool alike_is_mark(uint32_t code)
{
	return (code >= 0x300 && code < 0x370) || code == 0x3099 ||
	       code == 0x309a ||
	       (code >= HANGUL_VOWEL && code < HANGUL_TAIL + TAILS) ||
	       (code >= 0x1ab0 && code < 0x1b00) ||
	       (code >= 0x20d0 && code < 0x2100);
}

uint32_t alike_plain(uint32_t code)
{
	struct alike a;
	uint32_t base, mark;

	if (alike_is_mark(code))
		return 0;
	/* a letter may have two marks */
	for (int i = 0; i < 2 && alike_parts(code, &base, &mark); i++)
		code = base;
	if (alike_find(code, &a))
		code = a.plain;
	return code >= 'A' && code <= 'Z' ? code + ('a' - 'A') : code;
}
