/*
 * test_caseless.c - X14: names that a case-insensitive file system considers
 * equal.
 */
#include "../unit.h"

#include "text/display/caseless.h"

static const struct {
	const char *path, *want; /* NULL = folding changes nothing */
} spellings[] = {
	{ "/w/.ssh/config", NULL },
	{ "", NULL },
	{ "/", NULL },
	{ "/w/a.b/c", NULL },
	{ "/w/.\xc3\x9fh/config", "/w/.ssh/config" }, /* sharp s */
	{ "/w/.\xe1\xba\x9eh", "/w/.ssh" },           /* its capital */
	{ "/w/.\xc5\xbftet", "/w/.stet" },            /* long s */
	{ "/w/.\xef\xac\x86"
	  "et",
	  "/w/.stet" }, /* ligature */
	{ "/w/.con\xef\xac\x81g/stet", "/w/.config/stet" },
	{ "/w/.\xe2\x84\xaaube", "/w/.kube" },    /* Kelvin */
	{ "/w/.gi\xe2\x80\x8bt", "/w/.git" },     /* zero width */
	{ "/w/.g\xf3\xa0\x84\x80it", "/w/.git" }, /* variation */
	{ "/w/.git./hooks", "/w/.git/hooks" },
	{ "/w/.git . ", "/w/.git" },
	{ "/w/\xc3\xa4/x", "/w/\xc3\xa4/x" }, /* not folded */
	{ "/w/\xff/x", "/w/\xff/x" },
};

static void other_spellings_are_told(void **state)
{
	for (size_t i = 0; i < COUNT_OF(spellings); i++) {
		auto_arena mem = ARENA_INIT;
		struct str got = STR("");
		bool is = caseless_fold(str_of(spellings[i].path), &mem, &got);

		assert_int_equal(is, spellings[i].want != NULL);
		assert_int_equal(is,
				 !caseless_is_plain(str_of(spellings[i].path)));
		if (is)
			assert_str(got, spellings[i].want);
	}
}

static void directories_are_compared_name_by_name(void **state)
{
	assert_true(caseless_beneath(STR("/W/a"), STR("/w")));
	assert_true(caseless_beneath(STR("/w"), STR("/W")));
	assert_true(caseless_beneath(STR("/w"), STR("/")));
	assert_false(caseless_beneath(STR("/wa"), STR("/w")));
	assert_false(caseless_beneath(STR("/"), STR("/w")));
	assert_true(caseless_eq(STR("aB"), STR("Ab")));
	assert_false(caseless_eq(STR("a"), STR("ab")));
}

/* X14: at any position of a path. */
static void odd_names_are_seen_at_every_place(void **state)
{
	static const char *const odd[] = { "./", " /", "\xc3\xa9", ".", " " };
	char path[40];

	for (size_t len = 0; len < 30; len++) {
		memset(path, 'a', sizeof(path));
		assert_true(caseless_is_plain(str_make(path, len)));
		for (size_t i = 0; i < COUNT_OF(odd) * len; i++) {
			size_t at = i / COUNT_OF(odd);
			struct str s = str_of(odd[i % COUNT_OF(odd)]);
			bool at_end = at + s.len == len,
			     fits = at + s.len <= len;
			bool is_odd = s.len > 1 || at_end;

			if (!fits)
				continue;
			memset(path, 'a', sizeof(path));
			memcpy(path + at, s.ptr, s.len);
			assert_int_equal(caseless_is_plain(str_make(path, len)),
					 !is_odd);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(other_spellings_are_told),
		cmocka_unit_test(odd_names_are_seen_at_every_place),
		cmocka_unit_test(directories_are_compared_name_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
