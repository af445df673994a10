#include "scratch.h"

#include "files/group.h"
#include "files/local.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 8 };

/* A change: @old NULL = there is no file, @new NULL = it is removed. */
struct want_file {
	const char *name, *old, *new;
};

static struct group_item item_of(struct scratch *s, const struct want_file *w)
{
	struct str path = scratch_str(s, w->name);
	struct group_item item = { .path = path, .want = { .key = path } };

	if (w->old) {
		item.want.base = STORE_VERSION;
		item.want.version = hash_of(str_of(w->old));
		item.before = str_of(w->old);
	} else {
		item.want.base = STORE_ABSENT;
		item.want.parents = true;
	}
	item.remove = !w->new;
	if (w->new)
		item.want.bytes = str_of(w->new);
	return item;
}

static struct group_item items[MOST];

static struct group_want want_of(struct scratch *s, const struct want_file *w)
{
	struct group_want want = { .items = items };

	for (; w[want.count].name; want.count++)
		items[want.count] = item_of(s, &w[want.count]);
	return want;
}

static enum err change(struct scratch *s, const struct want_file *w)
{
	struct group_want want = want_of(s, w);

	return ws_group(s->ws, &want, &s->mem, &s->f);
}

static void put_all(struct scratch *s, const struct want_file *w)
{
	for (; w->name; w++)
		if (w->old)
			scratch_put(s, w->name, w->old);
}

static void check(struct scratch *s, const struct want_file *w, bool is_new)
{
	for (; w->name; w++) {
		const char *content = is_new ? w->new : w->old;
		const char *now = scratch_get(s, w->name);

		if (!content) {
			assert_null(now);
			continue;
		}
		assert_non_null(now);
		assert_string_equal(now, content);
	}
	assert_int_equal(scratch_names(s, "state/stet/journal"), 0);
}

static const struct want_file usual[] = {
	{ "root/changed", "old one", "new one, longer" },
	{ "root/made", NULL, "made" },
	{ "root/sub/changed", "two", "zwei" },
	{ "root/removed", "three", NULL },
	{ "root/deep/er/made", NULL, "" },
	{ NULL, NULL, NULL },
};

static struct scratch usual_tree(void)
{
	struct scratch s = scratch_make();

	scratch_dir(&s, "root/sub");
	put_all(&s, usual);
	return s;
}

static void a_group_changes_all_its_files(void **state)
{
	auto_scratch s = usual_tree();
	struct group_want want = want_of(&s, usual);

	assert_int_equal(chmod(scratch_path(&s, "root/changed"), 0640), 0);
	assert_int_equal(ws_group(s.ws, &want, &s.mem, &s.f), ERR_OK);
	check(&s, usual, true);
	assert_int_equal(want.not_kept.len, 0);
	assert_int_equal(scratch_names(&s, "root"), 4);
	assert_int_equal(scratch_names(&s, "root/sub"), 1);
	assert_true(items[1].stored.created && !items[0].stored.created);
	assert_true(str_eq(items[4].stored.key, items[4].want.key));
	assert_true(hash_eq(items[0].stored.version,
			    hash_of(str_of(usual[0].new))));
	{
		struct stat st;

		assert_int_equal(stat(scratch_path(&s, "root/changed"), &st),
				 0);
		assert_int_equal(st.st_mode & 07777, 0640);
	}
}

/* V08: what is not as it was stops all of it, and nothing is touched. */
static void one_file_that_differs_stops_all(void **state)
{
	for (size_t i = 0; usual[i].name; i++) {
		auto_scratch s = usual_tree();
		struct stat before, after;

		if (i == 4)
			scratch_dir(&s, "root/deep"),
				scratch_dir(&s, "root/deep/er");
		scratch_put(&s, usual[i].name, "theirs");
		assert_int_equal(stat(scratch_path(&s, "root/sub/changed"),
				      &before),
				 0);
		assert_int_equal(change(&s, usual), ERR_CHANGED);
		assert_true(str_eq(s.f.path, scratch_str(&s, usual[i].name)));
		assert_int_equal(stat(scratch_path(&s, "root/sub/changed"),
				      &after),
				 0);
		assert_int_equal(before.st_ino, after.st_ino);
		assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
		assert_string_equal(scratch_get(&s, usual[i].name), "theirs");
		if (i != 1)
			assert_null(scratch_get(&s, "root/made"));
		if (i != 4)
			assert_int_equal(access(scratch_path(&s, "root/deep"),
						F_OK),
					 -1);
		assert_int_equal(scratch_names(&s, "state/stet/journal"), 0);
	}
}

static enum err refuse(void *ctx, struct fault *f)
{
	++*(int *)ctx;
	return fail(f, ERR_ASK, .path = STR(""));
}

/* V23: a dry run leaves no trace; a refusal at the end neither. */
static void who_refuses_at_the_end_finds_nothing_changed(void **state)
{
	for (int dry = 0; dry < 2; dry++) {
		auto_scratch s = usual_tree();
		struct group_want want = want_of(&s, usual);
		int asked = 0;

		want.ready = refuse;
		want.ctx = &asked;
		want.dry_run = dry;
		assert_int_equal(ws_group(s.ws, &want, &s.mem, &s.f), ERR_ASK);
		assert_int_equal(asked, 1);
		check(&s, usual, false);
		assert_int_equal(scratch_names(&s, "root"), 3);
	}
}

static void files_with_several_links_keep_their_inode(void **state)
{
	static const struct want_file files[] = {
		{ "root/a", "old a", "new a" },
		{ "root/linked", "old linked", "new" },
		{ NULL, NULL, NULL },
	};
	auto_scratch s = scratch_make();

	put_all(&s, files);
	assert_int_equal(link(scratch_path(&s, "root/linked"),
			      scratch_path(&s, "root/other")),
			 0);
	assert_int_equal(change(&s, files), ERR_OK);
	check(&s, files, true);
	assert_string_equal(scratch_get(&s, "root/other"), "new");
	assert_true(items[1].stored.in_place);
}

static void a_new_file_can_be_like_another(void **state)
{
	static const struct want_file files[] = {
		{ "root/to", NULL, "content" },
		{ "root/from", "content", NULL },
		{ NULL, NULL, NULL },
	};
	auto_scratch s = scratch_make();
	struct group_want want;
	struct stat st;

	put_all(&s, files);
	assert_int_equal(chmod(scratch_path(&s, "root/from"), 0750), 0);
	want = want_of(&s, files);
	items[0].like = items[1].want.key;
	assert_int_equal(ws_group(s.ws, &want, &s.mem, &s.f), ERR_OK);
	check(&s, files, true);
	assert_int_equal(stat(scratch_path(&s, "root/to"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0750);
}

static void the_mode_alone_can_change(void **state)
{
	static const struct want_file files[] = {
		{ "root/a", "a", "a" },
		{ "root/b", "b", "other" },
		{ NULL, NULL, NULL },
	};
	auto_scratch s = scratch_make();
	struct group_want want;
	struct stat st;

	put_all(&s, files);
	want = want_of(&s, files);
	items[0].want.set_mode = items[1].want.set_mode = true;
	items[0].want.mode = items[1].want.mode = 0711;
	assert_int_equal(ws_group(s.ws, &want, &s.mem, &s.f), ERR_OK);
	check(&s, files, true);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(stat(scratch_path(&s, files[i].name), &st), 0);
		assert_int_equal(st.st_mode & 07777, 0711);
	}
}

/* V10: where nothing can be kept, the group says so. */
static void without_a_private_directory_the_group_says_so(void **state)
{
	auto_scratch s = usual_tree();
	struct group_want want = want_of(&s, usual);

	scratch_dir(&s, "state/stet");
	scratch_put(&s, "state/stet/journal", "in the way");
	assert_int_equal(ws_group(s.ws, &want, &s.mem, &s.f), ERR_OK);
	assert_true(want.not_kept.len > 0);
	assert_int_equal(scratch_names(&s, "root"), 4);
	check(&s, usual, true);
}

enum { RACERS = 16, SHARED = 5, ROUNDS = 24 };

/* Every accepted group of every process: which files it changed. */
struct race {
	atomic_int round[RACERS];
	unsigned char files[RACERS][ROUNDS];
};

/* Add the line @tag to the files of @set, in an order of its own. */
static enum err add_line(struct scratch *s, unsigned set, unsigned first,
			 const char *tag)
{
	struct group_item some[SHARED];
	struct group_want want = { .items = some };

	for (unsigned k = 0; k < SHARED; k++) {
		unsigned i = (k * 2 + first) % SHARED;
		struct group_item *item = &some[want.count];
		struct str old;
		enum err e;

		if (!(set & 1U << i))
			continue;
		e = scratch_load(s, arena_printf(&s->mem, "root/%u/a", i).ptr,
				 &old);
		if (e)
			return e;
		*item = (struct group_item){ .before = old };
		item->path = item->want.key =
			scratch_str(s,
				    arena_printf(&s->mem, "root/%u/a", i).ptr);
		item->want.base = STORE_VERSION;
		item->want.version = hash_of(old);
		item->want.bytes =
			arena_printf(&s->mem, STR_FMT "%s", STR_ARG(old), tag);
		want.count++;
	}
	return ws_group(s->ws, &want, &s->mem, &s->f);
}

static int race_one(struct scratch *s, struct race *race, unsigned me)
{
	unsigned seed = me * 7919 + 1;

	for (int round = 0; round < ROUNDS;) {
		const char *tag;
		unsigned set;
		enum err e;

		seed = seed * 1103515245 + 12345;
		set = (seed >> 16 & 31) | 1U << me % SHARED;
		tag = arena_printf(&s->mem, "%05u.%08d\n", me, round).ptr;
		e = add_line(s, set, seed >> 24, tag);
		if (e && e != ERR_CHANGED && e != ERR_BUSY)
			return 1;
		if (e)
			continue;
		race->files[me][round++] = (unsigned char)set;
		atomic_store(&race->round[me], round);
		arena_reset(&s->mem, 1 << 20);
	}
	return 0;
}

static unsigned files_with(struct scratch *s, const char *tag)
{
	unsigned set = 0;

	for (unsigned i = 0; i < SHARED; i++) {
		const char *now =
			scratch_get(s,
				    arena_printf(&s->mem, "root/%u/a", i).ptr);
		const char *at = strstr(now, tag);

		assert_true(!at || !strstr(at + 1, tag));
		set |= at ? 1U << i : 0;
	}
	return set;
}

/*
 * V06: sixteen processes change random sets of the same five files: none waits
 * for ever, every accepted group is whole, and none is lost.
 */
static void groups_of_many_processes_exclude_each_other(void **state)
{
	auto_scratch s = scratch_make();
	struct race *race = mmap(NULL, sizeof(*race), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid[RACERS];
	int status;

	assert_ptr_not_equal(race, MAP_FAILED);
	for (int i = 0; i < SHARED; i++) {
		scratch_dir(&s, arena_printf(&s.mem, "root/%d", i).ptr);
		scratch_put(&s, arena_printf(&s.mem, "root/%d/a", i).ptr, "\n");
	}
	for (unsigned i = 0; i < RACERS; i++) {
		pid[i] = fork();
		assert_true(pid[i] >= 0);
		if (!pid[i])
			_exit(race_one(&s, race, i));
	}
	for (int i = 0; i < RACERS; i++) {
		assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
		assert_int_equal(status, 0);
	}
	for (unsigned i = 0; i < RACERS; i++)
		for (int k = 0; k < ROUNDS; k++)
			assert_int_equal(
				files_with(&s,
					   arena_printf(&s.mem, "\n%05u.%08d\n",
							i, k)
						   .ptr),
				race->files[i][k]);
	for (int i = 0; i < SHARED; i++)
		assert_int_equal(scratch_names(&s, arena_printf(&s.mem,
								"root/%d", i)
							   .ptr),
				 1);
	assert_int_equal(scratch_names(&s, "state/stet/journal"), 0);
	(void)munmap(race, sizeof(*race));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_group_changes_all_its_files),
		cmocka_unit_test(one_file_that_differs_stops_all),
		cmocka_unit_test(who_refuses_at_the_end_finds_nothing_changed),
		cmocka_unit_test(files_with_several_links_keep_their_inode),
		cmocka_unit_test(a_new_file_can_be_like_another),
		cmocka_unit_test(the_mode_alone_can_change),
		cmocka_unit_test(without_a_private_directory_the_group_says_so),
		cmocka_unit_test(groups_of_many_processes_exclude_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
