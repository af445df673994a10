/*
 * test_names_change.c - names on the disk: ws_lstat(), ws_move(), ws_make_dir(),
 * ws_remove_name() and ws_make_link().
 */
#include "scratch.h"

#include "files/beneath.h"

#include <errno.h>
#include <stdio.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The one entry that is found under any spelling; NULL = as the disk has it. */
static const char *caseless;

int fstatat(int dir, const char *restrict name, struct stat *restrict ret,
	    int flags)
{
	long e = syscall(SYS_newfstatat, dir, name, ret, flags);

	if (e && errno == ENOENT && caseless && !strcasecmp(name, caseless))
		e = syscall(SYS_newfstatat, dir, caseless, ret, flags);
	return (int)e;
}

static struct node_info look(struct scratch *s, const char *name)
{
	struct node_info info;

	assert_int_equal(ws_lstat(s->ws, scratch_str(s, name), &s->mem, &info,
				  &s->f),
			 ERR_OK);
	return info;
}

static struct move_want want_of(struct scratch *s, const char *from,
				const char *to)
{
	struct node_info info = look(s, from);

	return (struct move_want){
		.from = info.key,
		.to = look(s, to).key,
		.from_path = scratch_str(s, from),
		.to_path = scratch_str(s, to),
		.dev = info.stat.dev,
		.ino = info.stat.ino,
	};
}

static enum err move(struct scratch *s, const char *from, const char *to)
{
	const struct move_want want = want_of(s, from, to);

	return ws_move(s->ws, &want, &s->mem, &s->f);
}

static void a_name_is_looked_at_itself(void **state)
{
	auto_scratch s = scratch_make();

	scratch_put(&s, "root/a", "x");
	scratch_dir(&s, "root/d");
	scratch_link(&s, "a", "root/l");
	scratch_link(&s, "d", "root/to");
	assert_int_equal(look(&s, "root/a").kind, WS_ENTRY_FILE);
	assert_int_equal(look(&s, "root/l").kind, WS_ENTRY_LINK);
	assert_int_equal(look(&s, "root/d/").kind, WS_ENTRY_DIRECTORY);
	assert_true(look(&s, "root").is_root);
	assert_true(look(&s, "root/d/..").is_root);
	assert_false(look(&s, "root/d").is_root);
	assert_true(
		str_eq(look(&s, "root/to/x").key, scratch_str(&s, "root/d/x")));
	assert_true(look(&s, "root/to/x").has_parent);
	assert_false(look(&s, "root/no/x").has_parent);
	assert_false(look(&s, "root/a/x").has_parent);
	assert_false(look(&s, "root/x").exists);
}

/* V59, V60 */
static void nothing_is_ever_replaced(void **state)
{
	auto_scratch s = scratch_make();
	struct move_want want;

	scratch_put(&s, "root/a", "mine");
	scratch_dir(&s, "root/d");
	scratch_dir(&s, "root/e");
	want = want_of(&s, "root/a", "root/b");
	scratch_put(&s, "root/b", "theirs"); /* appears after the look */
	assert_int_equal(ws_move(s.ws, &want, &s.mem, &s.f), ERR_EXISTS);
	assert_int_equal(move(&s, "root/d", "root/e"), ERR_EXISTS);
	assert_string_equal(scratch_get(&s, "root/a"), "mine");
	assert_string_equal(scratch_get(&s, "root/b"), "theirs");
	assert_int_equal(scratch_names(&s, "root"), 4);
}

static enum err appears(void *ctx, struct fault *f)
{
	scratch_put(ctx, "root/b", "theirs");
	return ERR_OK;
}

/* V60: between the last look and the rename. */
static void what_appears_at_the_last_moment_stays(void **state)
{
	auto_scratch s = scratch_make();
	struct move_want want;

	scratch_put(&s, "root/a", "mine");
	want = want_of(&s, "root/a", "root/b");
	want.ready = appears;
	want.ctx = &s;
	assert_int_equal(ws_move(s.ws, &want, &s.mem, &s.f), ERR_EXISTS);
	assert_string_equal(scratch_get(&s, "root/a"), "mine");
	assert_string_equal(scratch_get(&s, "root/b"), "theirs");
}

static enum err replaces(void *ctx, struct fault *f)
{
	scratch_put(ctx, "root/other", "theirs");
	assert_int_equal(rename(scratch_path(ctx, "root/other"),
				scratch_path(ctx, "root/a")),
			 0);
	return ERR_OK;
}

static void only_what_was_judged_is_moved(void **state)
{
	auto_scratch s = scratch_make();
	struct move_want want;

	scratch_put(&s, "root/a", "mine");
	want = want_of(&s, "root/a", "root/b");
	want.ready = replaces;
	want.ctx = &s;
	assert_int_equal(ws_move(s.ws, &want, &s.mem, &s.f), ERR_CHANGED_AT);
	assert_string_equal(scratch_get(&s, "root/a"), "theirs");
	assert_null(scratch_get(&s, "root/b"));
	want.ready = NULL; /* also when it was another one from the beginning */
	assert_int_equal(ws_move(s.ws, &want, &s.mem, &s.f), ERR_CHANGED_AT);
}

static enum err directory_moves(void *ctx, struct fault *f)
{
	assert_int_equal(rename(scratch_path(ctx, "root/d"),
				scratch_path(ctx, "outside/d")),
			 0);
	return ERR_OK;
}

static void a_directory_that_leaves_the_root_takes_nothing_along(void **state)
{
	auto_scratch s = scratch_make();
	struct move_want want;

	scratch_put(&s, "root/a", "mine");
	scratch_dir(&s, "root/d");
	want = want_of(&s, "root/a", "root/d/a");
	want.ready = directory_moves;
	want.ctx = &s;
	assert_int_equal(ws_move(s.ws, &want, &s.mem, &s.f), ERR_CHANGED_AT);
	assert_string_equal(scratch_get(&s, "root/a"), "mine");
	assert_int_equal(scratch_names(&s, "outside/d"), 0);
}

static enum err refuse(void *ctx, struct fault *f)
{
	return fail(f, ERR_ASK, .path = STR(""));
}

static void a_dry_run_changes_nothing(void **state)
{
	auto_scratch s = scratch_make();
	struct make_dir_want make = { .ready = refuse, .dry_run = true };
	struct made_dirs made;
	struct move_want want;

	scratch_put(&s, "root/a", "mine");
	want = want_of(&s, "root/a", "root/b");
	want.ready = refuse;
	want.dry_run = true;
	assert_int_equal(ws_move(s.ws, &want, &s.mem, &s.f), ERR_ASK);
	assert_string_equal(scratch_get(&s, "root/a"), "mine");
	make.key = scratch_str(&s, "root/x/y");
	assert_int_equal(ws_make_dir(s.ws, make.key, &make, &s.mem, &made,
				     &s.f),
			 ERR_ASK);
	assert_int_equal(scratch_names(&s, "root"), 1);
}

/* V63: on a filesystem without case, where both names lead to one entry. */
static void a_name_changes_in_case_alone(void **state)
{
	auto_scratch s = scratch_make();

	scratch_put(&s, "root/Name", "x");
	scratch_put(&s, "root/other", "y");
	caseless = "Name";
	assert_true(look(&s, "root/name").exists);
	assert_int_equal(move(&s, "root/other", "root/name"), ERR_EXISTS);
	assert_int_equal(move(&s, "root/Name", "root/name"), ERR_OK);
	caseless = NULL;
	assert_string_equal(scratch_get(&s, "root/name"), "x");
	assert_false(look(&s, "root/Name").exists);
	assert_int_equal(scratch_names(&s, "root"), 2);
}

/* V63: where the directory has both names, though they may be one file. */
static void both_spellings_are_two_names(void **state)
{
	auto_scratch s = scratch_make();

	scratch_put(&s, "root/Name", "x");
	assert_int_equal(link(scratch_path(&s, "root/Name"),
			      scratch_path(&s, "root/name")),
			 0);
	assert_int_equal(move(&s, "root/Name", "root/name"), ERR_EXISTS);
	assert_int_equal(scratch_names(&s, "root"), 2);
	assert_int_equal(unlink(scratch_path(&s, "root/name")), 0);
	scratch_put(&s, "root/name", "y");
	assert_int_equal(move(&s, "root/Name", "root/name"), ERR_EXISTS);
	assert_string_equal(scratch_get(&s, "root/Name"), "x");
	assert_string_equal(scratch_get(&s, "root/name"), "y");
}

/* V56 */
static void missing_directories_are_made(void **state)
{
	auto_scratch s = scratch_make();
	struct make_dir_want make = { .key = scratch_str(&s, "root/x/y/z") };
	struct made_dirs made;

	scratch_dir(&s, "root/x");
	for (int i = 0; i < 2; i++) {
		assert_int_equal(ws_make_dir(s.ws, make.key, &make, &s.mem,
					     &made, &s.f),
				 ERR_OK);
		assert_int_equal(made.n, i ? 0 : 2);
	}
	scratch_put(&s, "root/f", "x");
	make.key = scratch_str(&s, "root/f/z");
	assert_int_equal(ws_make_dir(s.ws, make.key, &make, &s.mem, &made,
				     &s.f),
			 ERR_NOT_A_DIRECTORY);
}

static enum err remove_dir(struct scratch *s, const char *name)
{
	struct node_info info = look(s, name);
	const struct name_want want = { .key = info.key,
					.dev = info.stat.dev,
					.ino = info.stat.ino };

	return ws_remove_name(s->ws, scratch_str(s, name), &want, &s->mem,
			      &s->f);
}

static void only_an_empty_directory_is_removed(void **state)
{
	auto_scratch s = scratch_make();

	scratch_dir(&s, "root/d");
	scratch_dir(&s, "root/d/e");
	scratch_put(&s, "root/d/f", "x");
	assert_int_equal(remove_dir(&s, "root/d"), ERR_NOT_EMPTY);
	assert_int_equal(s.f.count, 2);
	assert_int_equal(remove_dir(&s, "root/d/e"), ERR_OK);
	assert_int_equal(remove_dir(&s, "root/d/f"), ERR_CHANGED_AT);
	assert_int_equal(remove_dir(&s, "root"), ERR_IS_ROOT);
	assert_int_equal(scratch_names(&s, "root/d"), 1);
}

/* V77 */
static void a_link_is_removed_and_made_itself(void **state)
{
	auto_scratch s = scratch_make();
	struct node_info info;
	struct name_want want;

	scratch_put(&s, "root/a", "x");
	scratch_link(&s, "a", "root/l");
	info = look(&s, "root/l");
	assert_true(str_is(info.target, "a"));
	want = (struct name_want){ .key = info.key,
				   .dev = info.stat.dev,
				   .ino = info.stat.ino,
				   .target = info.target };
	assert_int_equal(ws_make_link(s.ws, info.key, &want, &s.mem, &s.f),
			 ERR_EXISTS);
	assert_int_equal(ws_remove_name(s.ws, info.key, &want, &s.mem, &s.f),
			 ERR_OK);
	assert_string_equal(scratch_get(&s, "root/a"), "x");
	assert_int_equal(ws_remove_name(s.ws, info.key, &want, &s.mem, &s.f),
			 ERR_CHANGED_AT);
	assert_int_equal(ws_make_link(s.ws, info.key, &want, &s.mem, &s.f),
			 ERR_OK);
	assert_true(str_is(look(&s, "root/l").target, "a"));
}

/* The same on a kernel without openat2(). */
static void all_of_it_works_without_openat2(void **state)
{
	beneath_slowly(true);
	a_name_is_looked_at_itself(state);
	nothing_is_ever_replaced(state);
	missing_directories_are_made(state);
	only_an_empty_directory_is_removed(state);
	beneath_slowly(false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_is_looked_at_itself),
		cmocka_unit_test(nothing_is_ever_replaced),
		cmocka_unit_test(what_appears_at_the_last_moment_stays),
		cmocka_unit_test(only_what_was_judged_is_moved),
		cmocka_unit_test(
			a_directory_that_leaves_the_root_takes_nothing_along),
		cmocka_unit_test(a_dry_run_changes_nothing),
		cmocka_unit_test(a_name_changes_in_case_alone),
		cmocka_unit_test(both_spellings_are_two_names),
		cmocka_unit_test(missing_directories_are_made),
		cmocka_unit_test(only_an_empty_directory_is_removed),
		cmocka_unit_test(a_link_is_removed_and_made_itself),
		cmocka_unit_test(all_of_it_works_without_openat2),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
