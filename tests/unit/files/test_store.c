/*
 * test_store.c - ws_store(): atomic, metadata kept, in place where it must
 * be.
 */
#include "scratch.h"

#include "base/fd.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <linux/fs.h>

static struct stat stat_of(struct scratch *s, const char *name)
{
	struct stat st;

	assert_int_equal(lstat(scratch_path(s, name), &st), 0);
	return st;
}

/* W31 W32 W33 W34 A17 W23 */
static void a_store_reports_whether_it_created_the_file(void **state)
{
	auto_scratch s = scratch_make();
	struct stored out;

	for (int power = 0; power < 2; power++) {
		const char *name = power ? "root/a" : "root/b";

		if (power) {
			const struct ws_local_options o = { DURABLE_POWER, 0 };

			ws_local_free(s.ws);
			s.ws = ws_local_new(&o);
			ws_local_roots(s.ws, &s.root, 1, STR(""), NULL);
		}
		assert_int_equal(scratch_store(&s, name, "Hello\n", &out), 0);
		assert_true(out.created);
		assert_false(out.in_place);
		assert_str(out.lost, "");
		assert_str(out.key, scratch_path(&s, name));
		assert_true(hash_eq(out.version, hash_of(STR("Hello\n"))));
		assert_int_equal(scratch_store(&s, name, "New\n", &out), 0);
		assert_false(out.created);
		assert_string_equal(scratch_get(&s, name), "New\n");
		assert_int_equal(scratch_store(&s, name, "", &out), 0);
		assert_string_equal(scratch_get(&s, name), "");
	}
	assert_int_equal(scratch_names(&s, "root"), 2);
}

/* A48 M54 */
static void equal_content_is_not_written_again(void **state)
{
	auto_scratch s = scratch_make();
	struct stored out;
	struct stat before, after;

	scratch_put(&s, "root/a", "same");
	before = stat_of(&s, "root/a");
	assert_int_equal(scratch_store(&s, "root/a", "same", &out), 0);
	assert_false(out.created);
	assert_int_equal(scratch_store_over(&s, "root/a", "same", "same"), 0);
	after = stat_of(&s, "root/a");
	assert_int_equal(before.st_ino, after.st_ino);
	assert_memory_equal(&before.st_mtim, &after.st_mtim,
			    sizeof(before.st_mtim));
}

static void a_new_file_follows_the_umask(void **state)
{
	auto_scratch s = scratch_make();
	mode_t before = umask(027);

	assert_int_equal(scratch_store(&s, "root/a", "x", NULL), 0);
	(void)umask(before);
	assert_int_equal(stat_of(&s, "root/a").st_mode & 07777, 0640);
}

/* M70 A69 A42 */
static void a_changed_file_is_not_overwritten(void **state)
{
	auto_scratch s = scratch_make();
	struct store_want absent = { .base = STORE_ABSENT, .bytes = STR("x") };
	struct stat before, after;
	char hex[HASH_HEX + 1];
	struct stored out;

	scratch_put(&s, "root/a", "theirs");
	before = stat_of(&s, "root/a");
	hash_hex(hash_of(STR("theirs")), hex);
	assert_int_equal(scratch_store_over(&s, "root/a", "mine", "new"),
			 ERR_CHANGED);
	assert_str(s.f.version, hex);
	assert_int_equal(ws_store(s.ws, scratch_str(&s, "root/a"), &absent,
				  &s.mem, &out, &s.f),
			 ERR_CHANGED);
	assert_str(s.f.version, hex);
	after = stat_of(&s, "root/a");
	assert_memory_equal(&before.st_mtim, &after.st_mtim,
			    sizeof(before.st_mtim));
	assert_int_equal(scratch_store_over(&s, "root/none", "mine", "new"),
			 ERR_CHANGED);
	assert_str(s.f.version, "");
	assert_int_equal(ws_store(s.ws, scratch_str(&s, "root/none"), &absent,
				  &s.mem, &out, &s.f),
			 ERR_OK);
	assert_int_equal(scratch_names(&s, "root"), 2);
}

/* A42: the version is a hash of the content, not the mtime. */
static void a_touched_file_is_still_at_its_base(void **state)
{
	auto_scratch s = scratch_make();

	scratch_put(&s, "root/a", "old");
	assert_int_equal(utimensat(AT_FDCWD, scratch_path(&s, "root/a"), NULL,
				   0),
			 0);
	assert_int_equal(scratch_store_over(&s, "root/a", "old", "new"), 0);
	assert_string_equal(scratch_get(&s, "root/a"), "new");
}

/* W59 A66: mode and, where permitted, owner and attributes. */
static void metadata_are_kept(void **state)
{
	auto_scratch s = scratch_make();
	const char *path = scratch_path(&s, "root/a");
	bool attributes;
	char value[8];
	struct stored out;
	struct stat st;

	scratch_put(&s, "root/a", "old");
	if (!geteuid())
		assert_int_equal(chown(path, 1234, 4321), 0);
	assert_int_equal(chmod(path, 06751), 0);
	attributes = !setxattr(path, "user.stet", "v", 1, 0);
	assert_int_equal(scratch_store(&s, "root/a", "new", &out), 0);
	assert_str(out.lost, "");
	st = stat_of(&s, "root/a");
	assert_int_equal(st.st_mode & 07777, 06751);
	if (!geteuid()) {
		assert_int_equal(st.st_uid, 1234);
		assert_int_equal(st.st_gid, 4321);
	}
	if (attributes)
		assert_int_equal(getxattr(path, "user.stet", value, 8), 1);
}

/* A66: a rename would leave the other links on the old content. */
static void all_hard_links_see_the_new_content(void **state)
{
	auto_scratch s = scratch_make();
	struct stored out;
	struct stat before, after;

	scratch_put(&s, "root/a", "old and longer");
	assert_int_equal(link(scratch_path(&s, "root/a"),
			      scratch_path(&s, "root/b")),
			 0);
	before = stat_of(&s, "root/a");
	assert_int_equal(scratch_store(&s, "root/a", "new", &out), 0);
	assert_true(out.in_place);
	assert_string_equal(scratch_get(&s, "root/b"), "new");
	after = stat_of(&s, "root/a");
	assert_int_equal(before.st_ino, after.st_ino);
	assert_int_equal(scratch_store_over(&s, "root/b", "other", "x"),
			 ERR_CHANGED);
	assert_int_equal(scratch_store_over(&s, "root/b", "new", "longer now"),
			 0);
	assert_string_equal(scratch_get(&s, "root/a"), "longer now");
	assert_int_equal(scratch_names(&s, "root"), 2);
	assert_int_equal(scratch_names(&s, "state/stet/journal"), 0);
}

static int refused_as_nobody(struct scratch *s)
{
	scratch_put(s, "root/a", "old");
	need(!chmod(scratch_path(s, "root/a"), 0444));
	need(scratch_store(s, "root/a", "new", NULL) == ERR_DENIED);
	need(!strcmp(scratch_get(s, "root/a"), "old"));
	need(scratch_names(s, "root") == 1);
	need(!chmod(scratch_path(s, "root/a"), 0));
	need(scratch_store(s, "root/a", "new", NULL) == ERR_DENIED);
	need(scratch_load(s, "root/a", &(struct str){ 0 }) == ERR_DENIED);
	return 0;
}

/* W14 W27 W58 M16 M69 R18 R30 A66 */
static void a_read_only_file_is_not_replaced(void **state)
{
	auto_scratch s = scratch_make();

	assert_int_equal(scratch_as_nobody(&s, refused_as_nobody), 0);
}

static int directories_as_nobody(struct scratch *s)
{
	struct stored out;
	struct str bytes;

	scratch_dir(s, "root/d");
	scratch_put(s, "root/d/a", "old");
	need(!chmod(scratch_path(s, "root/d"), 0555));
	need(scratch_store(s, "root/d/new", "x", NULL) == ERR_DENIED);
	need(!scratch_store(s, "root/d/a", "in place", &out));
	need(out.in_place && !out.created);
	need(!strcmp(scratch_get(s, "root/d/a"), "in place"));
	/* The directory: search and write permission, no read. */
	need(!chmod(scratch_path(s, "root/d"), 0333));
	need(!scratch_store(s, "root/d/a", "unseen", &out));
	need(!out.in_place);
	need(!scratch_load(s, "root/d/a", &bytes) && str_is(bytes, "unseen"));
	need(!chmod(scratch_path(s, "root/d"), 0));
	need(scratch_load(s, "root/d/a", &bytes) == ERR_DENIED);
	need(scratch_store(s, "root/d/a", "x", NULL) == ERR_DENIED);
	need(!chmod(scratch_path(s, "root/d"), 0755));
	need(scratch_names(s, "root/d") == 1);
	return 0;
}

/* A66 W14 W27 R30 */
static void in_a_read_only_directory_a_file_is_written_in_place(void **state)
{
	auto_scratch s = scratch_make();

	assert_int_equal(scratch_as_nobody(&s, directories_as_nobody), 0);
}

static enum err refuse(void *ctx, struct fault *f)
{
	return fail(f, ERR_ASK, .path = STR(""));
}

static enum err try_store(struct scratch *s, const char *at)
{
	const struct store_want want = { .bytes = STR("new"),
					 .ready = refuse,
					 .dry_run = true };
	struct stored ignored;

	return ws_store(s->ws, scratch_str(s, at), &want, &s->mem, &ignored,
			&s->f);
}

static int dry_run_as_nobody(struct scratch *s)
{
	scratch_dir(s, "root/d");
	scratch_put(s, "root/d/a", "old");
	scratch_put(s, "root/d/b", "old");
	need(!chmod(scratch_path(s, "root/d/b"), 0444));
	need(try_store(s, "root/d/new") == ERR_ASK);
	need(try_store(s, "root/d/b") == ERR_DENIED);
	need(!chmod(scratch_path(s, "root/d"), 0555));
	need(try_store(s, "root/d/new") == ERR_DENIED);
	need(try_store(s, "root/d/a") == ERR_ASK); /* it would be in place */
	need(!chmod(scratch_path(s, "root/d"), 0755));
	need(scratch_names(s, "root/d") == 2);
	return 0;
}

static void a_dry_run_finds_what_would_fail(void **state)
{
	auto_scratch s = scratch_make();
	const struct hash any = { 0 };
	const struct store_want huge = { .bytes = { "", (size_t)1 << 50 },
					 .hash = &any,
					 .ready = refuse,
					 .dry_run = true };
	struct stored ignored;

	assert_int_equal(ws_store(s.ws, scratch_str(&s, "root/huge"), &huge,
				  &s.mem, &ignored, &s.f),
			 ERR_DISK_FULL);

	assert_int_equal(scratch_as_nobody(&s, dry_run_as_nobody), 0);
	assert_int_equal(try_store(&s, "root/none/a"), ERR_NO_PARENT);
	assert_int_equal(try_store(&s, "outside/a"), ERR_DENIED);
}

static int foreign_as_nobody(struct scratch *s)
{
	struct stored out;
	struct stat st;
	bool foreign;

	need(!stat(scratch_path(s, "root/theirs"), &st));
	foreign =
		st.st_uid !=
		geteuid(); /* not when the test runs without root privileges */
	/* Another user's file, writable for us: in place keeps the owner. */
	need(!scratch_store(s, "root/theirs", "new", &out));
	need(out.in_place == foreign);
	need(str_is(out.lost, foreign ? "mode" : ""));
	/* In a sticky directory another user's file cannot be renamed. */
	need(!scratch_store(s, "sticky/theirs", "new", &out));
	need(out.in_place == foreign);
	return 0;
}

/* A66: a set-user-ID bit is dropped with the owner. */
static void files_of_other_users_are_written_as_far_as_permitted(void **state)
{
	auto_scratch s = scratch_make();
	struct stat st;

	scratch_put(&s, "root/theirs", "old");
	assert_int_equal(chmod(scratch_path(&s, "root/theirs"), 06777), 0);
	scratch_dir(&s, "sticky");
	scratch_put(&s, "sticky/theirs", "old");
	assert_int_equal(chmod(scratch_path(&s, "sticky/theirs"), 0666), 0);
	assert_int_equal(chmod(scratch_path(&s, "sticky"), 01777), 0);
	s.root = str_of(s.base);
	assert_int_equal(scratch_as_nobody(&s, foreign_as_nobody), 0);
	st = stat_of(&s, "root/theirs");
	if (!geteuid())
		assert_int_equal(st.st_mode & 07777, 0777);
	assert_string_equal(scratch_get(&s, "sticky/theirs"), "new");
	assert_int_equal(scratch_names(&s, "sticky"), 1);
}

/* W60: by the next store of that file. */
static void a_stale_temporary_file_is_removed(void **state)
{
	auto_scratch s = scratch_make();
	char hex[HASH_HEX + 1], name[64];

	hash_hex(hash_of(STR("a")), hex);
	(void)snprintf(name, sizeof(name), "root/.stet-%s.tmp", hex + 16);
	scratch_put(&s, name, "half");
	assert_int_equal(scratch_store(&s, "root/b", "x", NULL), 0);
	assert_int_equal(scratch_names(&s, "root"), 2);
	assert_int_equal(scratch_store(&s, "root/a", "x", NULL), 0);
	assert_int_equal(scratch_names(&s, "root"), 2);
}

/* W39: more than a mebibyte. */
static void large_content_is_stored_completely(void **state)
{
	static const size_t sizes[] = { 1 << 20, (1 << 20) + 1, 5 << 20 };
	auto_scratch s = scratch_make();

	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		char *bytes = arena_alloc(&s.mem, sizes[i]);
		struct store_want want = { .bytes = { bytes, sizes[i] } };
		struct snapshot snap;
		struct stored out;

		memset(bytes, 'a' + (int)i, sizes[i]);
		assert_int_equal(ws_store(s.ws, scratch_str(&s, "root/a"),
					  &want, &s.mem, &out, &s.f),
				 0);
		assert_int_equal(ws_load(s.ws, scratch_str(&s, "root/a"),
					 8 << 20, NULL, &s.mem, &snap, &s.f),
				 0);
		assert_true(str_eq(snap.bytes, want.bytes));
		assert_true(hash_eq(snap.version, out.version));
	}
}

/* W30: a name that the filesystem refuses. */
static void an_impossible_name_is_an_io_error(void **state)
{
	auto_scratch s = scratch_make();
	char name[320] = "root/";

	memset(name + 5, 'n', 300);
	name[305] = '\0';
	assert_int_equal(scratch_store(&s, name, "x", NULL), ERR_IO);
	assert_true(str_starts(fault_text(&s.f, &s.mem),
			       STR("File name too long: /")));
	assert_int_equal(scratch_load(&s, name, &(struct str){ 0 }), ERR_IO);
}

enum { WRITERS = 2, STEPS = 200 };

/* Increment the number in the file by compare and swap. */
static enum err add_one(struct scratch *s)
{
	auto_arena mem = ARENA_INIT;
	struct str path = str_of(scratch_path(s, "root/n"));
	struct snapshot snap;
	struct stored out;
	enum err e;

	do {
		struct store_want want = { .base = STORE_VERSION };

		e = ws_load(s->ws, path, 100, NULL, &mem, &snap, NULL);
		if (e)
			return e;
		want.version = snap.version;
		want.bytes =
			arena_printf(&mem, "%d",
				     (int)strtol(arena_cstr(&mem, snap.bytes),
						 NULL, 10) +
					     1);
		e = ws_store(s->ws, path, &want, &mem, &out, NULL);
	} while (e == ERR_CHANGED);
	return e;
}

/* X17 A73 M70 */
static void two_processes_lose_no_update(void **state)
{
	auto_scratch s = scratch_make();
	char want[16];

	scratch_put(&s, "root/n", "0");
	for (int i = 0; i < WRITERS; i++) {
		if (fork())
			continue;
		for (int k = 0; k < STEPS; k++)
			if (add_one(&s))
				_exit(1);
		_exit(0);
	}
	for (int i = 0; i < WRITERS; i++) {
		int status;

		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	(void)snprintf(want, sizeof(want), "%d", WRITERS * STEPS);
	assert_string_equal(scratch_get(&s, "root/n"), want);
	assert_int_equal(scratch_names(&s, "root"), 1);
}

static bool always(void *ctx)
{
	return true;
}

/*
 * X03: cancellation is checked right before a change, because a cancelled loop
 * may have truncated the new content (base/cancel.h).
 */
static void a_cancelled_call_changes_nothing(void **state)
{
	const struct progress stopped = { .stop = always };
	const struct store_want store = { .bytes = STR("new"),
					  .progress = &stopped };
	const struct append_want append = { .bytes = STR("more"),
					    .progress = &stopped };
	static const char *const names[] = { "root/a", "root/linked",
					     "root/none" };
	auto_scratch s = scratch_make();
	struct appended appended;
	struct stored stored;

	scratch_put(&s, "root/a", "old");
	scratch_put(&s, "root/linked", "old");
	assert_int_equal(link(scratch_path(&s, "root/linked"),
			      scratch_path(&s, "root/second")),
			 0);
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		struct str path = scratch_str(&s, names[i]);

		assert_int_equal(ws_store(s.ws, path, &store, &s.mem, &stored,
					  &s.f),
				 ERR_CANCELLED);
		assert_int_equal(ws_append(s.ws, path, &append, &s.mem,
					   &appended, &s.f),
				 ERR_CANCELLED);
	}
	assert_int_equal(ws_remove(s.ws, scratch_str(&s, "root/a"),
				   hash_of(STR("old")), &store, &s.mem, &s.f),
			 ERR_CANCELLED);
	assert_string_equal(scratch_get(&s, "root/a"), "old");
	assert_string_equal(scratch_get(&s, "root/linked"), "old");
	assert_int_equal(scratch_names(&s, "root"), 3);
	assert_int_equal(scratch_names(&s, "state/stet/journal"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_store_reports_whether_it_created_the_file),
		cmocka_unit_test(equal_content_is_not_written_again),
		cmocka_unit_test(a_new_file_follows_the_umask),
		cmocka_unit_test(a_changed_file_is_not_overwritten),
		cmocka_unit_test(a_touched_file_is_still_at_its_base),
		cmocka_unit_test(metadata_are_kept),
		cmocka_unit_test(all_hard_links_see_the_new_content),
		cmocka_unit_test(a_read_only_file_is_not_replaced),
		cmocka_unit_test(
			in_a_read_only_directory_a_file_is_written_in_place),
		cmocka_unit_test(a_dry_run_finds_what_would_fail),
		cmocka_unit_test(
			files_of_other_users_are_written_as_far_as_permitted),
		cmocka_unit_test(a_stale_temporary_file_is_removed),
		cmocka_unit_test(large_content_is_stored_completely),
		cmocka_unit_test(an_impossible_name_is_an_io_error),
		cmocka_unit_test(two_processes_lose_no_update),
		cmocka_unit_test(a_cancelled_call_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
