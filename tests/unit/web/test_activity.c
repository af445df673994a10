/*
 * test_activity.c - each call is listed once, while it runs and for a while
 * after.
 */
#include "../parsed.h"
#include "../unit.h"

#include "store/client_name.h"
#include "web/activity.h"

#include <pthread.h>

struct out {
	struct str content;
	int64_t lines;
};

static const struct field fields[] = {
	{ "path", FIELD_PATH, .required = true },
	FIELDS_END,
};
static const struct field out_fields[] = {
	{ "content", FIELD_STR, .offset = offsetof(struct out, content) },
	{ "lines", FIELD_INT, .offset = offsetof(struct out, lines) },
	FIELDS_END,
};
static const struct tool tool = { .name = "read_text_file",
				  .fields = fields,
				  .out = out_fields };
static const struct caller caller = { .client = STR_INIT("codex 1.0"),
				      .session = STR_INIT("s"),
				      .scope = STR_INIT("http:me:codex") };

/* A call on its way through @s. */
struct run {
	struct arena mem;
	struct out out;
	struct call call;
	struct tool_event event;
};

static void begin_by(struct run *r, struct server *s, const struct caller *by)
{
	*r = (struct run){ .out = { STR("12345"), 1 } };
	r->call = (struct call){
		.tool = &tool, .mem = &r->mem, .caller = by, .out = &r->out
	};
	r->event = (struct tool_event){
		.tool = &tool,
		.call = &r->call,
		.arguments = parsed(STR("{\"path\":\"/p/f\"}"), &r->mem),
	};
	s->events->begin(s->events, &r->event);
}

static void begin(struct run *r, struct server *s)
{
	begin_by(r, s, &caller);
}

static void end(struct run *r, struct server *s, const struct fault *f)
{
	r->event.fault = f;
	s->events->end(s->events, &r->event);
	arena_free(&r->mem);
}

static void show(const struct activity_call *c, struct buf *out)
{
	struct json_out o = json_out(out);

	buf_clear(out, 4096);
	activity_put(&o, c);
}

static bool has(const struct buf *b, const char *what)
{
	return memmem(b->ptr, b->len, what, strlen(what));
}

static void a_call_runs_asks_and_ends(void **state)
{
	struct activity *a = activity_new();
	struct server s = { 0 };
	struct activity_call *list;
	auto_arena mem = ARENA_INIT;
	auto_buf out = BUF_INIT;
	struct run one, two;
	size_t n;

	activity_join(a, &s);
	begin(&one, &s);
	begin(&two, &s);
	s.events->asks(s.events, &two.event);
	activity_list(a, &mem, &list, &n);
	assert_int_equal(n, 2);
	assert_int_equal(list[0].state, ACTIVITY_RUNNING);
	assert_int_equal(list[1].state, ACTIVITY_ASKING);
	show(&list[0], &out);
	assert_true(has(
		&out,
		"{\"id\":\"1\",\"tool\":\"read_text_file\","
		"\"path\":\"/p/f\",\"client\":\"codex 1.0\","
		"\"session\":\"s\",\"name\":\"me\","
		"\"token\":\"me\",\"who\":\"me \xc2\xb7 calls itself codex 1.0\","
		"\"began\":"));
	assert_true(has(&out, "\"bytes_in\":15,\"state\":\"running\"}"));
	end(&two, &s,
	    &(struct fault){ .err = ERR_NOT_FOUND, .path = STR("/p/f") });
	end(&one, &s, NULL);
	activity_list(a, &mem, &list, &n);
	assert_int_equal(n, 2);
	show(&list[0], &out);
	assert_true(has(&out, "\"state\":\"ok\",\"ms\":"));
	assert_true(has(&out, "\"bytes_out\":5}"));
	show(&list[1], &out);
	assert_true(has(&out, "\"state\":\"failed\",\"ms\":"));
	assert_true(has(&out, "\"error\":{\"code\":-32001,"
			      "\"message\":\"File not found: /p/f\"}}"));
	assert_int_equal(activity_counts(a).calls, 2);
	assert_int_equal(activity_counts(a).failed, 1);
	begin(&one, &s);
	end(&one, &s,
	    &(struct fault){
		    .err = ERR_DENIED, .path = STR("/p/f"), .reason = "rule" });
	activity_list(a, &mem, &list, &n);
	assert_int_equal(list[2].state, ACTIVITY_DENIED);
	assert_int_equal(activity_counts(a).failed, 1);
	assert_int_equal(activity_counts(a).denied, 1);
	activity_leave(a, &s);
	assert_null(s.events);
	assert_null(s.tools.event_log);
	activity_free(a);
}

/* As client_words() says it, whose rules are tested with it. */
static void a_call_names_its_client_as_everything_else_does(void **state)
{
	static const struct str scopes[] = { STR_INIT("http:me:codex"),
					     STR_INIT("stdio:codex"),
					     STR_INIT("") };
	static const struct str names[] = { STR_INIT("codex"), STR_INIT("") };
	struct activity *a = activity_new();
	struct server s = { 0 };
	struct run run;

	activity_join(a, &s);
	for (size_t i = 0; i < COUNT_OF(scopes) * COUNT_OF(names); i++) {
		const struct caller by = { .client = names[i % 2],
					   .scope = scopes[i / 2] };
		struct activity_call *list;
		auto_arena mem = ARENA_INIT;
		auto_buf out = BUF_INIT;
		struct str want;
		size_t n;

		begin_by(&run, &s, &by);
		activity_list(a, &mem, &list, &n);
		show(&list[n - 1], &out);
		want = arena_printf(&mem, "\"who\":\"" STR_FMT "\"",
				    STR_ARG(client_words(by.scope, by.client,
							 &mem)));
		assert_true(has(&out, want.ptr));
		end(&run, &s, NULL);
	}
	activity_leave(a, &s);
	activity_free(a);
}

/*
 * Calls that the person, a hook or the client refuses, and calls that need
 * approval.
 */
static void denials_and_questions_are_no_failures(void **state)
{
	static const struct {
		enum err err;
		const char *shown;
	} rows[] = {
		{ ERR_REFUSED, "\"state\":\"denied\",\"ms\":" },
		{ ERR_DECLINED, "\"state\":\"denied\",\"ms\":" },
		{ ERR_HOOK, "\"state\":\"denied\",\"ms\":" },
		{ ERR_APPROVAL, "\"state\":\"asked\",\"ms\":" },
	};
	struct activity *a = activity_new();
	struct server s = { 0 };
	struct activity_call *list;
	auto_arena mem = ARENA_INIT;
	auto_buf out = BUF_INIT;
	struct run run;
	size_t n;

	activity_join(a, &s);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		begin(&run, &s);
		end(&run, &s,
		    &(struct fault){ .err = rows[i].err, .text = STR("x") });
		activity_list(a, &mem, &list, &n);
		show(&list[i], &out);
		assert_true(has(&out, rows[i].shown));
		assert_true(has(&out, "\"message\":"));
	}
	assert_int_equal(activity_counts(a).failed, 0);
	assert_int_equal(activity_counts(a).denied, 3);
	assert_int_equal(activity_counts(a).asked, 1);
	activity_leave(a, &s);
	activity_free(a);
}

/* A long-running call is not evicted by the many that came after it. */
static void the_latest_are_kept_and_all_that_run(void **state)
{
	struct activity *a = activity_new();
	struct server s = { 0 };
	struct activity_call *list;
	auto_arena mem = ARENA_INIT;
	struct run slow, quick;
	size_t n;

	activity_join(a, &s);
	begin(&slow, &s);
	for (int i = 0; i < 3 * ACTIVITY_KEPT; i++) {
		begin(&quick, &s);
		end(&quick, &s, NULL);
	}
	activity_list(a, &mem, &list, &n);
	assert_int_equal(n, ACTIVITY_KEPT);
	assert_int_equal(list[0].number, 1);
	assert_int_equal(list[0].state, ACTIVITY_RUNNING);
	for (size_t i = 1; i < n; i++)
		assert_int_equal(list[i].number,
				 3 * ACTIVITY_KEPT + 1 - (n - 1) + i);
	end(&slow, &s, NULL);
	activity_leave(a, &s);
	activity_free(a);
}

static void count_states(void *ctx, const struct activity_call *call)
{
	((unsigned *)ctx)[call->state]++;
}

static void *many(void *server)
{
	struct run r;

	for (int i = 0; i < 500; i++) {
		begin(&r, server);
		end(&r, server,
		    i % 5 ? NULL : &(struct fault){ .err = ERR_IO });
	}
	return NULL;
}

static void who_listens_hears_of_each_from_all_threads(void **state)
{
	struct activity *a = activity_new();
	unsigned heard[ACTIVITY_FAILED + 1] = { 0 };
	struct server s = { 0 };
	pthread_t threads[4];

	activity_join(a, &s);
	activity_listen(a, count_states, heard);
	for (size_t i = 0; i < COUNT_OF(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, many, &s),
				 0);
	for (size_t i = 0; i < COUNT_OF(threads); i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(heard[ACTIVITY_RUNNING], 2000);
	assert_int_equal(heard[ACTIVITY_OK], 1600);
	assert_int_equal(heard[ACTIVITY_FAILED], 400);
	activity_listen(a, NULL, NULL);
	(void)many(&s);
	assert_int_equal(heard[ACTIVITY_RUNNING], 2000);
	assert_int_equal(activity_counts(a).calls, 2500);
	activity_leave(a, &s);
	activity_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_runs_asks_and_ends),
		cmocka_unit_test(
			a_call_names_its_client_as_everything_else_does),
		cmocka_unit_test(denials_and_questions_are_no_failures),
		cmocka_unit_test(the_latest_are_kept_and_all_that_run),
		cmocka_unit_test(who_listens_hears_of_each_from_all_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
