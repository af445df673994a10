/*
 * test_gc.c - gc, trimming in the background, compression and the sweep of
 * files.
 */
#include "state.h"

#include "store/blobs.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGE = 1200 * 1024 };

/* Text of @size bytes that shrinks well, and differs by @seed. */
static struct str text_of(struct state *s, size_t size, unsigned seed)
{
	char *bytes = arena_alloc(&s->mem, size);

	for (size_t i = 0; i < size; i++)
		bytes[i] = (char)('a' + (i / 7 + seed) % 13);
	return str_make(bytes, size);
}

static struct op add(struct state *s, uint64_t time_ms, struct str before,
		     struct str after)
{
	struct op op = { .kind = OP_UPDATE,
			 .path = STR("/a"),
			 .time_ms = time_ms,
			 .existed = true,
			 .exists = true };
	struct history_ticket ticket;

	history_begin(s->store, &op, before, after, &ticket);
	assert_int_equal(history_wait(s->store, ticket, &s->f), ERR_OK);
	history_end(s->store, &op, OP_DONE, NULL);
	return op;
}

/* How many files there are in blobs/. */
static size_t files(struct state *s)
{
	DIR *dir = opendir(state_path(s, "blobs"));
	struct dirent *entry;
	size_t n = 0;

	while (dir && (entry = readdir(dir))) {
		const char *name =
			arena_printf(&s->mem, "blobs/%s", entry->d_name).ptr;
		DIR *sub;

		if (entry->d_name[0] == '.')
			continue;
		sub = opendir(state_path(s, name));
		n += !sub;
		while (sub && (entry = readdir(sub)))
			n += entry->d_name[0] != '.';
		if (sub)
			(void)closedir(sub);
	}
	if (dir)
		(void)closedir(dir);
	return n;
}

/* The writer's thread may be compressing at the same time. */
static bool files_become(struct state *s, size_t want)
{
	for (int i = 0; i < 1000; i++) {
		if (files(s) == want)
			return true;
		(void)usleep(10 * 1000);
	}
	return false;
}

static void collect(struct state *s, struct history_gc *gc)
{
	assert_int_equal(history_gc(s->store, gc, &s->f), ERR_OK);
}

static void by_age_the_old_go_and_what_is_kept_stays_whole(void **state)
{
	auto_state s = state_make();
	struct str one = text_of(&s, 50000, 1), two = text_of(&s, 50000, 2),
		   three = text_of(&s, 50000, 3), got;
	struct op a = add(&s, 1000, one, two), b = add(&s, 2000, two, three);
	struct history_gc gc = { .older_ms = 2000 };
	struct op found;

	collect(&s, &gc);
	assert_int_equal(gc.ops, 1);
	assert_int_equal(gc.blobs, 1); /* not two: the second has it too */
	assert_int_equal(gc.bytes, 50000);
	assert_true(state_holds(&s, &b, HISTORY_BEFORE, two));
	assert_true(state_holds(&s, &b, HISTORY_AFTER, three));
	assert_int_equal(history_content(s.store, &a, HISTORY_BEFORE, &s.mem,
					 &got, &s.f),
			 ERR_NO_CONTENT);
	assert_int_equal(history_last(s.store, STR("/a"), &s.mem, &found, &s.f),
			 ERR_OK);
	assert_true(uuid_eq(found.id, b.id));
	collect(&s, &gc);
	assert_int_equal(gc.ops, 0);
	assert_int_equal(gc.blobs, 0);
}

/* The writer's thread trims, even under load. */
static void within_its_limit_it_keeps_itself(void **state)
{
	enum { MOST = 400000, SIZE = 20000, OPS = 100 };
	auto_state s = state_make();
	struct str was = text_of(&s, SIZE, 1000), got = STR("");
	struct op last = { 0 };

	s.options.max_bytes = MOST;
	state_again(&s);
	for (unsigned i = 0; i < OPS; i++) {
		char *bytes = arena_alloc(&s.mem, SIZE);

		for (size_t k = 0; k < SIZE; k++)
			bytes[k] = (char)(random() % 256);
		last = add(&s, 1000 + i, was, str_make(bytes, SIZE));
		was = str_make(bytes, SIZE);
	}
	assert_true(state_holds(&s, &last, HISTORY_AFTER, was));
	for (int i = 0; i < 2000; i++) {
		if (state_number(&s, "SELECT sum(stored) FROM blob") <= MOST)
			break;
		(void)usleep(10 * 1000);
	}
	assert_in_range(state_number(&s, "SELECT sum(stored) FROM blob"),
			MOST / 2, MOST);
	assert_true(state_holds(&s, &last, HISTORY_AFTER, was));
	assert_int_equal(history_content(s.store, &last, HISTORY_BEFORE, &s.mem,
					 &got, &s.f),
			 ERR_OK);
	assert_int_equal(got.len, SIZE);
}

enum { CALLS = 60, NOISE = 4000, MOST_OF_A_CALL = 5 };

struct calls {
	struct uuid groups[CALLS];
	size_t sizes[CALLS];
};

static struct op begin_one(struct state *s, const struct calls *calls,
			   size_t call, size_t at)
{
	char *bytes = arena_alloc(&s->mem, NOISE);
	struct op op = { .kind = OP_CREATE,
			 .path = STR("/a"),
			 .time_ms = 1000 + call,
			 .exists = true };
	struct history_ticket ticket;

	for (size_t k = 0; k < NOISE; k++)
		bytes[k] = (char)random();
	op.group = calls->groups[call];
	op.id = at ? (struct uuid){ 0 } : op.group;
	history_begin(s->store, &op, STR(""), str_make(bytes, NOISE), &ticket);
	assert_int_equal(history_wait(s->store, ticket, &s->f), ERR_OK);
	return op;
}

/*
 * Calls that change one to five files each, two at a time, as two processes make
 * them: all of a call are begun before one ends. The last operation of call
 * @open has no end.
 */
static struct calls make_calls(struct state *s, size_t open)
{
	struct op ops[2 * MOST_OF_A_CALL];
	struct calls calls;

	for (size_t i = 0; i < CALLS; i++) {
		calls.groups[i] = uuid_new(1000 + i);
		calls.sizes[i] = 1 + (i * 7) % MOST_OF_A_CALL;
	}
	for (size_t pair = 0; pair < CALLS; pair += 2) {
		for (size_t i = 0; i < COUNT_OF(ops); i++)
			if (i / 2 < calls.sizes[pair + i % 2])
				ops[i] = begin_one(s, &calls, pair + i % 2,
						   i / 2);
		for (size_t i = 0; i < COUNT_OF(ops); i++) {
			const size_t call = pair + i % 2;
			const size_t end = calls.sizes[call] - (call == open);

			if (i / 2 < end)
				history_end(s->store, &ops[i], OP_DONE, NULL);
		}
	}
	return calls;
}

/* Is each call there with all of its operations, or not at all? */
static size_t whole_calls(struct state *s, const struct calls *calls)
{
	size_t whole = 0;

	for (size_t i = 0; i < CALLS; i++) {
		struct op *ops;
		size_t n;

		assert_int_equal(history_group(s->store, calls->groups[i],
					       &s->mem, &ops, &n, &s->f),
				 ERR_OK);
		assert_true(!n || n == calls->sizes[i]);
		whole += n > 0;
	}
	return whole;
}

/* Requirements: V18 */
static void no_part_of_a_group_goes_alone(void **state)
{
	auto_state s = state_make();
	const struct calls calls = make_calls(&s, 4);
	struct history_gc gc = { .older_ms = 1010 };
	size_t n = CALLS, left;

	collect(&s, &gc);
	assert_int_equal(whole_calls(&s, &calls), CALLS - 9); /* one is open */
	gc = (struct history_gc){ 0 };
	for (uint64_t max = 500000; max > 10000; max -= 17000) {
		gc.max_bytes = max;
		collect(&s, &gc);
		left = whole_calls(&s, &calls);
		assert_true(left <= n);
		n = left;
	}
	assert_in_range(n, 1, 10);
}

/* Requirements: V18 */
static void no_part_of_a_group_is_trimmed_alone(void **state)
{
	enum { MOST = 200000 };
	auto_state s = state_make();
	struct calls calls;
	size_t left = CALLS;

	s.options.max_bytes = MOST;
	state_again(&s);
	calls = make_calls(&s, 4);
	for (int i = 0; i < 2000 && left > CALLS / 2; i++) {
		left = whole_calls(&s, &calls);
		(void)usleep(10 * 1000);
	}
	assert_in_range(left, 1, CALLS / 2);
	assert_int_equal(state_number(&s, "SELECT count(*) FROM op"
					  " WHERE state = 0"),
			 1);
}

static void note_progress(void *ctx, uint64_t done, uint64_t total)
{
	uint64_t *last = ctx;

	assert_true(done >= *last && done <= total);
	*last = done;
}

static void by_size_the_oldest_go_until_it_fits(void **state)
{
	auto_state s = state_make();
	struct str was = text_of(&s, 10000, 100);
	uint64_t done = 0;
	struct history_gc gc = { .max_bytes = 30000,
				 .moved = note_progress,
				 .ctx = &done };
	char *noise = arena_alloc(&s.mem, 20 * 10000);
	struct op ops[20];

	srandom(7);
	for (size_t i = 0; i < 20 * 10000; i++)
		noise[i] = (char)random(); /* does not shrink */
	for (size_t i = 0; i < 20; i++) {
		struct str now = { noise + i * 10000, 10000 };

		ops[i] = add(&s, 1000 + i, was, now);
		was = now;
	}
	collect(&s, &gc);
	/* Three contents fit: those of the last two operations. */
	assert_int_equal(gc.ops, 18);
	assert_int_equal(done, 18);
	assert_int_equal(gc.blobs, 18);
	for (size_t i = 18; i < 20; i++)
		assert_true(state_holds(&s, &ops[i], HISTORY_AFTER,
					str_make(noise + i * 10000, 10000)));
	assert_true(state_holds(&s, &ops[18], HISTORY_BEFORE,
				str_make(noise + 170000, 10000)));
	state_again(&s);
	assert_int_equal(state_number(&s, "PRAGMA freelist_count"), 0);
}

static void an_open_intent_is_not_dropped(void **state)
{
	auto_state s = state_make();
	struct op op = { .path = STR("/a"), .time_ms = 5, .exists = true };
	struct history_gc gc = { .older_ms = 1000, .max_bytes = 1 };
	struct history_ticket ticket;

	history_begin(s.store, &op, STR(""), STR("announced"), &ticket);
	assert_int_equal(history_wait(s.store, ticket, &s.f), ERR_OK);
	collect(&s, &gc);
	assert_int_equal(gc.ops, 0);
	assert_true(state_holds(&s, &op, HISTORY_AFTER, STR("announced")));
}

static void contents_are_made_smaller_and_stay_the_same(void **state)
{
	auto_state s = state_make();
	struct str small = text_of(&s, 30000, 1), large = text_of(&s, LARGE, 2),
		   noise = text_of(&s, 30000, 3);
	struct op a, b;
	struct history_gc gc = { 0 };

	for (size_t i = 0; i < noise.len; i++)
		((char *)noise.ptr)[i] = (char)random();
	a = add(&s, 1, small, large);
	b = add(&s, 2, large, noise);
	collect(&s, &gc);
	assert_int_equal(gc.ops + gc.blobs, 0);
	assert_int_equal(state_number(&s, "SELECT count(*) FROM blob"
					  " WHERE form IN (1, 3)"
					  " AND stored < size / 4"),
			 2);
	assert_int_equal(
		state_number(&s, "SELECT count(*) FROM blob WHERE form = 0"),
		1);
	assert_true(files_become(&s, 1));
	assert_true(state_holds(&s, &a, HISTORY_BEFORE, small));
	assert_true(state_holds(&s, &a, HISTORY_AFTER, large));
	assert_true(state_holds(&s, &b, HISTORY_AFTER, noise));
	/* It is known by its digest, however it is kept. */
	(void)add(&s, 3, small, large);
	assert_int_equal(state_number(&s, "SELECT count(*) FROM blob"), 3);
	assert_true(files_become(&s, 1));
}

static int64_t of_form(struct state *s, enum blob_form form)
{
	return state_number(s, arena_printf(&s->mem,
					    "SELECT count(*) FROM blob"
					    " WHERE form = %d",
					    (int)form)
				       .ptr);
}

/* Compressed at once if that is faster than writing it raw. */
static void large_ones_that_shrink_well_are_small_at_once(void **state)
{
	auto_state s = state_make();
	struct str plain = text_of(&s, LARGE, 1), hex = text_of(&s, LARGE, 2),
		   noise = text_of(&s, LARGE, 3);
	struct history_gc gc = { 0 };
	struct op a, b;

	for (size_t i = 0; i < LARGE; i++) {
		((char *)hex.ptr)[i] = "0123456789abcdef"[random() & 15];
		((char *)noise.ptr)[i] = (char)random();
	}
	a = add(&s, 1, plain, hex);
	b = add(&s, 2, hex, noise);
	assert_int_equal(of_form(&s, BLOB_ZSTD_FILE), 1);
	assert_int_equal(of_form(&s, BLOB_FILE), 2);
	assert_true(state_holds(&s, &a, HISTORY_BEFORE, plain));
	assert_true(state_holds(&s, &a, HISTORY_AFTER, hex));
	assert_true(state_holds(&s, &b, HISTORY_AFTER, noise));
	collect(&s, &gc);
	assert_int_equal(of_form(&s, BLOB_ZSTD_FILE), 2);
	assert_int_equal(of_form(&s, BLOB_FILE), 1);
	assert_true(files_become(&s, 3));
	assert_true(state_holds(&s, &a, HISTORY_BEFORE, plain));
	assert_true(state_holds(&s, &a, HISTORY_AFTER, hex));
	assert_true(state_holds(&s, &b, HISTORY_AFTER, noise));
}

/* The writer's thread compresses when it is idle. */
static void the_writer_makes_them_smaller_when_it_rests(void **state)
{
	auto_state s = state_make();
	struct str large = text_of(&s, LARGE, 2);
	struct op a = add(&s, 1, text_of(&s, 30000, 1), large);
	int64_t raw = 2;

	for (int i = 0; i < 1000 && raw; i++) {
		(void)usleep(20 * 1000);
		raw = state_number(&s, "SELECT count(*) FROM blob"
				       " WHERE form IN (0, 2)");
	}
	assert_int_equal(raw, 0);
	assert_true(state_holds(&s, &a, HISTORY_AFTER, large));
}

static void put(struct state *s, const char *name)
{
	int fd = open(state_path(s, name), O_WRONLY | O_CREAT, 0600);

	assert_true(fd >= 0);
	(void)close(fd);
}

static void files_that_nobody_speaks_of_go(void **state)
{
	auto_state s = state_make();
	struct str large = text_of(&s, LARGE, 2);
	struct op a = add(&s, 1, STR("x"), large), b;
	struct history_gc gc = { 0 }, older = { .older_ms = 10 };
	char name[UUID_TEXT + 1];

	(void)mkdir(state_path(&s, "blobs/00"), 0700);
	put(&s, "blobs/00/0123456789abcdef0123456789abcdef"
		"0123456789abcdef0123456789abcd");
	put(&s, "blobs/00/0123456789abcdef0123456789abcdef"
		"0123456789abcdef0123456789abcd.z");
	put(&s, "blobs/00/not-ours");
	uuid_text(uuid_new(1000), name);
	put(&s, arena_printf(&s.mem, "blobs/new-%s", name).ptr);
	collect(&s, &gc);
	assert_true(files_become(&s, 2)); /* its own, and not-ours */
	assert_true(state_holds(&s, &a, HISTORY_AFTER, large));
	collect(&s, &older);
	assert_int_equal(older.ops, 1);
	assert_true(files_become(&s, 1));
	b = add(&s, 2, STR("x"), large); /* and it can come back */
	assert_true(state_holds(&s, &b, HISTORY_AFTER, large));
}

static void answers_that_are_over_go(void **state)
{
	auto_state s = state_make();
	struct approval a = { .digest = STR("1"), .until_ms = 5 },
			b = { .digest = STR("2") }, *list;
	struct grant g = { .reach = GRANT_ALWAYS, .until_ms = 5 },
		     h = { .reach = GRANT_ALWAYS };
	struct history_gc gc = { .older_ms = INT64_MAX };
	size_t n;

	assert_int_equal(approval_ask(s.store, &a, &s.mem, &s.f), ERR_OK);
	assert_int_equal(approval_ask(s.store, &b, &s.mem, &s.f), ERR_OK);
	assert_int_equal(grant_add(s.store, &g, &s.f), ERR_OK);
	assert_int_equal(grant_add(s.store, &h, &s.f), ERR_OK);
	collect(&s, &gc);
	assert_int_equal(approval_list(s.store, true, &s.mem, &list, &n, &s.f),
			 ERR_OK);
	assert_int_equal(n, 1);
	assert_str(list[0].digest, "2");
	assert_int_equal(state_number(&s, "SELECT count(*) FROM may"), 1);
}

/* History names the grant of a change also after it was revoked. */
static void a_revoked_grant_stays_while_a_change_refers_to_it(void **state)
{
	auto_state s = state_make();
	struct grant used = { .reach = GRANT_ALWAYS, .client = STR("codex") },
		     unused = used, got;
	struct history_gc gc = { .older_ms = 2 }, older = { .older_ms = 3 };
	struct op op = { .path = STR("/p/a"), .time_ms = 2, .exists = true };
	struct history_ticket ticket;

	assert_int_equal(grant_add(s.store, &used, &s.f), ERR_OK);
	assert_int_equal(grant_add(s.store, &unused, &s.f), ERR_OK);
	op.granted_by = used.id;
	history_begin(s.store, &op, STR(""), STR("x"), &ticket);
	assert_int_equal(history_wait(s.store, ticket, &s.f), ERR_OK);
	history_end(s.store, &op, OP_DONE, NULL);
	assert_true(grant_find(s.store, used.id, &s.mem, &got));
	assert_false(grant_is_over(&got));
	assert_int_equal(grant_remove(s.store, used.id, &s.f), ERR_OK);
	assert_int_equal(grant_remove(s.store, unused.id, &s.f), ERR_OK);
	collect(&s, &gc);
	assert_false(grant_find(s.store, unused.id, &s.mem, &got));
	assert_true(grant_find(s.store, used.id, &s.mem, &got));
	assert_true(grant_is_over(&got) && got.revoked_ms);
	assert_str(got.client, "codex");
	collect(&s, &older);
	assert_int_equal(older.ops, 1);
	assert_false(grant_find(s.store, used.id, &s.mem, &got));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			by_age_the_old_go_and_what_is_kept_stays_whole),
		cmocka_unit_test(no_part_of_a_group_goes_alone),
		cmocka_unit_test(no_part_of_a_group_is_trimmed_alone),
		cmocka_unit_test(by_size_the_oldest_go_until_it_fits),
		cmocka_unit_test(within_its_limit_it_keeps_itself),
		cmocka_unit_test(
			a_revoked_grant_stays_while_a_change_refers_to_it),
		cmocka_unit_test(an_open_intent_is_not_dropped),
		cmocka_unit_test(contents_are_made_smaller_and_stay_the_same),
		cmocka_unit_test(large_ones_that_shrink_well_are_small_at_once),
		cmocka_unit_test(the_writer_makes_them_smaller_when_it_rests),
		cmocka_unit_test(files_that_nobody_speaks_of_go),
		cmocka_unit_test(answers_that_are_over_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
