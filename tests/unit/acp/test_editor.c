/*
 * test_editor.c - requests to the editor from another thread than the
 * loop's.
 */
#include "fake_editor.h"

#include <sched.h>
#include <unistd.h>

/* Timeout in ms of responses that never come. */
enum { SOON = 1000 };

static void a_read_returns_the_buffer_and_names_the_session(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct str text, why;
	struct fake_editor d;

	fake_editor_open(&d, &(struct fake_editor_want){ 0 });
	fake_editor_type(&d, "root/a", "un\"saved\n");
	assert_int_equal(editor_read(d.editor, scratch_str(&d.s, "root/a"),
				     NULL, &mem, &text, &why),
			 EDITOR_OK);
	assert_str(text, "un\"saved\n");
	/* X11; A12: without line or limit */
	assert_str(buf_str(&d.asked),
		   arena_printf(&mem, "{\"sessionId\":\"s1\",\"path\":\"%s\"}",
				scratch_path(&d.s, "root/a"))
			   .ptr);
	fake_editor_close(&d);
}

static void a_write_reaches_the_disk(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct str why;
	struct fake_editor d;

	fake_editor_open(&d, &(struct fake_editor_want){ 0 });
	assert_int_equal(editor_write(d.editor, scratch_str(&d.s, "root/a"),
				      STR("x\n"), NULL, &mem, &why),
			 EDITOR_OK);
	assert_string_equal(scratch_get(&d.s, "root/a"), "x\n");
	fake_editor_close(&d);
}

static const struct {
	enum fake_editor_way way;
	enum editor_end end;
	const char *why;
	unsigned cancels;
} ways[] = {
	{ FAKE_EDITOR_REFUSES, EDITOR_REFUSED, "no such thing here", 0 },
	{ FAKE_EDITOR_MUMBLES, EDITOR_REFUSED, "The response has no content",
	  0 },
	{ FAKE_EDITOR_SILENT, EDITOR_LATE, "", 1 },
	{ FAKE_EDITOR_HANGS_UP, EDITOR_CANNOT, "", 0 },
};

static void nothing(struct fake_editor *d)
{
}

static void failures_are_distinguished(void **state)
{
	for (size_t i = 0; i < COUNT_OF(ways); i++) {
		auto_arena mem = ARENA_INIT;
		struct str text, why = STR("");
		struct fake_editor d;

		fake_editor_open(
			&d, &(struct fake_editor_want){
				    .read_ms = ways[i].way == FAKE_EDITOR_SILENT
						       ? SOON
						       : 0 });
		scratch_put(&d.s, "root/a", "x\n");
		d.reads_how = ways[i].way;
		assert_int_equal(editor_read(d.editor,
					     scratch_str(&d.s, "root/a"), NULL,
					     &mem, &text, &why),
				 ways[i].end);
		assert_str(why, ways[i].why);
		fake_editor_on_loop(&d, nothing); /* the request is sent ... */
		for (int n = 0; d.cancels < ways[i].cancels && n < 5000; n++)
			(void)usleep(1000); /* ... and received */
		assert_int_equal(d.cancels, ways[i].cancels);
		fake_editor_close(&d);
	}
}

/* A16 */
static void a_missing_capability_is_not_requested(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct str text, why;
	struct fake_editor d;

	fake_editor_open(&d, &(struct fake_editor_want){ .no_reads = true,
							 .no_writes = true });
	assert_false(editor_can_read(d.editor));
	assert_false(editor_can_write(d.editor));
	assert_int_equal(editor_read(d.editor, scratch_str(&d.s, "root/a"),
				     NULL, &mem, &text, &why),
			 EDITOR_CANNOT);
	assert_int_equal(editor_write(d.editor, scratch_str(&d.s, "root/a"),
				      STR("x"), NULL, &mem, &why),
			 EDITOR_CANNOT);
	assert_int_equal(d.reads + d.writes, 0);
	fake_editor_close(&d);
}

static bool at_once(void *ctx)
{
	return true;
}

static void a_cancelled_call_does_not_wait(void **state)
{
	const struct progress progress = { .stop = at_once };
	auto_arena mem = ARENA_INIT;
	struct str text, why;
	struct fake_editor d;

	fake_editor_open(&d, &(struct fake_editor_want){ .read_ms = 3600000 });
	d.reads_how = FAKE_EDITOR_SILENT;
	assert_int_equal(editor_read(d.editor, scratch_str(&d.s, "root/a"),
				     &progress, &mem, &text, &why),
			 EDITOR_STOPPED);
	fake_editor_close(&d);
}

struct waiter {
	struct fake_editor *fake;
	pthread_t thread;
	enum editor_end end;
};

static void *wait_for_it(void *ctx)
{
	struct waiter *w = ctx;
	auto_arena mem = ARENA_INIT;
	struct str text, why;

	w->end = editor_read(w->fake->editor, STR("/somewhere"), NULL, &mem,
			     &text, &why);
	return NULL;
}

/* Eight calls wait when the session ends. */
static void disconnecting_ends_all_waiting_calls(void **state)
{
	struct waiter waiters[8];
	struct fake_editor d;

	fake_editor_open(&d, &(struct fake_editor_want){ .read_ms = 3600000 });
	d.reads_how = FAKE_EDITOR_SILENT;
	for (size_t i = 0; i < COUNT_OF(waiters); i++) {
		waiters[i].fake = &d;
		assert_int_equal(pthread_create(&waiters[i].thread, NULL,
						wait_for_it, &waiters[i]),
				 0);
	}
	while (d.reads < COUNT_OF(waiters))
		(void)sched_yield();
	fake_editor_cut(&d);
	for (size_t i = 0; i < COUNT_OF(waiters); i++) {
		(void)pthread_join(waiters[i].thread, NULL);
		assert_int_equal(waiters[i].end, EDITOR_CANNOT);
	}
	assert_false(editor_can_read(d.editor));
	fake_editor_close(&d);
}

static void answer_all(struct fake_editor *d)
{
	jsonrpc_reply(d->there, STR("1"), STR("{\"content\":\"late\"}"));
}

static void a_late_response_is_ignored(void **state)
{
	enum editor_end end = EDITOR_LATE;
	auto_arena mem = ARENA_INIT;
	struct str text, why;
	struct fake_editor d;

	fake_editor_open(&d, &(struct fake_editor_want){ .read_ms = SOON });
	d.reads_how = FAKE_EDITOR_SILENT;
	assert_int_equal(editor_read(d.editor, scratch_str(&d.s, "root/a"),
				     NULL, &mem, &text, &why),
			 EDITOR_LATE);
	fake_editor_on_loop(&d, answer_all);
	d.reads_how = FAKE_EDITOR_ANSWERS;
	fake_editor_type(&d, "root/a", "new");
	for (int n = 0; end == EDITOR_LATE && n < 100; n++)
		end = editor_read(d.editor, scratch_str(&d.s, "root/a"), NULL,
				  &mem, &text, &why);
	assert_int_equal(end, EDITOR_OK);
	assert_str(text, "new");
	fake_editor_close(&d);
}

/* Requests and cancellations, while responses arrive and the editor goes. */
static bool now_and_then(void *ctx)
{
	unsigned *n = ctx;

	return ++*n % 3 == 0;
}

static void *storm(void *ctx)
{
	struct waiter *w = ctx;
	unsigned n = 0;
	const struct progress progress = { .stop = now_and_then, .ctx = &n };

	for (int i = 0; i < 200; i++) {
		auto_arena mem = ARENA_INIT;
		struct str text, why;

		if (i % 4)
			w->end = editor_read(w->fake->editor, STR("/some"),
					     &progress, &mem, &text, &why);
		else
			w->end = editor_write(w->fake->editor, STR("/no/such"),
					      STR("x"), &progress, &mem, &why);
	}
	return NULL;
}

static void concurrent_requests_and_cancels_leak_nothing(void **state)
{
	static const enum fake_editor_way kinds[] = { FAKE_EDITOR_ANSWERS,
						      FAKE_EDITOR_REFUSES,
						      FAKE_EDITOR_MUMBLES };

	for (unsigned round = 0; round < 6; round++) {
		struct waiter waiters[4];
		struct fake_editor d;

		fake_editor_open(&d, &(struct fake_editor_want){
					     .read_ms = 1, .write_ms = 1 });
		d.makes_any = true;
		d.reads_how = kinds[round % COUNT_OF(kinds)];
		for (size_t i = 0; i < COUNT_OF(waiters); i++) {
			waiters[i].fake = &d;
			assert_int_equal(pthread_create(&waiters[i].thread,
							NULL, storm,
							&waiters[i]),
					 0);
		}
		for (int n = 0; d.reads < 50 && n < 1000; n++)
			(void)usleep(100);
		if (round >= COUNT_OF(kinds))
			fake_editor_cut(&d);
		for (size_t i = 0; i < COUNT_OF(waiters); i++)
			(void)pthread_join(waiters[i].thread, NULL);
		fake_editor_close(&d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_read_returns_the_buffer_and_names_the_session),
		cmocka_unit_test(a_write_reaches_the_disk),
		cmocka_unit_test(failures_are_distinguished),
		cmocka_unit_test(a_missing_capability_is_not_requested),
		cmocka_unit_test(a_cancelled_call_does_not_wait),
		cmocka_unit_test(disconnecting_ends_all_waiting_calls),
		cmocka_unit_test(a_late_response_is_ignored),
		cmocka_unit_test(concurrent_requests_and_cancels_leak_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
