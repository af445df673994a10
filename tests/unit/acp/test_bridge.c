/*
 * test_bridge.c - the bridge between Codex's MCP servers and the agent.
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
	enum ask_answer answer; /* the user's answer; 0 = none yet */
	struct job *asked;
	atomic_uint asks, unasks, left;
	struct mail later;
};

static struct fixture *from_mail(struct mail *mail)
{
	return (struct fixture *)((char *)mail -
				  offsetof(struct fixture, later));
}

static void answer_later(struct mail *mail)
{
	struct fixture *x = from_mail(mail);

	bridge_answer(x->asked, x->answer);
}

static void on_ask(void *ctx, struct job *job)
{
	struct fixture *x = ctx;

	x->asked = job;
	x->later.deliver = answer_later;
	if (x->answer)
		loop_post(x->loop, &x->later);
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
	request_state_issuer_open(&x->server.request_states, 600000);
	x->bridge = bridge_new(x->loop, &x->mem, &why);
	assert_non_null(x->bridge);
	x->session = bridge_join(x->bridge,
				 &(struct bridge_want){ .server = &x->server,
							.ask = on_ask,
							.unask = on_unask,
							.ctx = x });
	(void)snprintf(x->word, sizeof(x->word), STR_FMT,
		       STR_ARG(bridge_secret(x->session)));
	(void)snprintf(x->path, sizeof(x->path), STR_FMT,
		       STR_ARG(bridge_socket(x->bridge)));
	assert_int_equal(pthread_create(&x->thread, NULL, run, x), 0);
	*state = x;
	return 0;
}

struct on_loop {
	struct mail mail; /* first: it is cast */
	struct fixture *x;
	void (*fn)(struct fixture *);
	atomic_bool done;
};

static void run_task(struct mail *mail)
{
	struct on_loop *t = (struct on_loop *)mail;

	t->fn(t->x);
	atomic_store(&t->done, true);
}

static void on_loop(struct fixture *x, void (*fn)(struct fixture *))
{
	struct on_loop t = { .mail.deliver = run_task, .x = x, .fn = fn };

	loop_post(x->loop, &t.mail);
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
	/* socket and directory are removed */
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

/* X10: mode 0600 in a directory of mode 0700. */
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

static void only_the_secret_authenticates(void **state)
{
	static const char *const words[] = { "", "wrong", "{}" };
	struct fixture *x = *state;

	for (size_t i = 0; i < COUNT_OF(words); i++) {
		int fd = reach(x);

		put(fd, words[i]);
		assert_str(get(x, fd), "");
		(void)close(fd);
	}
	(void)close(reach(x)); /* a connection that sends nothing */
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

/* X12 */
static void a_question_goes_to_the_owner_of_the_bridge(void **state)
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

static void a_waiting_question_can_be_cancelled(void **state)
{
	struct fixture *x = *state;
	int fd = enter(x);

	entry(x, fd, 5);
	while (!x->asks)
		(void)usleep(500);
	on_loop(x, cancel);
	assert_int_equal(x->unasks, 1);
	/* the client disconnects */
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

/* A load that blocks until it is cancelled. */
static enum err slow_load(struct workspace *ws, struct str path, uint64_t max,
			  const struct progress *progress, struct arena *mem,
			  struct snapshot *ret, struct fault *f)
{
	if (progress && progress->byte_limit)
		return fail(f, ERR_LATER, .path = path);
	atomic_store(&held, true);
	for (int n = 0; progress && !progress->stop(progress->ctx) && n < 20000;
	     n++)
		(void)usleep(500);
	return fail(f, ERR_CANCELLED, .path = path);
}

/* left() is called after the last call has ended. */
static void leaving_cancels_running_calls(void **state)
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
	/* its secret is no longer valid */
	fd = reach(x);
	put(fd, x->word);
	assert_str(get(x, fd), "");
	(void)close(fd);
}

/* Run the bridge in a child process on these descriptors. */
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
	_exit(bridge_proxy_run(&(struct bridge_env){ x->path, agent, said },
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

static void the_bridge_copies_both_ways(void **state)
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
	/* requests before the end of input are answered, then it ends */
	put(in[1], "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}");
	(void)close(in[1]);
	assert_str(get(x, out[0]),
		   "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
	assert_str(get(x, out[0]), "");
	assert_int_equal(status_of(pid), 0);
	(void)close(out[0]);
}

/* X10: the input is left for the server that takes over. */
static void a_bridge_without_agent_reads_nothing(void **state)
{
	struct fixture *x = *state;
	char said[8];
	int in[2];

	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(fd_write(in[1], STR("hello")), 0);
	assert_int_equal(status_of(carry(x, "wrong", in[0], 1)), 9);
	x->path[strlen(x->path) - 1]++; /* nobody listens */
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
		CASE(only_the_secret_authenticates),
		CASE(calls_are_answered_in_order),
		CASE(a_question_goes_to_the_owner_of_the_bridge),
		CASE(a_waiting_question_can_be_cancelled),
		CASE(leaving_cancels_running_calls),
		CASE(the_bridge_copies_both_ways),
		CASE(a_bridge_without_agent_reads_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
