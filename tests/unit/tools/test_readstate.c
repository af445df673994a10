/*
 * test_readstate.c - the table of files that a caller has read: bounded, least
 * recently used goes first, thread-safe.
 */
#include "../unit.h"

#include "tools/reading/readstate.h"

#include <pthread.h>

static struct str name(unsigned n, struct arena *mem)
{
	return arena_printf(mem, "/project/src/some/folder/file-%06u.c", n);
}

static void put(struct readstate *r, struct str key, struct str bytes)
{
	struct stat_data stat = { .size = bytes.len, .mtime = 7 };

	readstate_put(r, key, hash_of(bytes), &stat, &bytes);
}

/* C61 C82: an entry has the version and the stamp of the read. */
static void what_was_read_is_known(void **state)
{
	struct readstate *r = readstate_new(NULL);
	auto_arena mem = ARENA_INIT;
	struct read_entry e;

	assert_false(readstate_get(r, STR("/a"), &mem, &e));
	put(r, STR("/a"), STR("one"));
	put(r, STR("/b"), STR(""));
	assert_true(readstate_get(r, STR("/a"), &mem, &e));
	assert_str(e.bytes, "one");
	assert_true(hash_eq(e.version, hash_of(STR("one"))));
	assert_int_equal(e.stat.mtime, 7);
	assert_int_equal(e.stat.size, 3);
	assert_true(readstate_get(r, STR("/b"), &mem, &e));
	assert_non_null(e.bytes.ptr); /* cached, and empty */
	assert_int_equal(e.bytes.len, 0);
	put(r, STR("/a"), STR("two"));
	assert_true(readstate_get(r, STR("/a"), &mem, &e));
	assert_str(e.bytes, "two");
	readstate_forget(r, STR("/a"));
	assert_false(readstate_get(r, STR("/a"), &mem, &e));
	put(r, STR("/a"), STR("three"));
	assert_true(readstate_get(r, STR("/a"), &mem, &e));
	readstate_free(r);
	readstate_free(NULL);
}

/* Without the bytes of a new version, those of the old one must not stay. */
static void old_bytes_do_not_stand_for_a_new_version(void **state)
{
	struct readstate *r = readstate_new(NULL);
	struct stat_data stat = { 0 };
	auto_arena mem = ARENA_INIT;
	struct read_entry e;

	put(r, STR("/a"), STR("one"));
	readstate_put(r, STR("/a"), hash_of(STR("one")), &stat, NULL);
	assert_true(readstate_get(r, STR("/a"), &mem, &e));
	assert_str(e.bytes, "one");
	readstate_put(r, STR("/a"), hash_of(STR("two")), &stat, NULL);
	assert_true(readstate_get(r, STR("/a"), &mem, &e));
	assert_null(e.bytes.ptr);
	readstate_free(r);
}

/* Random operations, compared with a plain array. */
static void the_one_used_longest_ago_goes_first(void **state)
{
	enum { FILES = 50, NAMES = 120, STEPS = 20000 };
	struct readstate *r =
		readstate_new(&(struct readstate_limits){ .files = FILES });
	unsigned order[NAMES + 1], n = 0, seed = 1;
	auto_arena mem = ARENA_INIT;
	struct read_entry e;

	for (int step = 0; step < STEPS; step++) {
		unsigned file, at = 0;
		bool is_put, known;

		seed = seed * 1103515245 + 12345;
		file = (seed >> 16) % NAMES;
		is_put = (seed >> 8) % 3;
		while (at < n && order[at] != file)
			at++;
		known = at < n;
		if (known)
			memmove(order + at, order + at + 1,
				(--n - at) * sizeof(*order));
		if (is_put && n == FILES)
			memmove(order, order + 1, --n * sizeof(*order));
		if (known || is_put)
			order[n++] = file;
		if (is_put)
			put(r, name(file, &mem), name(file, &mem));
		else
			assert_int_equal(readstate_get(r, name(file, &mem),
						       &mem, &e),
					 known);
		arena_reset(&mem, 4096);
	}
	readstate_free(r);
}

/* The content cache has a limit of its own. */
static void bytes_are_held_while_there_is_room(void **state)
{
	struct readstate *r =
		readstate_new(&(struct readstate_limits){ .cache = 400 });
	static char text[101];
	auto_arena mem = ARENA_INIT;
	struct read_entry e;

	for (unsigned i = 0; i < 4; i++)
		put(r, name(i, &mem), str_make(text, 100));
	assert_true(readstate_get(r, name(0, &mem), &mem, &e));
	put(r, name(4, &mem), str_make(text, 100));
	for (unsigned i = 0; i < 5; i++) {
		assert_true(readstate_get(r, name(i, &mem), &mem, &e));
		/* the first was used again, so the second had to go */
		assert_int_equal(e.bytes.ptr != NULL, i != 1);
	}
	put(r, name(5, &mem), str_make(text, 101)); /* too large for any */
	assert_true(readstate_get(r, name(5, &mem), &mem, &e));
	assert_null(e.bytes.ptr);
	readstate_free(r);
}

/* An exhausted budget: no content is cached, old entries go. */
static void without_memory_the_oldest_go(void **state)
{
	enum { LITTLE = 20 * 1000, FILES = 2000 };
	struct budget little;
	struct readstate *r;
	static char text[1000];
	auto_arena mem = ARENA_INIT;
	struct read_entry e;
	unsigned known = 0;

	budget_open(&little, NULL, LITTLE);
	r = readstate_new(&(struct readstate_limits){ .budget = &little });
	for (unsigned i = 0; i < FILES; i++)
		put(r, name(i, &mem), str_make(text, sizeof(text)));
	assert_true(readstate_size(r) <= LITTLE);
	assert_true(readstate_get(r, name(FILES - 1, &mem), &mem, &e));
	for (unsigned i = 0; i < FILES; i++)
		known += readstate_get(r, name(i, &mem), &mem, &e);
	assert_in_range(known, 64, FILES / 2);
	readstate_free(r);
	assert_int_equal(budget_left(&little), LITTLE);
}

/* A hundred thousand files, all known, under 32 MB. */
static void a_hundred_thousand_files_take_little(void **state)
{
	enum { FILES = 100 * 1000, MOST = 32 * 1000 * 1000 };
	struct readstate *r = readstate_new(NULL);
	static char text[2000];
	auto_arena mem = ARENA_INIT;
	struct read_entry e;

	assert_in_range(readstate_size(r), 1, 4096);
	for (unsigned i = 0; i < FILES; i++) {
		put(r, name(i, &mem), str_make(text, sizeof(text)));
		arena_reset(&mem, 4096);
	}
	assert_in_range(readstate_size(r), 4 * 1000 * 1000, MOST);
	for (unsigned i = 0; i < FILES; i++) {
		assert_true(readstate_get(r, name(i, &mem), &mem, &e));
		arena_reset(&mem, 4096);
	}
	put(r, STR("/one more"), STR(""));
	assert_in_range(readstate_size(r), 4 * 1000 * 1000, MOST);
	assert_false(readstate_get(r, name(0, &mem), &mem, &e));
	readstate_free(r);
}

static void *meddle(void *ctx)
{
	struct readstate *r = ctx;
	auto_arena mem = ARENA_INIT;
	struct read_entry e;

	for (unsigned i = 0; i < 2000; i++) {
		struct str key = name(i * 7 % 50, &mem);

		if (i % 3)
			put(r, key, key);
		else if (readstate_get(r, key, &mem, &e) && e.bytes.ptr)
			assert_true(str_eq(e.bytes, key));
		if (i % 11 == 0)
			readstate_forget(r, key);
		arena_reset(&mem, 4096);
	}
	return NULL;
}

static void threads_do_not_disturb_each_other(void **state)
{
	struct readstate *r = readstate_new(
		&(struct readstate_limits){ .files = 20, .cache = 500 });
	pthread_t threads[4];

	for (size_t i = 0; i < COUNT_OF(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, meddle, r),
				 0);
	for (size_t i = 0; i < COUNT_OF(threads); i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	readstate_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_read_is_known),
		cmocka_unit_test(old_bytes_do_not_stand_for_a_new_version),
		cmocka_unit_test(the_one_used_longest_ago_goes_first),
		cmocka_unit_test(bytes_are_held_while_there_is_room),
		cmocka_unit_test(without_memory_the_oldest_go),
		cmocka_unit_test(a_hundred_thousand_files_take_little),
		cmocka_unit_test(threads_do_not_disturb_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
