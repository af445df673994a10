/*
 * test_jsonrpc.c - requests and responses over lines, with real pipes and
 * processes.
 */
#include "../unit.h"

#include "acp/jsonrpc.h"
#include "base/fd.h"
#include "base/spawner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct fixture {
	struct loop *loop;
	struct stream *near, *far;
	struct jsonrpc *here, *there;
	struct arena mem;
	struct buf heard; /* notifications and requests that @there received */
	struct buf answers;
	unsigned cuts, awaited;
	struct child_process *process;
	struct buf said;
	int status;
};

static void from_near(void *ctx, struct str bytes)
{
	struct fixture *t = ctx;

	jsonrpc_receive(t->here, bytes);
}

static void from_far(void *ctx, struct str bytes)
{
	struct fixture *t = ctx;

	jsonrpc_receive(t->there, bytes);
}

static void near_ended(void *ctx)
{
	struct fixture *t = ctx;

	jsonrpc_disconnect(t->here);
	loop_stop(t->loop);
}

static void far_ended(void *ctx)
{
}

static void on_message(void *ctx, const struct jsonrpc_message *m)
{
	struct fixture *t = ctx;

	buf_addf(&t->heard, "%.*s(%.*s);", STR_ARG(m->method),
		 STR_ARG(json_raw(m->params)));
	if (!m->id.len)
		return;
	if (str_is(m->method, "echo"))
		jsonrpc_reply(t->there, m->id, json_raw(m->params));
	else if (str_is(m->method, "no"))
		jsonrpc_error(t->there, m->id, -7, STR("not that"), STR("[1]"));
}

static int set_up(void **state)
{
	struct fixture *t = test_calloc(1, sizeof(*t));
	struct jsonrpc_options options = {
		.handler = { .message = on_message, .ctx = t },
		.max_line = 4096,
	};
	int fds[2];

	t->loop = loop_new();
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0,
				    fds),
			 0);
	t->here = jsonrpc_new(t->loop, &options);
	t->there = jsonrpc_new(t->loop, &options);
	t->near = stream_open(t->loop, fds[0], fds[0],
			      &(struct stream_handler){ from_near, near_ended,
							t });
	t->far =
		stream_open(t->loop, fds[1], fds[1],
			    &(struct stream_handler){ from_far, far_ended, t });
	jsonrpc_connect(t->here, t->near);
	jsonrpc_connect(t->there, t->far);
	*state = t;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *t = *state;

	child_process_free(t->process);
	stream_close(t->near);
	stream_close(t->far);
	jsonrpc_free(t->here);
	jsonrpc_free(t->there);
	loop_free(t->loop);
	buf_free(&t->heard);
	buf_free(&t->answers);
	buf_free(&t->said);
	arena_free(&t->mem);
	test_free(t);
	return 0;
}

static void on_answer(void *ctx, const struct jsonrpc_response *a)
{
	static const char *const ends[] = { "ok", "no", "late", "cut" };
	struct fixture *t = ctx;

	buf_addf(&t->answers, "%s %lld %.*s %.*s;", ends[a->end],
		 (long long)a->code, STR_ARG(json_raw(a->result)),
		 STR_ARG(a->message));
	if (!--t->awaited)
		loop_stop(t->loop);
}

static void each_question_has_its_own_answer(void **state)
{
	struct fixture *t = *state;
	uint64_t forgotten;

	t->awaited = 3;
	(void)jsonrpc_request(t->here, "echo", STR("{\"a\":1}"), 0, on_answer,
			      t);
	forgotten =
		jsonrpc_request(t->here, "echo", STR("[2]"), 0, on_answer, t);
	jsonrpc_forget(t->here, forgotten);
	jsonrpc_notify(t->here, "told", STR("{}"));
	(void)jsonrpc_request(t->here, "no", STR(""), 0, on_answer, t);
	(void)jsonrpc_request(t->here, "silence", STR("{}"), 50, on_answer, t);
	loop_run(t->loop);
	assert_true(str_is(buf_str(&t->answers),
			   "ok 0 {\"a\":1} ;no -7  not that;late 0  ;"));
	assert_true(
		str_is(buf_str(&t->heard),
		       "echo({\"a\":1});echo([2]);told({});no();silence({});"));
}

static void when_it_is_cut_all_are_answered(void **state)
{
	struct fixture *t = *state;

	t->awaited = 3;
	(void)jsonrpc_request(t->here, "silence", STR(""), 0, on_answer, t);
	(void)jsonrpc_request(t->here, "silence", STR(""), 60000, on_answer, t);
	stream_close(t->far);
	t->far = NULL;
	loop_run(t->loop);
	assert_true(str_is(buf_str(&t->answers), "cut 0  ;cut 0  ;"));
	(void)jsonrpc_request(t->here, "echo", STR(""), 0, on_answer, t);
	assert_int_equal(t->awaited, 1); /* not before the loop goes on */
}

static void what_is_no_message_is_told(void **state)
{
	static const char *const bad[] = {
		"{", "[]", "{\"method\":\"x\"}",
		"{\"jsonrpc\":\"2.0\",\"method\":1}"
	};
	struct fixture *t = *state;

	for (size_t i = 0; i < COUNT_OF(bad); i++)
		jsonrpc_send_line(t->here, str_of(bad[i]));
	t->awaited = 1;
	(void)jsonrpc_request(t->here, "echo", STR("1"), 0, on_answer, t);
	loop_run(t->loop);
	assert_true(str_is(buf_str(&t->answers), "ok 0 1 ;"));
	assert_true(str_is(buf_str(&t->heard), "echo(1);"));
}

static void on_bytes(void *ctx, struct str bytes)
{
	struct fixture *t = ctx;

	buf_add(&t->heard, bytes);
}

static void on_said(void *ctx, struct str bytes)
{
	struct fixture *t = ctx;

	buf_add(&t->said, bytes);
}

static void on_exited(void *ctx, int status)
{
	struct fixture *t = ctx;

	t->status = status;
	loop_stop(t->loop);
}

/* Also what the spawner may start, in the second round. */
static const char *const talker[] = {
	"/bin/sh", "-c",
	"read line; echo \"got $line\"; echo $STET_SAID >&2; exit 3", NULL
};
static const char *const stayer[] = {
	"/bin/sh", "-c", "trap '' TERM; while :; do sleep 0.05; done", NULL
};
static const char *const *const commands[] = { talker, stayer };

static struct child_process *start(struct fixture *t, const char *const *argv,
				   const char *const *env)
{
	return child_process_start(t->loop, &(struct child_process_options){
						    .argv = argv,
						    .env = env,
						    .out = { .bytes = on_bytes,
							     .ctx = t },
						    .err_bytes = on_said,
						    .exited = on_exited,
						    .ctx = t });
}

static void a_program_is_talked_to(void **state)
{
	static const char *const env[] = { "STET_SAID=oh", NULL };
	struct fixture *t = *state;

	t->process = start(t, talker, env);
	assert_non_null(t->process);
	assert_true(
		stream_write(child_process_stream(t->process), STR("hello\n")));
	loop_run(t->loop);
	assert_int_equal(t->status, 3);
	assert_true(str_is(buf_str(&t->heard), "got hello\n"));
	assert_true(str_is(buf_str(&t->said), "oh\n"));
}

static void without_variables_it_has_ours(void **state)
{
	struct fixture *t = *state;

	t->process = start(t, talker, NULL);
	assert_non_null(t->process);
	stream_finish(child_process_stream(t->process));
	loop_run(t->loop);
	assert_int_equal(t->status, 3);
	assert_true(str_is(buf_str(&t->said), "ours\n"));
}

/* Freeing a connection ends its process and waits for it. */
static void one_that_is_freed_is_gone(void **state)
{
	static const char *const env[] = { NULL };
	struct fixture *t = *state;

	t->process = start(t, stayer, env);
	assert_non_null(t->process);
	child_process_free(t->process);
	t->process = NULL;
}

static void from_here_on_a_spawner_starts_them(void **state)
{
	assert_true(spawner_start(commands, COUNT_OF(commands)));
}

static void a_spawner_starts_nothing_else(void **state)
{
	static const char *const other[] = { "/bin/sh", "-c", "true", NULL };
	static const char *const env[] = { "PATH=/elsewhere", NULL };
	struct fixture *t = *state;

	assert_null(start(t, other, NULL));
	assert_int_equal(errno, EPERM);
	assert_null(start(t, talker, env));
	assert_int_equal(errno, EPERM);
}

static void one_that_does_not_end_is_ended(void **state)
{
	static const char *const env[] = { NULL };
	struct fixture *t = *state;

	t->process = start(t, stayer, env);
	assert_non_null(t->process);
	child_process_end(t->process, 50);
	loop_run(t->loop);
	assert_int_equal(t->status, 128 + 9);
}

static void one_that_is_not_there_is_told(void **state)
{
	struct fixture *t = *state;
	const char *argv[] = { "/nowhere/at/all", NULL };
	const char *env[] = { NULL };

	assert_null(child_process_start(t->loop,
					&(struct child_process_options){
						.argv = argv, .env = env }));
	assert_int_equal(errno, ENOENT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#define PROGRAM_TESTS                                                      \
	TEST(a_program_is_talked_to), TEST(without_variables_it_has_ours), \
		TEST(one_that_does_not_end_is_ended),                      \
		TEST(one_that_is_freed_is_gone),                           \
		TEST(one_that_is_not_there_is_told)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_question_has_its_own_answer),
		TEST(when_it_is_cut_all_are_answered),
		TEST(what_is_no_message_is_told),
		PROGRAM_TESTS,
		cmocka_unit_test(from_here_on_a_spawner_starts_them),
		PROGRAM_TESTS,
		TEST(a_spawner_starts_nothing_else),
	};

	(void)setenv("STET_SAID", "ours", /* overwrite= */ 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
