/*
 * torture_change.c - appends, removals and stores that make directories.
 *
 * Appends, removals and stores that make directories: whichever system call
 * fails or is the last, the file is the old one or the new one, and nothing
 * is left beside it.
 */
#include "../unit/files/scratch.h"
#include "calls.h"

#include "files/beneath.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum op { APPEND, REMOVE, STORE };

static const char entry[] = "two: bbbbbbbbbbbbbbbbbbbbbbbbb\n";

struct setting {
	const char *says;
	enum op op;
	const char *name;
	const char *before; /* NULL = there is no file yet */
	bool linked;        /* the file has two hard links */
	bool no_renameat2, no_openat2, no_flock;
	enum durability durability;
};

static const struct setting settings[] = {
	{ "append", APPEND, "root/a", "one\n" },
	{ "append to a torn line", APPEND, "root/a", "one" },
	{ "append, not synced", APPEND, "root/a", "one\n",
	  .durability = DURABLE_PROCESS },
	{ "append, two names", APPEND, "root/a", "one\n", .linked = true },
	{ "append, no flock", APPEND, "root/a", "one\n", .no_flock = true },
	{ "append, new", APPEND, "root/a" },
	{ "append, new, no renameat2", APPEND, "root/a", .no_renameat2 = true },
	{ "append, new, parents", APPEND, "root/x/y/a" },
	{ "append, new, parents, no openat2", APPEND, "root/x/y/a",
	  .no_openat2 = true },
	{ "remove", REMOVE, "root/a", "one\n" },
	{ "remove, not synced", REMOVE, "root/a", "one\n",
	  .durability = DURABLE_PROCESS },
	{ "remove, two names", REMOVE, "root/a", "one\n", .linked = true },
	{ "remove, no renameat2", REMOVE, "root/a", "one\n",
	  .no_renameat2 = true },
	{ "remove, no flock", REMOVE, "root/a", "one\n", .no_flock = true },
	{ "store, parents", STORE, "root/x/y/a" },
	{ "store, parents, not synced", STORE, "root/x/y/a",
	  .durability = DURABLE_PROCESS },
	{ "store, parents, no openat2", STORE, "root/x/y/a",
	  .no_openat2 = true },
};

static struct scratch set_up(const struct setting *set)
{
	const struct ws_local_options options = { .durability =
							  set->durability };
	struct scratch s = scratch_make();

	ws_local_free(s.ws);
	s.ws = ws_local_new(&options);
	ws_local_roots(s.ws, &s.root, 1, STR(""), NULL);
	calls = (struct calls){ .countdown = -1 };
	calls.rename_error = set->no_renameat2 ? EINVAL : 0;
	calls.flock_error = set->no_flock ? ENOLCK : 0;
	beneath_slowly(set->no_openat2);
	if (set->before)
		scratch_put(&s, set->name, set->before);
	if (set->linked)
		assert_int_equal(link(scratch_path(&s, set->name),
				      scratch_path(&s, "root/b")),
				 0);
	return s;
}

static enum err add(struct scratch *s, const char *name, const char *bytes)
{
	const struct append_want want = { .bytes = str_of(bytes),
					  .parents = true,
					  .newline = STR("\n"),
					  .eol = STR("\n"),
					  .no_follow = true };
	struct appended out;

	return ws_append(s->ws, scratch_str(s, name), &want, &s->mem, &out,
			 &s->f);
}

static enum err run(struct scratch *s, const struct setting *set)
{
	const struct store_want want = { .bytes = str_of(entry),
					 .parents = true };
	struct stored out;

	switch (set->op) {
	case APPEND:
		return add(s, set->name, entry);
	case REMOVE:
		return ws_remove(s->ws, scratch_str(s, set->name),
				 hash_of(str_of(set->before)), NULL, &s->mem,
				 &s->f);
	case STORE:
		break;
	}
	return ws_store(s->ws, scratch_str(s, set->name), &want, &s->mem, &out,
			&s->f);
}

/* The content after a change that succeeds; NULL = the file is removed. */
static const char *after(struct scratch *s, const struct setting *set)
{
	const char *old = set->before ? set->before : "";
	size_t n = strlen(old);
	const char *end = n && old[n - 1] != '\n' ? "\n" : "";

	if (set->op == REMOVE)
		return NULL;
	return arena_printf(&s->mem, "%s%s%s", old, end, entry).ptr;
}

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Is @now the old content with some of the new one after it? */
static bool is_begun(const char *now, const struct setting *set,
		     const char *new)
{
	return set->op == APPEND && set->before && now &&
	       strlen(now) >= strlen(set->before) &&
	       !strncmp(now, new, strlen(now));
}

/* @broken: the change could not clean up after its failure. */
static void check(struct scratch *s, const struct setting *set, bool must,
		  bool broken)
{
	const char *now = scratch_get(s, set->name), *new = after(s, set);
	bool is_new = same(now, new), is_old = same(now, set->before);
	bool good = is_new || (is_old && !must) ||
		    (broken && !must && is_begun(now, set, new));

	if (!good)
		print_message("# %s: %s'%s'\n", set->says,
			      must ? "done, but " : "", now ? now : "(none)");
	assert_true(good);
	/* a directory made for the file does not stay without it */
	if (!broken && !now && strchr(set->name + 5, '/'))
		assert_int_equal(scratch_names(s, "root"), 0);
}

/* The next change removes what a failed one left, and begins a line. */
static void check_next(struct scratch *s, const struct setting *set)
{
	const char *now = scratch_get(s, set->name), *then;
	size_t n = now ? strlen(now) : 0;

	calls.rename_error = 0;
	assert_int_equal(add(s, set->name, "three\n"), ERR_OK);
	then = scratch_get(s, set->name);
	assert_true(!n || !strncmp(then, now, n));
	assert_string_equal(n && now[n - 1] != '\n' ? then + n + 1 : then + n,
			    "three\n");
	assert_int_equal(scratch_store(s, set->name, "third", NULL), ERR_OK);
	assert_int_equal(scratch_names(s, "root"), 1 + set->linked);
	assert_int_equal(scratch_names(s, "state/stet/journal"), 0);
}

static void aim(long nth, enum hit hit, int error, bool for_good)
{
	calls.countdown = nth;
	calls.hit = hit;
	calls.error = error;
	calls.for_good = for_good;
	calls.was_hit = false;
}

static bool run_failing(const struct setting *set, long nth, int error,
			bool for_good)
{
	auto_scratch s = set_up(set);
	enum err e;

	aim(nth, HIT_FAILS, error, for_good);
	e = run(&s, set);
	calls.countdown = -1;
	calls.for_good = false;
	assert_true(!e || calls.was_hit);
	if (e && e != ERR_CHANGED && error == ENOSPC && e != ERR_DISK_FULL) {
		print_message("# %s: full at call %ld: %s\n", set->says, nth,
			      err_name(e));
		assert_int_equal(e, ERR_DISK_FULL);
	}
	if (e == ERR_DISK_FULL && set->op != REMOVE)
		assert_int_equal(s.f.bytes, strlen(entry));
	check(&s, set, /* must= */ !e, for_good);
	check_next(&s, set);
	return calls.was_hit;
}

static void fail_everywhere(bool for_good)
{
	static const int errors[] = { EIO, ENOSPC, EROFS, EINTR, ENOENT };
	/* EINTR does not repeat for all later calls. */
	size_t n = for_good ? 3 : COUNT_OF(errors);

	for (size_t i = 0; i < COUNT_OF(settings); i++) {
		for (size_t k = 0; k < n; k++) {
			long nth = 0;

			while (run_failing(&settings[i], nth, errors[k],
					   for_good))
				nth++;
			assert_true(nth > 10);
		}
	}
}

/* W60 T27 A59 V89: each call fails once; a write fails half done. */
static void whichever_call_fails_it_is_old_or_new(void **state)
{
	fail_everywhere(/* for_good= */ false);
}

/* A59: an append that cannot be truncated is completed by the next one. */
static void whenever_the_disk_gives_up_nothing_old_is_lost(void **state)
{
	fail_everywhere(/* for_good= */ true);
}

static bool run_dying(const struct setting *set, long nth)
{
	auto_scratch s = set_up(set);
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		aim(nth, HIT_KILLS, 0, /* for_good= */ false);
		_exit(run(&s, set) ? 1 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	check(&s, set, /* must= */ status == 0, /* broken= */ true);
	check_next(&s, set);
	if (!WIFSIGNALED(status))
		assert_int_equal(status, 0);
	return WIFSIGNALED(status);
}

/* W60 A59 T27 */
static void wherever_it_dies_nothing_old_is_lost(void **state)
{
	for (size_t i = 0; i < COUNT_OF(settings); i++) {
		long nth = 0;

		while (run_dying(&settings[i], nth))
			nth++;
		assert_true(nth > 10);
	}
}

/* An fsync that fails is a failure; file, name and each new directory. */
static void every_fsync_is_believed(void **state)
{
	for (size_t i = 0; i < COUNT_OF(settings); i++) {
		const struct setting *set = &settings[i];
		long total = 0, least = 1;

		for (long nth = 0; nth <= total; nth++) {
			auto_scratch s = set_up(set);
			enum err e;

			calls.bad_fsync = nth;
			e = run(&s, set);
			calls.bad_fsync = 0;
			assert_int_equal(e, nth ? ERR_IO : ERR_OK);
			if (!nth)
				total = calls.fsyncs;
			check(&s, set, /* must= */ !e, /* broken= */ false);
			check_next(&s, set);
		}
		if (strchr(set->name + 5, '/'))
			least = 4; /* two directories, the file, its name */
		assert_true(set->durability == DURABLE_POWER ? total >= least
							     : total == 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whichever_call_fails_it_is_old_or_new),
		cmocka_unit_test(
			whenever_the_disk_gives_up_nothing_old_is_lost),
		cmocka_unit_test(wherever_it_dies_nothing_old_is_lost),
		cmocka_unit_test(every_fsync_is_believed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
