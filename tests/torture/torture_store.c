/*
 * torture_store.c - stores of an existing and of a new file.
 */
#include "../unit/files/scratch.h"
#include "calls.h"

#include "files/beneath.h"
#include "files/local.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static const char name[] = "root/a";

/* Different in length and everywhere, so that a mix of both shows. */
static const char older[] = "older: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n";
static const char newer[] = "newer: bbbbbbbbbbbbbbbb\nbbbbbbbbbbbbbbbbbbbbbbb"
			    "bbbbbbbbbbbbbbbbbbbb\n";

struct setting {
	const char *says;
	bool fresh;        /* there is no file yet */
	bool linked;       /* the file has two hard links */
	bool through_link; /* the path has a symlink */
	bool closed;       /* no file can be created in its directory */
	bool shrinks;      /* the new content is the shorter one */
	bool ahead;        /* the temporary file comes from the pool */
	bool no_renameat2, no_openat2, no_flock, no_flink;
	enum durability durability;
};

static const struct setting settings[] = {
	{ .says = "new file", .fresh = true },
	{ .says = "replaced" },
	{ .says = "replaced, not synced", .durability = DURABLE_PROCESS },
	{ .says = "replaced by one made ahead", .ahead = true },
	{ .says = "replaced by one made ahead, not synced",
	  .ahead = true,
	  .durability = DURABLE_PROCESS },
	{ .says = "replaced by one made ahead, named by its number",
	  .ahead = true,
	  .no_flink = true },
	{ .says = "replaced by less", .shrinks = true },
	{ .says = "in place", .linked = true },
	{ .says = "in place, by less", .linked = true, .shrinks = true },
	{ .says = "in place, not synced",
	  .linked = true,
	  .durability = DURABLE_PROCESS },
	{ .says = "in a closed directory", .closed = true },
	{ .says = "through a link", .through_link = true, .no_openat2 = true },
	{ .says = "new, no renameat2", .fresh = true, .no_renameat2 = true },
	{ .says = "replaced, no renameat2", .no_renameat2 = true },
	{ .says = "replaced, no flock",
	  .no_flock = true,
	  .no_renameat2 = true },
	{ .says = "in place, no flock", .no_flock = true, .linked = true },
};

static const char *before(const struct setting *set)
{
	return set->shrinks ? newer : older;
}

static const char *after(const struct setting *set)
{
	return set->shrinks ? older : newer;
}

static bool has_attributes; /* the filesystem has extended attributes */

static void renew(struct scratch *s, const struct setting *set)
{
	const struct ws_local_options options = { .durability =
							  set->durability };

	ws_local_free(s->ws);
	s->ws = ws_local_new(&options);
	ws_local_roots(s->ws, &s->root, 1, STR(""), NULL);
}

/* The pool is full, or cannot be filled: its thread is idle. */
static bool is_ready(struct tmpfile_pool *tmpfiles)
{
	bool ready;

	(void)pthread_mutex_lock(&tmpfiles->lock);
	ready = tmpfiles->unsupported ||
		(tmpfiles->count == TMPFILE_POOL_SIZE && !tmpfiles->refill);
	(void)pthread_mutex_unlock(&tmpfiles->lock);
	return ready;
}

/* Store until the pool of temporary files is full, then restore the content. */
static void make_ahead(struct scratch *s, const struct setting *set)
{
	struct tmpfile_pool *tmpfiles = &((struct ws_local *)s->ws)->tmpfiles;

	for (int i = 0; i < 10000 && !is_ready(tmpfiles); i++) {
		if (i < 2)
			assert_int_equal(scratch_store(s, name, i ? "1" : "2",
						       NULL),
					 ERR_OK);
		(void)usleep(100);
	}
	assert_true(is_ready(tmpfiles));
	assert_int_equal(scratch_store(s, name, before(set), NULL), ERR_OK);
}

static struct scratch set_up(const struct setting *set)
{
	struct scratch s = scratch_make();
	const char *path = scratch_path(&s, name);

	renew(&s, set);
	calls.rename_error = set->no_renameat2 ? EINVAL : 0;
	calls.linkat_error = set->no_flink ? ENOENT : 0;
	calls.beside_error = set->closed ? EACCES : 0;
	calls.flock_error = set->no_flock ? ENOLCK : 0;
	beneath_slowly(set->no_openat2);
	if (set->through_link)
		scratch_link(&s, "a", "root/link");
	if (set->fresh)
		return s;
	scratch_put(&s, name, before(set));
	assert_int_equal(chmod(path, 0751), 0);
	has_attributes = !setxattr(path, "user.stet", "v", 1, 0);
	if (set->linked)
		assert_int_equal(link(path, scratch_path(&s, "root/b")), 0);
	if (set->ahead)
		make_ahead(&s, set);
	return s;
}

static size_t names_of(const struct setting *set)
{
	return 1 + set->linked + set->through_link;
}

static enum err save(struct scratch *s, const struct setting *set)
{
	const char *at = set->through_link ? "root/link" : name;

	if (set->fresh)
		return scratch_store(s, at, after(set), NULL);
	return scratch_store_over(s, at, before(set), after(set));
}

static void check_metadata(struct scratch *s, const struct setting *set,
			   int error)
{
	const char *path = scratch_path(s, name);
	char value[4];
	struct stat st;

	if (set->fresh)
		return;
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0751);
	assert_int_equal(st.st_nlink, set->linked ? 2 : 1);
	/* An attribute that may not be set is reported, and is no failure. */
	if (has_attributes && error != EPERM)
		assert_int_equal(getxattr(path, "user.stet", value, 4), 1);
}

/* The next read finds the old content or the new one. */
static void check_old_or_new(struct scratch *s, const struct setting *set,
			     bool must_be_new, int error)
{
	struct str bytes = STR("");
	enum err e = scratch_load(s, name, &bytes);
	bool is_new = !e && str_is(bytes, after(set));
	bool is_old = set->fresh ? e == ERR_NOT_FOUND
				 : !e && str_is(bytes, before(set));

	if (!is_new && !(is_old && !must_be_new))
		print_message("# %s: e=%s '" STR_FMT "'\n", set->says,
			      err_name(e), STR_ARG(bytes));
	assert_true(is_new || (is_old && !must_be_new));
	if (!e)
		check_metadata(s, set, error);
}

/* The next store removes temporary files that a failed one left. */
static void check_no_litter(struct scratch *s, const struct setting *set)
{
	assert_int_equal(scratch_store(s, name, "third", NULL), ERR_OK);
	assert_string_equal(scratch_get(s, name), "third");
	assert_int_equal(scratch_names(s, "root"), names_of(set));
	assert_int_equal(scratch_names(s, "state/stet/journal"), 0);
}

/* Hit the @nth call, on a filesystem as the setting describes it. */
static void aim(long nth, enum hit hit, int error, bool for_good)
{
	calls.countdown = nth;
	calls.hit = hit;
	calls.error = error;
	calls.for_good = for_good;
	calls.was_hit = false;
}

/* The error that the caller must get; ERR_OK = several are right. */
static enum err wanted(int error)
{
	switch (error) {
	case ENOSPC:
	case EDQUOT:
		return ERR_DISK_FULL;
	case EROFS:
		return ERR_READ_ONLY_FS;
	case EIO:
		return ERR_IO;
	default:
		return ERR_OK;
	}
}

static bool run_failing(const struct setting *set, long nth, int error,
			bool for_good)
{
	auto_scratch s = set_up(set);
	enum err e;

	aim(nth, HIT_FAILS, error, for_good);
	e = save(&s, set);
	calls.countdown = -1;
	calls.for_good = false;
	if (e && error != EINTR && !calls.was_hit)
		print_message("# %s: %s\n", set->says, err_name(e));
	assert_true(!e || calls.was_hit);
	/* A file that could not be compared counts as changed. */
	if (e && e != ERR_CHANGED && wanted(error) && e != wanted(error)) {
		print_message("# %s: errno %d at call %ld: %s\n", set->says,
			      error, nth, err_name(e));
		assert_int_equal(e, wanted(error));
	}
	if (e == ERR_DISK_FULL)
		assert_int_equal(s.f.bytes, strlen(after(set)));
	check_old_or_new(&s, set, /* must_be_new= */ !e, error);
	check_no_litter(&s, set);
	return calls.was_hit;
}

/* W60 W18 M54: each call fails once, with each error. */
static void whichever_call_fails_the_file_is_old_or_new(void **state)
{
	static const int errors[] = { EIO,   ENOSPC, EDQUOT, EROFS,
				      EINTR, EPERM,  EBUSY,  ENOENT };

	for (size_t i = 0; i < COUNT_OF(settings); i++) {
		for (size_t k = 0; k < COUNT_OF(errors); k++) {
			long nth = 0;

			while (run_failing(&settings[i], nth, errors[k],
					   /* for_good= */ false))
				nth++;
			assert_true(nth > 10);
		}
	}
}

/*
 * W60 W18 W19 M54: from some call on nothing can be written any more, not even
 * to clean up. When the disk is well again the next calls find no harm.
 */
static void whenever_the_disk_gives_up_the_file_is_old_or_new(void **state)
{
	static const int errors[] = { EIO, ENOSPC, EDQUOT, EROFS };

	for (size_t i = 0; i < COUNT_OF(settings); i++) {
		for (size_t k = 0; k < COUNT_OF(errors); k++) {
			long nth = 0;

			while (run_failing(&settings[i], nth, errors[k],
					   /* for_good= */ true))
				nth++;
			assert_true(nth > 10);
		}
	}
}

/* W60: a failed fsync fails the store, and each fsync is needed. */
static void every_fsync_is_believed(void **state)
{
	for (size_t i = 0; i < COUNT_OF(settings); i++) {
		const struct setting *set = &settings[i];
		bool synced = set->durability == DURABLE_POWER;
		long total = 0;

		for (long nth = 0; nth <= total; nth++) {
			auto_scratch s = set_up(set);
			enum err e;

			calls.countdown = -1;
			calls.fsyncs = 0;
			calls.bad_fsync = nth;
			e = save(&s, set);
			calls.bad_fsync = 0;
			assert_int_equal(e, nth ? ERR_IO : ERR_OK);
			if (!nth)
				total = calls.fsyncs;
			check_old_or_new(&s, set, /* must_be_new= */ !e, EIO);
			check_no_litter(&s, set);
		}
		/* of the file, and of the directory that has its name */
		assert_true(synced ? total >= 2 : total == 0);
	}
}

static enum err refuse(void *ctx, struct fault *f)
{
	return fail(f, ERR_ASK, .path = STR(""));
}

/* A52: no file is made or synced to find out whether one could be. */
static void a_dry_run_writes_nothing(void **state)
{
	for (size_t i = 0; i < COUNT_OF(settings); i++) {
		const struct setting *set = &settings[i];
		auto_scratch s = set_up(set);
		struct store_want want = { .bytes = str_of(after(set)),
					   .ready = refuse,
					   .dry_run = true };
		struct stored ignored;

		calls.countdown = -1;
		calls.fsyncs = 0;
		calls.always = EIO; /* of every open that could write */
		assert_int_equal(ws_store(s.ws, scratch_str(&s, name), &want,
					  &s.mem, &ignored, &s.f),
				 ERR_ASK);
		calls.always = 0;
		assert_int_equal(calls.fsyncs, 0);
		check_old_or_new(&s, set, /* must_be_new= */ false, 0);
		assert_int_equal(scratch_names(&s, "root"),
				 names_of(set) - set->fresh);
		check_no_litter(&s, set);
	}
}

/* Fork while no thread holds the pool's lock, or the child would hang. */
static pid_t fork_alone(struct scratch *s)
{
	struct tmpfile_pool *tmpfiles = &((struct ws_local *)s->ws)->tmpfiles;
	pid_t pid;

	(void)pthread_mutex_lock(&tmpfiles->lock);
	pid = fork();
	(void)pthread_mutex_unlock(&tmpfiles->lock);
	return pid;
}

static bool run_dying(const struct setting *set, long nth)
{
	auto_scratch s = set_up(set);
	int status;
	pid_t pid = fork_alone(&s);

	assert_true(pid >= 0);
	if (!pid) {
		aim(nth, HIT_KILLS, 0, /* for_good= */ false);
		_exit(save(&s, set) ? 1 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (set->ahead) /* the pool still names the directory of the last run */
		renew(&s, set);
	check_old_or_new(&s, set, /* must_be_new= */ status == 0, 0);
	check_no_litter(&s, set);
	if (!WIFSIGNALED(status))
		assert_int_equal(status, 0);
	return WIFSIGNALED(status);
}

/* W60 M54 A66: the process is killed at each call. */
static void wherever_it_dies_the_file_is_old_or_new(void **state)
{
	for (size_t i = 0; i < COUNT_OF(settings); i++) {
		long nth = 0;

		while (run_dying(&settings[i], nth))
			nth++;
		assert_true(nth > 10);
	}
}

static struct scratch *victim; /* the tree that the other process writes to */

static void others_write(void)
{
	scratch_put(victim, name, "theirs");
}

static void others_replace(void)
{
	scratch_put(victim, "root/theirs", "theirs");
	assert_int_equal(rename(scratch_path(victim, "root/theirs"),
				scratch_path(victim, name)),
			 0);
}

static void others_same_again(void)
{
	scratch_put(victim, "root/theirs", older);
	assert_int_equal(rename(scratch_path(victim, "root/theirs"),
				scratch_path(victim, name)),
			 0);
}

static void others_remove(void)
{
	assert_int_equal(unlink(scratch_path(victim, name)), 0);
}

/* A73 M70: a process without the lock writes between compare and rename. */
static void an_outsider_in_between_keeps_what_he_wrote(void **state)
{
	static const struct {
		void (*other)(void);
		enum err want;
		const char *content;
	} rules[] = {
		{ others_write, ERR_CHANGED, "theirs" },
		{ others_replace, ERR_CHANGED, "theirs" },
		{ others_same_again, ERR_OK, newer },
		{ others_remove, ERR_CHANGED, NULL },
	};

	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		auto_scratch s = set_up(&settings[1]);
		const char *now;

		victim = &s;
		calls = (struct calls){ .countdown = -1,
					.before_exchange = rules[i].other };
		assert_int_equal(save(&s, &settings[1]), rules[i].want);
		assert_null(calls.before_exchange);
		now = scratch_get(&s, name);
		assert_int_equal(now != NULL, rules[i].content != NULL);
		if (now)
			assert_string_equal(now, rules[i].content);
		assert_int_equal(scratch_names(&s, "root"), now != NULL);
	}
}

/* A file that another process creates first is not overwritten. */
static void others_create(void)
{
	scratch_put(victim, name, "theirs");
}

/* A73 W23 */
static void a_file_made_in_between_is_not_overwritten(void **state)
{
	const struct store_want want = { .base = STORE_ABSENT,
					 .bytes = STR("mine") };
	auto_scratch s = set_up(&settings[0]);
	struct stored out;

	victim = &s;
	calls = (struct calls){ .countdown = -1,
				.before_exchange = others_create };
	assert_int_equal(ws_store(s.ws, scratch_str(&s, name), &want, &s.mem,
				  &out, &s.f),
			 ERR_CHANGED);
	assert_string_equal(scratch_get(&s, name), "theirs");
	assert_int_equal(s.f.version.len, HASH_HEX);
	assert_int_equal(scratch_names(&s, "root"), 1);
}

static void unmount(char **path)
{
	if (*path)
		(void)umount2(*path, MNT_DETACH);
}

#define auto_mount cleanup(unmount) char

/* NULL where we may not mount. */
static char *mount_small(struct scratch *s, const char *at)
{
	char *path = scratch_path(s, at);

	scratch_dir(s, at);
	return mount("none", path, "tmpfs", 0, "size=256k") ? NULL : path;
}

/* W18 W60 M54: the disk is full. */
static void a_full_disk_leaves_the_old_file(void **state)
{
	auto_scratch s = scratch_make();
	auto_mount *disk = mount_small(&s, "root/disk");
	char *much = arena_alloc(&s.mem, 200001);

	memset(much, 'x', 200000);
	much[200000] = '\0';
	calls = (struct calls){ .countdown = -1 };
	print_message("# the disk is %s\n", disk ? "a small tmpfs" : "played");
	assert_int_equal(scratch_store(&s, "root/disk/a", "old", NULL), 0);
	for (int linked = 0; linked < 2; linked++) {
		if (linked)
			assert_int_equal(link(scratch_path(&s, "root/disk/a"),
					      scratch_path(&s, "root/disk/b")),
					 0);
		assert_int_equal(scratch_store(&s, "root/disk/c", much, NULL),
				 0);
		calls.always = disk ? 0 : ENOSPC;
		assert_int_equal(scratch_store(&s, "root/disk/a", much, NULL),
				 ERR_DISK_FULL);
		calls.always = 0;
		assert_int_equal(s.f.bytes, 200000);
		assert_string_equal(scratch_get(&s, "root/disk/a"), "old");
		assert_int_equal(scratch_names(&s, "root/disk"), 2 + linked);
		assert_int_equal(scratch_names(&s, "state/stet/journal"), 0);
	}
}

/* W19: nothing can be written there. */
static void a_read_only_filesystem_says_so(void **state)
{
	auto_scratch s = scratch_make();
	auto_mount *disk = mount_small(&s, "root/disk");

	scratch_put(&s, "root/disk/a", "old");
	calls = (struct calls){ .countdown = -1 };
	if (!disk)
		calls.always = EROFS;
	else
		assert_int_equal(mount("none", disk, NULL,
				       MS_REMOUNT | MS_RDONLY | MS_BIND, NULL),
				 0);
	print_message("# the filesystem is %s\n", disk ? "a mount" : "played");
	assert_int_equal(scratch_store(&s, "root/disk/a", "new", NULL),
			 ERR_READ_ONLY_FS);
	assert_int_equal(scratch_store(&s, "root/disk/b", "new", NULL),
			 ERR_READ_ONLY_FS);
	calls.always = 0;
	assert_string_equal(scratch_get(&s, "root/disk/a"), "old");
	assert_int_equal(scratch_names(&s, "root/disk"), 1);
}

/* A66: a file that is a mount point of its own cannot be moved. */
static void a_mount_point_is_written_in_place(void **state)
{
	auto_scratch s = scratch_make();
	char *path = scratch_path(&s, "root/a");
	auto_mount *mounted = path;
	struct stored out;

	scratch_put(&s, "root/a", "below");
	scratch_put(&s, "outside/a", "old");
	calls = (struct calls){ .countdown = -1 };
	if (mount(scratch_path(&s, "outside/a"), path, NULL, MS_BIND, NULL)) {
		mounted = NULL;
		calls.rename_error = EBUSY;
	}
	print_message("# the mount point is %s\n", mounted ? "one" : "played");
	assert_int_equal(scratch_store(&s, "root/a", "new", &out), ERR_OK);
	calls.rename_error = 0;
	assert_true(out.in_place);
	assert_string_equal(scratch_get(&s, "root/a"), "new");
	if (mounted)
		assert_string_equal(scratch_get(&s, "outside/a"), "new");
	assert_int_equal(scratch_names(&s, "root"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whichever_call_fails_the_file_is_old_or_new),
		cmocka_unit_test(
			whenever_the_disk_gives_up_the_file_is_old_or_new),
		cmocka_unit_test(every_fsync_is_believed),
		cmocka_unit_test(a_dry_run_writes_nothing),
		cmocka_unit_test(wherever_it_dies_the_file_is_old_or_new),
		cmocka_unit_test(an_outsider_in_between_keeps_what_he_wrote),
		cmocka_unit_test(a_file_made_in_between_is_not_overwritten),
		cmocka_unit_test(a_full_disk_leaves_the_old_file),
		cmocka_unit_test(a_read_only_filesystem_says_so),
		cmocka_unit_test(a_mount_point_is_written_in_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
