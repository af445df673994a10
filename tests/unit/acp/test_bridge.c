/*
 * The MCP servers that Codex starts, and where they come back to: real
 * sockets, real threads and files.
 */
#include "../files/scratch.h"
#include "../parsed.h"

#include "acp/bridge.h"
#include "base/fd.h"
#include "rpc/job.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

struct fixture {
	struct scratch s;
	struct loop *loop;
	pthread_t thread;
	struct server server;
	struct bridge *bridge;
	struct bridge_session *session;
	struct arena mem;
	char word[128], path[256];
	enum ask_answer answer; /* that the person gives; 0 = none yet */
	struct job *asked;
	atomic_uint asks, unasks, left;
	struct loop_task later;
};

static struct fixture *from_task(struct loop_task *task)
{
	return (struct fixture *)((char *)task -
				  offsetof(struct fixture, later));
}

static void answer_later(struct loop_task *task)
{
	struct fixture *x = from_task(task);

	bridge_answer(x->asked, x->answer);
}

static void on_ask(void *ctx, struct job *job)
{
	struct fixture *x = ctx;

	x->asked = job;
	x->later.run = answer_later;
	if (x->answer)
		loop_later(x->loop, &x->later);
	x->asks++;
}

static void on_unask(void *ctx, struct job *job)
{
	struct fixture *x = ctx;

	assert_ptr_equal(x->asked, job);
	x->asked = NULL;
	x->unasks++;
}

static void on_left(void *ctx)
{
	struct fixture *x = ctx;

	x->left++;
}

static void *run(void *ctx)
{
	loop_run(((struct fixture *)ctx)->loop);
	return NULL;
}

static int set_up(void **state)
{
	struct fixture *x = test_calloc(1, sizeof(*x));
	struct str why;

	(void)signal(SIGPIPE, SIG_IGN); /* as loop_signals() does */
	x->s = scratch_make();
	x->loop = loop_new();
	x->server = (struct server){
		.version = "1",
		.tools = { .max_file = 1 << 20, .max_reply = 1 << 20 },
		.ws = x->s.ws,
		.ask_ms = 600000,
	};
	state_book_open(&x->server.states, 600000);
	x->bridge = bridge_new(x->loop, &x->mem, &why);
	assert_non_null(x->bridge);
	x->session = bridge_join(x->bridge,
				 &(struct bridge_want){ .server = &x->server,
							.ask = on_ask,
							.unask = on_unask,
							.ctx = x });
	(void)snprintf(x->word, sizeof(x->word), STR_FMT,
		       STR_ARG(bridge_word(x->session)));
	(void)snprintf(x->path, sizeof(x->path), STR_FMT,
		       STR_ARG(bridge_socket(x->bridge)));
	assert_int_equal(pthread_create(&x->thread, NULL, run, x), 0);
	*state = x;
	return 0;
}

struct on_loop {
	struct loop_task task; /* first */
	struct fixture *x;
	void (*fn)(struct fixture *);
	atomic_bool done;
};

static void run_task(struct loop_task *task)
{
	struct on_loop *t = (struct on_loop *)task;

	t->fn(t->x);
	atomic_store(&t->done, true);
}

static void on_loop(struct fixture *x, void (*fn)(struct fixture *))
{
	struct on_loop t = { .task.run = run_task, .x = x, .fn = fn };

	loop_later(x->loop, &t.task);
	while (!atomic_load(&t.done))
		(void)usleep(200);
}

static void leave(struct fixture *x)
{
	bridge_leave(x->session, on_left, x);
	x->session = NULL;
}

static void end(struct fixture *x)
{
	bridge_free(x->bridge);
	loop_stop(x->loop);
}

static int tear_down(void **state)
{
	struct fixture *x = *state;

	if (x->session)
		on_loop(x, leave);
	for (int n = 0; !x->left && n < 10000; n++)
		(void)usleep(1000);
	assert_int_equal(x->left, 1);
	on_loop(x, end);
	(void)pthread_join(x->thread, NULL);
	loop_free(x->loop);
	/* and nothing is left of it */
	assert_int_equal(access(x->path, F_OK), -1);
	*strrchr(x->path, '/') = '\0';
	assert_int_equal(access(x->path, F_OK), -1);
	arena_free(&x->mem);
	scratch_end(&x->s);
	test_free(x);
	return 0;
}

static int reach(struct fixture *x)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	memcpy(at.sun_path, x->path, strlen(x->path));
	assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	return fd;
}

static void put(int fd, const char *line)
{
	assert_int_equal(fd_write(fd, str_of(line)), 0);
	assert_int_equal(fd_write(fd, STR("\n")), 0);
}

/* The next line, or "" at the end. */
static struct str get(struct fixture *x, int fd)
{
	auto_buf line = BUF_INIT;
	char c;

	while (fd_read(fd, &c, 1) == 1 && c != '\n')
		buf_addc(&line, c);
	return arena_copy(&x->mem, buf_str(&line));
}

static int enter(struct fixture *x)
{
	int fd = reach(x);

	put(fd, x->word);
	assert_str(get(x, fd), "ok");
	put(fd,
	    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}");
	assert_true(json_str_is(json_get(json_get(parsed(get(x, fd), &x->mem),
						  "result"),
					 "protocolVersion"),
				"2025-06-18"));
	return fd;
}

static void call(struct fixture *x, int fd, int id, const char *tool,
		 const char *name, const char *more)
{
	put(fd,
	    arena_printf(
		    &x->mem,
		    "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\",\"arguments\":{\"path\":\"%s\"%s}}}",
		    id, tool, scratch_path(&x->s, name), more)
		    .ptr);
}

/* X10: 0600 in a directory of ours alone. */
static void the_socket_is_private(void **state)
{
	struct fixture *x = *state;
	struct stat st;
	char dir[256];

	assert_int_equal(stat(x->path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	(void)snprintf(dir, sizeof(dir), "%s", x->path);
	*strrchr(dir, '/') = '\0';
	assert_int_equal(stat(dir, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(strlen(x->word), 64);
}

static void only_the_word_opens_it(void **state)
{
	static const char *const words[] = { "", "wrong", "{}" };
	struct fixture *x = *state;

	for (size_t i = 0; i < COUNT_OF(words); i++) {
		int fd = reach(x);

		put(fd, words[i]);
		assert_str(get(x, fd), "");
		(void)close(fd);
	}
	(void)close(reach(x)); /* and who says nothing */
	(void)close(enter(x));
}

static void calls_are_answered_in_order(void **state)
{
	struct fixture *x = *state;
	struct json v;
	int fd = enter(x);

	for (int i = 1; i <= 50; i++) {
		call(x, fd, 2 * i, "write_text_file", "root/a",
		     arena_printf(&x->mem, ",\"content\":\"%d\"", i).ptr);
		call(x, fd, 2 * i + 1, "read_text_file", "root/a", "");
	}
	for (int i = 2; i <= 101; i++) {
		int64_t id;

		v = parsed(get(x, fd), &x->mem);
		assert_true(json_int(json_get(v, "id"), &id));
		assert_int_equal(id, i);
		if (i % 2)
			assert_true(json_str_is(
				json_get(json_get(json_get(v, "result"),
						  "structuredContent"),
					 "content"),
				arena_printf(&x->mem, "%d", i / 2).ptr));
	}
	(void)close(fd);
}

static void entry(struct fixture *x, int fd, int id)
{
	put(fd,
	    arena_printf(
		    &x->mem,
		    "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"write_memory_entry\",\"arguments\":{\"file\":\"decisions.jsonl\",\"entry\":\"{}\"}}}",
		    id)
		    .ptr);
}

/* X12: the question goes to whoever made the bridge. */
static void a_question_is_asked_here(void **state)
{
	static const struct {
		enum ask_answer answer;
		bool error;
	} answers[] = { { ASK_ONCE, false }, { ASK_DENY, true } };
	struct fixture *x = *state;
	int fd = enter(x);

	for (size_t i = 0; i < COUNT_OF(answers); i++) {
		struct str reply;

		x->answer = answers[i].answer;
		entry(x, fd, 5);
		reply = get(x, fd);
		assert_int_equal(x->asks, i + 1);
		assert_int_equal(memmem(reply.ptr, reply.len, "Denied by user",
					14) != NULL,
				 answers[i].error);
	}
	(void)close(fd);
}

static void cancel(struct fixture *x)
{
	bridge_cancel(x->session);
}

static void what_waits_for_the_person_can_be_given_up(void **state)
{
	struct fixture *x = *state;
	int fd = enter(x);

	entry(x, fd, 5);
	while (!x->asks)
		(void)usleep(500);
	on_loop(x, cancel);
	assert_int_equal(x->unasks, 1);
	/* the client hangs up */
	entry(x, fd, 6);
	while (x->asks < 2)
		(void)usleep(500);
	(void)close(fd);
	while (x->unasks < 2)
		(void)usleep(500);
	/* the session ends */
	fd = enter(x);
	entry(x, fd, 7);
	while (x->asks < 3)
		(void)usleep(500);
	on_loop(x, leave);
	assert_int_equal(x->unasks, 3);
	assert_str(get(x, fd), "");
	(void)close(fd);
}

static atomic_bool held = false;

/* A hook that takes its time, or until somebody gives up. */
static enum err slow_load(struct workspace *ws, struct str path, uint64_t max,
			  const struct errand *errand, struct arena *mem,
			  struct snapshot *ret, struct fault *f)
{
	if (errand && errand->patience)
		return fail(f, ERR_LATER, .path = path);
	atomic_store(&held, true);
	for (int n = 0; errand && !errand->stop(errand->ctx) && n < 20000; n++)
		(void)usleep(500);
	return fail(f, ERR_CANCELLED, .path = path);
}

/* Calls that run are given up; then, and not before, it has left. */
static void a_session_that_leaves_takes_its_calls_along(void **state)
{
	static const struct workspace_ops slow_ops = { .load = slow_load };
	struct workspace slow = { &slow_ops, "slow" };
	struct fixture *x = *state;
	int fd = enter(x);

	x->server.ws = &slow;
	atomic_store(&held, false);
	call(x, fd, 3, "read_text_file", "root/a", "");
	while (!atomic_load(&held))
		(void)usleep(500);
	on_loop(x, leave);
	assert_str(get(x, fd), "");
	while (!x->left)
		(void)usleep(500);
	(void)close(fd);
	/* its word is good for nothing any more */
	fd = reach(x);
	put(fd, x->word);
	assert_str(get(x, fd), "");
	(void)close(fd);
}

/* In a child: carry between these descriptors; its exit status. */
static pid_t carry(struct fixture *x, const char *word, int in, int out)
{
	char agent[16], said[128];
	pid_t pid = fork();

	if (pid)
		return pid;
	(void)dup2(in, STDIN_FILENO);
	(void)dup2(out, STDOUT_FILENO);
	(void)close_range(3, ~0U, 0);
	(void)snprintf(agent, sizeof(agent), "%ld", (long)getppid());
	(void)snprintf(said, sizeof(said), "%s", word);
	_exit(bridge_carry(&(struct bridge_call){ x->path, agent, said },
			   /* confined= */ true)
		      ? 0
		      : 9);
}

static int status_of(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WEXITSTATUS(status);
}

static void a_bridge_carries_both_ways(void **state)
{
	struct fixture *x = *state;
	int in[2], out[2];
	pid_t pid;

	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	pid = carry(x, x->word, in[0], out[1]);
	(void)close(in[0]);
	(void)close(out[1]);
	put(in[1], "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
	assert_str(get(x, out[0]),
		   "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
	/* what was said before the end is answered, then it ends */
	put(in[1], "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}");
	(void)close(in[1]);
	assert_str(get(x, out[0]),
		   "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
	assert_str(get(x, out[0]), "");
	assert_int_equal(status_of(pid), 0);
	(void)close(out[0]);
}

/* X10: what is sent is still there for whoever serves in its place. */
static void a_bridge_that_leads_nowhere_takes_nothing(void **state)
{
	struct fixture *x = *state;
	char said[8];
	int in[2];

	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(fd_write(in[1], STR("hello")), 0);
	assert_int_equal(status_of(carry(x, "wrong", in[0], 1)), 9);
	x->path[strlen(x->path) - 1]++; /* nobody is there */
	assert_int_equal(status_of(carry(x, x->word, in[0], 1)), 9);
	x->path[strlen(x->path) - 1]--;
	assert_int_equal(fd_read(in[0], said, sizeof(said)), 5);
	(void)close(in[0]);
	(void)close(in[1]);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		CASE(the_socket_is_private),
		CASE(only_the_word_opens_it),
		CASE(calls_are_answered_in_order),
		CASE(a_question_is_asked_here),
		CASE(what_waits_for_the_person_can_be_given_up),
		CASE(a_session_that_leaves_takes_its_calls_along),
		CASE(a_bridge_carries_both_ways),
		CASE(a_bridge_that_leads_nowhere_takes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
