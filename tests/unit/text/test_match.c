/*
 * test_match.c - substring search, also in adversarial texts.
 */
#include "../unit.h"

#include "base/arena.h"
#include "text/lines/kernels.h"
#include "text/match/match.h"

static const struct {
	const char *text, *needle;
	size_t first, count;
} rows[] = {
	{ "", "", MATCH_NONE, 0 },        { "abc", "", MATCH_NONE, 0 },
	{ "", "a", MATCH_NONE, 0 },       { "a", "a", 0, 1 },
	{ "a", "ab", MATCH_NONE, 0 },     { "abcabc", "abc", 0, 2 },
	{ "xabc", "abc", 1, 1 },          { "aaa", "aa", 0, 1 },
	{ "aaaa", "aa", 0, 2 },           { "ababab", "abab", 0, 1 },
	{ "foo\nfoo\nfoo", "foo", 0, 3 }, { "a\nb\r\nc", "\r\n", 3, 1 },
};

/* A29 M59: from left to right, not overlapping. */
static void matches_follow_their_table(void **state)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct str text = str_of(rows[i].text);
		struct str needle = str_of(rows[i].needle);

		assert_int_equal(match_find(text, needle, 0), rows[i].first);
		assert_int_equal(match_count(text, needle), rows[i].count);
	}
}

static void finding_starts_where_told(void **state)
{
	struct str text = STR("abcabc");

	assert_int_equal(match_find(text, STR("abc"), 1), 3);
	assert_int_equal(match_find(text, STR("abc"), 3), 3);
	assert_int_equal(match_find(text, STR("abc"), 4), MATCH_NONE);
	assert_int_equal(match_find(text, STR("c"), 6), MATCH_NONE);
	assert_int_equal(match_find(text, STR("c"), SIZE_MAX), MATCH_NONE);
	assert_int_equal(match_find((struct str){ NULL, 0 }, STR("c"), 0),
			 MATCH_NONE);
}

static uint64_t dice = 7;

static size_t roll(size_t sides)
{
	dice ^= dice << 13;
	dice ^= dice >> 7;
	dice ^= dice << 17;
	return (size_t)(dice >> 20) % sides;
}

static void fill(char *p, size_t n, size_t kinds)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (char)('a' + roll(kinds));
}

/* Copied to its exact size, so that a sanitizer sees a read past its end. */
static void any_needle_is_found_where_memmem_does(void **state)
{
	for (size_t round = 0; round < 20000; round++) {
		auto_arena mem = ARENA_INIT;
		size_t len = roll(300), kinds = 1 + roll(3), n;
		char *text = arena_alloc(&mem, len);
		char needle[20];
		const char *want;
		size_t got;

		fill(text, len, kinds);
		n = 1 + roll(sizeof(needle));
		fill(needle, n, kinds);
		if (len > n && roll(2))
			memcpy(needle, text + roll(len - n), n);
		want = memmem(text, len, needle, n);
		got = match_find(str_make(text, len), str_make(needle, n), 0);
		assert_int_equal(got,
				 want ? (size_t)(want - text) : MATCH_NONE);
	}
}

static void each_kernel_finds_pairs_anywhere(void **state)
{
	const struct kernels *all[2];
	size_t sets = kernels_all(all);
	char text[260];

	for (size_t gap = 0; gap < 60; gap += 3) {
		for (size_t at = 0; at < 200; at++) {
			memset(text, 'a', sizeof(text));
			text[at + gap] = 'b';
			text[at] = gap ? 'c' : 'b';
			for (size_t s = 0; s < sets; s++) {
				char first = gap ? 'c' : 'b';

				assert_int_equal(all[s]->find_pair(text, 200,
								   gap, first,
								   'b'),
						 at);
				assert_int_equal(all[s]->find_pair(text, at,
								   gap, first,
								   'b'),
						 at);
			}
		}
	}
}

/*
 * Texts made to pass the filter everywhere: if comparing were not bounded,
 * these would take minutes and the test would run into its time limit.
 */
static char lower(char c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
}

/* Letters of either case, and bytes that differ from letters in one bit. */
static void needles_without_case_are_found_where_they_are(void **state)
{
	static const char kinds[] = "aAbB@`[{1kK\xe1\xc1";

	for (size_t round = 0; round < 20000; round++) {
		auto_arena mem = ARENA_INIT;
		size_t len = roll(200), n = 1 + roll(6), want = MATCH_NONE;
		char *text = arena_alloc(&mem, len), needle[6];
		struct match_plan p;

		for (size_t i = 0; i < len; i++)
			text[i] = kinds[roll(sizeof(kinds) - 1)];
		for (size_t i = 0; i < n; i++)
			needle[i] = lower(kinds[roll(sizeof(kinds) - 3)]);
		for (size_t i = 0; i + n <= len && want == MATCH_NONE; i++) {
			size_t k = 0;

			while (k < n && lower(text[i + k]) == needle[k])
				k++;
			if (k == n)
				want = i;
		}
		p = match_plan(str_make(needle, n));
		assert_int_equal(match_caseless(str_make(text, len), &p, 0),
				 want);
	}
}

static void each_kernel_finds_pairs_without_case(void **state)
{
	const struct kernels *all[2];
	size_t sets = kernels_all(all);
	char text[260];

	for (size_t gap = 0; gap < 60; gap += 3)
		for (size_t at = 0; at < 200; at++)
			for (size_t s = 0; s < sets; s++) {
				memset(text, '.', sizeof(text));
				text[at + gap] = 'B';
				text[at] = gap ? 'c' : 'B';
				assert_int_equal(all[s]->find_pair_caseless(
							 text, 200, gap,
							 gap ? 'c' : 'b', 'b'),
						 at);
			}
}

static void hostile_texts_cost_little(void **state)
{
	enum { TEXT = 8 << 20, NEEDLE = 100000 };
	auto_arena mem = ARENA_INIT;
	char *text = arena_alloc(&mem, TEXT), *needle;
	struct str t = str_make(text, TEXT), n;

	needle = arena_alloc(&mem, NEEDLE);
	n = str_make(needle, NEEDLE);
	memset(text, 'a', TEXT);
	memset(needle, 'a', NEEDLE);
	assert_int_equal(match_count(t, n), TEXT / NEEDLE);
	assert_int_equal(match_count(t, STR("aa")), TEXT / 2);
	needle[NEEDLE / 2] = 'b';
	assert_int_equal(match_find(t, n, 0), MATCH_NONE);
	memset(needle, 'a', NEEDLE);
	needle[0] = 'b';
	assert_int_equal(match_count(t, n), 0);
	memset(needle, 'a', NEEDLE);
	needle[NEEDLE - 1] = 'b';
	text[TEXT - 1] = 'b';
	assert_int_equal(match_find(t, n, 0), TEXT - NEEDLE);
	assert_int_equal(match_count(t, n), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matches_follow_their_table),
		cmocka_unit_test(finding_starts_where_told),
		cmocka_unit_test(any_needle_is_found_where_memmem_does),
		cmocka_unit_test(each_kernel_finds_pairs_anywhere),
		cmocka_unit_test(needles_without_case_are_found_where_they_are),
		cmocka_unit_test(each_kernel_finds_pairs_without_case),
		cmocka_unit_test(hostile_texts_cost_little),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
