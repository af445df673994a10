#include "../unit.h"

#include "files/path.h"

/* W22 W62: what is absolute is decided on the text alone. */
static void absolute_is_a_slash_first_and_no_nul(void **state)
{
	static const struct {
		struct str path;
		bool absolute;
	} rules[] = {
		{ STR_INIT("/"), true },      { STR_INIT("/a/b"), true },
		{ STR_INIT("//a"), true },    { STR_INIT(""), false },
		{ STR_INIT("a"), false },     { STR_INIT("./a"), false },
		{ STR_INIT("/a\0b"), false }, { STR_INIT("/a\0"), false },
		{ STR_INIT("\0/a"), false },
	};

	for (size_t i = 0; i < COUNT_OF(rules); i++)
		assert_int_equal(path_absolute(rules[i].path),
				 rules[i].absolute);
	assert_false(path_absolute((struct str){ NULL, 0 }));
}

/* X15: names are compared whole, and ".." is never taken back here. */
static void beneath_is_decided_name_by_name(void **state)
{
	static const struct {
		const char *path, *dir, *rest; /* NULL = not beneath */
	} rules[] = {
		{ "/repo/a", "/repo", "a" },
		{ "/repo", "/repo", "" },
		{ "/repo/", "/repo", "" },
		{ "//repo/./a//b/", "/repo", "./a//b/" },
		{ "/repo-evil/a", "/repo", NULL },
		{ "/rep", "/repo", NULL },
		{ "/repo/../etc", "/repo", "../etc" },
		{ "/x/../repo/a", "/repo", NULL },
		{ "/a", "/", "a" },
		{ "/", "/", "" },
		{ "/repo/.../a", "/repo/...", "a" },
		{ "/repo/./a", "/repo/a", "" },
		{ "/repo/a", "/repo/./a", "" },
		{ "/repo/.a", "/repo/.b", NULL },
		{ "/repo/.a", "/repo/a", NULL },
		{ "/repo//a", "/repo/a", "" },
		{ "/repo", "/repo/a", NULL },
	};

	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		struct str rest = STR("");
		bool is = path_beneath(str_of(rules[i].path),
				       str_of(rules[i].dir), &rest);

		assert_int_equal(is, rules[i].rest != NULL);
		if (is)
			assert_str(rest, rules[i].rest);
	}
}

static bool beneath_by_name(struct str path, struct str dir)
{
	struct str want, have;

	while (path_next(&dir, &want))
		if (!path_next(&path, &have) || !str_eq(want, have))
			return false;
	return true;
}

/* The @n-th string of "/", "." and two letters. */
static struct str spell(size_t n, char to[8])
{
	size_t len = 0;

	to[len++] = '/';
	for (; n; n /= 5)
		if (n % 5)
			to[len++] = "/.ab"[n % 5 - 1];
	return str_make(to, len);
}

static void the_short_way_says_what_the_long_one_does(void **state)
{
	enum { ALL = 5 * 5 * 5 * 5 };
	char one[8], two[8];
	struct str rest;

	for (size_t i = 0; i < ALL; i++)
		for (size_t k = 0; k < ALL; k++) {
			struct str path = spell(i, one), dir = spell(k, two);
			bool is = path_beneath(path, dir, &rest);

			assert_int_equal(is, beneath_by_name(path, dir));
			assert_true(!is || !str_starts(rest, STR("/")));
		}
}

static void joined_paths_are_short(void **state)
{
	static const struct {
		const char *dir, *rest, *whole;
	} rules[] = {
		{ "/r", "a/b", "/r/a/b" },
		{ "/r", "", "/r" },
		{ "/", "", "/" },
		{ "/", "a", "/a" },
		{ "/r", ".//a/./b/", "/r/a/b" },
		{ "/r", "a/../b", "/r/b" },
		{ "/r", "a/b/../../c", "/r/c" },
		{ "/r", "../../x", "/r/x" },
		{ "/", "..", "/" },
		{ "/", "a/..", "/" },
	};
	auto_arena mem = ARENA_INIT;

	for (size_t i = 0; i < COUNT_OF(rules); i++)
		assert_str(path_join(&mem, str_of(rules[i].dir),
				     str_of(rules[i].rest)),
			   rules[i].whole);
}

static void the_parent_of_a_path_is_one_name_shorter(void **state)
{
	assert_str(path_parent(STR("/a/b")), "/a");
	assert_str(path_parent(STR("/a")), "/");
	assert_str(path_parent(STR("/")), "/");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(absolute_is_a_slash_first_and_no_nul),
		cmocka_unit_test(beneath_is_decided_name_by_name),
		cmocka_unit_test(the_short_way_says_what_the_long_one_does),
		cmocka_unit_test(joined_paths_are_short),
		cmocka_unit_test(the_parent_of_a_path_is_one_name_shorter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
