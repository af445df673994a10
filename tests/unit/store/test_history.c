/*
 * test_history.c - operations and contents: what is recorded is what is
 * returned.
 */
#include "state.h"

#include "base/clock.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* C65 C66 C67 C68 C83 C102: a record is returned unchanged. */
static void a_record_has_all_that_was_said(void **state)
{
	auto_state s = state_make();
	uint64_t start = clock_unix_ms();
	struct op op = { .kind = OP_UPDATE,
			 .path = STR("/p/a\xff\n.c"),
			 .tool = STR("Edit"),
			 .client = STR("client"),
			 .session = STR("session"),
			 .scope = STR("scope"),
			 .call = STR("call 1"),
			 .existed = true,
			 .exists = true,
			 .before = hash_of(STR("old")),
			 .after = hash_of(STR("new\0bytes")),
			 .bytes_before = 3,
			 .bytes_after = 9,
			 .mode_before = 0644,
			 .mode_after = 04755,
			 .root = { STR("/p"), 1ull << 63, 42 },
			 .from = STR("/p/b") };
	struct history_ticket ticket;
	char text[UUID_TEXT + 1];
	struct op got;

	op.undoes = uuid_new(start);
	op.granted_by = uuid_new(start);
	op.group = uuid_new(start);
	history_begin(s.store, &op, STR("old"), STR("new\0bytes"), &ticket);
	assert_int_equal(history_wait(s.store, ticket, &s.f), ERR_OK);
	history_end(s.store, &op, OP_DONE, NULL);
	assert_false(uuid_is_zero(op.id));
	uuid_text(op.id, text);
	state_again(&s);

	assert_int_equal(history_find(s.store, str_of(text), &s.mem, &got,
				      &s.f),
			 ERR_OK);
	assert_true(uuid_eq(got.id, op.id));
	assert_true(got.time_ms >= start && got.time_ms <= clock_unix_ms());
	assert_int_equal(got.time_ms, op.time_ms);
	assert_int_equal(got.kind, OP_UPDATE);
	assert_int_equal(got.state, OP_DONE);
	assert_str(got.path, "/p/a\xff\n.c");
	assert_str(got.tool, "Edit");
	assert_str(got.client, "client");
	assert_str(got.session, "session");
	assert_str(got.scope, "scope");
	assert_str(got.call, "call 1");
	assert_true(uuid_eq(got.undoes, op.undoes));
	assert_true(uuid_is_zero(got.undone));
	assert_true(got.existed && got.exists);
	assert_true(hash_eq(got.before, op.before));
	assert_true(hash_eq(got.after, op.after));
	assert_int_equal(got.bytes_before, 3);
	assert_int_equal(got.bytes_after, 9);
	assert_int_equal(got.mode_before, 0644);
	assert_int_equal(got.mode_after, 04755);
	assert_str(got.root.path, "/p");
	assert_true(got.root.dev == 1ull << 63 && got.root.ino == 42);
	assert_true(uuid_eq(got.granted_by, op.granted_by));
	assert_true(uuid_eq(got.group, op.group));
	assert_str(got.from, "/p/b");
	assert_true(state_holds(&s, &got, HISTORY_BEFORE, STR("old")));
	assert_true(state_holds(&s, &got, HISTORY_AFTER, STR("new\0bytes")));
}

/* Requirements: V13 */
static void a_group_is_found_by_its_first_operation(void **state)
{
	auto_state s = state_make();
	struct uuid group = uuid_new(1);
	struct op alone, *ops;
	size_t n;

	for (int i = 0; i < 3; i++) {
		struct op op = { .path = i ? STR("/p/b") : STR("/p/a"),
				 .group = group };
		struct history_ticket ticket;

		op.id = i ? (struct uuid){ 0 } : group;
		history_begin(s.store, &op, STR(""), STR(""), &ticket);
		history_end(s.store, &op, i ? OP_DONE : OP_FAILED, NULL);
		alone = state_op(&s, "/p/a", "old", "new");
	}
	assert_true(uuid_eq(op_group(&alone), alone.id));
	assert_int_equal(history_group(s.store, group, &s.mem, &ops, &n, &s.f),
			 ERR_OK);
	assert_int_equal(n, 3);
	for (size_t i = 0; i < n; i++) {
		assert_true(uuid_eq(op_group(&ops[i]), group));
		assert_int_equal(uuid_eq(ops[i].id, group), i == 0);
	}
	assert_int_equal(history_group(s.store, alone.id, &s.mem, &ops, &n,
				       &s.f),
			 ERR_OK);
	assert_int_equal(n, 1);
	assert_true(uuid_eq(ops[0].id, alone.id));
	assert_int_equal(history_list(s.store,
				      &(struct history_query){
					      .group = group,
					      .path = STR("/p/b") },
				      &s.mem, &ops, &n, &s.f),
			 ERR_OK);
	assert_int_equal(n, 2);
}

/* Both contents are there, whatever their size; a new file had none. */
static void contents_of_all_sizes_come_back(void **state)
{
	static const size_t sizes[] = {
		0, 1, 100, 4096, 32768, 1024 * 1024, 1048577, 3 * 1048576
	};
	auto_state s = state_make();
	char *bytes = malloc(4 * 1048576);
	struct str last = { NULL, 0 }, got;
	struct op ops[COUNT_OF(sizes)];

	for (size_t i = 0; i < 4 * 1048576; i++)
		bytes[i] = (char)(i * i >> 3);
	for (int durable = 0; durable < 2; durable++) {
		s.options.durable = durable;
		state_again(&s);
		for (size_t i = 0; i < COUNT_OF(sizes); i++) {
			struct str now = { bytes + i, sizes[i] };

			assert_int_equal(state_try_op(&s, "/a", last, now,
						      &ops[i]),
					 ERR_OK);
			last = now;
		}
		state_again(&s);
		for (size_t i = 0; i < COUNT_OF(sizes); i++) {
			assert_true(state_holds(&s, &ops[i], HISTORY_AFTER,
						str_make(bytes + i, sizes[i])));
			if (i || durable)
				continue;
			assert_int_equal(history_content(s.store, &ops[i],
							 HISTORY_BEFORE, &s.mem,
							 &got, &s.f),
					 ERR_NO_CONTENT);
		}
	}
	free(bytes);
}

/* The new content of one operation is the old one of the next: stored once. */
static void the_same_content_is_kept_once(void **state)
{
	auto_state s = state_make();

	(void)state_op(&s, "/a", NULL, "one");
	(void)state_op(&s, "/a", "one", "two");
	(void)state_op(&s, "/a", "two", "three");
	(void)state_op(&s, "/b", NULL, "two");
	state_again(&s);
	assert_int_equal(state_number(&s, "SELECT count(*) FROM op"), 4);
	assert_int_equal(state_number(&s, "SELECT count(*) FROM blob"), 3);
}

static void an_append_keeps_what_it_adds_only(void **state)
{
	auto_state s = state_make();
	struct op op = { .kind = OP_APPEND,
			 .path = STR("/log"),
			 .existed = true,
			 .exists = true };
	struct history_ticket ticket;
	struct str got;

	history_begin(s.store, &op, STR("not looked at"), STR("line\n"),
		      &ticket);
	assert_int_equal(history_wait(s.store, ticket, &s.f), ERR_OK);
	history_end(s.store, &op, OP_DONE, NULL);
	assert_true(state_holds(&s, &op, HISTORY_AFTER, STR("line\n")));
	assert_int_equal(history_content(s.store, &op, HISTORY_BEFORE, &s.mem,
					 &got, &s.f),
			 ERR_NO_CONTENT);
}

/* A formatter has changed the file, or the file was deleted. */
static void the_end_may_differ_from_what_was_announced(void **state)
{
	auto_state s = state_make();
	struct op op = { .kind = OP_CREATE, .path = STR("/a"), .exists = true };
	struct str tidy = STR("tidy");
	struct history_ticket ticket;
	struct op got;

	history_begin(s.store, &op, STR(""), STR("ugly"), &ticket);
	assert_int_equal(history_wait(s.store, ticket, &s.f), ERR_OK);
	op.after = hash_of(tidy);
	op.bytes_after = tidy.len;
	op.mode_after = 0700;
	history_end(s.store, &op, OP_DONE, &tidy);
	assert_int_equal(history_last(s.store, STR("/a"), &s.mem, &got, &s.f),
			 ERR_OK);
	assert_true(hash_eq(got.after, op.after));
	assert_int_equal(got.bytes_after, 4);
	assert_int_equal(got.mode_after, 0700);
	assert_true(state_holds(&s, &got, HISTORY_AFTER, tidy));

	op.exists = false;
	history_end(s.store, &op, OP_DONE, NULL);
	assert_int_equal(history_last(s.store, STR("/a"), &s.mem, &got, &s.f),
			 ERR_OK);
	assert_false(got.exists);
	assert_int_equal(history_content(s.store, &got, HISTORY_AFTER, &s.mem,
					 &tidy, &s.f),
			 ERR_NO_CONTENT);
}

/* The new content may be given with the end. */
static void the_new_content_may_come_with_the_end(void **state)
{
	auto_state s = state_make();
	struct op op = { .kind = OP_UPDATE,
			 .path = STR("/a"),
			 .existed = true,
			 .exists = true };
	struct str after = STR("new"), got;
	struct history_ticket ticket;

	history_begin(s.store, &op, STR("old"), (struct str){ 0 }, &ticket);
	assert_int_equal(history_wait(s.store, ticket, &s.f), ERR_OK);
	assert_true(state_holds(&s, &op, HISTORY_BEFORE, STR("old")));
	assert_int_equal(history_content(s.store, &op, HISTORY_AFTER, &s.mem,
					 &got, &s.f),
			 ERR_NO_CONTENT);
	history_end(s.store, &op, OP_DONE, &after);
	assert_true(state_holds(&s, &op, HISTORY_AFTER, after));
	assert_true(state_holds(&s, &op, HISTORY_BEFORE, STR("old")));
}

/* C101: an undo is known from both sides. */
static void what_was_taken_back_says_by_which(void **state)
{
	auto_state s = state_make();
	struct op first = state_op(&s, "/a", "one", "two"), got;
	struct op undo = { .kind = OP_UPDATE,
			   .path = STR("/a"),
			   .undoes = first.id,
			   .existed = true,
			   .exists = true };
	struct history_ticket ticket;
	char text[UUID_TEXT + 1];

	uuid_text(first.id, text);
	history_begin(s.store, &undo, STR("two"), STR("one"), &ticket);
	assert_int_equal(history_wait(s.store, ticket, &s.f), ERR_OK);
	assert_int_equal(history_find(s.store, str_of(text), &s.mem, &got,
				      &s.f),
			 ERR_OK);
	assert_true(uuid_is_zero(got.undone)); /* not before it is done */
	history_end(s.store, &undo, OP_DONE, NULL);
	assert_int_equal(history_find(s.store, str_of(text), &s.mem, &got,
				      &s.f),
			 ERR_OK);
	assert_true(uuid_eq(got.undone, undo.id));
}

static size_t count(struct state *s, struct history_query q, const char *newest)
{
	struct op *list;
	size_t n;

	assert_int_equal(history_list(s->store, &q, &s->mem, &list, &n, &s->f),
			 ERR_OK);
	if (newest)
		assert_str(list[0].path, newest);
	return n;
}

static struct op begin_and_end(struct state *s, const char *path,
			       const char *session, const char *call,
			       uint64_t time_ms, enum op_state how)
{
	struct op op = { .kind = OP_CREATE,
			 .time_ms = time_ms,
			 .path = str_of(path),
			 .session = str_of(session),
			 .call = str_of(call),
			 .exists = true };
	struct history_ticket ticket;

	history_begin(s->store, &op, STR(""), STR("x"), &ticket);
	assert_int_equal(history_wait(s->store, ticket, &s->f), ERR_OK);
	if (how != OP_INTENT)
		history_end(s->store, &op, how, NULL);
	return op;
}

#define QUERY(...) ((struct history_query){ __VA_ARGS__ })

static void a_list_has_what_fits_newest_first(void **state)
{
	auto_state s = state_make();
	struct op *list, last;
	size_t n;

	(void)begin_and_end(&s, "/p/a", "s1", "c1", 1000, OP_DONE);
	(void)begin_and_end(&s, "/p/d/b", "s1", "c1", 2000, OP_DONE);
	(void)begin_and_end(&s, "/p/d/e/c", "s2", "c2", 3000, OP_DONE);
	(void)begin_and_end(&s, "/p/d.x", "s2", "c3", 4000, OP_DONE);
	(void)begin_and_end(&s, "/p/d", "s2", "c4", 5000, OP_DONE);
	(void)begin_and_end(&s, "/p/failed", "s2", "c5", 6000, OP_FAILED);
	(void)begin_and_end(&s, "/p/open", "s2", "c6", 7000, OP_INTENT);

	assert_int_equal(count(&s, QUERY(0), "/p/d"), 5);
	assert_int_equal(count(&s, QUERY(.intents = true), "/p/open"), 7);
	assert_int_equal(count(&s, QUERY(.path = STR("/p")), "/p/d"), 5);
	assert_int_equal(count(&s, QUERY(.path = STR("/")), "/p/d"), 5);
	assert_int_equal(count(&s, QUERY(.path = STR("/p/d")), "/p/d"), 3);
	assert_int_equal(count(&s, QUERY(.path = STR("/p/d/")), "/p/d"), 3);
	assert_int_equal(count(&s, QUERY(.path = STR("/p/d/e")), "/p/d/e/c"),
			 1);
	assert_int_equal(count(&s, QUERY(.path = STR("/p/%")), NULL), 0);
	assert_int_equal(count(&s, QUERY(.session = STR("s1")), "/p/d/b"), 2);
	assert_int_equal(count(&s, QUERY(.call = STR("c2")), "/p/d/e/c"), 1);
	assert_int_equal(count(&s, QUERY(.since_ms = 2000, .until_ms = 3000),
			       "/p/d/e/c"),
			 2);
	assert_int_equal(count(&s, QUERY(.skip = 1, .limit = 2), "/p/d.x"), 2);
	assert_int_equal(count(&s,
			       QUERY(.path = STR("/p/d"), .session = STR("s2"),
				     .since_ms = 5000),
			       "/p/d"),
			 1);
	assert_int_equal(history_list(s.store, &QUERY(0), &s.mem, &list, &n,
				      &s.f),
			 ERR_OK);
	for (size_t i = 1; i < n; i++)
		assert_true(list[i - 1].time_ms > list[i].time_ms);
	assert_int_equal(history_last(s.store, STR("/p/d"), &s.mem, &last,
				      &s.f),
			 ERR_OK);
	assert_str(last.call, "c4");
	assert_int_equal(history_last(s.store, STR("/p/open"), &s.mem, &last,
				      &s.f),
			 ERR_NO_OP);
}

/* Both query plans give the same answer. */
static void a_long_history_is_listed_alike(void **state)
{
	auto_state s = state_make();
	struct op *list;
	size_t n;

	(void)begin_and_end(&s, "/p/d/first", "s", "c", 1, OP_DONE);
	state_run(&s,
		  "WITH RECURSIVE i(i) AS (SELECT 2 UNION ALL"
		  " SELECT i + 1 FROM i WHERE i < 3000)"
		  "INSERT INTO op SELECT i + 10, randomblob(16), i, 1, 1,"
		  " '/p/d' || (i % 2) || '/f' || (i % 7), '', '', '', '', '',"
		  " NULL, NULL, 0, 0, x'', x'', 0, 0, 0, 0, NULL, NULL, 1, 1,"
		  " '', 0, 0, NULL, NULL, '' FROM i");
	(void)begin_and_end(&s, "/p/d1", "s", "c", 9000, OP_DONE);
	assert_int_equal(count(&s, QUERY(.limit = 9999), "/p/d1"), 3001);
	assert_int_equal(count(&s, QUERY(.path = STR("/p"), .limit = 9999),
			       "/p/d1"),
			 3001);
	assert_int_equal(count(&s, QUERY(.path = STR("/p/d1"), .limit = 9999),
			       "/p/d1"),
			 1500);
	assert_int_equal(count(&s, QUERY(.path = STR("/p/d0"), .limit = 9999),
			       "/p/d0/f4"),
			 1500);
	assert_int_equal(count(&s, QUERY(.path = STR("/p/d1/f3")), "/p/d1/f3"),
			 100);
	assert_int_equal(count(&s, QUERY(.path = STR("/p/d")), "/p/d/first"),
			 1);
	assert_int_equal(history_list(s.store,
				      &QUERY(.path = STR("/p/d1"), .skip = 1,
					     .limit = 500),
				      &s.mem, &list, &n, &s.f),
			 ERR_OK);
	assert_int_equal(n, 500);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(list[i].time_ms, 2999 - 2 * i);
}

/*
 * C66: any unique part of the id is accepted; the end of an id takes
 * precedence.
 */
static void an_operation_is_found_by_any_part_that_tells_it_apart(void **state)
{
	static const struct {
		const char *id;
		enum err want;
	} rules[] = {
		{ "01a1e20f-1d70-7000-8000-00000000abcd", ERR_OK },
		{ "01a1e20f-1d70-7000-8000-00000000abce", ERR_NO_OP },
		{ "01a1e20f", ERR_MANY_OPS }, /* the time is the same */
		{ "01a1", ERR_MANY_OPS },
		{ "01A", ERR_NO_OP }, /* too short */
		{ "", ERR_NO_OP },
		{ "abcd", ERR_OK }, /* also in another, which does not end so */
		{ "AB-cD", ERR_OK },
		{ "abcd1", ERR_OK },
		{ "71e5-9", ERR_OK },
		{ "ffff", ERR_MANY_OPS },
		{ "ffff5", ERR_OK },
		{ "abcg", ERR_NO_OP },
		{ "01a1e20f-1d70-7000-8000-00000000abcd0", ERR_NO_OP },
	};
	static const char *const ids[] = {
		"01a1e20f-1d70-7000-8000-00000000abcd",
		"01a1e20f-1d70-7000-8000-0000abcd1234",
		"01a1e20f-1d70-71e5-9000-0000ffff5678",
		"01a1e20f-1d70-7000-8000-0000ffff6789",
	};
	auto_state s = state_make();

	for (size_t i = 0; i < COUNT_OF(ids); i++) {
		struct op op = { .path = STR("/a"), .exists = true };
		struct history_ticket ticket;

		assert_true(uuid_parse(str_of(ids[i]), &op.id));
		history_begin(s.store, &op, STR(""), STR("x"), &ticket);
		assert_int_equal(history_wait(s.store, ticket, &s.f), ERR_OK);
	}
	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		struct op got;

		assert_int_equal(history_find(s.store, str_of(rules[i].id),
					      &s.mem, &got, &s.f),
				 rules[i].want);
	}
}

enum { THREADS = 6, EACH = 40 };

static void *work(void *arg)
{
	struct state *shared = arg;
	struct state s = { .store = shared->store, .dir = shared->dir };

	for (int i = 0; i < EACH; i++) {
		struct str after = arena_printf(&s.mem, "%p %d", (void *)&s, i);
		struct op op, got;

		assert_int_equal(state_try_op(&s, "/a", STR("x"), after, &op),
				 ERR_OK);
		if (i % 8 == 0) {
			assert_true(state_holds(&s, &op, HISTORY_AFTER, after));
			assert_int_equal(history_last(s.store, STR("/a"),
						      &s.mem, &got, &s.f),
					 ERR_OK);
		}
	}
	arena_free(&s.mem);
	return NULL;
}

static void several_threads_write_and_look(void **state)
{
	auto_state s = state_make();
	pthread_t threads[THREADS];

	s.options.durable = true;
	state_again(&s);
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, work, &s),
				 0);
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	state_again(&s);
	assert_int_equal(
		state_number(&s, "SELECT count(*) FROM op WHERE state = 1"),
		THREADS * EACH);
}

static int leave_an_intent(struct state *s)
{
	struct store *store = store_new(&s->options);
	struct op op = { .path = STR("/left"), .exists = true };
	struct history_ticket ticket;
	struct op *list;
	size_t n;

	history_begin(store, &op, STR(""), STR("announced"), &ticket);
	need(!history_wait(store, ticket, &s->f));
	/* It is an intent of this process, which is alive. */
	need(!history_open_intents(store, (struct uuid){ 0 }, SIZE_MAX, &s->mem,
				   &list, &n, &s->f));
	need(n == 0);
	return 0;
}

static void the_intents_of_the_dead_are_listed(void **state)
{
	auto_state s = state_make();
	struct op *list;
	size_t n;

	(void)begin_and_end(&s, "/ours", "", "", 0, OP_INTENT);
	state_again(&s);
	/* A process counts as alive as long as it has a store open. */
	assert_int_equal(store_usable(s.store, &s.f), ERR_OK);
	assert_int_equal(state_in_child(&s, leave_an_intent), 0);
	assert_int_equal(history_open_intents(s.store, (struct uuid){ 0 },
					      SIZE_MAX, &s.mem, &list, &n,
					      &s.f),
			 ERR_OK);
	assert_int_equal(n, 1);
	assert_str(list[0].path, "/left");
	assert_int_equal(list[0].state, OP_INTENT);
	assert_true(state_holds(&s, &list[0], HISTORY_AFTER, STR("announced")));
	history_end(s.store, &list[0], OP_FAILED, NULL);
	assert_int_equal(history_open_intents(s.store, (struct uuid){ 0 },
					      SIZE_MAX, &s.mem, &list, &n,
					      &s.f),
			 ERR_OK);
	assert_int_equal(n, 0);
}

static void they_are_found_by_who_and_by_text(void **state)
{
	auto_state s = state_make();

	(void)state_op(&s, "/p/One.c", NULL, "1");
	(void)state_op(&s, "/p/two.c", NULL, "2");
	assert_int_equal(count(&s, QUERY(.client = STR("a client")),
			       "/p/two.c"),
			 2);
	assert_int_equal(count(&s, QUERY(.client = STR("a cl")), NULL), 0);
	assert_int_equal(count(&s, QUERY(.text = STR("oNE")), "/p/One.c"), 1);
	assert_int_equal(count(&s, QUERY(.text = STR("write_")), "/p/two.c"),
			 2);
	assert_int_equal(count(&s, QUERY(.text = STR("client")), "/p/two.c"),
			 2);
	assert_int_equal(count(&s, QUERY(.text = STR("%")), NULL), 0);
	assert_int_equal(count(&s,
			       QUERY(.path = STR("/p/two.c"),
				     .text = STR("one")),
			       NULL),
			 0);
}

/* Of those from 1000 on. */
static void count_within(struct state *s, const struct history_query *q,
			 uint64_t until, size_t n, struct history_bucket *ret)
{
	struct history_query within = *q;

	within.since_ms = 1000;
	within.until_ms = until;
	assert_int_equal(history_count(s->store, &within, n, &s->mem, ret,
				       &s->f),
			 ERR_OK);
}

static void they_are_counted_by_kind_in_spans_of_time(void **state)
{
	auto_state s = state_make();
	struct history_bucket spans[4];

	(void)state_op(&s, "/a", NULL, "1");
	(void)state_op(&s, "/a", "1", "2");
	(void)state_op(&s, "/b", NULL, "3");
	state_run(&s, "UPDATE op SET time = 1000 + n * 10");
	count_within(&s, &(struct history_query){ 0 }, 1040, 4, spans);
	assert_int_equal(spans[0].kinds[OP_CREATE], 0);
	assert_int_equal(spans[1].kinds[OP_CREATE], 1);
	assert_int_equal(spans[2].kinds[OP_CREATE], 0);
	assert_int_equal(spans[2].kinds[OP_UPDATE], 1);
	assert_int_equal(spans[3].kinds[OP_CREATE], 1);
	/* operations at the end of this page are in the next one */
	count_within(&s, &(struct history_query){ 0 }, 1030, 1, spans);
	assert_int_equal(spans[0].kinds[OP_CREATE], 1);
	assert_int_equal(spans[0].kinds[OP_UPDATE], 1);
}

static void the_same_filters_hold_for_the_list_and_the_count(void **state)
{
	static const struct {
		struct history_query q;
		size_t created, updated;
	} rows[] = {
		{ { .limit = 9 }, 2, 1 },
		{ { .path = STR_INIT("/a") }, 1, 1 },
		{ { .path = STR_INIT("/dir") }, 1, 0 },
		{ { .text = STR_INIT("DIR") }, 1, 0 },
		{ { .kinds = 1 << OP_CREATE }, 2, 0 },
		{ { .kinds = 1 << OP_UPDATE | 1 << OP_DELETE }, 0, 1 },
		{ { .client = STR_INIT("nobody") }, 0, 0 },
		{ { .session = STR_INIT("none") }, 0, 0 },
	};
	auto_state s = state_make();
	struct history_bucket span;
	struct op *ops;
	size_t n;

	(void)state_op(&s, "/a", NULL, "1");
	(void)state_op(&s, "/a", "1", "2");
	(void)state_op(&s, "/dir/b", NULL, "3");
	state_run(&s, "UPDATE op SET time = 1000 + n * 10");
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		count_within(&s, &rows[i].q, 2000, 1, &span);
		assert_int_equal(span.kinds[OP_CREATE], rows[i].created);
		assert_int_equal(span.kinds[OP_UPDATE], rows[i].updated);
		assert_int_equal(history_list(s.store, &rows[i].q, &s.mem, &ops,
					      &n, &s.f),
				 ERR_OK);
		assert_int_equal(n, rows[i].created + rows[i].updated);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_group_is_found_by_its_first_operation),
		cmocka_unit_test(a_record_has_all_that_was_said),
		cmocka_unit_test(contents_of_all_sizes_come_back),
		cmocka_unit_test(the_same_content_is_kept_once),
		cmocka_unit_test(an_append_keeps_what_it_adds_only),
		cmocka_unit_test(the_end_may_differ_from_what_was_announced),
		cmocka_unit_test(the_new_content_may_come_with_the_end),
		cmocka_unit_test(what_was_taken_back_says_by_which),
		cmocka_unit_test(a_list_has_what_fits_newest_first),
		cmocka_unit_test(a_long_history_is_listed_alike),
		cmocka_unit_test(
			an_operation_is_found_by_any_part_that_tells_it_apart),
		cmocka_unit_test(several_threads_write_and_look),
		cmocka_unit_test(the_intents_of_the_dead_are_listed),
		cmocka_unit_test(they_are_found_by_who_and_by_text),
		cmocka_unit_test(they_are_counted_by_kind_in_spans_of_time),
		cmocka_unit_test(
			the_same_filters_hold_for_the_list_and_the_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
