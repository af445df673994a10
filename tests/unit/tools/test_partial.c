/*
 * test_partial.c - a change of which some hunks are approved: question, file,
 * history and read state.
 *
 * Also: to ask, no file is made.
 */
#include "past.h"

#include "store/approvals.h"
#include "tools/change/hunks.h"
#include "tools/reading/file_read.h"
#include "tools/reading/readstate.h"

#include <errno.h>
#include <sys/inotify.h>
#include <unistd.h>

#define MID "1\n2\n3\n4\n5\n6\n7\n"

static const char *const was = "a\n" MID "b\n" MID "c\n";
static const char *const would = "A\n" MID "B\n" MID "C\n";
static const char *const some = "A\n" MID "b\n" MID "C\n";

struct asked {
	struct past p;
	struct snapshot snap;
	struct change change;
	struct changed changed;
};

#define auto_asked cleanup(asked_end) struct asked

/* A file, and a call that needs an approval. */
static void asked_begin(struct asked *a, const char *before, const char *after)
{
	struct past *p = &a->p;

	*a = (struct asked){ 0 };
	past_begin(p);
	p->tool.asks = true;
	p->caller.reads = readstate_new(&(struct readstate_limits){ 0 });
	if (before)
		scratch_put(&p->scratch, "root/f", before);
	a->change.path = scratch_str(&p->scratch, "root/f");
	a->change.before = past_now(p, a->change.path, &a->snap);
	a->change.after = str_of(after);
	a->change.divisible = true;
}

static void asked_end(struct asked *a)
{
	readstate_free(a->p.caller.reads);
	past_end(&a->p);
}

static enum err run(struct asked *a)
{
	a->p.fault = (struct fault){ 0 };
	return change_file(&a->p.call, &a->change, &a->changed);
}

/* Run the call and put its question into the queue. */
static struct approval question(struct asked *a)
{
	const struct question *q = &a->p.call.question;
	struct approval row;

	assert_int_equal(run(a), ERR_ASK);
	row = (struct approval){ .digest = q->digest,
				 .binding = q->binding,
				 .diff = q->diff,
				 .parts = q->parts };
	assert_int_equal(approval_ask(a->p.store, &row, &a->p.mem, &a->p.fault),
			 ERR_OK);
	return row;
}

static void allow(struct asked *a, const struct approval *row,
		  const char *hunks)
{
	assert_int_equal(approval_decide(a->p.store, row->id, APPROVAL_ALLOWED,
					 STR(""), str_of(hunks), &a->p.fault),
			 ERR_OK);
}

static void only_what_was_taken_is_written(void **state)
{
	auto_asked a;
	const int64_t *numbers;
	struct approval row;
	struct str kept;
	struct op op;

	asked_begin(&a, was, would);
	row = question(&a);
	assert_int_equal(row.parts, 3);
	allow(&a, &row, "1,3");
	assert_file(&a.p, "root/f", was);
	assert_int_equal(run(&a), ERR_OK);
	assert_file(&a.p, "root/f", some);
	/* the result */
	numbers = a.changed.taken.hunks.items;
	assert_int_equal(a.changed.taken.hunks.count, 2);
	assert_int_equal(numbers[0], 1);
	assert_int_equal(numbers[1], 3);
	assert_int_equal(a.changed.taken.of, 3);
	assert_int_equal(a.changed.wrote, strlen(some));
	assert_true(a.changed.rewritten);
	assert_str(a.changed.now.bytes, some);
	assert_true(hash_eq(a.changed.now.version, hash_of(str_of(some))));
	assert_non_null(strstr(a.p.call.also.ptr, "only hunks 1 and 3 of 3"));
	/* the history */
	op = past_op(&a.p, a.changed.op);
	assert_true(hash_eq(op.after, hash_of(str_of(some))));
	assert_int_equal(history_content(a.p.store, &op, HISTORY_AFTER,
					 &a.p.mem, &kept, &a.p.fault),
			 ERR_OK);
	assert_str(kept, some);
}

static void a_yes_to_all_is_as_it_was(void **state)
{
	auto_asked a;
	struct approval row;

	asked_begin(&a, was, would);
	row = question(&a);
	allow(&a, &row, "");
	assert_int_equal(run(&a), ERR_OK);
	assert_file(&a.p, "root/f", would);
	assert_int_equal(a.changed.taken.of, 0);
	assert_false(a.changed.rewritten);
	assert_str(a.p.call.also, "");
	assert_int_equal(a.changed.wrote, strlen(would));
}

/* C60: the hunks were those of another diff. */
static void what_changed_meanwhile_is_asked_anew(void **state)
{
	auto_asked a;
	struct approval row;

	asked_begin(&a, was, would);
	row = question(&a);
	allow(&a, &row, "1");
	scratch_put(&a.p.scratch, "root/f", "mine\n");
	a.change.before = past_now(&a.p, a.change.path, &a.snap);
	assert_int_equal(run(&a), ERR_ASK);
	assert_file(&a.p, "root/f", "mine\n");
	/* the old approval is used up */
	scratch_put(&a.p.scratch, "root/f", was);
	a.change.before = past_now(&a.p, a.change.path, &a.snap);
	assert_int_equal(run(&a), ERR_ASK);
	assert_file(&a.p, "root/f", was);
}

/* Invalid hunk numbers: fail closed. */
static void a_choice_that_does_not_fit_is_none(void **state)
{
	static const struct {
		size_t parts;
		const char *hunks;
	} rows[] = { { 2, "1" }, { 3, "4" }, { 3, "x" }, { 0, "1" } };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		auto_asked a;
		struct approval row;

		asked_begin(&a, was, would);
		assert_int_equal(run(&a), ERR_ASK);
		row = (struct approval){ .digest = a.p.call.question.digest,
					 .binding = a.p.call.question.binding,
					 .diff = a.p.call.question.diff,
					 .parts = rows[i].parts };
		assert_int_equal(approval_ask(a.p.store, &row, &a.p.mem,
					      &a.p.fault),
				 ERR_OK);
		allow(&a, &row, rows[i].hunks);
		assert_int_equal(run(&a), ERR_ASK);
		assert_file(&a.p, "root/f", was);
	}
}

/* A retry after a lost race uses the same approval. */
static void the_second_try_of_a_call_has_the_same_hunks(void **state)
{
	auto_asked a;
	struct approval row;

	asked_begin(&a, was, would);
	row = question(&a);
	allow(&a, &row, "1,3");
	scratch_put(&a.p.scratch, "root/f", "mine\n"); /* after it was loaded */
	assert_int_equal(run(&a), ERR_CHANGED);
	assert_true(a.p.call.lost_race);
	scratch_put(&a.p.scratch, "root/f", was);
	assert_int_equal(run(&a), ERR_OK);
	assert_file(&a.p, "root/f", some);
	assert_int_equal(a.changed.taken.of, 3);
}

/* ... but not for another question. */
static void the_next_question_begins_with_no_hunks(void **state)
{
	auto_asked a;
	struct approval row;

	asked_begin(&a, was, would);
	row = question(&a);
	allow(&a, &row, "1");
	scratch_put(&a.p.scratch, "root/f", "mine\n");
	assert_int_equal(run(&a), ERR_CHANGED);
	a.change.before = past_now(&a.p, a.change.path, &a.snap);
	row = question(&a);
	allow(&a, &row, "");
	assert_int_equal(run(&a), ERR_OK);
	assert_file(&a.p, "root/f", would);
	assert_int_equal(a.changed.taken.of, 0);
}

static void not_everything_can_be_cut(void **state)
{
	static char many[40000];
	auto_asked a;

	asked_begin(&a, NULL, "new\n"); /* no file yet */
	assert_int_equal(question(&a).parts, 0);
	asked_end(&a);
	asked_begin(&a, was, would); /* the caller could not report it */
	a.change.divisible = false;
	assert_int_equal(question(&a).parts, 0);
	asked_end(&a);
	asked_begin(&a, was, "");
	a.change.remove = true;
	a.change.divisible = false;
	assert_int_equal(question(&a).parts, 0);
	asked_end(&a);
	memset(many, '\n', sizeof(many) - 1); /* shown piece by piece */
	asked_begin(&a, was, many);
	assert_int_equal(question(&a).parts, 1);
	asked_end(&a);
	asked_begin(&a, "a\n", "b\n");
	assert_int_equal(question(&a).parts, 1);
}

/* The read state after a partly approved change. */
static void what_is_left_of_an_unread_file_is_not_known(void **state)
{
	static const struct {
		bool whole, read, knows;
	} rows[] = {
		{ .whole = true, .read = true, .knows = true },
		{ .whole = true, .read = false, .knows = false },
		{ .whole = false, .read = true, .knows = true },
		{ .whole = false, .read = false, .knows = true },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		auto_asked a;
		struct read_entry entry;
		struct approval row;
		bool knows;

		asked_begin(&a, was, would);
		a.change.whole = rows[i].whole;
		if (rows[i].read)
			file_read_record(&a.p.call, &a.snap);
		row = question(&a);
		allow(&a, &row, "2");
		assert_int_equal(run(&a), ERR_OK);
		knows = readstate_get(a.p.caller.reads, a.snap.key, &a.p.mem,
				      &entry);
		assert_int_equal(knows, rows[i].knows);
		if (knows)
			assert_true(
				hash_eq(entry.version, a.changed.now.version));
	}
}

/* An inotify watch for any change in the root. */
struct watched {
	int fd;
};

static struct watched watch_root(struct past *p)
{
	struct watched w = { inotify_init1(IN_NONBLOCK | IN_CLOEXEC) };

	assert_true(w.fd >= 0);
	assert_true(inotify_add_watch(w.fd, p->scratch.root.ptr,
				      IN_CREATE | IN_MOVE | IN_DELETE |
					      IN_MODIFY | IN_ATTRIB) >= 0);
	return w;
}

static void assert_untouched(struct watched *w)
{
	char events[4096];

	assert_int_equal(read(w->fd, events, sizeof(events)), -1);
	assert_int_equal(errno, EAGAIN);
	(void)close(w->fd);
}

/* A52: whether a question is worth asking is found out without a file. */
static void asking_makes_no_file(void **state)
{
	static const char *const before[] = { NULL, "old\n" };

	for (size_t i = 0; i < COUNT_OF(before); i++) {
		auto_asked a;
		struct watched w;

		asked_begin(&a, before[i], "new\n");
		w = watch_root(&a.p);
		assert_int_equal(run(&a), ERR_ASK);
		assert_untouched(&w);
		assert_file(&a.p, "root/f", before[i]);
	}
}

static void asking_to_append_makes_no_file(void **state)
{
	static const char *const before[] = { NULL, "old\n" };

	for (size_t i = 0; i < COUNT_OF(before); i++) {
		auto_asked a;
		struct appended appended;
		struct addition addition = { .want = { .bytes = STR("1\n") } };
		struct changed changed;
		struct watched w;

		asked_begin(&a, before[i], "");
		addition.path = a.change.path;
		w = watch_root(&a.p);
		assert_int_equal(change_append(&a.p.call, &addition, &appended,
					       &changed),
				 ERR_ASK);
		assert_untouched(&w);
		assert_file(&a.p, "root/f", before[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_was_taken_is_written),
		cmocka_unit_test(a_yes_to_all_is_as_it_was),
		cmocka_unit_test(what_changed_meanwhile_is_asked_anew),
		cmocka_unit_test(a_choice_that_does_not_fit_is_none),
		cmocka_unit_test(the_second_try_of_a_call_has_the_same_hunks),
		cmocka_unit_test(the_next_question_begins_with_no_hunks),
		cmocka_unit_test(not_everything_can_be_cut),
		cmocka_unit_test(what_is_left_of_an_unread_file_is_not_known),
		cmocka_unit_test(asking_makes_no_file),
		cmocka_unit_test(asking_to_append_makes_no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
