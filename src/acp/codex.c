/*
 * codex.c - runs `codex app-server` and sends it requests.
 *
 * Requests are queued until Codex has answered initialize, retried with backoff
 * while it is overloaded, and ended when its process ends. Runs on the loop.
 */
#include "acp/codex.h"

#include "text/encoding/utf8.h"

#include <stdlib.h>
#include <unistd.h>

enum {
	MAX_LINE = 64 << 20,
	MAX_STDERR = 4096, /* bytes of stderr that are kept */
	OVERLOADED = -32001,
	MAX_TRIES = 6,
	FIRST_RETRY_MS = 100,
	END_STEP_MS = 300, /* before each of SIGTERM and SIGKILL */
};

struct codex {
	struct codex_options options;
	struct arena mem;
	const char *argv[3]; /* argv[0] NULL = not found */
	struct str why;
	struct child_process *process;
	struct jsonrpc *rpc;
	struct buf stderr_tail;
	struct codex_request *queue, **queue_end; /* not sent yet */
	struct codex_request *open;               /* all open requests */
	bool ready, ending;
	void (*ended)(void *ctx);
	void *ended_ctx;
};

/* A request, which may have to be retried. */
struct codex_request {
	struct codex_request *next;      /* in the queue */
	struct codex_request *next_open; /* in the list of open requests */
	struct codex *codex;
	jsonrpc_done *done;
	void *ctx;
	struct loop_timer *timer;
	unsigned tries;
	const char *method;
	struct buf params;
};

/* The request must be unlinked already. */
static void request_answer(struct codex_request *r,
			   const struct jsonrpc_response *a)
{
	loop_timer_stop(r->timer);
	r->done(r->ctx, a);
	buf_free(&r->params);
	free(r);
}

static void request_finish(struct codex_request *r,
			   const struct jsonrpc_response *a)
{
	struct codex_request **at = &r->codex->open;

	while (*at != r)
		at = &(*at)->next_open;
	*at = r->next_open;
	request_answer(r, a);
}

static void request_send(struct codex_request *r);

static void on_retry(void *ctx)
{
	struct codex_request *r = ctx;

	r->timer = NULL;
	request_send(r);
}

static void on_codex_response(void *ctx, const struct jsonrpc_response *a)
{
	struct codex_request *r = ctx;

	if (a->end == JSONRPC_ERROR && a->code == OVERLOADED &&
	    ++r->tries < MAX_TRIES) {
		r->timer = loop_after(r->codex->options.loop,
				      (uint64_t)FIRST_RETRY_MS << r->tries,
				      on_retry, r);
		return;
	}
	request_finish(r, a);
}

static void request_send(struct codex_request *r)
{
	(void)jsonrpc_request(r->codex->rpc, r->method, buf_str(&r->params), 0,
			      on_codex_response, r);
}

static void on_not_running(void *ctx)
{
	auto_arena mem = ARENA_INIT;
	struct codex_request *r = ctx;

	r->timer = NULL;
	request_finish(r, &(struct jsonrpc_response){
				  .end = JSONRPC_DISCONNECTED, .mem = &mem });
}

void codex_ask(struct codex *c, const char *method, struct str params,
	       jsonrpc_done *done, void *ctx)
{
	struct codex_request *r = calloc(1, sizeof(*r));

	if (!r)
		out_of_memory();
	*r = (struct codex_request){ .next_open = c->open,
				     .codex = c,
				     .done = done,
				     .ctx = ctx,
				     .method = method };
	c->open = r;
	buf_add(&r->params, params);
	if (!c->process) { /* @done is never called from within codex_ask() */
		r->timer = loop_after(c->options.loop, 0, on_not_running, r);
	} else if (c->ready) {
		request_send(r);
	} else {
		*c->queue_end = r;
		c->queue_end = &r->next;
	}
}

void codex_reply(struct codex *c, struct str id, struct str result)
{
	if (c->process)
		jsonrpc_reply(c->rpc, id, result);
}

void codex_refuse(struct codex *c, struct str id, int code, struct str message)
{
	if (c->process)
		jsonrpc_error(c->rpc, id, code, message, STR(""));
}

bool codex_is_ready(const struct codex *c)
{
	return c->ready;
}

static struct codex_request *codex_take_queue(struct codex *c)
{
	struct codex_request *list = c->queue;

	c->queue = NULL;
	c->queue_end = &c->queue;
	return list;
}

static void on_ready(void *ctx, const struct jsonrpc_response *a)
{
	struct codex *c = ctx;
	struct codex_request *r, *next;

	if (a->end == JSONRPC_ERROR) { /* end it with that reason */
		buf_add(&c->stderr_tail, a->message);
		child_process_end(c->process, 0);
	}
	if (a->end != JSONRPC_RESULT)
		return;
	jsonrpc_notify(c->rpc, "initialized", STR(""));
	c->ready = true;
	c->options.ready(c->options.ctx);
	for (r = codex_take_queue(c); r; r = next) {
		next = r->next;
		request_send(r);
	}
}

static void codex_initialize(struct codex *c)
{
	auto_arena mem = ARENA_INIT;

	(void)jsonrpc_request(
		c->rpc, "initialize",
		arena_printf(
			&mem,
			"{\"clientInfo\":{\"name\":\"stet\",\"title\":\"stet\",\"version\":\"%s\"},"
			"\"capabilities\":{\"experimentalApi\":true,\"requestAttestation\":false}}",
			c->options.version),
		0, on_ready, c);
}

static void on_message(void *ctx, const struct jsonrpc_message *m)
{
	struct codex *c = ctx;

	c->options.message(c->options.ctx, m);
}

static void on_line(void *ctx, bool in, struct str line)
{
	struct codex *c = ctx;

	if (c->options.line)
		c->options.line(c->options.ctx, in, line);
}

static void on_codex_bytes(void *ctx, struct str bytes)
{
	struct codex *c = ctx;

	jsonrpc_receive(c->rpc, bytes);
}

static void on_codex_stderr(void *ctx, struct str bytes)
{
	struct codex *c = ctx;

	buf_add(&c->stderr_tail, bytes);
	if (c->stderr_tail.len > MAX_STDERR)
		buf_drop(&c->stderr_tail, c->stderr_tail.len - MAX_STDERR);
}

/* Lines of stderr that appear at every start. */
static bool is_startup_noise(const char *line)
{
	static const char *const usual[] = { "could not create PATH aliases",
					     "could not find bubblewrap" };

	for (size_t i = 0; i < COUNT_OF(usual); i++)
		if (strstr(line, usual[i]))
			return true;
	return !*line;
}

/* Remove colour sequences: ESC [ ... m */
static char *strip_escapes(struct str line, struct arena *mem)
{
	char *text = arena_cstr(mem, line);
	size_t n = 0;

	for (size_t i = 0; i < line.len; i++) {
		if (text[i] == '\33') {
			i += str_find(str_skip(line, i), 'm');
			continue;
		}
		text[n++] = text[i];
	}
	text[n] = 0;
	return text;
}

static struct str stderr_text(struct codex *c, struct arena *mem)
{
	struct str rest = buf_str(&c->stderr_tail), line;
	auto_buf words = BUF_INIT;

	while (str_split(&rest, '\n', &line)) {
		const char *text = strip_escapes(line, mem);

		if (is_startup_noise(text))
			continue;
		if (words.len)
			buf_lit(&words, "\n");
		buf_add(&words, str_of(text));
	}
	return arena_copy(mem, utf8_head(buf_str(&words), MAX_STDERR));
}

/* End all open requests as disconnected. */
static void codex_disconnect(struct codex *c)
{
	auto_arena mem = ARENA_INIT;
	struct codex_request *r;

	c->ready = false;
	(void)codex_take_queue(c);
	if (c->rpc)
		jsonrpc_disconnect(c->rpc);
	while ((r = c->open)) {
		c->open = r->next_open;
		request_answer(r, &(struct jsonrpc_response){
					  .end = JSONRPC_DISCONNECTED,
					  .mem = &mem });
	}
}

static void on_exited(void *ctx, int status)
{
	struct codex *c = ctx;
	auto_arena mem = ARENA_INIT;
	struct str words = stderr_text(c, &mem);

	child_process_free(c->process);
	c->process = NULL;
	if (c->ending) {
		codex_disconnect(c);
		if (c->ended)
			c->ended(c->ended_ctx);
		return;
	}
	c->ready = false;
	/* first, so that failing requests can report the reason */
	c->options.gone(c->options.ctx,
			arena_printf(&mem,
				     "Codex %s %d"
				     "%s" STR_FMT,
				     status > 128 ? "was ended by signal"
						  : "ended with status",
				     status > 128 ? status - 128 : status,
				     words.len ? ": " : "", STR_ARG(words)));
	codex_disconnect(c);
}

struct codex *codex_new(const struct codex_options *options)
{
	struct codex *c = calloc(1, sizeof(*c));

	if (!c)
		out_of_memory();
	c->options = *options;
	c->queue_end = &c->queue;
	c->argv[0] = codex_find(options->path, &c->mem, &c->why);
	c->argv[1] = "app-server";
	return c;
}

const char *const *codex_command(const struct codex *c)
{
	return c->argv[0] ? c->argv : NULL;
}

static void on_codex_unavailable(void *ctx)
{
	struct codex *c = ctx;

	c->options.gone(c->options.ctx, c->why);
	codex_disconnect(c);
}

static void codex_unavailable(struct codex *c, struct str why)
{
	c->why = why;
	(void)loop_after(c->options.loop, 0, on_codex_unavailable, c);
}

void codex_start(struct codex *c)
{
	struct jsonrpc_options rpc = {
		.handler = { .message = on_message, .line = on_line, .ctx = c },
		.bare = true,
		.max_line = MAX_LINE
	};

	if (c->process)
		return;
	if (!c->argv[0]) {
		codex_unavailable(c, c->why);
		return;
	}
	jsonrpc_free(c->rpc);
	c->stderr_tail.len = 0;
	c->rpc = jsonrpc_new(c->options.loop, &rpc);
	c->process =
		child_process_start(c->options.loop,
				    &(struct child_process_options){
					    .argv = c->argv,
					    .out = { .bytes = on_codex_bytes,
						     .ctx = c },
					    .err_bytes = on_codex_stderr,
					    .exited = on_exited,
					    .ctx = c });
	if (!c->process) {
		codex_unavailable(c, arena_printf(&c->mem, "Cannot run %s",
						  c->argv[0]));
		return;
	}
	jsonrpc_connect(c->rpc, child_process_stream(c->process));
	codex_initialize(c);
}

void codex_end(struct codex *c, void (*ended)(void *ctx), void *ctx)
{
	c->ending = true;
	c->ended = ended;
	c->ended_ctx = ctx;
	if (c->process)
		child_process_end(c->process, END_STEP_MS);
	else if (ended)
		(void)loop_after(c->options.loop, 0, ended, ctx);
}

void codex_free(struct codex *c)
{
	if (!c)
		return;
	child_process_free(c->process);
	codex_disconnect(c);
	jsonrpc_free(c->rpc);
	buf_free(&c->stderr_tail);
	arena_free(&c->mem);
	free(c);
}
