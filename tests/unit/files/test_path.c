/*
 * test_path.c - comparison and joining of paths.
 */
#include "../unit.h"

#include "files/path.h"

/* W22 W62 */
static void an_absolute_path_starts_with_a_slash_and_has_no_nul(void **state)
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

/* X15: ".." never matches. */
static void beneath_compares_component_by_component(void **state)
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

/*
 * The @n-th string over the alphabet of "/", "." and two letters, behind
 * @common.
 */
static struct str spell(struct str common, size_t n, char to[24])
{
	size_t len = common.len;

	memcpy(to, common.ptr, common.len);
	for (; n; n /= 5)
		if (n % 5)
			to[len++] = "/.ab"[n % 5 - 1];
	return str_make(to, len);
}

static void the_fast_comparison_equals_the_slow_one(void **state)
{
	static const struct str common[] = { STR_INIT("/"), STR_INIT("/.ab.a"),
					     STR_INIT("/ab/a.b/..a/aa") };
	enum { ALL = 5 * 5 * 5 * 5 };
	char one[24], two[24];
	struct str rest;

	for (size_t i = 0; i < ALL * COUNT_OF(common); i++)
		for (size_t k = 0; k < ALL; k++) {
			struct str path = spell(common[i / ALL], i % ALL, one);
			struct str dir = spell(common[i / ALL], k, two);
			bool is = path_beneath(path, dir, &rest);

			assert_int_equal(is, beneath_by_name(path, dir));
			assert_true(!is || !str_starts(rest, STR("/")));
		}
}

static void joined_paths_are_normalised(void **state)
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

static void the_parent_lacks_the_last_component(void **state)
{
	assert_str(path_parent(STR("/a/b")), "/a");
	assert_str(path_parent(STR("/a")), "/");
	assert_str(path_parent(STR("/")), "/");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			an_absolute_path_starts_with_a_slash_and_has_no_nul),
		cmocka_unit_test(beneath_compares_component_by_component),
		cmocka_unit_test(the_fast_comparison_equals_the_slow_one),
		cmocka_unit_test(joined_paths_are_normalised),
		cmocka_unit_test(the_parent_lacks_the_last_component),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
