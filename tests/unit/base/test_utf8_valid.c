/*
 * test_utf8_valid.c - every implementation of UTF-8 validation.
 */
#include "../unit.h"

#include "base/buf.h"
#include "base/utf8_valid.h"

#include <stdlib.h>

static const struct {
	const char *text;
	size_t valid;    /* bytes */
	size_t sequence; /* bytes that one U+FFFD replaces; 0 = all valid */
} rules[] = {
	{ "", 0, 0 },
	{ "plain", 5, 0 },
	{ "\x7f", 1, 0 },
	{ "\xc2\x80\xdf\xbf", 4, 0 },
	{ "\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf", 12, 0 },
	{ "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", 8, 0 },
	{ "a\x80", 1, 1 },        /* unexpected continuation */
	{ "a\xbf\xbf", 1, 1 },    /* two */
	{ "\xc3\xa9\xa9", 2, 1 }, /* one too many */
	{ "\xc0\xaf", 0, 1 },     /* overlong */
	{ "\xc1\xbf", 0, 1 },     /* overlong */
	{ "\xe0\x9f\xbf", 0, 1 }, /* overlong */
	{ "\xf0\x8f\xbf\xbf", 0, 1 },
	{ "\xed\xa0\x80", 0, 1 }, /* surrogates */
	{ "\xed\xbf\xbf", 0, 1 },
	{ "\xf4\x90\x80\x80", 0, 1 }, /* too large */
	{ "\xf5\x80\x80\x80", 0, 1 },
	{ "\xf8\x88\x80\x80\x80", 0, 1 },
	{ "\xfe", 0, 1 },
	{ "\xff", 0, 1 },
	{ "ab\xc3", 2, 1 }, /* cut off */
	{ "ab\xc3z", 2, 1 },
	{ "ab\xe2\x82", 2, 2 },
	{ "ab\xe2z", 2, 1 },
	{ "ab\xe2\x82z", 2, 2 },
	{ "ab\xf0\x9f\x98", 2, 3 },
	{ "ab\xf0\x9f\x98z", 2, 3 },
	{ "ab\xf0\x9f\xc3\xa9", 2, 2 },
	{ "\xe2\x82\xe2\x82\xac", 0, 2 },
};

/* Each implementation that this machine can run. */
static void assert_valid(struct str s, size_t want)
{
	assert_int_equal(utf8_valid_portable(s), want);
	assert_int_equal(utf8_valid_prefix(s), want);
	if (utf8_has_avx2())
		assert_int_equal(utf8_valid_avx2(s), want);
}

/* X18: the valid prefix, to the byte */
static void validity_follows_its_table(void **state)
{
	bool whole;

	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		struct str s = str_of(rules[i].text);

		assert_valid(s, rules[i].valid);
		if (!rules[i].sequence)
			continue;
		s = str_skip(s, rules[i].valid);
		assert_int_equal(utf8_sequence(s, &whole), rules[i].sequence);
		assert_false(whole);
	}
}

/* The table after prefixes of every length, so across all vector boundaries. */
static void the_place_in_the_text_does_not_matter(void **state)
{
	static const char *const fills[] = { "a", "\xc3\xa9", "\xe2\x82\xac",
					     "\xf0\x9f\x98\x80" };

	for (size_t i = 0; i < COUNT_OF(rules); i++)
		for (size_t f = 0; f < COUNT_OF(fills); f++)
			for (size_t n = 0; n < 140; n++) {
				auto_buf b = BUF_INIT;

				for (size_t k = 0; k < n; k++)
					buf_add(&b, str_of(fills[f]));
				size_t before = b.len;
				buf_add(&b, str_of(rules[i].text));
				assert_valid(buf_str(&b),
					     before + rules[i].valid);
				if (rules[i].sequence)
					continue;
				buf_add(&b, STR("zzzz"));
				assert_valid(buf_str(&b), b.len);
			}
}

/* The definition, one code point at a time, to compare with. */
static size_t by_definition(const uint8_t *p, size_t n)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t at = 0;

	while (at < n) {
		size_t len = p[at] < 0x80             ? 1
			     : (p[at] & 0xe0) == 0xc0 ? 2
			     : (p[at] & 0xf0) == 0xe0 ? 3
			     : (p[at] & 0xf8) == 0xf0 ? 4
						      : 0;
		uint32_t code = len == 1 ? p[at] : p[at] & (0x7fu >> len);

		if (!len || len > n - at)
			return at;
		for (size_t k = 1; k < len; k++) {
			if ((p[at + k] & 0xc0) != 0x80)
				return at;
			code = code << 6 | (p[at + k] & 0x3f);
		}
		if (code < least[len] || code > 0x10ffff ||
		    (code >= 0xd800 && code <= 0xdfff))
			return at;
		at += len;
	}
	return at;
}

static void every_text_of_three_bytes_is_judged_as_defined(void **state)
{
	/* in the middle of a vector, not in the scalar rest */
	uint8_t text[96];

	memset(text, 'x', sizeof(text));
	for (uint32_t i = 0x800000; i <= 0xffffff; i++) {
		text[40] = (uint8_t)(i >> 16);
		text[41] = (uint8_t)(i >> 8);
		text[42] = (uint8_t)i;
		size_t want = by_definition(text + 40, 3) == 3
				      ? sizeof(text)
				      : 40 + by_definition(text + 40, 3);
		struct str s = str_make((char *)text, sizeof(text));

		if (utf8_valid_prefix(s) != want)
			assert_valid(s, want);
	}
}

static const uint8_t edges[] = {
	0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf,
	0xe0, 0xe1, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff, 'a'
};

static void every_text_of_four_edge_bytes_is_judged_as_defined(void **state)
{
	const size_t n = COUNT_OF(edges);
	uint8_t text[80];

	memset(text, 'x', sizeof(text));
	for (size_t i = 0; i < n * n * n * n; i++) {
		text[30] = edges[i % n];
		text[31] = edges[i / n % n];
		text[32] = edges[i / n / n % n];
		text[33] = edges[i / n / n / n];
		struct str s = str_make((char *)text, sizeof(text));
		size_t want = by_definition(text, sizeof(text));

		if (utf8_valid_prefix(s) != want)
			assert_valid(s, want);
	}
}

static void random_texts_are_judged_as_defined(void **state)
{
	char *room = malloc(512);

	srandom(7);
	for (int i = 0; i < 100000; i++) {
		size_t n = (size_t)random() % 300;
		char *p = room + (size_t)random() % 64;

		for (size_t k = 0; k < n;) {
			static const char *const parts[] = {
				"a", "\xc3\xa9", "\xe2\x82\xac",
				"\xf0\x9f\x98\x80"
			};
			const char *part = parts[random() % 4];
			size_t len = size_min(strlen(part), n - k);

			memcpy(p + k, part, len);
			k += len;
		}
		if (n && i % 2)
			p[(size_t)random() % n] = (char)random();
		assert_valid(str_make(p, n), by_definition((uint8_t *)p, n));
	}
	free(room);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(validity_follows_its_table),
		cmocka_unit_test(the_place_in_the_text_does_not_matter),
		cmocka_unit_test(
			every_text_of_three_bytes_is_judged_as_defined),
		cmocka_unit_test(
			every_text_of_four_edge_bytes_is_judged_as_defined),
		cmocka_unit_test(random_texts_are_judged_as_defined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
