/*
 * Asking the editor from another thread than the loop's.
 */
#include "desk.h"

#include <sched.h>
#include <unistd.h>

/* ms, for answers that never come: long enough to ask, on any machine. */
enum { SOON = 1000 };

static void a_read_is_the_buffer_and_names_the_session(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct str text, why;
	struct desk d;

	desk_open(&d, &(struct desk_want){ 0 });
	desk_type(&d, "root/a", "un\"saved\n");
	assert_int_equal(editor_read(d.editor, scratch_str(&d.s, "root/a"),
				     NULL, &mem, &text, &why),
			 EDITOR_OK);
	assert_str(text, "un\"saved\n");
	/* X11: and nothing but the whole of it is asked for (A12) */
	assert_str(buf_str(&d.asked),
		   arena_printf(&mem, "{\"sessionId\":\"s1\",\"path\":\"%s\"}",
				scratch_path(&d.s, "root/a"))
			   .ptr);
	desk_close(&d);
}

static void a_write_reaches_the_disk(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct str why;
	struct desk d;

	desk_open(&d, &(struct desk_want){ 0 });
	assert_int_equal(editor_write(d.editor, scratch_str(&d.s, "root/a"),
				      STR("x\n"), NULL, &mem, &why),
			 EDITOR_OK);
	assert_string_equal(scratch_get(&d.s, "root/a"), "x\n");
	desk_close(&d);
}

static const struct {
	enum desk_way way;
	enum editor_end end;
	const char *why;
	unsigned cancels;
} ways[] = {
	{ DESK_REFUSES, EDITOR_REFUSED, "no such thing here", 0 },
	{ DESK_MUMBLES, EDITOR_REFUSED, "The answer has no content", 0 },
	{ DESK_SILENT, EDITOR_LATE, "", 1 },
	{ DESK_HANGS_UP, EDITOR_CANNOT, "", 0 },
};

static void nothing(struct desk *d)
{
}

static void what_is_no_answer_is_told_apart(void **state)
{
	for (size_t i = 0; i < COUNT_OF(ways); i++) {
		auto_arena mem = ARENA_INIT;
		struct str text, why = STR("");
		struct desk d;

		desk_open(&d,
			  &(struct desk_want){
				  .read_ms = ways[i].way == DESK_SILENT ? SOON
									: 0 });
		scratch_put(&d.s, "root/a", "x\n");
		d.reads_how = ways[i].way;
		assert_int_equal(editor_read(d.editor,
					     scratch_str(&d.s, "root/a"), NULL,
					     &mem, &text, &why),
				 ways[i].end);
		assert_str(why, ways[i].why);
		desk_on_loop(&d, nothing); /* it is sent ... */
		for (int n = 0; d.cancels < ways[i].cancels && n < 5000; n++)
			(void)usleep(1000); /* ... and comes in */
		assert_int_equal(d.cancels, ways[i].cancels);
		desk_close(&d);
	}
}

/* A16 */
static void what_it_cannot_do_is_not_asked_for(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct str text, why;
	struct desk d;

	desk_open(&d,
		  &(struct desk_want){ .no_reads = true, .no_writes = true });
	assert_false(editor_can_read(d.editor));
	assert_false(editor_can_write(d.editor));
	assert_int_equal(editor_read(d.editor, scratch_str(&d.s, "root/a"),
				     NULL, &mem, &text, &why),
			 EDITOR_CANNOT);
	assert_int_equal(editor_write(d.editor, scratch_str(&d.s, "root/a"),
				      STR("x"), NULL, &mem, &why),
			 EDITOR_CANNOT);
	assert_int_equal(d.reads + d.writes, 0);
	desk_close(&d);
}

static bool at_once(void *ctx)
{
	return true;
}

static void who_gives_up_does_not_wait(void **state)
{
	const struct errand errand = { .stop = at_once };
	auto_arena mem = ARENA_INIT;
	struct str text, why;
	struct desk d;

	desk_open(&d, &(struct desk_want){ .read_ms = 3600000 });
	d.reads_how = DESK_SILENT;
	assert_int_equal(editor_read(d.editor, scratch_str(&d.s, "root/a"),
				     &errand, &mem, &text, &why),
			 EDITOR_STOPPED);
	desk_close(&d);
}

struct waiter {
	struct desk *desk;
	pthread_t thread;
	enum editor_end end;
};

static void *wait_for_it(void *ctx)
{
	struct waiter *w = ctx;
	auto_arena mem = ARENA_INIT;
	struct str text, why;

	w->end = editor_read(w->desk->editor, STR("/somewhere"), NULL, &mem,
			     &text, &why);
	return NULL;
}

/* Eight that wait when the session ends are let go, all of them. */
static void a_cut_lets_everybody_go(void **state)
{
	struct waiter waiters[8];
	struct desk d;

	desk_open(&d, &(struct desk_want){ .read_ms = 3600000 });
	d.reads_how = DESK_SILENT;
	for (size_t i = 0; i < COUNT_OF(waiters); i++) {
		waiters[i].desk = &d;
		assert_int_equal(pthread_create(&waiters[i].thread, NULL,
						wait_for_it, &waiters[i]),
				 0);
	}
	while (d.reads < COUNT_OF(waiters))
		(void)sched_yield();
	desk_cut(&d);
	for (size_t i = 0; i < COUNT_OF(waiters); i++) {
		(void)pthread_join(waiters[i].thread, NULL);
		assert_int_equal(waiters[i].end, EDITOR_CANNOT);
	}
	assert_false(editor_can_read(d.editor));
	desk_close(&d);
}

static void answer_all(struct desk *d)
{
	wire_reply(d->there, STR("1"), STR("{\"content\":\"late\"}"));
}

/* An answer to nobody is nobody's. */
static void an_answer_after_that_harms_nobody(void **state)
{
	enum editor_end end = EDITOR_LATE;
	auto_arena mem = ARENA_INIT;
	struct str text, why;
	struct desk d;

	desk_open(&d, &(struct desk_want){ .read_ms = SOON });
	d.reads_how = DESK_SILENT;
	assert_int_equal(editor_read(d.editor, scratch_str(&d.s, "root/a"),
				     NULL, &mem, &text, &why),
			 EDITOR_LATE);
	desk_on_loop(&d, answer_all);
	d.reads_how = DESK_ANSWERS;
	desk_type(&d, "root/a", "new");
	for (int n = 0; end == EDITOR_LATE && n < 100; n++)
		end = editor_read(d.editor, scratch_str(&d.s, "root/a"), NULL,
				  &mem, &text, &why);
	assert_int_equal(end, EDITOR_OK);
	assert_str(text, "new");
	desk_close(&d);
}

/* Some ask and some give up at once, while answers come and the wire goes. */
static bool now_and_then(void *ctx)
{
	unsigned *n = ctx;

	return ++*n % 3 == 0;
}

static void *storm(void *ctx)
{
	struct waiter *w = ctx;
	unsigned n = 0;
	const struct errand errand = { .stop = now_and_then, .ctx = &n };

	for (int i = 0; i < 200; i++) {
		auto_arena mem = ARENA_INIT;
		struct str text, why;

		if (i % 4)
			w->end = editor_read(w->desk->editor, STR("/some"),
					     &errand, &mem, &text, &why);
		else
			w->end = editor_write(w->desk->editor, STR("/no/such"),
					      STR("x"), &errand, &mem, &why);
	}
	return NULL;
}

static void a_storm_leaves_nothing_behind(void **state)
{
	static const enum desk_way kinds[] = { DESK_ANSWERS, DESK_REFUSES,
					       DESK_MUMBLES };

	for (unsigned round = 0; round < 6; round++) {
		struct waiter waiters[4];
		struct desk d;

		desk_open(&d,
			  &(struct desk_want){ .read_ms = 1, .write_ms = 1 });
		d.makes_any = true;
		d.reads_how = kinds[round % COUNT_OF(kinds)];
		for (size_t i = 0; i < COUNT_OF(waiters); i++) {
			waiters[i].desk = &d;
			assert_int_equal(pthread_create(&waiters[i].thread,
							NULL, storm,
							&waiters[i]),
					 0);
		}
		for (int n = 0; d.reads < 50 && n < 1000; n++)
			(void)usleep(100);
		if (round >= COUNT_OF(kinds))
			desk_cut(&d);
		for (size_t i = 0; i < COUNT_OF(waiters); i++)
			(void)pthread_join(waiters[i].thread, NULL);
		desk_close(&d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_read_is_the_buffer_and_names_the_session),
		cmocka_unit_test(a_write_reaches_the_disk),
		cmocka_unit_test(what_is_no_answer_is_told_apart),
		cmocka_unit_test(what_it_cannot_do_is_not_asked_for),
		cmocka_unit_test(who_gives_up_does_not_wait),
		cmocka_unit_test(a_cut_lets_everybody_go),
		cmocka_unit_test(an_answer_after_that_harms_nobody),
		cmocka_unit_test(a_storm_leaves_nothing_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
