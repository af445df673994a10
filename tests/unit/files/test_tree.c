/*
 * test_tree.c - walks: order, links, kinds, what is not entered, and
 * directories that other threads still use.
 *
 * F12 F19 F20 F21 F22
 */
#include "scratch.h"

#include "base/thread.h"
#include "files/beneath.h"
#include "files/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct seen {
	struct buf names; /* "a|b/|b/x|", directories with a slash */
	size_t base;
	size_t most; /* entries until the walk is stopped */
	size_t left[TREE_TOO_DEEP + 1];
	struct scratch *s;
	const char *swapped; /* becomes a link when it is about to be entered */
};

static enum tree_next on_entry(void *ctx, struct tree_dir *dir,
			       const struct tree_entry *e)
{
	struct seen *seen = ctx;
	struct str below = str_skip(dir->key, seen->base);
	static const char marks[] = { ' ', '/', '@', '=' };

	buf_addf(&seen->names, STR_FMT "%s" STR_FMT "%c|", STR_ARG(below),
		 below.len ? "/" : "", STR_ARG(e->name), marks[e->kind]);
	if (seen->swapped && str_is(e->name, seen->swapped)) {
		char *name = scratch_path(seen->s, "root/swap");

		assert_int_equal(rename(name,
					scratch_path(seen->s, "root/was")),
				 0);
		assert_int_equal(symlink(scratch_path(seen->s, "outside"),
					 name),
				 0);
	}
	if (str_is(e->name, "skipped"))
		return TREE_SKIP;
	return --seen->most ? TREE_GO : TREE_STOP;
}

static void on_not_entered(void *ctx, struct tree_dir *dir, struct str name,
			   enum tree_refusal why)
{
	((struct seen *)ctx)->left[why]++;
}

static struct seen walk(struct scratch *s, size_t most, const char *swapped)
{
	struct seen seen = { .base = s->root.len + 1,
			     .most = most,
			     .s = s,
			     .swapped = swapped };
	const struct tree_visitor v = { .entry = on_entry,
					.not_entered = on_not_entered,
					.ctx = &seen };
	auto_tree_place place = { 0 };
	bool complete;

	assert_int_equal(ws_tree(s->ws, s->root, &s->mem, &place, &s->f),
			 ERR_OK);
	assert_int_equal(place.kind, TREE_DIRECTORY);
	complete = tree_walk(&place, &v);
	assert_int_equal(complete, seen.most > 0);
	return seen;
}

static void names_are_sorted_and_links_not_followed(void **state)
{
	auto_scratch s = scratch_make();
	struct seen seen;

	scratch_dir(&s, "root/b");
	scratch_dir(&s, "root/skipped");
	scratch_put(&s, "root/skipped/no", "");
	scratch_put(&s, "root/b/x", "12");
	scratch_put(&s, "root/b.c", "");
	scratch_put(&s, "root/b-", "");
	scratch_put(&s, "root/a", "");
	scratch_put(&s, "outside/secret", "1");
	scratch_link(&s, "../outside", "root/link");
	scratch_put(&s, "root/.stet-0123456789abcdef.tmp", "");
	assert_int_equal(mkfifo(scratch_path(&s, "root/fifo"), 0600), 0);
	seen = walk(&s, 99, NULL);
	assert_str(buf_str(&seen.names),
		   "a |b/|b/x |b- |b.c |fifo=|link@|skipped/|");
	buf_free(&seen.names);
	seen = walk(&s, 3, NULL);
	assert_str(buf_str(&seen.names), "a |b/|b/x |");
	buf_free(&seen.names);
}

/* F12: between the listing and the opening, the worst moment. */
static void a_directory_swapped_for_a_link_is_not_entered(void **state)
{
	for (int slow = 0; slow < 2; slow++) {
		auto_scratch s = scratch_make();
		struct seen seen;

		scratch_put(&s, "outside/secret", "1");
		scratch_dir(&s, "root/swap");
		scratch_put(&s, "root/swap/mine", "");
		beneath_slowly(slow);
		seen = walk(&s, 99, "swap");
		beneath_slowly(false);
		assert_str(buf_str(&seen.names), "swap/|");
		assert_int_equal(seen.left[TREE_UNREADABLE], 0);
		buf_free(&seen.names);
	}
}

static void only_regular_files_are_opened(void **state)
{
	static const struct {
		const char *name;
		enum tree_opened want;
	} rows[] = {
		{ "file", TREE_OPENED },  { "none", TREE_GONE },
		{ "link", TREE_GONE },    { "fifo", TREE_NOT_FILE },
		{ "dir", TREE_NOT_FILE },
	};
	auto_scratch s = scratch_make();
	auto_tree_place place = { 0 };
	struct stat_data stat;
	struct str bytes;
	char byte;

	scratch_put(&s, "root/file", "hello");
	scratch_link(&s, "file", "root/link");
	scratch_dir(&s, "root/dir");
	assert_int_equal(mkfifo(scratch_path(&s, "root/fifo"), 0600), 0);
	assert_int_equal(ws_tree(s.ws, s.root, &s.mem, &place, &s.f), ERR_OK);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		auto_tree_file file = { .fd = -1 };

		assert_int_equal(tree_open(place.dir, rows[i].name, &file),
				 rows[i].want);
		if (rows[i].want == TREE_OPENED)
			assert_int_equal(tree_pread(&file, &byte, 1, 1), 1);
	}
	assert_int_equal(byte, 'e');
	assert_int_equal(tree_read(place.dir, "file", 5, &s.mem, &bytes, &stat),
			 ERR_OK);
	assert_str(bytes, "hello");
	assert_int_equal(tree_read(place.dir, "file", 4, &s.mem, &bytes, &stat),
			 ERR_TOO_LARGE);
	assert_int_equal(tree_read(place.dir, "none", 4, &s.mem, &bytes, &stat),
			 ERR_NOT_FOUND);
}

static void a_place_is_resolved_like_every_path(void **state)
{
	auto_scratch s = scratch_make();
	auto_tree_place file = { 0 }, through = { 0 }, none = { 0 };

	scratch_dir(&s, "root/d");
	scratch_put(&s, "root/d/f", "");
	scratch_link(&s, "d", "root/link");
	scratch_link(&s, "../outside", "root/out");
	assert_int_equal(ws_tree(s.ws, scratch_str(&s, "root/link/f"), &s.mem,
				 &file, &s.f),
			 ERR_OK);
	assert_int_equal(file.kind, TREE_FILE);
	assert_str(file.name, "f");
	assert_str(file.key, scratch_path(&s, "root/d/f"));
	assert_int_equal(ws_tree(s.ws, scratch_str(&s, "root/link"), &s.mem,
				 &through, &s.f),
			 ERR_OK);
	assert_str(through.dir->key, scratch_path(&s, "root/d"));
	assert_int_equal(ws_tree(s.ws, scratch_str(&s, "root/none"), &s.mem,
				 &none, &s.f),
			 ERR_NOT_FOUND);
	assert_int_equal(ws_tree(s.ws, scratch_str(&s, "root/out"), &s.mem,
				 &none, &s.f),
			 ERR_DENIED);
	assert_string_equal(s.f.reason, "outside_roots");
}

static void add_key(void *ctx, struct tree_dir *dir)
{
	struct seen *seen = ctx;

	buf_addf(&seen->names, STR_FMT "|",
		 STR_ARG(str_skip(dir->key, seen->base)));
}

static void the_directories_above_come_from_the_root_down(void **state)
{
	auto_scratch s = scratch_make();
	struct seen seen = { .base = s.root.len };
	auto_tree_place place = { 0 };

	scratch_dir(&s, "root/a");
	scratch_dir(&s, "root/a/b");
	scratch_dir(&s, "root/a/b/c");
	assert_int_equal(ws_tree(s.ws, scratch_str(&s, "root/a/b/c"), &s.mem,
				 &place, &s.f),
			 ERR_OK);
	tree_above(&place, add_key, &seen);
	assert_str(buf_str(&seen.names), "|/a|/a/b|");
	buf_free(&seen.names);
}

/* What one thread hands to another: every directory, while it is walked. */
struct handed {
	pthread_mutex_t lock;
	pthread_cond_t ready;
	struct tree_dir *dir[256];
	size_t count, taken, waits, open_most;
	bool ended;
};

static enum tree_next hand_over(void *ctx, struct tree_dir *dir,
				const struct tree_entry *e)
{
	struct handed *h = ctx;

	if (e->kind != TREE_FILE)
		return TREE_GO;
	(void)pthread_mutex_lock(&h->lock);
	h->dir[h->count++] = tree_dir_ref(dir);
	h->open_most = size_max(h->open_most, h->count - h->taken);
	(void)pthread_mutex_unlock(&h->lock);
	return TREE_GO;
}

/* Nothing is released before the walk says that it waits, or ends. */
static void release_now(void *ctx)
{
	struct handed *h = ctx;

	(void)pthread_mutex_lock(&h->lock);
	h->waits++;
	(void)pthread_cond_signal(&h->ready);
	(void)pthread_mutex_unlock(&h->lock);
}

static void *open_files(void *ctx)
{
	struct handed *h = ctx;
	size_t rounds = 0;

	(void)pthread_mutex_lock(&h->lock);
	while (!h->ended || h->taken < h->count) {
		while (rounds == h->waits && !h->ended)
			(void)pthread_cond_wait(&h->ready, &h->lock);
		rounds = h->waits;
		while (h->taken < h->count) {
			auto_tree_file file = { .fd = -1 };
			struct tree_dir *dir = h->dir[h->taken++];

			assert_int_equal(tree_open(dir, "f", &file),
					 TREE_OPENED);
			tree_dir_drop(dir);
		}
	}
	(void)pthread_mutex_unlock(&h->lock);
	return NULL;
}

static void directories_in_use_are_bounded(void **state)
{
	auto_scratch s = scratch_make();
	auto_tree_place place = { 0 };
	struct handed h = { .lock = PTHREAD_MUTEX_INITIALIZER,
			    .ready = PTHREAD_COND_INITIALIZER };
	const struct tree_visitor v = { .entry = hand_over,
					.waits = release_now,
					.ctx = &h };
	pthread_t other;
	char name[32];

	for (int i = 0; i < 200; i++) {
		(void)snprintf(name, sizeof(name), "root/d%03d", i);
		scratch_dir(&s, name);
		(void)snprintf(name, sizeof(name), "root/d%03d/f", i);
		scratch_put(&s, name, "");
	}
	assert_int_equal(ws_tree(s.ws, s.root, &s.mem, &place, &s.f), ERR_OK);
	assert_true(thread_start(&other, 1 << 20, open_files, &h));
	assert_true(tree_walk(&place, &v));
	(void)pthread_mutex_lock(&h.lock);
	h.ended = true;
	(void)pthread_cond_signal(&h.ready);
	(void)pthread_mutex_unlock(&h.lock);
	assert_int_equal(pthread_join(other, NULL), 0);
	assert_int_equal(h.taken, 200);
	assert_true(h.waits > 0);
	assert_true(h.open_most <= TREE_MOST_DETACHED + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_sorted_and_links_not_followed),
		cmocka_unit_test(a_directory_swapped_for_a_link_is_not_entered),
		cmocka_unit_test(only_regular_files_are_opened),
		cmocka_unit_test(a_place_is_resolved_like_every_path),
		cmocka_unit_test(the_directories_above_come_from_the_root_down),
		cmocka_unit_test(directories_in_use_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
