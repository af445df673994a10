/*
 * test_state_dir.c - the state directory: private, read-only, missing, full.
 */
#include "state.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LITTLE = 512 * 1024 }; /* bytes of a file: less than the room */

/* A store that is not used creates no file. */
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

/* A state directory without write permission, with a -wal or without. */
static int look_where_we_may_not_write(struct state *s, bool log)
{
	static const char *const names[] = { "history.db", "history.db-wal",
					     "history.db-shm" };
	struct history_query all = { 0 };
	struct op *list, op;
	size_t n = 0;

	s->options.read_only = false;
	s->store = store_new(&s->options);
	need(!state_try_op(s, "/a", STR(""), STR("x"), &op));
	store_free(s->store);
	if (!log) /* the last connection checkpoints */
		need(state_number(s, "SELECT count(*) FROM op"));
	for (size_t i = 0; i < COUNT_OF(names); i++)
		need(!chmod(state_path(s, names[i]), 0400) == (log || !i));
	need(!chmod(s->dir.ptr, 0500));

	s->store = store_new(&s->options);
	need(state_try_op(s, "/b", STR(""), STR("y"), &op) == ERR_STORE);
	need(strstr(s->f.text.ptr, s->dir.ptr));
	store_free(s->store);
	s->options.read_only = true;
	s->store = store_new(&s->options);
	need(!history_list(s->store, &all, &s->mem, &list, &n, &s->f));
	need(n > 0);
	need(state_holds(s, &list[0], HISTORY_AFTER, STR("x")));
	store_free(s->store);
	need(!chmod(s->dir.ptr, 0700));
	for (size_t i = 0; i < COUNT_OF(names); i++)
		(void)chmod(state_path(s, names[i]), 0600);
	return 0;
}

static int write_where_we_may_not(struct state *s)
{
	struct op op;
	int line;

	store_free(s->store);
	line = look_where_we_may_not_write(s, /* log= */ true);
	need(!line || (print_error("line %d\n", line), false));
	line = look_where_we_may_not_write(s, /* log= */ false);
	need(!line || (print_error("line %d\n", line), false));
	need(!chmod(s->dir.ptr, 0500));

	/* A directory that cannot be created. */
	s->options.read_only = false;
	s->options.dir = str_of(state_path(s, "not/there"));
	s->store = store_new(&s->options);
	need(store_usable(s->store, &s->f) == ERR_STORE);
	need(strstr(s->f.text.ptr, "Permission denied"));
	need(strstr(s->f.text.ptr, "not/there"));
	need(state_try_op(s, "/b", STR(""), STR("y"), &op) == ERR_STORE);
	store_free(s->store);

	/* A directory of another user. */
	s->options.dir = STR("/usr");
	s->store = store_new(&s->options);
	need(store_usable(s->store, &s->f) == ERR_STORE);
	need(strstr(s->f.text.ptr, "another user"));
	store_free(s->store);
	return 0;
}

static void where_it_cannot_write_it_says_so(void **state)
{
	auto_state s = state_make();

	assert_int_equal(state_as_nobody(&s, write_where_we_may_not), 0);
}

static void a_link_in_place_of_the_database_is_refused(void **state)
{
	auto_state s = state_make();

	assert_int_equal(mkdir(s.dir.ptr, 0700), 0);
	assert_int_equal(symlink("../elsewhere", state_path(&s, "history.db")),
			 0);
	assert_int_equal(store_usable(s.store, &s.f), ERR_STORE);
	assert_int_equal(access(state_path(&s, "../elsewhere"), F_OK), -1);
}

/* In /var/tmp another user may have made a symlink. */
static void a_link_of_others_is_not_the_directory(void **state)
{
	auto_state s = state_make();
	const char *real = arena_printf(&s.mem, "%s/real", s.base).ptr;

	assert_int_equal(mkdir(real, 0700), 0);
	assert_int_equal(symlink("real", s.dir.ptr), 0);
	assert_int_equal(store_usable(s.store, &s.f), ERR_OK);
	assert_int_equal(access(state_path(&s, "../real/history.db"), F_OK), 0);

	assert_int_equal(chmod(s.base, 01777), 0);
	state_again(&s);
	assert_int_equal(store_usable(s.store, &s.f), ERR_STORE);
	assert_non_null(strstr(s.f.text.ptr, "link"));
	s.options.dir = arena_printf(&s.mem, STR_FMT "//", STR_ARG(s.dir));
	state_again(&s);
	assert_int_equal(store_usable(s.store, &s.f), ERR_STORE);
	s.options.dir = s.dir;
	s.options.read_only = true;
	state_again(&s);
	assert_int_equal(store_usable(s.store, &s.f), ERR_STORE);
	s.options.read_only = false;

	assert_int_equal(chmod(s.base, 0755), 0);
	state_again(&s);
	assert_int_equal(store_usable(s.store, &s.f), ERR_OK);
	if (!geteuid() && !lchown(s.dir.ptr, 65534, 65534)) {
		state_again(&s);
		assert_int_equal(store_usable(s.store, &s.f), ERR_STORE);
	}
	/* A directory of this user is fine, even in /var/tmp. */
	assert_int_equal(unlink(s.dir.ptr), 0);
	assert_int_equal(chmod(s.base, 01777), 0);
	state_again(&s);
	assert_int_equal(store_usable(s.store, &s.f), ERR_OK);
}

/* The disk of a child: as root a small one, else a limit on each file. */
static bool make_it_small(struct state *s)
{
	struct rlimit limit = { 150 * 1024, 150 * 1024 };

	(void)signal(SIGXFSZ, SIG_IGN);
	if (geteuid())
		return !setrlimit(RLIMIT_FSIZE, &limit);
	return !unshare(CLONE_NEWNS) &&
	       !mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mount("none", s->base, "tmpfs", 0, "size=400k");
}

static int fill_it(struct state *s)
{
	static char bytes[1200 * 1024];
	struct op first, op;
	enum err e = ERR_OK;
	int i;

	need(make_it_small(s));
	need(!state_try_op(s, "/a", STR(""), STR("first"), &first));
	for (i = 0; i < 100 && !e; i++) {
		memset(bytes, i, sizeof(bytes));
		e = state_try_op(s, "/b", STR(""), str_make(bytes, 20000), &op);
	}
	need(e == ERR_STORE);
	need(s->f.os == (geteuid() ? EFBIG : ENOSPC));
	need(strstr(s->f.text.ptr, "history.db"));
	/* A large content is a file, which is removed after the failure. */
	need(state_try_op(s, "/c", STR(""), str_make(bytes, sizeof(bytes)),
			  &op) == ERR_STORE);
	need(state_holds(s, &first, HISTORY_AFTER, STR("first")));
	state_again(s);
	need(state_holds(s, &first, HISTORY_AFTER, STR("first")));
	need(store_put_aside(s->store).len == 0);
	store_free(s->store);
	return 0;
}

static void a_full_disk_loses_nothing(void **state)
{
	auto_state s = state_make();

	assert_int_equal(state_in_child(&s, fill_it), 0);
}

/* Write more than is there, or no more than that. */
static void may_write(bool more)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = more ? limit.rlim_max : 1;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* The end of an operation must be recorded, even on a full disk. */
static int end_while_it_is_full(struct state *s)
{
	struct op op = { .kind = OP_CREATE, .path = STR("/a"), .exists = true };
	struct history_ticket ticket;
	struct op got;

	(void)signal(SIGXFSZ, SIG_IGN);
	history_begin(s->store, &op, STR(""), STR("x"), &ticket);
	need(!history_wait(s->store, ticket, &s->f));
	may_write(false);
	history_end(s->store, &op, OP_DONE, NULL);
	need(history_last(s->store, op.path, &s->mem, &got, &s->f));
	may_write(true);
	state_again(s);
	need(!history_last(s->store, op.path, &s->mem, &got, &s->f));
	need(uuid_eq(got.id, op.id) && got.state == OP_DONE);
	store_free(s->store);
	return 0;
}

static void an_end_that_could_not_be_written_is_tried_again(void **state)
{
	auto_state s = state_make();

	assert_int_equal(state_in_child(&s, end_while_it_is_full), 0);
}

/* The reserve must not take the last space of the disk. */
static int write_with_little_room(struct state *s)
{
	struct rlimit limit = { LITTLE, LITTLE };
	struct stat st;
	struct op op;

	(void)signal(SIGXFSZ, SIG_IGN);
	need(!setrlimit(RLIMIT_FSIZE, &limit));
	s->options.durable = true;
	state_again(s);
	for (int i = 0; i < 3; i++)
		need(!state_try_op(s, "/a", STR("w"), STR("x"), &op));
	need(!stat(state_path(s, "history.db-wal"), &st));
	need(st.st_size < LITTLE / 2);
	need(state_number(s, "SELECT count(*) FROM op") == 3);
	store_free(s->store);
	return 0;
}

static void room_that_is_not_there_is_not_taken(void **state)
{
	auto_state s = state_make();

	assert_int_equal(state_in_child(&s, write_with_little_room), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_store_touches_nothing),
		cmocka_unit_test(it_is_ours_alone),
		cmocka_unit_test(one_who_only_looks_makes_nothing),
		cmocka_unit_test(where_it_cannot_write_it_says_so),
		cmocka_unit_test(a_link_in_place_of_the_database_is_refused),
		cmocka_unit_test(a_link_of_others_is_not_the_directory),
		cmocka_unit_test(a_full_disk_loses_nothing),
		cmocka_unit_test(
			an_end_that_could_not_be_written_is_tried_again),
		cmocka_unit_test(room_that_is_not_there_is_not_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
