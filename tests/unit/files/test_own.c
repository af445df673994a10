/*
 * test_own.c - stet's own files are denied under every name: X14.
 */
#include "scratch.h"

#include "files/own.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void own(struct scratch *s, const char *name, bool tree)
{
	struct own_item item = { scratch_str(s, name), tree, false };

	ws_local_own(s->ws, &item, 1);
}

/* Are load, store and stat ERR_DENIED with that reason? */
static bool is_closed(struct scratch *s, const char *name)
{
	struct stored stored;
	struct file_info info;
	struct str got;
	bool all = true;

	s->f = (struct fault){ 0 };
	if (!scratch_load(s, name, &got))
		return false;
	s->f = (struct fault){ 0 };
	all = scratch_store(s, name, "x", &stored) == ERR_DENIED &&
	      s->f.reason && !strcmp(s->f.reason, "config");
	s->f = (struct fault){ 0 };
	return all && ws_stat(s->ws, scratch_str(s, name), &s->mem, &info,
			      &s->f) == ERR_DENIED;
}

static bool is_open(struct scratch *s, const char *name)
{
	struct stored stored;
	struct str got;

	return !scratch_store(s, name, "x", &stored) &&
	       !scratch_load(s, name, &got);
}

static void an_own_directory_is_denied_with_its_content(void **state)
{
	auto_scratch s = scratch_make();

	scratch_dir(&s, "root/ours");
	scratch_dir(&s, "root/ours/deep");
	scratch_put(&s, "root/ours/f", "x");
	assert_true(is_open(&s, "root/ours/f"));
	own(&s, "root/ours", true);
	assert_true(is_closed(&s, "root/ours/f"));
	assert_true(is_closed(&s, "root/ours/new"));
	assert_true(is_closed(&s, "root/ours/deep/new"));
	assert_true(is_closed(&s, "root/OURS/f") ||
		    access(scratch_path(&s, "root/OURS"), F_OK));
	assert_true(is_open(&s, "root/ours2"));
	assert_true(is_open(&s, "root/f"));
}

static void symlinks_do_not_hide_own_files(void **state)
{
	auto_scratch s = scratch_make();

	scratch_dir(&s, "root/real");
	scratch_put(&s, "root/real/f", "x");
	scratch_link(&s, "real", "root/door");
	own(&s, "root/door", true);
	assert_true(is_closed(&s, "root/real/f"));
	assert_true(is_closed(&s, "root/door/f"));
	own(&s, "root/real", true);
	assert_true(is_closed(&s, "root/door/f"));
	/* an own file that is a symlink, to a file that exists or not */
	scratch_put(&s, "root/kept", "x");
	scratch_link(&s, "kept", "root/name");
	own(&s, "root/name", false);
	assert_true(is_closed(&s, "root/kept"));
	scratch_link(&s, scratch_path(&s, "root/later"), "root/dangling");
	own(&s, "root/dangling", false);
	assert_true(is_closed(&s, "root/later"));
	assert_true(is_open(&s, "root/sooner"));
}

static void a_missing_own_file_is_denied_by_name(void **state)
{
	auto_scratch s = scratch_make();
	struct file_info info;

	own(&s, "root/.config/stet", true);
	assert_int_equal(ws_stat(s.ws, scratch_str(&s, "root/.config/stet/a/b"),
				 &s.mem, &info, &s.f),
			 ERR_DENIED);
	assert_int_equal(ws_stat(s.ws, scratch_str(&s, "root/.config/other"),
				 &s.mem, &info, &s.f),
			 ERR_OK);
	scratch_dir(&s, "root/.config");
	assert_true(is_closed(&s, "root/.config/stet"));
	assert_true(is_closed(&s, "root/.config/STET"));
	assert_true(is_closed(&s, "root/.config/s\xe2\x80\x8btet"));
	assert_true(is_open(&s, "root/.config/other"));
}

static void a_hard_link_to_an_own_file_is_denied(void **state)
{
	auto_scratch s = scratch_make();

	scratch_dir(&s, "outside/ours");
	scratch_dir(&s, "outside/ours/deep");
	scratch_put(&s, "outside/ours/deep/f", "x");
	scratch_put(&s, "root/plain", "x");
	assert_int_equal(link(scratch_path(&s, "outside/ours/deep/f"),
			      scratch_path(&s, "root/hard")),
			 0);
	assert_int_equal(link(scratch_path(&s, "root/plain"),
			      scratch_path(&s, "root/twin")),
			 0);
	own(&s, "outside/ours", true);
	assert_true(is_closed(&s, "root/hard"));
	assert_true(is_open(&s, "root/twin"));
	own(&s, "outside/ours/deep/f", false);
	assert_true(is_closed(&s, "root/hard"));
}

static void a_root_inside_an_own_directory_is_denied(void **state)
{
	auto_scratch s = scratch_make();
	struct own_item item = { str_of(s.base), true, false };
	struct own_items items = { &item, 1 };

	scratch_put(&s, "root/f", "x");
	ws_local_own(s.ws, &item, 1);
	assert_true(is_closed(&s, "root/f"));
	assert_true(own_is_inside(&items, s.root));
	assert_false(own_has_above(&items, s.root));
	item.path = scratch_str(&s, "root/not/there/yet");
	assert_false(own_is_inside(&items, s.root));
	assert_true(own_has_above(&items, s.root));
	assert_false(own_has_above(&items, scratch_str(&s, "outside")));
}

/* Added roots, and recreated ones. */
static void own_files_are_denied_in_later_roots(void **state)
{
	auto_scratch s = scratch_make();
	struct str dir = scratch_str(&s, "outside");

	own(&s, "outside/ours", true);
	assert_true(is_open(&s, "root/ours"));
	ws_local_roots(s.ws, &dir, 1, STR(""), NULL);
	scratch_dir(&s, "outside/ours");
	assert_true(is_closed(&s, "outside/ours/f"));
	assert_int_equal(rename(scratch_path(&s, "outside"),
				scratch_path(&s, "gone")),
			 0);
	scratch_dir(&s, "outside");
	scratch_dir(&s, "outside/ours");
	assert_true(is_closed(&s, "outside/ours/f"));
	assert_true(is_open(&s, "outside/f"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_own_directory_is_denied_with_its_content),
		cmocka_unit_test(symlinks_do_not_hide_own_files),
		cmocka_unit_test(a_missing_own_file_is_denied_by_name),
		cmocka_unit_test(a_hard_link_to_an_own_file_is_denied),
		cmocka_unit_test(a_root_inside_an_own_directory_is_denied),
		cmocka_unit_test(own_files_are_denied_in_later_roots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
