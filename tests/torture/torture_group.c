#include "../unit/files/scratch.h"
#include "calls.h"

#include "files/group.h"
#include "files/group_record.h"
#include "files/local.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* One change of each kind: NULL = there is no such file. */
static const struct {
	const char *name, *old, *new;
} files[] = {
	{ "root/changed", "older aaaaaaaaaaaaaa\n", "newer bbbb\n" },
	{ "root/linked", "older linked\n", "newer linked, and longer\n" },
	{ "root/removed", "older removed\n", NULL },
	{ "root/sub/changed", "older sub\n", "newer sub\n" },
	{ "root/deep/made", NULL, "made\n" },
};

enum { COUNT = COUNT_OF(files) };

struct setting {
	const char *says;
	bool no_renameat2, not_kept;
	enum durability durability;
};

static const struct setting settings[] = {
	{ .says = "synced" },
	{ .says = "not synced", .durability = DURABLE_PROCESS },
	{ .says = "no renameat2",
	  .no_renameat2 = true,
	  .durability = DURABLE_PROCESS },
	{ .says = "no record",
	  .not_kept = true,
	  .durability = DURABLE_PROCESS },
};

static void renew(struct scratch *s, const struct setting *set)
{
	const struct ws_local_options options = { .durability = set->durability,
						  .lock_wait_ms = 2000 };

	ws_local_free(s->ws);
	s->ws = ws_local_new(&options);
	ws_local_roots(s->ws, &s->root, 1, STR(""), NULL);
}

static struct scratch set_up(const struct setting *set)
{
	struct scratch s = scratch_make();

	calls = (struct calls){ .countdown = -1 };
	calls.rename_error = set->no_renameat2 ? EINVAL : 0;
	renew(&s, set);
	scratch_dir(&s, "root/sub");
	for (size_t i = 0; i < COUNT; i++)
		if (files[i].old)
			scratch_put(&s, files[i].name, files[i].old);
	if (!set->not_kept)
		assert_int_equal(link(scratch_path(&s, "root/linked"),
				      scratch_path(&s, "root/other")),
				 0);
	if (set->not_kept) {
		scratch_dir(&s, "state/stet");
		scratch_put(&s, "state/stet/journal", "");
	}
	return s;
}

static void aim(long nth, enum hit hit, int error, bool for_good)
{
	calls.countdown = nth;
	calls.hit = hit;
	calls.error = error;
	calls.for_good = for_good;
	calls.was_hit = false;
}

static void stop_aiming(void)
{
	calls.countdown = -1;
	calls.for_good = false;
}

static enum err save(struct scratch *s)
{
	struct group_item items[COUNT] = { 0 };
	struct group_want want = { .items = items, .count = COUNT };

	for (size_t i = 0; i < COUNT; i++) {
		struct group_item *item = &items[i];

		item->path = item->want.key = scratch_str(s, files[i].name);
		item->want.base = files[i].old ? STORE_VERSION : STORE_ABSENT;
		if (files[i].old) {
			item->before = str_of(files[i].old);
			item->want.version = hash_of(item->before);
		}
		item->remove = !files[i].new;
		item->want.parents = !files[i].old;
		if (files[i].new)
			item->want.bytes = str_of(files[i].new);
	}
	return ws_group(s->ws, &want, &s->mem, &s->f);
}

static bool is_all(struct scratch *s, bool is_new)
{
	for (size_t i = 0; i < COUNT; i++) {
		const char *want = is_new ? files[i].new : files[i].old;
		const char *now = scratch_get(s, files[i].name);

		if (!want != !now || (want && strcmp(want, now) != 0))
			return false;
	}
	return true;
}

enum outcome { OLD = 1, NEW = 2 };

static void print_all(struct scratch *s, const char *says, long nth, int error)
{
	print_message("# %s: call %ld, errno %d\n", says, nth, error);
	for (size_t i = 0; i < COUNT; i++) {
		const char *now = scratch_get(s, files[i].name);

		print_message("#   %s: %s\n", files[i].name,
			      now ? now : "(none)\n");
	}
	print_message("#   names: %zu %zu, records: %zu\n",
		      scratch_names(s, "root"), scratch_names(s, "root/sub"),
		      scratch_names(s, "state/stet/journal"));
}

/* Nothing is left but the files themselves. */
static bool is_clean(struct scratch *s, const struct setting *set)
{
	bool is_new = is_all(s, true);
	size_t others = 1 + !set->not_kept; /* sub, other */

	if (set->not_kept && is_new)
		return scratch_names(s, "root") == 4;
	return scratch_names(s, "root") == (is_new ? 3 : 3) + others &&
	       scratch_names(s, "root/sub") == 1 &&
	       scratch_names(s, "state/stet/journal") == 0;
}

static void check(struct scratch *s, const struct setting *set, unsigned may,
		  bool clean, long nth, int error)
{
	unsigned is =
		(is_all(s, false) ? OLD : 0) | (is_all(s, true) ? NEW : 0);

	if (!(is & may) || (clean && !is_clean(s, set)))
		print_all(s, set->says, nth, error);
	assert_true(is & may);
	assert_true(!clean || is_clean(s, set));
}

static bool run_failing(const struct setting *set, long nth, int error,
			bool for_good)
{
	auto_scratch s = set_up(set);
	enum err e;

	aim(nth, HIT_FAILS, error, for_good);
	e = save(&s);
	stop_aiming();
	assert_true(!e || calls.was_hit);
	if (!for_good)
		check(&s, set, e ? OLD : NEW, /* clean= */ false, nth, error);
	ws_recover(s.ws, NULL);
	check(&s, set,
	      for_good && e ? OLD | NEW
	      : e           ? OLD
			    : NEW,
	      !set->not_kept, nth, error);
	return calls.was_hit;
}

static const int errors[] = { EIO, ENOSPC, EDQUOT, EROFS };

/* V02: each call fails once. Without a failure of the group all are new. */
static void whichever_call_fails_all_files_are_old(void **state)
{
	for (size_t i = 0; i < COUNT_OF(settings); i++)
		for (size_t k = 0; k < COUNT_OF(errors); k++) {
			long nth = 0;

			while (run_failing(&settings[i], nth, errors[k],
					   /* for_good= */ false))
				nth++;
			assert_true(nth > 60);
		}
}

/* V02: the disk fails for good, and is well again later. */
static void whenever_the_disk_gives_up_nothing_is_mixed(void **state)
{
	for (size_t i = 0; i < 2; i++) {
		long nth = 0;

		while (run_failing(&settings[i], nth, i ? EIO : ENOSPC,
				   /* for_good= */ true))
			nth++;
		assert_true(nth > 60);
	}
}

static bool run_dying(const struct setting *set, long nth, size_t touched)
{
	auto_scratch s = set_up(set);
	enum err e = ERR_OK;
	struct str bytes;
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		aim(nth, HIT_KILLS, 0, /* for_good= */ false);
		_exit(save(&s) ? 1 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (touched < COUNT && !is_all(&s, false)) {
		/* whoever looks at one of the files finds all of them settled */
		if (scratch_get(&s, files[touched].name))
			e = scratch_load(&s, files[touched].name, &bytes);
		else
			assert_int_equal(scratch_store_over(&s,
							    files[touched].name,
							    "?", "!"),
					 ERR_CHANGED);
		assert_true(!e || e == ERR_NOT_FOUND);
		check(&s, set, OLD | NEW, false, nth, 0);
	}
	ws_recover(s.ws, NULL);
	if (!WIFSIGNALED(status))
		assert_int_equal(status, 0);
	check(&s, set, WIFSIGNALED(status) ? OLD | NEW : NEW, true, nth, 0);
	return WIFSIGNALED(status);
}

/*
 * V01 V03 V11: the process is killed at each call; the next one that starts, or
 * that touches any of the files, finds or makes all old or all new.
 */
static void wherever_it_dies_all_are_old_or_all_new(void **state)
{
	for (size_t i = 0; i < COUNT_OF(settings); i++) {
		size_t most = i ? COUNT : 0; /* which file is touched first */
		long nth = 0;

		if (settings[i].not_kept)
			continue;
		while (run_dying(&settings[i], nth, COUNT))
			nth++;
		assert_true(nth > 60);
		for (size_t k = 0; k < most; k++)
			for (long at = 0; run_dying(&settings[i], at, k); at++)
				;
	}
}

static struct scratch *victim;
static size_t victim_at;

static bool recover_dying(const struct setting *set, long nth, long recovery)
{
	auto_scratch s = set_up(set);
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		aim(nth, HIT_KILLS, 0, /* for_good= */ false);
		_exit(save(&s) ? 1 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		aim(recovery, HIT_KILLS, 0, /* for_good= */ false);
		ws_recover(s.ws, NULL);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	ws_recover(s.ws, NULL);
	check(&s, set, OLD | NEW, true, nth, 0);
	return WIFSIGNALED(status);
}

/* The number of calls that a change makes when none is hit. */
static long count_calls(const struct setting *set)
{
	auto_scratch s = set_up(set);
	enum { LARGE = 100000 };

	aim(LARGE, HIT_FAILS, 0, false);
	assert_int_equal(save(&s), ERR_OK);
	return LARGE - calls.countdown;
}

/* V01: recovery itself is killed, at each of its calls. */
static void a_recovery_that_dies_is_done_again(void **state)
{
	const struct setting *set = &settings[1];
	long total = count_calls(set);

	for (long nth = total / 2; nth < total; nth += 7)
		for (long at = 0; recover_dying(set, nth, at); at += 3)
			;
}

/* What happens just before the renameat2 call number victim_call, from 0. */
static long victim_call;
static void (*victim_meddle)(void);

static void meddle_later(void)
{
	if (calls.renames <= victim_call)
		calls.before_exchange = meddle_later;
	else
		victim_meddle();
}

static void plan_meddling(struct scratch *s, long call, void (*meddle)(void))
{
	victim = s;
	victim_call = call;
	victim_meddle = meddle;
	calls.renames = 0;
	calls.before_exchange = meddle_later;
}

static void others_write(void)
{
	scratch_put(victim, files[victim_at].name, "theirs");
}

static void die(void)
{
	(void)kill(getpid(), SIGKILL);
}

/* Are all files as they were, or as they become, but the one that is theirs? */
static bool is_all_but(struct scratch *s, bool is_new, size_t but)
{
	for (size_t i = 0; i < COUNT; i++) {
		const char *now = scratch_get(s, files[i].name);
		const char *want = is_new ? files[i].new : files[i].old;

		if (i == but)
			want = "theirs";
		if (!want != !now || (want && strcmp(want, now) != 0))
			return false;
	}
	return true;
}

/* Files 0, 3 and 4 are switched by renameat2, in this order. */
enum { SWITCH_0, SWITCH_3, SWITCH_4 };

/*
 * V09: somebody writes to one of the files just before it is switched: those
 * that were switched are put back, and his bytes stay.
 */
static void an_outsider_in_between_keeps_what_he_wrote(void **state)
{
	static const struct {
		long call;
		size_t at;
	} rules[] = { { SWITCH_0, 0 }, { SWITCH_3, 3 } };

	for (size_t k = 0; k < COUNT_OF(rules); k++) {
		auto_scratch s = set_up(&settings[1]);

		plan_meddling(&s, rules[k].call, others_write);
		victim_at = rules[k].at;
		assert_int_equal(save(&s), ERR_CHANGED);
		assert_null(calls.before_exchange);
		assert_true(str_eq(s.f.path,
				   scratch_str(&s, files[victim_at].name)));
		assert_true(is_all_but(&s, false, victim_at));
		assert_int_equal(scratch_names(&s, "root"), 5);
		assert_int_equal(scratch_names(&s, "root/sub"), 1);
		assert_int_equal(scratch_names(&s, "state/stet/journal"), 0);
	}
}

/* A process dies just before that switch. */
static void die_before(struct scratch *s, long call)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		plan_meddling(s, call, die);
		_exit(save(s) ? 1 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_false(is_all(s, false) || is_all(s, true));
}

/* The neighbour of the only file in root/sub. */
static void damage_neighbour(struct scratch *s)
{
	DIR *dir = opendir(scratch_path(s, "root/sub"));
	struct dirent *e;
	bool found = false;

	assert_non_null(dir);
	while ((e = readdir(dir))) {
		if (!str_ends(str_of(e->d_name), STR(".tmp")))
			continue;
		scratch_put(s,
			    arena_printf(&s->mem, "root/sub/%s", e->d_name).ptr,
			    "damaged");
		found = true;
	}
	(void)closedir(dir);
	assert_true(found);
}

/* V03: forward when all neighbours are whole, back when one is not. */
static void the_neighbours_decide_the_direction(void **state)
{
	for (int damaged = 0; damaged < 2; damaged++) {
		auto_scratch s = set_up(&settings[1]);

		die_before(&s, SWITCH_3);
		if (damaged)
			damage_neighbour(&s);
		ws_recover(s.ws, NULL);
		assert_true(is_all(&s, !damaged));
		assert_true(is_clean(&s, &settings[1]));
	}
}

/* V04: what somebody has changed since the death is left as it is. */
static void what_others_changed_since_stays(void **state)
{
	static const struct {
		size_t at;
		bool is_new;
	} rules[] = { { 0, true }, { 3, false } };

	for (size_t k = 0; k < COUNT_OF(rules); k++) {
		auto_scratch s = set_up(&settings[1]);

		die_before(&s, SWITCH_3);
		scratch_put(&s, files[rules[k].at].name, "theirs");
		ws_recover(s.ws, NULL);
		assert_true(is_all_but(&s, rules[k].is_new, rules[k].at));
		assert_int_equal(scratch_names(&s, "root/sub"), 1);
		assert_int_equal(scratch_names(&s, "state/stet/journal"), 0);
	}
}

static char *record_of(struct scratch *s)
{
	DIR *dir = opendir(scratch_path(s, "state/stet/journal/groups"));
	char *path = NULL;
	struct dirent *e;

	assert_non_null(dir);
	while ((e = readdir(dir)))
		if (strlen(e->d_name) == GROUP_ID - 1)
			path = scratch_path(
				s, arena_printf(&s->mem,
						"state/stet/journal/groups/%s",
						e->d_name)
					   .ptr);
	(void)closedir(dir);
	assert_non_null(path);
	return path;
}

/* A record that is not as it was written changes nothing, and is kept. */
static void a_damaged_record_changes_nothing(void **state)
{
	struct stat st;

	for (off_t at = 0;; at += 37) {
		auto_scratch s = set_up(&settings[1]);
		const char *changed;
		char *record, byte;
		int fd;

		die_before(&s, SWITCH_3);
		record = record_of(&s);
		assert_int_equal(stat(record, &st), 0);
		if (at >= st.st_size)
			break;
		fd = open(record, O_RDWR | O_CLOEXEC);
		assert_int_equal(pread(fd, &byte, 1, at), 1);
		byte = byte == '7' ? '8' : '7';
		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
		(void)close(fd);
		changed = scratch_get(&s, files[3].name);
		ws_recover(s.ws, NULL);
		if (at >= 13 && at < 17) /* the state: the careful way */
			continue;
		assert_string_equal(scratch_get(&s, files[3].name), changed);
		assert_string_equal(scratch_get(&s, files[0].name),
				    files[0].new);
		assert_int_equal(access(scratch_path(&s, "state/stet/journal/"
							 "groups"),
					F_OK),
				 -1);
		assert_true(scratch_names(&s, "state/stet/journal") >= 1);
	}
	assert_true(st.st_size > 500);
}

struct shared {
	atomic_long renames;
	atomic_int started, resumed;
	atomic_bool mixed;
};

static struct shared *shared_memory(void)
{
	struct shared *m = mmap(NULL, sizeof(*m), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(m, MAP_FAILED);
	return m;
}

static void start_and_recover(struct scratch *s, struct shared *m)
{
	renew(s, &settings[1]);
	calls.renames = 0;
	atomic_fetch_add(&m->started, 1);
	ws_recover(s->ws, NULL);
	if (!is_all(s, true))
		atomic_store(&m->mixed, true);
	atomic_fetch_add(&m->renames, calls.renames);
	_exit(0);
}

static void wait_for_all(const pid_t *pid, size_t n)
{
	int status;

	for (size_t i = 0; i < n; i++) {
		assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
		assert_int_equal(status, 0);
	}
}

/* V05: eight processes start together; one of them settles the group. */
static void a_group_is_settled_once(void **state)
{
	enum { PROCESSES = 8 };

	struct shared *m = shared_memory();
	auto_scratch s = set_up(&settings[1]);
	pid_t pid[PROCESSES];

	die_before(&s, SWITCH_3);
	for (int i = 0; i < PROCESSES; i++) {
		pid[i] = fork();
		assert_true(pid[i] >= 0);
		if (!pid[i])
			start_and_recover(&s, m);
	}
	wait_for_all(pid, PROCESSES);
	assert_false(atomic_load(&m->mixed));
	assert_int_equal(atomic_load(&m->renames), 2); /* of files 3 and 4 */
	assert_true(is_clean(&s, &settings[1]));
	(void)munmap(m, sizeof(*m));
}

static struct shared *owner_memory;

static void pause_owner(void)
{
	while (!atomic_load(&owner_memory->resumed))
		(void)usleep(1000);
}

/* V05: while the owner lives, settling waits for it, and does nothing. */
static void settling_waits_for_a_living_owner(void **state)
{
	struct shared *m = owner_memory = shared_memory();
	auto_scratch s = set_up(&settings[1]);
	pid_t pid[2];

	pid[0] = fork();
	assert_true(pid[0] >= 0);
	if (!pid[0]) {
		plan_meddling(&s, SWITCH_3, pause_owner);
		_exit(save(&s) ? 1 : 0);
	}
	while (is_all(&s, false) || !scratch_get(&s, files[0].name))
		(void)usleep(1000);
	pid[1] = fork();
	assert_true(pid[1] >= 0);
	if (!pid[1])
		start_and_recover(&s, m);
	while (!atomic_load(&m->started))
		(void)usleep(1000);
	atomic_store(&m->resumed, 1);
	wait_for_all(pid, 2);
	assert_false(atomic_load(&m->mixed));
	assert_int_equal(atomic_load(&m->renames), 0);
	assert_true(is_clean(&s, &settings[1]));
	(void)munmap(m, sizeof(*m));
}

enum { MANY = 40, SAMPLES = 24 };

/* File @i of many: a third is added, a third changed, a third removed. */
static struct group_item many_item(struct scratch *s, int i)
{
	struct str path =
		scratch_str(s, arena_printf(&s->mem, "root/%d/file%d", i % 4, i)
				       .ptr);
	struct group_item item = { .path = path, .want.key = path };

	item.before = arena_printf(&s->mem, "old %d\n", i);
	item.want.bytes = arena_printf(&s->mem, "new %d\n", i);
	item.want.base = i % 3 ? STORE_VERSION : STORE_ABSENT;
	item.want.version = hash_of(item.before);
	item.remove = i % 3 == 2;
	return item;
}

static bool has_content(struct scratch *s, struct str path, const char *want)
{
	const char *now = scratch_get(s, path.ptr + strlen(s->base) + 1);

	return want && now ? !strcmp(want, now) : !want && !now;
}

static bool is_all_many(struct scratch *s, bool is_new)
{
	for (int i = 0; i < MANY; i++) {
		struct group_item item = many_item(s, i);
		bool existed = item.want.base == STORE_VERSION;
		const char *old = existed ? item.before.ptr : NULL;
		const char *new = item.remove ? NULL : item.want.bytes.ptr;

		if (!has_content(s, item.path, is_new ? new : old))
			return false;
	}
	return true;
}

static struct scratch set_up_many(void)
{
	struct scratch s = scratch_make();

	calls = (struct calls){ .countdown = -1 };
	renew(&s, &settings[0]);
	for (int i = 0; i < 4; i++)
		scratch_dir(&s, arena_printf(&s.mem, "root/%d", i).ptr);
	for (int i = 0; i < MANY; i++) {
		struct group_item item = many_item(&s, i);

		if (item.want.base == STORE_VERSION)
			scratch_put(&s, item.path.ptr + strlen(s.base) + 1,
				    item.before.ptr);
	}
	return s;
}

static enum err save_many(struct scratch *s)
{
	struct group_item items[MANY];
	struct group_want want = { .items = items, .count = MANY };

	for (int i = 0; i < MANY; i++)
		items[i] = many_item(s, i);
	return ws_group(s->ws, &want, &s->mem, &s->f);
}

static size_t names_of_many(struct scratch *s)
{
	size_t n = 0;

	for (int i = 0; i < 4; i++)
		n += scratch_names(s, arena_printf(&s->mem, "root/%d", i).ptr);
	return n;
}

static void die_in_many(long nth)
{
	auto_scratch s = set_up_many();
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		aim(nth, HIT_KILLS, 0, /* for_good= */ false);
		_exit(save_many(&s) ? 1 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	ws_recover(s.ws, NULL);
	assert_true(is_all_many(&s, false) || is_all_many(&s, true));
	/* 26 before, 27 after: a neighbour would be one more */
	assert_int_equal(names_of_many(&s), is_all_many(&s, true) ? 27 : 26);
	assert_int_equal(scratch_names(&s, "state/stet/journal"), 0);
}

/* V01 V11: forty files, killed at some of the calls. */
static void many_files_are_all_old_or_all_new(void **state)
{
	enum { LARGE = 1000000 };

	long total;

	{
		auto_scratch s = set_up_many();

		aim(LARGE, HIT_FAILS, 0, /* for_good= */ false);
		assert_int_equal(save_many(&s), ERR_OK);
		assert_true(is_all_many(&s, true));
		total = LARGE - calls.countdown;
	}
	assert_true(total > 10 * MANY);
	for (int i = 0; i < SAMPLES; i++)
		die_in_many(total * i / SAMPLES);
}

static uint64_t lock_offset(const struct stat *st)
{
	const uint64_t both[] = { st->st_dev, st->st_ino };

	return hash_of(str_make((const char *)both, sizeof(both))).low >> 2;
}

static int compare_inodes(const void *a, const void *b)
{
	const struct stat *x = a, *y = b;

	return x->st_ino < y->st_ino ? -1 : x->st_ino > y->st_ino;
}

static void unmount(char **path)
{
	if (*path)
		(void)umount2(*path, MNT_DETACH);
}

#define auto_mount cleanup(unmount) char

/*
 * V07: each directory is locked once, in the order of device and inode, also
 * when two names lead to it (a bind mount, where we may make one).
 */
static void directories_are_locked_once_and_in_order(void **state)
{
	enum { DIRS = 6, BOTH = DIRS * 2 };

	auto_scratch s = set_up(&settings[1]);
	struct group_item items[BOTH] = { 0 };
	struct group_want want = { .items = items };
	char *alias = scratch_path(&s, "root/alias");
	auto_mount *mounted = alias;
	struct stat st[DIRS];

	for (int i = DIRS - 1; i >= 0; i--) {
		char *dir = scratch_path(
			&s, arena_printf(&s.mem, "root/%d", i * 7 % DIRS).ptr);

		assert_int_equal(mkdir(dir, 0755), 0);
		assert_int_equal(stat(dir, &st[i]), 0);
	}
	assert_int_equal(mkdir(alias, 0755), 0);
	if (mount(scratch_path(&s, "root/0"), alias, NULL, MS_BIND, NULL))
		mounted = NULL;
	print_message("# there is %s mount\n", mounted ? "a" : "no");
	for (int i = 0; i < BOTH - !mounted; i++) {
		struct group_item *item = &items[want.count++];
		const char *name =
			arena_printf(&s.mem, "root/%d/new%d", i % DIRS, i).ptr;

		if (i == BOTH - 1)
			name = "root/alias/new";
		item->path = item->want.key = scratch_str(&s, name);
		item->want.base = STORE_ABSENT;
		item->want.bytes = STR("x");
	}
	calls.locks = 0;
	assert_int_equal(ws_group(s.ws, &want, &s.mem, &s.f), ERR_OK);
	assert_int_equal(calls.locks, DIRS);
	qsort(st, DIRS, sizeof(*st), compare_inodes);
	for (size_t i = 0; i < DIRS; i++)
		assert_true(calls.locked[i] == lock_offset(&st[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whichever_call_fails_all_files_are_old),
		cmocka_unit_test(whenever_the_disk_gives_up_nothing_is_mixed),
		cmocka_unit_test(wherever_it_dies_all_are_old_or_all_new),
		cmocka_unit_test(a_recovery_that_dies_is_done_again),
		cmocka_unit_test(many_files_are_all_old_or_all_new),
		cmocka_unit_test(an_outsider_in_between_keeps_what_he_wrote),
		cmocka_unit_test(the_neighbours_decide_the_direction),
		cmocka_unit_test(what_others_changed_since_stays),
		cmocka_unit_test(a_damaged_record_changes_nothing),
		cmocka_unit_test(a_group_is_settled_once),
		cmocka_unit_test(settling_waits_for_a_living_owner),
		cmocka_unit_test(directories_are_locked_once_and_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
