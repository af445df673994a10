/*
 * test_beneath.c - path resolution beneath the roots.
 *
 * Each test runs twice: with openat2(), and with the fallback of resolve.h.
 */
#include "scratch.h"

#include "base/fd.h"
#include "files/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

/*
 * Each test runs twice: with openat2(), and with the fallback of resolve.h.
 */
static int go_fast(void **state)
{
	beneath_slowly(false);
	return 0;
}

static int go_slowly(void **state)
{
	beneath_slowly(true);
	return 0;
}

#define both_ways(test)                        \
	cmocka_unit_test_setup(test, go_fast), \
		cmocka_unit_test_setup(test, go_slowly)

/* "^" in a symlink stands for the absolute path of the base. */
static const struct {
	const char *name, *to;
} links[] = {
	{ "root/in", "dir/file" },
	{ "root/in_dir", "dir" },
	{ "root/in_absolute", "^root/dir/file" },
	{ "root/in_chain", "in_dir/../in" },
	{ "root/dir/up", "../top" },
	{ "root/out", "../outside/secret" },
	{ "root/out_dir", "../outside" },
	{ "root/out_absolute", "^outside/secret" },
	{ "root/out_deep", "dir/../../outside/secret" },
	{ "root/back", "../root/top" },
	{ "root/back_absolute", "^outside/../root/top" },
	{ "root/other", "../second/theirs" },
	{ "root/other_absolute", "^second/theirs" },
	{ "root/none", "nothing" },
	{ "root/none_out", "../outside/nothing" },
	{ "root/loop", "loop" },
	{ "root/loop_a", "loop_b" },
	{ "root/loop_b", "loop_a" },
	{ "root/etc", "/etc/passwd" },
	{ "root/magic", "/proc/self/root/etc/passwd" },
	{ "root/cwd", "/proc/self/cwd" },
	{ "outside/way_in", "^root" },
};

static void plant(struct scratch *s)
{
	struct str roots[2];

	scratch_dir(s, "second");
	scratch_dir(s, "root-evil");
	scratch_dir(s, "root/dir");
	scratch_put(s, "root/top", "top");
	scratch_put(s, "root/dir/file", "file");
	scratch_put(s, "outside/secret", "secret");
	scratch_put(s, "second/theirs", "theirs");
	scratch_put(s, "root-evil/secret", "secret");
	for (size_t i = 0; i < COUNT_OF(links); i++) {
		const char *to = links[i].to;

		scratch_link(s, to[0] == '^' ? scratch_path(s, to + 1) : to,
			     links[i].name);
	}
	roots[0] = s->root;
	roots[1] = scratch_str(s, "second");
	ws_local_roots(s->ws, roots, 2, STR(""), NULL);
}

static const struct {
	const char *name;
	enum err want;
	const char *content, *key; /* the key, if it differs from the path */
} reads[] = {
	{ "root/top", ERR_OK, "top", NULL },
	{ "root//./top", ERR_OK, "top", "root/top" },
	{ "root/dir/../top", ERR_OK, "top", "root/top" },
	{ "root/in", ERR_OK, "file", "root/dir/file" },
	{ "root/in_dir/file", ERR_OK, "file", "root/dir/file" },
	{ "root/in_dir/../top", ERR_OK, "top", "root/top" },
	{ "root/in_absolute", ERR_OK, "file", "root/dir/file" },
	{ "root/in_chain", ERR_OK, "file", "root/dir/file" },
	{ "root/dir/up", ERR_OK, "top", "root/top" },
	{ "root/back", ERR_OK, "top", "root/top" },
	{ "root/../root/top", ERR_OK, "top", "root/top" },
	{ "root/../second/theirs", ERR_OK, "theirs", "second/theirs" },
	{ "root/dir/../../root/top", ERR_OK, "top", "root/top" },
	{ "root/other", ERR_OK, "theirs", "second/theirs" },
	{ "root/other_absolute", ERR_OK, "theirs", "second/theirs" },
	{ "root/out", ERR_DENIED, NULL, NULL },
	{ "root/out_dir/secret", ERR_DENIED, NULL, NULL },
	{ "root/out_dir/nothing", ERR_DENIED, NULL, NULL },
	{ "root/out_absolute", ERR_DENIED, NULL, NULL },
	{ "root/out_deep", ERR_DENIED, NULL, NULL },
	{ "root/back_absolute", ERR_DENIED, NULL, NULL },
	{ "root/none_out", ERR_DENIED, NULL, NULL },
	{ "root/etc", ERR_DENIED, NULL, NULL },
	{ "root/magic", ERR_DENIED, NULL, NULL },
	{ "root/cwd", ERR_DENIED, NULL, NULL },
	{ "root/../outside/secret", ERR_DENIED, NULL, NULL },
	{ "root/dir/../../outside/secret", ERR_DENIED, NULL, NULL },
	{ "outside/secret", ERR_DENIED, NULL, NULL },
	{ "outside/nothing", ERR_DENIED, NULL, NULL },
	{ "outside/way_in/top", ERR_DENIED, NULL, NULL },
	{ "root-evil/secret", ERR_DENIED, NULL, NULL },
	{ "root/../root-evil/secret", ERR_DENIED, NULL, NULL },
	{ "../../../../etc/passwd", ERR_DENIED, NULL, NULL },
	{ "root/none", ERR_NOT_FOUND, NULL, NULL },
	{ "root/nothing", ERR_NOT_FOUND, NULL, NULL },
	{ "root/nothing/../top", ERR_NOT_FOUND, NULL, NULL },
	{ "root/top/x", ERR_NOT_FOUND, NULL, NULL },
	{ "root/top/", ERR_NOT_FOUND, NULL, NULL },
	{ "root/top/../top", ERR_NOT_FOUND, NULL, NULL },
	{ "root/loop", ERR_IO, NULL, NULL },
	{ "root/loop_a", ERR_IO, NULL, NULL },
	{ "root", ERR_NOT_A_FILE, NULL, NULL },
	{ "root/dir", ERR_NOT_A_FILE, NULL, NULL },
	{ "root/dir/", ERR_NOT_A_FILE, NULL, NULL },
	{ "root/dir/..", ERR_NOT_A_FILE, NULL, NULL },
	{ "root/in_dir", ERR_NOT_A_FILE, NULL, NULL },
};

/* X15 A72 R17 R18 R19 R29 R30 W35: a corpus of path traversals. */
static void a_read_stays_beneath_the_roots(void **state)
{
	auto_scratch s = scratch_make();

	plant(&s);
	for (size_t i = 0; i < COUNT_OF(reads); i++) {
		struct str path = scratch_str(&s, reads[i].name);
		struct snapshot snap;
		enum err e =
			ws_load(s.ws, path, 100, NULL, &s.mem, &snap, &s.f);

		if (e != reads[i].want)
			print_message("# %s\n", reads[i].name);
		assert_int_equal(e, reads[i].want);
		if (e == ERR_DENIED)
			assert_string_equal(s.f.reason, "outside_roots");
		if (e) {
			assert_str(s.f.path, path.ptr);
			continue;
		}
		assert_str(snap.bytes, reads[i].content);
		assert_str(snap.key,
			   scratch_path(&s, reads[i].key ? reads[i].key
							 : reads[i].name));
	}
}

static const struct {
	const char *name;
	enum err want;
	const char *lands; /* the file that must have the bytes */
} writes[] = {
	{ "root/new", ERR_OK, "root/new" },
	{ "root/dir/../new2", ERR_OK, "root/new2" },
	{ "root/in", ERR_OK, "root/dir/file" },
	{ "root/in_dir/new3", ERR_OK, "root/dir/new3" },
	{ "root/in_absolute", ERR_OK, "root/dir/file" },
	{ "root/none", ERR_OK, "root/nothing" },
	{ "root/other", ERR_OK, "second/theirs" },
	{ "root/back", ERR_OK, "root/top" },
	{ "root/out", ERR_DENIED, NULL },
	{ "root/out_dir/secret", ERR_DENIED, NULL },
	{ "root/out_dir/new", ERR_DENIED, NULL },
	{ "root/none_out", ERR_DENIED, NULL },
	{ "root/out_absolute", ERR_DENIED, NULL },
	{ "root/../outside/new", ERR_DENIED, NULL },
	{ "outside/new", ERR_DENIED, NULL },
	{ "root-evil/new", ERR_DENIED, NULL },
	{ "root/nodir/new", ERR_NO_PARENT, NULL },
	{ "root/top/new", ERR_NO_PARENT, NULL },
	{ "root/new4/", ERR_NO_PARENT, NULL },
	{ "root/top/", ERR_NO_PARENT, NULL },
	{ "root/loop", ERR_IO, NULL },
	{ "root/dir", ERR_IS_DIRECTORY, NULL },
	{ "root/dir/", ERR_IS_DIRECTORY, NULL },
	{ "root/dir/.", ERR_IS_DIRECTORY, NULL },
	{ "root/in_dir", ERR_IS_DIRECTORY, NULL },
	{ "root", ERR_IS_DIRECTORY, NULL },
};

/* X15 A72 W14 W16 W17 W28 W29 W57 W59 W61: the same for writes. */
static void a_write_stays_beneath_the_roots(void **state)
{
	auto_scratch s = scratch_make();
	struct stat st;

	plant(&s);
	for (size_t i = 0; i < COUNT_OF(writes); i++) {
		const char *content = writes[i].name;
		enum err e = scratch_store(&s, writes[i].name, content, NULL);

		if (e != writes[i].want)
			print_message("# %s\n", writes[i].name);
		assert_int_equal(e, writes[i].want);
		if (!e)
			assert_string_equal(scratch_get(&s, writes[i].lands),
					    content);
	}
	assert_string_equal(scratch_get(&s, "outside/secret"), "secret");
	assert_int_equal(scratch_names(&s, "outside"), 2);
	assert_int_equal(scratch_names(&s, "root-evil"), 1);
	assert_int_equal(lstat(scratch_path(&s, "root/in"), &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(lstat(scratch_path(&s, "root/none"), &st), 0);
	assert_true(S_ISLNK(st.st_mode));
}

/* W15 W22 W62 W36: before the disk is accessed. */
static void a_path_that_is_not_absolute_is_refused(void **state)
{
	static const struct str paths[] = {
		STR_INIT(""),
		STR_INIT("relative/path.txt"),
		STR_INIT("/tmp/a\0b"),
	};
	const struct store_want want = { .bytes = STR("x") };
	auto_scratch s = scratch_make();
	struct snapshot snap;
	struct stored out;

	for (size_t i = 0; i < COUNT_OF(paths); i++) {
		assert_int_equal(ws_load(s.ws, paths[i], 9, NULL, &s.mem, &snap,
					 &s.f),
				 ERR_NOT_ABSOLUTE);
		assert_int_equal(ws_store(s.ws, paths[i], &want, &s.mem, &out,
					  &s.f),
				 ERR_NOT_ABSOLUTE);
	}
}

static void make_socket(struct scratch *s, const char *name)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	auto_fd fd = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)snprintf(at.sun_path, sizeof(at.sun_path), "%s",
		       scratch_path(s, name));
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
}

/* R19 R58 W63 M67 A33: FIFOs, sockets, directories. */
static void only_regular_files_are_opened_without_blocking(void **state)
{
	static const char *const names[] = { "root/fifo", "root/socket",
					     "root/fifo_link" };
	auto_scratch s = scratch_make();
	struct str bytes;

	assert_int_equal(mkfifo(scratch_path(&s, "root/fifo"), 0666), 0);
	make_socket(&s, "root/socket");
	scratch_link(&s, "fifo", "root/fifo_link");
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		assert_int_equal(scratch_load(&s, names[i], &bytes),
				 ERR_NOT_A_FILE);
		assert_int_equal(scratch_store(&s, names[i], "x", NULL),
				 ERR_NOT_A_FILE);
	}
}

/* R19 W63 R31: in /dev and /proc. */
static void devices_and_files_of_unknown_size(void **state)
{
	struct str dev[2] = { STR("/dev"), STR("/proc") };
	auto_scratch s = scratch_make();
	struct snapshot snap;

	ws_local_roots(s.ws, dev, 2, STR(""), NULL);
	assert_int_equal(ws_load(s.ws, STR("/dev/null"), 9, NULL, &s.mem, &snap,
				 &s.f),
			 ERR_NOT_A_FILE);
	assert_int_equal(ws_load(s.ws, STR("/dev/zero"), 9, NULL, &s.mem, &snap,
				 &s.f),
			 ERR_NOT_A_FILE);
	assert_int_equal(ws_load(s.ws, STR("/proc/version"), 4096, NULL, &s.mem,
				 &snap, &s.f),
			 ERR_OK);
	assert_true(str_starts(snap.bytes, STR("Linux")));
	assert_int_equal(ws_load(s.ws, STR("/proc/1/root/etc/passwd"), 1 << 20,
				 NULL, &s.mem, &snap, &s.f),
			 ERR_IO);
}

static void without_roots_every_path_is_refused_with_advice(void **state)
{
	auto_scratch s = scratch_make();
	struct str bytes;
	size_t usable = 9;

	scratch_put(&s, "root/a", "a");
	ws_local_roots(s.ws, NULL, 0, STR("name a root"), &usable);
	assert_int_equal(usable, 0);
	assert_int_equal(scratch_load(&s, "root/a", &bytes), ERR_DENIED);
	assert_string_equal(s.f.reason, "outside_roots");
	assert_str(s.f.hint, "name a root");
}

/* X15 */
static void the_root_directory_can_be_a_root(void **state)
{
	struct str all[1] = { STR("/") };
	auto_scratch s = scratch_make();
	struct str bytes;

	scratch_put(&s, "root/a", "a");
	scratch_link(&s, scratch_path(&s, "root/a"), "root/b");
	ws_local_roots(s.ws, all, 1, STR(""), NULL);
	assert_int_equal(scratch_load(&s, "root/a", &bytes), ERR_OK);
	assert_int_equal(scratch_load(&s, "root/b", &bytes), ERR_OK);
	assert_int_equal(scratch_load(&s, "root/../../../../../../x", &bytes),
			 ERR_NOT_FOUND);
	assert_int_equal(scratch_store(&s, "root/b", "new", NULL), ERR_OK);
	assert_string_equal(scratch_get(&s, "root/a"), "new");
}

struct swapper {
	char *dir, *link;
	atomic_bool done;
};

/* Exchange a directory and a symlink that leads out of the root. */
static void *swap(void *arg)
{
	struct swapper *w = arg;

	while (!w->done)
		(void)renameat2(AT_FDCWD, w->dir, AT_FDCWD, w->link,
				RENAME_EXCHANGE);
	return NULL;
}

/* X15 A72: while another thread renames. */
static void a_swapped_directory_never_leads_outside(void **state)
{
	auto_scratch s = scratch_make();
	struct swapper w = { .dir = scratch_path(&s, "root/d"),
			     .link = scratch_path(&s, "root/l") };
	size_t reads_ok = 0, writes_ok = 0;
	pthread_t thread;

	scratch_dir(&s, "root/d");
	scratch_put(&s, "root/d/f", "inside");
	scratch_put(&s, "outside/f", "outside");
	scratch_link(&s, "../outside", "root/l");
	assert_int_equal(pthread_create(&thread, NULL, swap, &w), 0);
	for (int i = 0; i < 40000; i++) {
		auto_arena mem = ARENA_INIT;
		const struct store_want want = { .bytes = STR("inside2") };
		struct snapshot snap;
		struct stored out;

		if (!ws_load(s.ws,
			     str_of(arena_printf(&mem, "%s/f", w.dir).ptr), 100,
			     NULL, &mem, &snap, NULL)) {
			reads_ok++;
			assert_true(str_starts(snap.bytes, STR("inside")));
		}
		if (i % 4 == 0 &&
		    !ws_store(s.ws,
			      str_of(arena_printf(&mem, "%s/f", w.dir).ptr),
			      &want, &mem, &out, NULL))
			writes_ok++;
	}
	w.done = true;
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_string_equal(scratch_get(&s, "outside/f"), "outside");
	assert_int_equal(scratch_names(&s, "outside"), 1);
	assert_true(reads_ok > 0);
	assert_true(writes_ok > 0);
}

/* A symlink in a key is ERR_CHANGED. */
static void a_key_is_resolved_without_symlinks(void **state)
{
	static const struct {
		const char *key;
		enum err want;
	} keys[] = {
		{ "root/dir/a", ERR_OK },
		{ "root/a", ERR_OK }, /* does not exist */
		{ "root/in/a", ERR_CHANGED },
		{ "root/link", ERR_CHANGED },
		{ "root/out/a", ERR_CHANGED },
		{ "root/none/a", ERR_NO_PARENT },
		{ "door/a", ERR_DENIED }, /* the root's path with a symlink */
		{ "outside/a", ERR_DENIED },
	};
	auto_scratch s = scratch_make();
	struct str dirs[] = { scratch_str(&s, "door") };
	auto_roots *roots = NULL;

	scratch_dir(&s, "root/dir");
	scratch_put(&s, "root/dir/a", "a");
	scratch_link(&s, "dir", "root/in");
	scratch_link(&s, "dir/a", "root/link");
	scratch_link(&s, "../outside", "root/out");
	scratch_link(&s, "root", "door");
	roots = roots_open(dirs, COUNT_OF(dirs), STR(""));
	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		auto_resolved p = RESOLVED_INIT;

		assert_int_equal(beneath_resolve_key(roots,
						     scratch_str(&s,
								 keys[i].key),
						     &s.mem, &p, &s.f),
				 keys[i].want);
	}
}

/* X15: moved, replaced, removed, the root moved; and moved back. */
static void is_at_detects_moved_and_replaced_files(void **state)
{
	auto_scratch s = scratch_make();
	struct str key = scratch_str(&s, "root/dir");
	auto_roots *roots = roots_open(&s.root, 1, STR(""));
	const char *dir, *moved = scratch_path(&s, "root/moved");
	auto_fd fd = -1;

	scratch_dir(&s, "root/dir");
	dir = scratch_path(&s, "root/dir");
	fd = fd_openat(AT_FDCWD, dir, O_RDONLY | O_DIRECTORY, 0);
	assert_true(beneath_is_at(roots, fd, key, &s.mem));
	assert_false(beneath_is_at(roots, fd, s.root, &s.mem));
	assert_int_equal(rename(dir, moved), 0);
	assert_false(beneath_is_at(roots, fd, key, &s.mem));
	scratch_link(&s, "moved", "root/dir");
	assert_false(beneath_is_at(roots, fd, key, &s.mem));
	assert_int_equal(unlink(dir), 0);
	scratch_dir(&s, "root/dir");
	assert_false(beneath_is_at(roots, fd, key, &s.mem));
	assert_int_equal(rename(moved, dir), 0);
	assert_true(beneath_is_at(roots, fd, key, &s.mem));
	assert_int_equal(rename(scratch_path(&s, "root"),
				scratch_path(&s, "away")),
			 0);
	assert_false(beneath_is_at(roots, fd, key, &s.mem));
	assert_int_equal(rename(scratch_path(&s, "away"),
				scratch_path(&s, "root")),
			 0);
	assert_int_equal(rmdir(dir), 0);
	assert_false(beneath_is_at(roots, fd, key, &s.mem));
}

static ino_t inode_of(struct scratch *s, const char *name)
{
	struct stat st;

	assert_int_equal(stat(scratch_path(s, name), &st), 0);
	return st.st_ino;
}

/*
 * As a walk from "/" does: a nested root whose path leads elsewhere by now is
 * not used for what the outer one has at that path.
 */
static void of_nested_roots_the_outer_one_is_entered(void **state)
{
	auto_scratch s = scratch_make();
	struct str dirs[2];
	auto_roots *roots = NULL;

	scratch_dir(&s, "root/dir");
	scratch_put(&s, "root/dir/file", "moved");
	scratch_link(&s, "root", "alias");
	dirs[0] = scratch_str(&s, "root/dir");
	dirs[1] = scratch_str(&s, "alias");
	roots = roots_open(dirs, 2, STR(""));
	assert_int_equal(rename(scratch_path(&s, "root/dir"),
				scratch_path(&s, "root/moved")),
			 0);
	scratch_dir(&s, "root/dir");
	scratch_put(&s, "root/dir/file", "new");
	for (int i = 0; i < 2; i++) {
		static const char *const names[] = { "root/dir/file",
						     "alias/dir/file" };
		auto_resolved found = RESOLVED_INIT;

		assert_int_equal(resolve_path(roots, scratch_str(&s, names[i]),
					      &s.mem, &found),
				 0);
		assert_str(found.key, scratch_path(&s, "root/dir/file"));
		assert_true(found.st.st_ino == inode_of(&s, "root/dir/file"));
	}
}

/* An alias is a name for clients; a key has none. */
static void a_key_does_not_lead_through_the_alias_of_a_root(void **state)
{
	auto_resolved found = RESOLVED_INIT;
	auto_scratch s = scratch_make();
	auto_roots *roots = NULL;
	struct str alias;

	scratch_put(&s, "root/top", "top");
	scratch_put(&s, "outside/secret", "secret");
	scratch_link(&s, "root", "alias");
	alias = scratch_str(&s, "alias");
	roots = roots_open(&alias, 1, STR(""));
	assert_int_equal(resolve_key(roots, scratch_str(&s, "alias/top"),
				     &s.mem, &found),
			 EXDEV);
	assert_int_equal(resolve_path(roots,
				      scratch_str(&s,
						  "alias/../outside/secret"),
				      &s.mem, &found),
			 EXDEV);
	assert_int_equal(resolve_key(roots, scratch_str(&s, "root/top"), &s.mem,
				     &found),
			 0);
	assert_str(found.key, scratch_path(&s, "root/top"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		both_ways(a_read_stays_beneath_the_roots),
		both_ways(a_write_stays_beneath_the_roots),
		both_ways(a_path_that_is_not_absolute_is_refused),
		both_ways(only_regular_files_are_opened_without_blocking),
		both_ways(devices_and_files_of_unknown_size),
		both_ways(without_roots_every_path_is_refused_with_advice),
		both_ways(the_root_directory_can_be_a_root),
		both_ways(a_swapped_directory_never_leads_outside),
		both_ways(a_key_is_resolved_without_symlinks),
		both_ways(is_at_detects_moved_and_replaced_files),
		cmocka_unit_test(of_nested_roots_the_outer_one_is_entered),
		cmocka_unit_test(
			a_key_does_not_lead_through_the_alias_of_a_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
