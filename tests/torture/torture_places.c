/*
 * torture_places.c - directories that are moved between two system calls.
 *
 * Somebody moves the directory of a file, or the whole root, between any two
 * system calls of a change, and puts a link or another directory in its place.
 * The change was judged by its key: what is there under another name by then
 * is not changed, unless it was moved after the very last look at its name,
 * which is the same as after the change. What a link leads to never is.
 */
#include "../unit/files/scratch.h"
#include "calls.h"

#include "files/beneath.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const char older[] = "older: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n";
static const char newer[] = "newer: bbbbbbbbbbbbbbbb\nbbbbbbbbbbbbbbbbbb\n";

enum { NEW_MODE = 0640 };

static struct scratch *at;

static void move(const char *from, const char *to)
{
	assert_int_equal(rename(scratch_path(at, from), scratch_path(at, to)),
			 0);
}

static void link_to_hooks(void)
{
	move("root/dir", "root/moved");
	scratch_link(at, ".git/hooks", "root/dir");
}

static void link_outside(void)
{
	move("root/dir", "root/moved");
	scratch_link(at, "../outside", "root/dir");
}

static void exchange_with_hooks(void)
{
	move("root/.git/hooks", "root/moved");
	move("root/dir", "root/.git/hooks");
	move("root/moved", "root/dir");
}

static void move_outside(void)
{
	move("root/dir", "outside/moved");
	scratch_dir(at, "root/dir");
}

static void link_root(void)
{
	move("root", "moved");
	scratch_link(at, "outside", "root");
}

static void replace_root(void)
{
	move("root", "moved");
	scratch_dir(at, "root");
	scratch_dir(at, "root/dir");
	scratch_put(at, "root/dir/a", older);
}

static const struct {
	const char *says;
	void (*meddle)(void);
	const char *goes_to; /* new path of the directory */
	const char *led_to;  /* target of a symlink in its place, or NULL */
} meddlers[] = {
	{ "a link to hooks", link_to_hooks, "root/moved", "root/.git/hooks" },
	{ "a link outside", link_outside, "root/moved", "outside" },
	{ "exchanged with hooks", exchange_with_hooks, "root/.git/hooks" },
	{ "moved outside", move_outside, "outside/moved" },
	{ "a link for the root", link_root, "moved/dir", "outside/dir" },
	{ "another root", replace_root, "moved/dir" },
};

static enum err do_store(struct scratch *s, struct str key, bool mode)
{
	const struct store_want want = { .key = key,
					 .base = STORE_VERSION,
					 .version = hash_of(str_of(older)),
					 .bytes = str_of(mode ? older : newer),
					 .set_mode = mode,
					 .mode = NEW_MODE };
	struct stored out;

	return ws_store(s->ws, key, &want, &s->mem, &out, &s->f);
}

static enum err do_replace(struct scratch *s, struct str key)
{
	return do_store(s, key, /* mode= */ false);
}

static enum err do_mode(struct scratch *s, struct str key)
{
	return do_store(s, key, /* mode= */ true);
}

static enum err do_create(struct scratch *s, struct str key)
{
	const struct store_want want = { .key = key,
					 .base = STORE_ABSENT,
					 .bytes = str_of(newer),
					 .parents = true };
	struct stored out;

	return ws_store(s->ws, key, &want, &s->mem, &out, &s->f);
}

static enum err do_append(struct scratch *s, struct str key)
{
	const struct append_want want = { .key = key, .bytes = str_of(newer) };
	struct appended out;

	return ws_append(s->ws, key, &want, &s->mem, &out, &s->f);
}

static enum err do_remove(struct scratch *s, struct str key)
{
	const struct store_want want = { .key = key };

	return ws_remove(s->ws, key, hash_of(str_of(older)), &want, &s->mem,
			 &s->f);
}

static const struct {
	const char *says;
	enum err (*run)(struct scratch *, struct str key);
	const char *name; /* in the directory */
	bool linked;      /* two hard links: written in place */
} works[] = {
	{ "replace", do_replace, "a" },
	{ "write in place", do_replace, "a", .linked = true },
	{ "set the mode", do_mode, "a" },
	{ "append", do_append, "a" },
	{ "append, new", do_append, "b" },
	{ "remove", do_remove, "a" },
	{ "create", do_create, "b" },
	{ "create, parents", do_create, "x/y/b" },
};

static void set_up(struct scratch *s, size_t work)
{
	static const char *const folders[] = { "root/dir", "root/.git/hooks",
					       "outside", "outside/dir" };

	at = s;
	scratch_dir(s, "root/.git");
	for (size_t i = 0; i < COUNT_OF(folders); i++) {
		const char *name =
			arena_printf(&s->mem, "%s/a", folders[i]).ptr;

		if (strcmp(folders[i], "outside") != 0)
			scratch_dir(s, folders[i]);
		scratch_put(s, name, older);
	}
	if (works[work].linked)
		assert_int_equal(link(scratch_path(s, "root/dir/a"),
				      scratch_path(s, "second")),
				 0);
}

/* No file in that directory was changed or added. */
static bool is_untouched(struct scratch *s, const char *folder)
{
	const char *name = arena_printf(&s->mem, "%s/a", folder).ptr;
	const char *got = scratch_get(s, name);
	size_t names = scratch_names(s, folder);
	struct stat st;

	if (!strcmp(folder, "outside")) /* the files that were there before */
		names--;
	return got && !strcmp(got, older) && names == 1 &&
	       !stat(scratch_path(s, name), &st) &&
	       (st.st_mode & 07777) != NEW_MODE;
}

/*
 * Directories that were made in the right place and then moved are where they
 * are now; but there is nothing in them.
 */
static void remove_parents(struct scratch *s, const char *folder)
{
	static const char *const made[] = { "x/y", "x" };

	for (size_t i = 0; i < COUNT_OF(made); i++)
		(void)rmdir(scratch_path(s, arena_printf(&s->mem, "%s/%s",
							 folder, made[i])
						    .ptr));
}

/* Number of name checks of an undisturbed change; the last one decides. */
static long count_names(size_t work)
{
	auto_scratch s = scratch_make();
	struct str key;

	set_up(&s, work);
	key = scratch_str(
		&s, arena_printf(&s.mem, "root/dir/%s", works[work].name).ptr);
	calls = (struct calls){ .countdown = -1 };
	assert_int_equal(works[work].run(&s, key), ERR_OK);
	return calls.names_asked;
}

/* One run with the meddler at the n-th call; false when it was not reached. */
static bool run_at(size_t work, size_t meddler, long n, bool slowly, long names)
{
	auto_scratch s = scratch_make();
	struct str key;
	bool late;
	enum err e;

	set_up(&s, work);
	key = scratch_str(
		&s, arena_printf(&s.mem, "root/dir/%s", works[work].name).ptr);
	beneath_slowly(slowly);
	calls = (struct calls){ .countdown = n,
				.hit = HIT_MEDDLES,
				.meddle = meddlers[meddler].meddle };
	e = works[work].run(&s, key);
	calls.countdown = -1;
	beneath_slowly(false);
	if (!calls.was_hit)
		return false;
	if (meddlers[meddler].led_to)
		assert_true(is_untouched(&s, meddlers[meddler].led_to));
	/* Which call is the last look is known only where one call is all. */
	late = slowly || calls.names_asked_at_hit == names;
	if (!late) {
		if (calls.names_asked_at_hit)
			remove_parents(&s, meddlers[meddler].goes_to);
		assert_true(is_untouched(&s, meddlers[meddler].goes_to));
		assert_true(e || !meddlers[meddler].led_to);
	}
	return true;
}

static long run_all(size_t work, size_t meddler, bool slowly)
{
	long names = count_names(work), n = 0;

	assert_true(names > 0);
	while (run_at(work, meddler, n, slowly, names))
		n++;
	return n;
}

/* X15 A52: at every call, by both ways of opening. */
static void what_is_judged_is_what_is_changed(void **state)
{
	long calls_seen = 0, n;

	for (size_t w = 0; w < COUNT_OF(works); w++)
		for (size_t m = 0; m < COUNT_OF(meddlers); m++)
			for (int slowly = 0; slowly < 2; slowly++) {
				n = run_all(w, m, slowly);
				assert_true(
					n >
					3); /* the loop has hit some calls */
				calls_seen += n;
			}
	assert_true(calls_seen > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_judged_is_what_is_changed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
