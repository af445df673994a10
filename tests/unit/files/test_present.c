/*
 * test_present.c - which names a directory has, as bits.
 */
#include "scratch.h"

#include "files/beneath.h"

#include <limits.h>

static const char *const names[] = { "one", "two", "three", NULL };

enum { ONE = 1, TWO = 2, THREE = 4 };

static struct present present_in(struct scratch *s, const char *dir)
{
	return ws_present(s->ws, scratch_str(s, dir), names, &s->mem);
}

static void a_missing_name_has_no_bit(void **state)
{
	auto_scratch s = scratch_make();

	assert_int_equal(present_in(&s, "root").names, 0);
	scratch_put(&s, "root/two", "");
	assert_int_equal(present_in(&s, "root").names, TWO);
	scratch_dir(&s, "root/three");
	assert_int_equal(present_in(&s, "root").names, TWO | THREE);
	scratch_link(&s, "nowhere", "root/one");
	assert_int_equal(present_in(&s, "root").names, ONE | TWO | THREE);
}

static void each_directory_has_its_own_bits(void **state)
{
	auto_scratch s = scratch_make();

	scratch_dir(&s, "root/a");
	scratch_dir(&s, "root/a/b");
	scratch_put(&s, "root/one", "");
	scratch_put(&s, "root/a/b/two", "");
	assert_int_equal(present_in(&s, "root/a").names, 0);
	assert_int_equal(present_in(&s, "root/a/b").names, TWO);
	assert_false(present_in(&s, "root/a").at_root);
	assert_true(present_in(&s, "root").at_root);
}

/* Behind a symlink, missing, or outside the roots. */
static void an_unresolved_directory_reports_every_name(void **state)
{
	auto_scratch s = scratch_make();

	scratch_dir(&s, "root/a");
	scratch_link(&s, "a", "root/link");
	assert_int_equal(present_in(&s, "root/link").names, UINT_MAX);
	assert_int_equal(present_in(&s, "root/nothing").names, UINT_MAX);
	assert_int_equal(present_in(&s, "outside").names, UINT_MAX);
	beneath_slowly(true);
	assert_int_equal(present_in(&s, "root/a").names, UINT_MAX);
	beneath_slowly(false);
}

static void a_root_inside_another_root_is_not_at_root(void **state)
{
	auto_scratch s = scratch_make();
	struct str both[2];

	scratch_dir(&s, "root/a");
	both[0] = s.root;
	both[1] = scratch_str(&s, "root/a");
	ws_local_roots(s.ws, both, 2, STR(""), NULL);
	assert_false(present_in(&s, "root/a").at_root);
	assert_true(present_in(&s, "root").at_root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_missing_name_has_no_bit),
		cmocka_unit_test(each_directory_has_its_own_bits),
		cmocka_unit_test(an_unresolved_directory_reports_every_name),
		cmocka_unit_test(a_root_inside_another_root_is_not_at_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
