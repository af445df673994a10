/*
 * test_roots.c - roots that change, move or come back while calls run.
 */
#include "scratch.h"

#include "files/beneath.h"
#include "files/path.h"
#include "files/roots.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

/* X15 A72 */
static void a_root_behind_a_symlink_has_two_paths(void **state)
{
	auto_scratch s = scratch_make();
	struct str dirs[1], rest;
	auto_roots *r = NULL;

	scratch_link(&s, scratch_path(&s, "root"), "door");
	dirs[0] = scratch_str(&s, "door");
	r = roots_open(dirs, 1, STR(""));
	assert_int_equal(r->n, 1);
	assert_non_null(roots_find(r, scratch_str(&s, "door/a"), &rest));
	assert_str(rest, "a");
	assert_non_null(roots_find(r, scratch_str(&s, "root/b"), &rest));
	assert_str(rest, "b");
	assert_null(roots_find(r, scratch_str(&s, "root-evil/b"), &rest));
	assert_null(roots_find(r, scratch_str(&s, "outside"), &rest));
}

static void of_nested_roots_the_longest_path_matches(void **state)
{
	auto_scratch s = scratch_make();
	struct str dirs[2], rest;
	auto_roots *r = NULL;

	scratch_dir(&s, "root/sub");
	dirs[0] = scratch_str(&s, "root/sub");
	dirs[1] = scratch_str(&s, "root");
	r = roots_open(dirs, 2, STR(""));
	assert_ptr_equal(roots_find(r, scratch_str(&s, "root/sub/a"), &rest),
			 &r->root[0]);
	assert_str(rest, "a");
	assert_ptr_equal(roots_find(r, scratch_str(&s, "root/suba"), &rest),
			 &r->root[1]);
	assert_str(rest, "suba");
}

static void a_root_that_is_no_directory_is_left_out(void **state)
{
	auto_scratch s = scratch_make();
	struct str dirs[4];
	auto_roots *r = NULL;

	scratch_put(&s, "root/file", "");
	dirs[0] = scratch_str(&s, "root/file");
	dirs[1] = scratch_str(&s, "root/none");
	dirs[2] = STR("relative");
	dirs[3] = scratch_str(&s, "root/../root/");
	r = roots_open(dirs, 4, STR(""));
	assert_int_equal(r->n, 1);
	assert_str(r->root[0].real, scratch_path(&s, "root"));
}

static void a_replaced_set_of_roots_lives_while_referenced(void **state)
{
	auto_scratch s = scratch_make();
	struct str dirs[1] = { s.root };
	struct roots *mine = roots_open(dirs, 1, STR(""));
	struct roots *running = roots_ref(mine);
	int fd = mine->root[0].fd;

	roots_drop(mine);
	assert_int_equal(faccessat(fd, ".", F_OK, 0), 0);
	roots_drop(running);
	assert_int_equal(faccessat(fd, ".", F_OK, 0), -1);
}

static void the_list_of_roots_shows_those_in_use(void **state)
{
	auto_scratch s = scratch_make();
	struct str dirs[2] = { scratch_str(&s, "none"),
			       scratch_str(&s, "outside/") };
	const struct str *list;
	size_t n, usable;

	ws_local_roots(s.ws, dirs, 2, STR(""), &usable);
	assert_int_equal(usable, 1);
	list = ws_local_root_list(s.ws, &s.mem, &n);
	assert_int_equal(n, 1);
	assert_str(list[0], scratch_path(&s, "outside"));
}

struct changer {
	struct arena mem;
	unsigned bad, read;
	struct scratch *s;
	atomic_bool done;
};

static void *change_roots(void *arg)
{
	struct changer *c = arg;
	struct str outside = str_of(c->s->base);

	while (!c->done) {
		ws_local_roots(c->s->ws, NULL, 0, STR("none"), NULL);
		ws_local_roots(c->s->ws, &outside, 1, STR(""), NULL);
	}
	return NULL;
}

/* X15 X17: a call sees one set of roots or the other, never half of one. */
static void roots_can_change_while_calls_run(void **state)
{
	auto_scratch s = scratch_make();
	struct str path = scratch_str(&s, "root/a");
	struct changer c = { .s = &s };
	size_t read = 0, refused = 0;
	pthread_t thread;

	scratch_put(&s, "root/a", "a");
	assert_int_equal(pthread_create(&thread, NULL, change_roots, &c), 0);
	while (!read || !refused || read + refused < 2000) {
		auto_arena mem = ARENA_INIT;
		struct snapshot snap;
		enum err e = ws_load(s.ws, path, 9, NULL, &mem, &snap, NULL);

		assert_true(e == ERR_OK || e == ERR_DENIED);
		read += e == ERR_OK;
		refused += e == ERR_DENIED;
	}
	c.done = true;
	assert_int_equal(pthread_join(thread, NULL), 0);
}

/* How a deleted root is recreated. */
enum anew { DELETED, MOVED, LINKED_OUT, GONE, MOVED_AWAY, MOVED_AND_LINKED };

/*
 * X15: after "rm -rf project && git clone" the server has the descriptor of a
 * deleted directory. A directory at the same path is the root again; a symlink
 * never is, as it may lead anywhere.
 */
static void a_recreated_root_is_served_again(void **state)
{
	static const struct {
		enum anew how;
		enum err want;
		const char *content;
	} rules[] = {
		{ DELETED, ERR_OK, "new" },
		{ MOVED, ERR_OK, "new" },
		{ LINKED_OUT, ERR_NOT_FOUND, NULL },
		{ GONE, ERR_NOT_FOUND, NULL },
		{ MOVED_AWAY, ERR_NOT_FOUND, NULL },
		{ MOVED_AND_LINKED, ERR_OK, "old b" },
	};

	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		auto_scratch s = scratch_make();
		struct str got = STR("");

		scratch_put(&s, "root/a", "old");
		scratch_put(&s, "outside/b", "secret");
		assert_int_equal(scratch_load(&s, "root/a", &got), ERR_OK);
		assert_str(got, "old");
		if (rules[i].how == MOVED || rules[i].how >= MOVED_AWAY) {
			scratch_put(&s, "root/b", "old b");
			assert_int_equal(rename(scratch_path(&s, "root"),
						scratch_path(&s, "away")),
					 0);
		} else {
			(void)unlink(scratch_path(&s, "root/a"));
			assert_int_equal(rmdir(scratch_path(&s, "root")), 0);
		}
		if (rules[i].how == MOVED_AND_LINKED)
			scratch_link(&s, "away", "root");
		if (rules[i].how == LINKED_OUT)
			scratch_link(&s, scratch_path(&s, "outside"), "root");
		if (rules[i].content && rules[i].how != MOVED_AND_LINKED) {
			scratch_dir(&s, "root");
			scratch_put(&s, "root/b", "new");
		}
		assert_int_equal(scratch_load(&s, "root/b", &got),
				 rules[i].want);
		beneath_slowly(true);
		assert_int_equal(scratch_load(&s, "root/b", &got),
				 rules[i].want);
		beneath_slowly(false);
		if (!rules[i].content) {
			assert_int_equal(scratch_store(&s, "root/c", "c", NULL),
					 ERR_NO_PARENT);
			continue;
		}
		assert_str(got, rules[i].content);
		assert_int_equal(scratch_store(&s, "root/c", "c", NULL), 0);
		assert_string_equal(scratch_get(&s, "root/c"), "c");
		if (rules[i].how != MOVED_AND_LINKED)
			assert_int_equal(scratch_load(&s, "root/a", &got),
					 ERR_NOT_FOUND);
	}
}

/* X15 */
static void a_root_that_is_moved_back_is_served_again(void **state)
{
	auto_scratch s = scratch_make();
	struct str got = STR("");

	scratch_put(&s, "root/a", "old");
	for (int i = 0; i < 3; i++) {
		assert_int_equal(rename(scratch_path(&s, "root"),
					scratch_path(&s, "away")),
				 0);
		assert_int_equal(scratch_load(&s, "root/a", &got),
				 ERR_NOT_FOUND);
		assert_int_equal(rename(scratch_path(&s, "away"),
					scratch_path(&s, "root")),
				 0);
		assert_int_equal(scratch_load(&s, "root/a", &got), ERR_OK);
		assert_str(got, "old");
	}
}

static void *swap_roots(void *arg)
{
	struct changer *c = arg;
	auto_arena mem = ARENA_INIT;
	struct str base = str_of(c->s->base);
	const char *one =
		arena_printf(&mem, STR_FMT "/root", STR_ARG(base)).ptr;
	const char *two =
		arena_printf(&mem, STR_FMT "/twin", STR_ARG(base)).ptr;

	while (!c->done)
		(void)renameat2(AT_FDCWD, one, AT_FDCWD, two, RENAME_EXCHANGE);
	return NULL;
}

static void *load_often(void *arg)
{
	struct changer *c = arg;
	struct str path = path_join(&c->mem, c->s->root, STR("a"));

	for (int i = 0; i < 3000; i++) {
		auto_arena mem = ARENA_INIT;
		struct snapshot snap = { 0 };
		struct fault f;
		enum err e = ws_load(c->s->ws, path, 9, NULL, &mem, &snap, &f);

		/* A root that moves while it is opened is missing for a moment. */
		c->bad += e && e != ERR_NOT_FOUND;
		if (e)
			continue;
		c->read++;
		c->bad += !str_is(snap.bytes, "1") && !str_is(snap.bytes, "2");
	}
	return NULL;
}

/* X15 X17: several calls notice at once that a root was replaced. */
static void roots_are_reopened_while_calls_run(void **state)
{
	auto_scratch s = scratch_make();
	struct changer c[3] = { { .s = &s }, { .s = &s }, { .s = &s } };
	pthread_t thread[3];

	scratch_dir(&s, "twin");
	scratch_put(&s, "root/a", "1");
	scratch_put(&s, "twin/a", "2");
	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&thread[i], NULL,
						i ? load_often : swap_roots,
						&c[i]),
				 0);
	for (int i = 2; i >= 0; i--) {
		c[0].done = i == 0;
		assert_int_equal(pthread_join(thread[i], NULL), 0);
		arena_free(&c[i].mem);
	}
	assert_int_equal(c[1].bad + c[2].bad, 0);
	assert_true(c[1].read + c[2].read > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_root_behind_a_symlink_has_two_paths),
		cmocka_unit_test(of_nested_roots_the_longest_path_matches),
		cmocka_unit_test(a_root_that_is_no_directory_is_left_out),
		cmocka_unit_test(
			a_replaced_set_of_roots_lives_while_referenced),
		cmocka_unit_test(the_list_of_roots_shows_those_in_use),
		cmocka_unit_test(roots_can_change_while_calls_run),
		cmocka_unit_test(a_recreated_root_is_served_again),
		cmocka_unit_test(roots_are_reopened_while_calls_run),
		cmocka_unit_test(a_root_that_is_moved_back_is_served_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
