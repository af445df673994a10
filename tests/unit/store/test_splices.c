/*
 * test_splices.c - a large content stored as splices of the previous one.
 */
#include "state.h"

#include "store/splices.h"

#include <stdio.h>

enum { LARGE = 3 * 1024 * 1024 };

/* Lines that are all different. */
static struct str text_of(struct state *s, size_t len)
{
	char *text = arena_alloc(&s->mem, len + 32);
	size_t at = 0;

	for (unsigned n = 0; at < len; n++)
		at += (size_t)snprintf(text + at, 32, "line %u\n", n * 7919);
	return str_make(text, len);
}

static const struct splice some[] = {
	{ 0, 0, STR_INIT("at the start\n") },
	{ 100, 228, STR_INIT("") },
	{ 5000, 5000, STR_INIT("between") },
	{ 6000, 6001, STR_INIT("and one byte for another") },
	{ LARGE - 5, LARGE, STR_INIT("end") },
};

/* An independent implementation to compare with. */
static struct str spliced(struct state *s, struct str from,
			  const struct splice *splices, size_t n)
{
	auto_buf out = BUF_INIT;
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		buf_add(&out, str_sub(from, at, splices[i].from));
		buf_add(&out, splices[i].with);
		at = splices[i].to;
	}
	buf_add(&out, str_skip(from, at));
	return arena_copy(&s->mem, buf_str(&out));
}

static struct op add(struct state *s, struct str before, struct str after,
		     const struct splice *splices, size_t n)
{
	struct op op = { .kind = OP_UPDATE,
			 .path = STR("/a"),
			 .existed = true,
			 .exists = true };
	struct history_ticket ticket;

	history_begin(s->store, &op, before, (struct str){ 0 }, &ticket);
	assert_int_equal(history_wait(s->store, ticket, &s->f), ERR_OK);
	history_end_spliced(s->store, &op, after, splices, n);
	return op;
}

static void it_takes_as_much_as_was_done(void **state)
{
	auto_state s = state_make();
	struct str before = text_of(&s, LARGE);
	struct str after = spliced(&s, before, some, COUNT_OF(some));
	struct op op = add(&s, before, after, some, COUNT_OF(some));
	struct history_gc gc = { 0 };

	assert_true(state_holds(&s, &op, HISTORY_AFTER, after));
	assert_true(state_holds(&s, &op, HISTORY_BEFORE, before));
	assert_int_equal(state_number(&s, "SELECT sum(stored) < 200 FROM blob"
					  " WHERE form = 4"),
			 1);
	/* and when the old content is compressed */
	assert_int_equal(history_gc(s.store, &gc, &s.f), ERR_OK);
	state_again(&s);
	assert_true(state_holds(&s, &op, HISTORY_AFTER, after));
	assert_true(state_holds(&s, &op, HISTORY_BEFORE, before));
}

/* The same can be done to several contents. */
static void each_is_made_of_its_own(void **state)
{
	auto_state s = state_make();
	struct str one = text_of(&s, LARGE), two = arena_copy(&s.mem, one);
	struct op a, b;

	((char *)two.ptr)[LARGE / 2] = '!';
	a = add(&s, one, spliced(&s, one, some, 4), some, 4);
	b = add(&s, two, spliced(&s, two, some, 4), some, 4);
	assert_int_equal(state_number(&s, "SELECT count(*) FROM blob"
					  " WHERE form = 4"),
			 1);
	assert_true(
		state_holds(&s, &a, HISTORY_AFTER, spliced(&s, one, some, 4)));
	assert_true(
		state_holds(&s, &b, HISTORY_AFTER, spliced(&s, two, some, 4)));
}

static void what_is_small_or_all_new_is_kept_whole(void **state)
{
	auto_state s = state_make();
	struct str large = text_of(&s, LARGE), small = str_head(large, 10000);
	struct splice most = { 10, LARGE - 10, str_head(large, LARGE / 2) };
	struct str after = spliced(&s, small, some, 3);
	struct op op = add(&s, small, after, some, 3);

	assert_true(state_holds(&s, &op, HISTORY_AFTER, after));
	after = spliced(&s, large, &most, 1);
	op = add(&s, large, after, &most, 1);
	assert_true(state_holds(&s, &op, HISTORY_AFTER, after));
	assert_int_equal(state_number(&s, "SELECT count(*) FROM blob"
					  " WHERE form = 4"),
			 0);
}

static void they_go_with_their_operation(void **state)
{
	auto_state s = state_make();
	struct str before = text_of(&s, LARGE);
	struct history_gc gc = { .older_ms = UINT64_MAX / 4 };

	(void)add(&s, before, spliced(&s, before, some, 4), some, 4);
	assert_int_equal(history_gc(s.store, &gc, &s.f), ERR_OK);
	assert_int_equal(gc.blobs, 2);
	assert_int_equal(state_number(&s, "SELECT count(*) FROM blob"), 0);
}

static void a_damaged_one_is_told(void **state)
{
	auto_state s = state_make();
	struct str before = text_of(&s, LARGE), got;
	struct op op = add(&s, before, spliced(&s, before, some, 4), some, 4);

	assert_int_equal(history_content(s.store, &op, HISTORY_AFTER, &s.mem,
					 &got, &s.f),
			 ERR_OK);
	state_run(&s, "UPDATE blob SET bytes = CAST(replace(bytes, 'between',"
		      " 'betwixt') AS BLOB) WHERE form = 4");
	assert_int_equal(history_content(s.store, &op, HISTORY_AFTER, &s.mem,
					 &got, &s.f),
			 ERR_STORE);
	assert_true(state_holds(&s, &op, HISTORY_BEFORE, before));
}

/* Splices must not be taken for a content with the same bytes. */
static void their_name_is_not_that_of_their_bytes(void **state)
{
	struct str bytes = STR("\x01\x02\x03");

	assert_false(digest_eq(splices_digest(bytes), digest_of(bytes)));
	assert_true(digest_eq(splices_digest(bytes), splices_digest(bytes)));
}

static void what_does_not_fit_makes_nothing(void **state)
{
	auto_state s = state_make();
	struct str from = text_of(&s, LARGE), got;
	struct str want = spliced(&s, from, some, COUNT_OF(some));
	auto_buf put = BUF_INIT;

	splices_put(&put, want.len, some, COUNT_OF(some));
	assert_true(splices_make(buf_str(&put), from, &s.mem, &got));
	assert_true(str_eq(got, want));
	assert_false(
		splices_make(buf_str(&put), str_skip(from, 1), &s.mem, &got));
	assert_false(
		splices_make(buf_str(&put), str_head(from, 500), &s.mem, &got));
	for (size_t n = 0; n < put.len; n++)
		assert_false(
			splices_make(str_make(put.ptr, n), from, &s.mem, &got));
	assert_false(splices_make(STR("\xff\xff\xff\xff\xff\xff\xff\xff\xff"
				      "\xff\x01"),
				  from, &s.mem, &got));
	assert_false(splices_make(STR("\x05\xff\xff\xff\xff\xff\xff\xff\xff"
				      "\x7f"),
				  STR("12345"), &s.mem, &got));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_takes_as_much_as_was_done),
		cmocka_unit_test(each_is_made_of_its_own),
		cmocka_unit_test(what_is_small_or_all_new_is_kept_whole),
		cmocka_unit_test(they_go_with_their_operation),
		cmocka_unit_test(a_damaged_one_is_told),
		cmocka_unit_test(their_name_is_not_that_of_their_bytes),
		cmocka_unit_test(what_does_not_fit_makes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
