#include "../unit/files/scratch.h"
#include "calls.h"

#include "files/group.h"
#include "files/group_record.h"
#include "files/local.h"

#include <errno.h>
#include <stdio.h>
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
	enum { MANY = 100000 };

	aim(MANY, HIT_FAILS, 0, false);
	assert_int_equal(save(&s), ERR_OK);
	return MANY - calls.countdown;
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

static long countdown_renames;

static void others_write(void)
{
	if (countdown_renames-- > 0) {
		calls.before_exchange = others_write;
		return;
	}
	scratch_put(victim, files[victim_at].name, "theirs");
}

static bool is_group_but(struct scratch *s, size_t but)
{
	for (size_t i = 0; i < COUNT; i++) {
		const char *now = scratch_get(s, files[i].name);
		const char *want = i == but ? "theirs" : files[i].old;

		if (!want != !now || (want && strcmp(want, now) != 0))
			return false;
	}
	return true;
}

/*
 * V09: somebody writes to one of the files just before the nth switch: those
 * that were switched are put back, and his bytes stay.
 */
static void an_outsider_in_between_keeps_what_he_wrote(void **state)
{
	static const size_t at[] = { 0, 3 };

	for (size_t k = 0; k < COUNT_OF(at); k++) {
		auto_scratch s = set_up(&settings[1]);

		victim = &s;
		victim_at = at[k];
		countdown_renames = 0;
		calls.before_exchange = others_write;
		assert_int_equal(save(&s), ERR_CHANGED);
		assert_null(calls.before_exchange);
		assert_true(
			str_eq(s.f.path, scratch_str(&s, files[at[k]].name)));
		if (!is_group_but(&s, at[k]))
			print_all(&s, "outsider", (long)at[k], 0);
		assert_true(is_group_but(&s, at[k]));
		assert_int_equal(scratch_names(&s, "root"), 5);
		assert_int_equal(scratch_names(&s, "state/stet/journal"), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whichever_call_fails_all_files_are_old),
		cmocka_unit_test(whenever_the_disk_gives_up_nothing_is_mixed),
		cmocka_unit_test(wherever_it_dies_all_are_old_or_all_new),
		cmocka_unit_test(a_recovery_that_dies_is_done_again),
		cmocka_unit_test(an_outsider_in_between_keeps_what_he_wrote),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
