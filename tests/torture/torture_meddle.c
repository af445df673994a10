/*
 * torture_meddle.c - another program changes the file between two system
 * calls.
 *
 * Somebody else changes the file between any two system calls of ours: it is
 * deleted, cut, replaced by another, or by a link out of the root; or its
 * directory becomes such a link. Whatever the moment: nothing outside is read
 * or written, what the other process wrote is not lost, and nothing crashes.
 */
#include "../unit/files/scratch.h"
#include "calls.h"

#include "files/beneath.h"

#include <stdio.h>
#include <unistd.h>

static const char older[] = "older: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n";
static const char newer[] = "newer: bbbbbbbbbbbbbbbb\nbbbbbbbbbbbbbbbbbb\n";
static const char theirs[] = "theirs\n";
static const char secret[] = "secret\n";

static struct scratch *at;

static void put_theirs(const char *name)
{
	scratch_put(at, "root/spare", theirs);
	assert_int_equal(rename(scratch_path(at, "root/spare"),
				scratch_path(at, name)),
			 0);
}

static void delete_it(void)
{
	(void)unlink(scratch_path(at, "root/dir/a"));
}

static void cut_it(void)
{
	(void)!truncate(scratch_path(at, "root/dir/a"), 5);
}

static void replace_it(void)
{
	put_theirs("root/dir/a");
}

static void link_it_outside(void)
{
	delete_it();
	(void)!symlink(scratch_path(at, "outside/a"),
		       scratch_path(at, "root/dir/a"));
}

static void move_its_directory(void)
{
	(void)rename(scratch_path(at, "root/dir"),
		     scratch_path(at, "root/moved"));
	(void)!symlink(scratch_path(at, "outside"),
		       scratch_path(at, "root/dir"));
}

enum keeps { NOTHING, THEIRS };

static const struct {
	const char *says;
	void (*meddle)(void);
	enum keeps keeps; /* whose content the file has after our store */
} meddlers[] = {
	{ "deleted", delete_it, NOTHING },
	{ "cut", cut_it, NOTHING },
	{ "replaced", replace_it, THEIRS },
	{ "linked outside", link_it_outside, NOTHING },
	{ "directory linked outside", move_its_directory, NOTHING },
};

static enum err do_load(struct scratch *s)
{
	struct str bytes = STR("");
	enum err e = scratch_load(s, "root/dir/a", &bytes);

	assert_false(!e && str_is(bytes, secret));
	return e;
}

static enum err do_page(struct scratch *s)
{
	struct page_want want = { .line = 1,
				  .limit = SIZE_MAX,
				  .max_cost = 1 << 20 };
	struct page page;
	enum err e = ws_page(s->ws, scratch_str(s, "root/dir/a"), &want, NULL,
			     &s->mem, &page, &s->f);

	assert_false(!e && str_is(page.text, secret));
	return e;
}

static enum err do_store(struct scratch *s)
{
	return scratch_store_over(s, "root/dir/a", older, newer);
}

static enum err do_create(struct scratch *s)
{
	struct stored out;

	(void)unlink(scratch_path(s, "root/dir/a"));
	return scratch_store(s, "root/dir/a", newer, &out);
}

static enum err do_append(struct scratch *s)
{
	const struct append_want want = { .bytes = str_of(newer),
					  .no_follow = true };
	struct appended out;

	return ws_append(s->ws, scratch_str(s, "root/dir/a"), &want, &s->mem,
			 &out, &s->f);
}

static enum err do_remove(struct scratch *s)
{
	return ws_remove(s->ws, scratch_str(s, "root/dir/a"),
			 hash_of(str_of(older)), NULL, &s->mem, &s->f);
}

static enum err do_parents(struct scratch *s)
{
	const struct store_want want = { .bytes = str_of(newer),
					 .parents = true };
	struct stored out;

	return ws_store(s->ws, scratch_str(s, "root/dir/x/y/a"), &want, &s->mem,
			&out, &s->f);
}

static const struct {
	const char *says;
	enum err (*run)(struct scratch *);
	bool changes_older;
	bool adds; /* an append, which keeps the content before it */
} works[] = {
	{ "load", do_load },
	{ "page", do_page },
	{ "store", do_store, .changes_older = true },
	{ "create", do_create },
	{ "append", do_append, .changes_older = true, .adds = true },
	{ "remove", do_remove, .changes_older = true },
	{ "parents", do_parents },
};

static bool begins(struct scratch *s, const char *name, const char *content)
{
	const char *got = scratch_get(s, name);

	return got && !strncmp(got, content, strlen(content));
}

static bool holds(struct scratch *s, const char *name, const char *content)
{
	const char *got = scratch_get(s, name);

	return got && !strcmp(got, content);
}

/* One run with the meddler at the n-th call; false when it was not reached. */
static bool run_at(size_t work, size_t meddler, long n, bool slowly)
{
	auto_scratch s = scratch_make();

	at = &s;
	scratch_dir(&s, "root/dir");
	scratch_put(&s, "root/dir/a", older);
	scratch_put(&s, "outside/a", secret);
	beneath_slowly(slowly);
	calls = (struct calls){ .countdown = n,
				.hit = HIT_MEDDLES,
				.meddle = meddlers[meddler].meddle };
	(void)works[work].run(&s);
	calls.countdown = -1;
	beneath_slowly(false);

	assert_true(holds(&s, "outside/a", secret));
	assert_int_equal(scratch_names(&s, "outside"), 1);
	if (calls.was_hit && works[work].changes_older &&
	    meddlers[meddler].keeps == THEIRS)
		assert_true(works[work].adds ? begins(&s, "root/dir/a", theirs)
					     : holds(&s, "root/dir/a", theirs));
	return calls.was_hit;
}

/* X15 W60 M54: at every call, by both ways of opening. */
static void meddling_at_any_moment_does_no_harm(void **state)
{
	long calls_seen = 0;

	for (size_t w = 0; w < COUNT_OF(works); w++)
		for (size_t m = 0; m < COUNT_OF(meddlers); m++)
			for (int slowly = 0; slowly < 2; slowly++) {
				long n = 0;

				while (run_at(w, m, n, slowly))
					n++;
				assert_true(
					n >
					3); /* the loop has hit some calls */
				calls_seen += n;
			}
	assert_true(calls_seen > 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(meddling_at_any_moment_does_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
