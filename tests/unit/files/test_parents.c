/*
 * test_parents.c - missing directories above a new file.
 */
#include "scratch.h"

#include "files/beneath.h"
#include "files/parents.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static enum err make(struct scratch *s, const char *name)
{
	const struct store_want want = { .bytes = STR("new"), .parents = true };
	struct stored out;

	return ws_store(s->ws, scratch_str(s, name), &want, &s->mem, &out,
			&s->f);
}

/* C29 T57: also for paths that are not normalised. */
static void missing_directories_are_created(void **state)
{
	static const char *const names[] = {
		"root/a",
		"root/x/a",
		"root/x/y/z/a",
		"root//p/./q//a",
	};

	for (int slowly = 0; slowly < 2; slowly++) {
		auto_scratch s = scratch_make();

		beneath_slowly(slowly);
		for (size_t i = 0; i < COUNT_OF(names); i++) {
			assert_int_equal(make(&s, names[i]), ERR_OK);
			assert_string_equal(scratch_get(&s, names[i]), "new");
		}
		assert_int_equal(scratch_names(&s, "root"), 3);
		assert_int_equal(scratch_names(&s, "root/x/y/z"), 1);
		beneath_slowly(false);
	}
}

static void without_parents_no_directory_is_created(void **state)
{
	auto_scratch s = scratch_make();

	assert_int_equal(scratch_store(&s, "root/x/a", "new", NULL),
			 ERR_NO_PARENT);
	assert_int_equal(scratch_names(&s, "root"), 0);
}

static void created_directories_follow_the_umask(void **state)
{
	auto_scratch s = scratch_make();
	mode_t before = umask(027);
	enum err e = make(&s, "root/x/y/a");
	struct stat st;

	(void)umask(before);
	assert_int_equal(e, ERR_OK);
	assert_int_equal(stat(scratch_path(&s, "root/x"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0750);
	assert_int_equal(stat(scratch_path(&s, "root/x/y"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0750);
}

/* X15: through ".." and symlinks. */
static void no_directory_is_created_outside_the_roots(void **state)
{
	static const struct {
		const char *name;
		enum err want;
	} rules[] = {
		{ "outside/x/a", ERR_DENIED },
		{ "root/out/x/a", ERR_DENIED },
		{ "root/../outside/x/a", ERR_DENIED },
		{ "root/no/../../outside/x/a", ERR_NO_PARENT },
		{ "root/no/../x/a", ERR_NO_PARENT },
		{ "root/dangling-out/x/a", ERR_DENIED },
		{ "root/file/x/a", ERR_NO_PARENT },
	};

	for (size_t i = 0; i < COUNT_OF(rules) * 2; i++) {
		size_t k = i / 2;
		auto_scratch s = scratch_make();

		scratch_link(&s, scratch_path(&s, "outside"), "root/out");
		scratch_link(&s, "../outside/none", "root/dangling-out");
		scratch_put(&s, "root/file", "x");
		beneath_slowly(i % 2);
		assert_int_equal(make(&s, rules[k].name), rules[k].want);
		beneath_slowly(false);
		assert_int_equal(scratch_names(&s, "outside"), 0);
		assert_int_equal(scratch_names(&s, "root"), 3);
	}
}

/* Even if its target does not exist yet. */
static void a_symlink_within_the_root_is_followed(void **state)
{
	auto_scratch s = scratch_make();

	scratch_dir(&s, "root/dir");
	scratch_link(&s, "dir", "root/link");
	scratch_link(&s, "dir/new", "root/dangling");
	assert_int_equal(make(&s, "root/link/x/a"), ERR_OK);
	assert_string_equal(scratch_get(&s, "root/dir/x/a"), "new");
	assert_int_equal(make(&s, "root/dangling/y/a"), ERR_OK);
	assert_string_equal(scratch_get(&s, "root/dir/new/y/a"), "new");
}

/* In acceptable time. */
static void a_path_of_maximum_depth_is_created(void **state)
{
	auto_scratch s = scratch_make();
	auto_buf name = BUF_INIT;

	buf_add(&name, STR("root"));
	while (name.len < 1500)
		buf_add(&name, STR("/d"));
	buf_add(&name, STR("/a"));
	buf_addc(&name, '\0');
	assert_int_equal(make(&s, name.ptr), ERR_OK);
	assert_string_equal(scratch_get(&s, name.ptr), "new");
}

static enum err say;
static unsigned times;

static enum err when_ready(void *ctx, struct fault *f)
{
	struct scratch *s = ctx;

	times++;
	/* the file is unchanged; the new content is in a temporary file */
	assert_true(scratch_names(s, "root/x/y") <= 2);
	return say ? fail(f, say, .text = STR("no"), .os = EACCES) : ERR_OK;
}

/* C27: a refusal changes nothing and leaves no files behind. */
static void ready_is_called_before_the_change(void **state)
{
	auto_scratch s = scratch_make();
	struct store_want want = { .bytes = STR("new"),
				   .parents = true,
				   .ready = when_ready,
				   .ctx = &s };
	struct stored out;

	for (int linked = 0; linked < 3; linked++) {
		const char *old = linked ? "old" : NULL, *now;

		times = 0;
		say = ERR_REFUSED;
		if (linked)
			scratch_put(&s, "root/x/y/a", "old");
		if (linked == 2)
			assert_int_equal(link(scratch_path(&s, "root/x/y/a"),
					      scratch_path(&s, "root/b")),
					 0);
		assert_int_equal(ws_store(s.ws, scratch_str(&s, "root/x/y/a"),
					  &want, &s.mem, &out, &s.f),
				 ERR_REFUSED);
		assert_str(s.f.text, "no");
		assert_int_equal(times, 1);
		now = scratch_get(&s, "root/x/y/a");
		assert_true(old ? now && !strcmp(now, old) : !now);
		assert_int_equal(scratch_names(&s, "root"),
				 linked ? linked : 0);
		assert_int_equal(scratch_names(&s, "state/stet/journal"), 0);
		say = ERR_OK;
		assert_int_equal(ws_store(s.ws, scratch_str(&s, "root/x/y/a"),
					  &want, &s.mem, &out, &s.f),
				 ERR_OK);
		assert_int_equal(times, 2);
		assert_int_equal(out.in_place, linked == 2);
		assert_string_equal(scratch_get(&s, "root/x/y/a"), "new");
		assert_int_equal(scratch_names(&s, "root/x/y"), 1);
	}
	/* an unchanged file needs no confirmation */
	assert_int_equal(ws_store(s.ws, scratch_str(&s, "root/x/y/a"), &want,
				  &s.mem, &out, &s.f),
			 ERR_OK);
	assert_int_equal(times, 2);
}

static unsigned mode_of(struct scratch *s, const char *name)
{
	struct stat st;

	assert_int_equal(stat(scratch_path(s, name), &st), 0);
	return st.st_mode & 07777;
}

static void a_store_sets_the_requested_mode(void **state)
{
	static const struct {
		const char *old, *bytes;
		bool linked;
	} rules[] = {
		{ NULL, "new", false },
		{ "old", "new", false },
		{ "old", "new", true },
		{ "new", "new", false }, /* only the mode changes */
	};

	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		const struct store_want want = { .bytes = STR("new"),
						 .set_mode = true,
						 .mode = 04751 };
		auto_scratch s = scratch_make();
		struct stored out;

		if (rules[i].old)
			scratch_put(&s, "root/a", rules[i].old);
		if (rules[i].linked)
			assert_int_equal(link(scratch_path(&s, "root/a"),
					      scratch_path(&s, "root/b")),
					 0);
		assert_int_equal(ws_store(s.ws, scratch_str(&s, "root/a"),
					  &want, &s.mem, &out, &s.f),
				 ERR_OK);
		assert_string_equal(scratch_get(&s, "root/a"), "new");
		assert_int_equal(mode_of(&s, "root/a"), 04751);
		assert_str(out.lost, "");
	}
}

static void stat_reports_key_kind_size_and_mode(void **state)
{
	static const struct {
		const char *name, *key;
		bool exists, is_file;
	} rules[] = {
		{ "root/a", "root/a", true, true },
		{ "root/link", "root/a", true, true },
		{ "root/dir", "root/dir", true, false },
		{ "root", "root", true, false },
		{ "root/none", "root/none", false, false },
		{ "root/way/x/y", "root/dir/x/y", false, false },
		{ "root/dangling/x", "root/dir/new/x", false, false },
		{ "root/a/b", "root/a/b", false, false },
	};
	auto_scratch s = scratch_make();
	struct snapshot snap;
	struct file_info info;

	scratch_put(&s, "root/a", "xyz");
	assert_int_equal(chmod(scratch_path(&s, "root/a"), 0640), 0);
	scratch_dir(&s, "root/dir");
	scratch_link(&s, "a", "root/link");
	scratch_link(&s, "dir", "root/way");
	scratch_link(&s, "dir/new", "root/dangling");
	scratch_link(&s, scratch_path(&s, "outside"), "root/out");
	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		assert_int_equal(ws_stat(s.ws, scratch_str(&s, rules[i].name),
					 &s.mem, &info, &s.f),
				 ERR_OK);
		assert_str(info.key, scratch_path(&s, rules[i].key));
		assert_int_equal(info.exists, rules[i].exists);
		assert_int_equal(info.is_file, rules[i].is_file);
		assert_int_equal(info.mode, info.is_file ? 0640 : info.mode);
		assert_int_equal(info.stat.size,
				 info.is_file ? 3 : info.stat.size);
	}
	assert_int_equal(ws_stat(s.ws, scratch_str(&s, "outside/a"), &s.mem,
				 &info, &s.f),
			 ERR_DENIED);
	assert_int_equal(ws_stat(s.ws, scratch_str(&s, "root/out/x/y"), &s.mem,
				 &info, &s.f),
			 ERR_DENIED);
	/* a load returns the same stat data */
	assert_int_equal(ws_stat(s.ws, scratch_str(&s, "root/a"), &s.mem, &info,
				 &s.f),
			 ERR_OK);
	assert_int_equal(ws_load(s.ws, scratch_str(&s, "root/a"), 100, NULL,
				 &s.mem, &snap, &s.f),
			 ERR_OK);
	assert_true(stat_data_eq(&info.stat, &snap.stat));
	assert_int_equal(snap.mode, 0640);
}

/* A page carries the stat data of its file, large or small. */
static void a_page_has_stat_data(void **state)
{
	const struct page_want want = { .line = 1,
					.limit = 1,
					.max_cost = 1 << 20 };
	auto_scratch s = scratch_make();
	struct page page;
	struct file_info info;
	FILE *large = fopen(scratch_path(&s, "root/large"), "w");

	for (int i = 0; i < 100000; i++)
		assert_true(fprintf(large, "line %d\n", i) > 0);
	assert_int_equal(fclose(large), 0);
	scratch_put(&s, "root/small", "a line\n");
	for (int i = 0; i < 2; i++) {
		struct str path =
			scratch_str(&s, i ? "root/large" : "root/small");

		assert_int_equal(ws_page(s.ws, path, &want, NULL, &s.mem, &page,
					 &s.f),
				 ERR_OK);
		assert_int_equal(ws_stat(s.ws, path, &s.mem, &info, &s.f),
				 ERR_OK);
		assert_true(info.stat.size > 0);
		assert_true(stat_data_eq(&info.stat, &page.stat));
	}
}

/* V09: a process may die after it made only some of the directories. */
static void pruning_passes_what_was_never_made(void **state)
{
	auto_scratch s = scratch_make();
	struct str root = scratch_str(&s, "root");
	auto_roots *roots = roots_open(&root, 1, STR(""));

	scratch_dir(&s, "root/x");
	scratch_dir(&s, "root/kept");
	scratch_put(&s, "root/kept/f", "theirs");
	parents_prune(roots, scratch_str(&s, "root/x/y/z/a"), 0, &s.mem);
	parents_prune(roots, scratch_str(&s, "root/kept/y/z/a"), 0, &s.mem);
	assert_int_equal(scratch_names(&s, "root"), 1);
	assert_string_equal(scratch_get(&s, "root/kept/f"), "theirs");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(missing_directories_are_created),
		cmocka_unit_test(without_parents_no_directory_is_created),
		cmocka_unit_test(created_directories_follow_the_umask),
		cmocka_unit_test(no_directory_is_created_outside_the_roots),
		cmocka_unit_test(a_symlink_within_the_root_is_followed),
		cmocka_unit_test(a_path_of_maximum_depth_is_created),
		cmocka_unit_test(ready_is_called_before_the_change),
		cmocka_unit_test(a_store_sets_the_requested_mode),
		cmocka_unit_test(stat_reports_key_kind_size_and_mode),
		cmocka_unit_test(a_page_has_stat_data),
		cmocka_unit_test(pruning_passes_what_was_never_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
