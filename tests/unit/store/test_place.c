#include "state.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* What stet does not need, it does not touch. */
static void a_new_store_touches_nothing(void **state)
{
	auto_state s = state_make();

	assert_int_equal(access(s.dir.ptr, F_OK), -1);
	state_again(&s);
	assert_int_equal(access(s.dir.ptr, F_OK), -1);
	assert_int_equal(store_usable(s.store, &s.f), ERR_OK);
	assert_int_equal(access(state_path(&s, "history.db"), F_OK), 0);
}

static void it_is_ours_alone(void **state)
{
	auto_state s = state_make();
	struct stat st;

	(void)umask(0);
	(void)state_op(&s, "/a", NULL, "x");
	assert_int_equal(stat(s.dir.ptr, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(stat(state_path(&s, "history.db"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(stat(state_path(&s, "history.db-wal"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	state_again(&s);
	assert_int_equal(chmod(s.dir.ptr, 0750), 0);
	assert_int_equal(store_usable(s.store, &s.f), ERR_STORE);
	assert_non_null(strstr(s.f.text.ptr, s.dir.ptr));
	assert_int_equal(chmod(s.dir.ptr, 0700), 0);
	assert_int_equal(chmod(state_path(&s, "history.db"), 0604), 0);
	assert_int_equal(store_usable(s.store, &s.f), ERR_STORE);
	assert_non_null(strstr(s.f.text.ptr, "history.db"));
}

static void one_who_only_looks_makes_nothing(void **state)
{
	auto_state s = state_make();
	struct history_query all = { 0 };
	struct op *list, op;
	size_t n = 1;

	s.options.read_only = true;
	state_again(&s);
	assert_int_equal(history_list(s.store, &all, &s.mem, &list, &n, &s.f),
			 ERR_OK);
	assert_int_equal(n, 0);
	assert_int_equal(state_try_op(&s, "/a", STR(""), STR("x"), &op),
			 ERR_STORE);
	assert_int_equal(access(s.dir.ptr, F_OK), -1);

	s.options.read_only = false;
	state_again(&s);
	(void)state_op(&s, "/a", NULL, "x");
	s.options.read_only = true;
	state_again(&s);
	assert_int_equal(history_list(s.store, &all, &s.mem, &list, &n, &s.f),
			 ERR_OK);
	assert_int_equal(n, 1);
	assert_int_equal(state_try_op(&s, "/a", STR(""), STR("x"), &op),
			 ERR_STORE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_store_touches_nothing),
		cmocka_unit_test(it_is_ours_alone),
		cmocka_unit_test(one_who_only_looks_makes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
