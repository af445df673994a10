/*
 * agent.c - starts and ends the ACP agent and dispatches messages of Codex.
 *
 * Everything runs on the thread of the loop. The end is ordered: sessions are
 * closed, the editor is disconnected, Codex is ended; a timer bounds it.
 */
#include "acp/agent_local.h"

#include "base/clock.h"
#include "base/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LINE = 64 << 20 };

/* One JSON line of the trace: time, direction, message. */
static void agent_trace(struct agent *a, const char *way, struct str line)
{
	auto_buf out = BUF_INIT;
	struct json_out o = json_out(&out);

	if (!a->traced)
		return;
	json_open(&o, '{');
	json_key(&o, "t");
	json_put_int(&o, (int64_t)clock_unix_ms());
	json_text_member(&o, "way", str_of(way));
	json_text_member(&o, "line", line);
	json_close(&o, '}');
	linefile_add(&a->trace, &out);
}

static void on_editor_line(void *ctx, bool in, struct str line)
{
	agent_trace(ctx, in ? "editor>" : "editor<", line);
}

static void on_codex_line(void *ctx, bool in, struct str line)
{
	agent_trace(ctx, in ? "codex>" : "codex<", line);
}

void agent_ask(struct agent *a, const char *method, struct str params,
	       jsonrpc_done *done, void *ctx)
{
	a->codex_gone.len = 0;
	codex_start(a->codex);
	codex_ask(a->codex, method, params, done, ctx);
}

/* Codex */

struct session *session_of(struct agent *a, struct str id)
{
	struct session *s = id.len ? a->sessions : NULL;

	while (s && (s->closed || !str_eq(s->id, id)))
		s = s->next;
	return s;
}

/* A sub-agent of Codex has its own thread: use the running prompt. */
static struct session *session_with_prompt(struct agent *a)
{
	struct session *found = NULL;

	for (struct session *s = a->sessions; s; s = s->next) {
		if (s->closed || !s->prompt.len)
			continue;
		if (found)
			return NULL; /* ambiguous */
		found = s;
	}
	return found;
}

static void on_codex(void *ctx, const struct jsonrpc_message *m)
{
	struct agent *a = ctx;
	struct session *s =
		session_of(a, text_at(m->params, "threadId", m->mem));

	if (m->id.len) {
		if (!s)
			s = session_with_prompt(a);
		if (!s || !permission_ask_for_codex(s, m))
			codex_refuse(
				a->codex, m->id, AGENT_NO_METHOD,
				STR("The client does not support this method"));
	} else if (str_is(m->method, "account/login/completed")) {
		auth_completed(a, m);
	} else if (s) {
		items_message(s, m);
	}
}

static void on_models(void *ctx, const struct jsonrpc_response *answer)
{
	struct agent *a = ctx;

	if (answer->end == JSONRPC_DISCONNECTED)
		return; /* asked again when Codex is restarted */
	a->models.len = 0;
	if (answer->end == JSONRPC_RESULT)
		buf_add(&a->models, json_raw(answer->result));
	else
		buf_lit(&a->models, "{}");
	session_models(a);
}

static void on_ready(void *ctx)
{
	struct agent *a = ctx;

	log_info("Codex is ready");
	if (!a->models.len)
		codex_ask(a->codex, "model/list", STR("{}"), on_models, a);
}

static void on_gone(void *ctx, struct str why)
{
	struct agent *a = ctx;

	log_error(STR_FMT, STR_ARG(why));
	a->codex_gone.len = 0;
	buf_add(&a->codex_gone, why);
	for (struct session *s = a->sessions; s; s = s->next)
		turn_lost(s, why);
}

/* The end. */

enum { END_TIMEOUT_MS = 900 };

void agent_check_over(struct agent *a)
{
	bool over = a->ending && a->codex_over;

	for (struct session *s = a->sessions; s; s = s->next)
		over = over && s->left;
	if (over)
		loop_stop(a->loop);
}

static void on_codex_over(void *ctx)
{
	struct agent *a = ctx;

	a->codex_over = true;
	agent_check_over(a);
}

/* A call that does not react to cancellation ends with the process. */
static void on_end_timeout(void *ctx)
{
	struct agent *a = ctx;

	a->last = NULL;
	loop_stop(a->loop);
}

static void agent_end(struct agent *a)
{
	if (a->ending)
		return;
	a->ending = true;
	for (struct session *s = a->sessions; s; s = s->next)
		session_close(s);
	jsonrpc_disconnect(a->rpc);
	codex_end(a->codex, on_codex_over, a);
	a->last = loop_after(a->loop, END_TIMEOUT_MS, on_end_timeout, a);
}

static void on_agent_signal(void *ctx)
{
	agent_end(ctx);
}

static void on_editor_bytes(void *ctx, struct str bytes)
{
	struct agent *a = ctx;

	jsonrpc_receive(a->rpc, bytes);
}

static void on_editor_closed(void *ctx)
{
	agent_end(ctx);
}

static bool agent_connect(struct agent *a)
{
	const struct agent_options *options = &a->options;

	a->rpc = jsonrpc_new(a->loop,
			     &(struct jsonrpc_options){
				     .handler = { .message = agent_message,
						  .line = on_editor_line,
						  .ctx = a },
				     .max_line = MAX_LINE });
	a->stream = stream_open(a->loop, options->in, options->out,
				&(struct stream_handler){
					on_editor_bytes, on_editor_closed, a });
	if (!a->stream)
		return false;
	jsonrpc_connect(a->rpc, a->stream);
	a->bridge = bridge_new(a->loop, &a->mem, &a->no_bridge);
	a->codex =
		codex_new(&(struct codex_options){ .loop = a->loop,
						   .path = options->codex,
						   .version = options->version,
						   .message = on_codex,
						   .ready = on_ready,
						   .gone = on_gone,
						   .line = on_codex_line,
						   .ctx = a });
	return true;
}

static void agent_free(struct agent *a)
{
	struct session *next;

	loop_timer_stop(a->last);
	codex_free(a->codex);
	for (struct session *s = a->sessions; s; s = next) {
		next = s->next;
		session_free(s);
	}
	bridge_free(a->bridge);
	stream_close(a->stream);
	jsonrpc_free(a->rpc);
	arena_free(&a->mem);
	buf_free(&a->models);
	buf_free(&a->codex_gone);
	buf_free(&a->login);
	if (a->traced)
		linefile_close(&a->trace);
	loop_free(a->loop);
}

int agent_serve(const struct agent_options *options)
{
	struct agent a = { .options = *options };
	int problem = 0;

	if (options->trace)
		problem = linefile_open(&a.trace, options->trace);
	if (problem) {
		log_write(LOG_ERROR, "--trace: %s", strerror(problem));
		return 1;
	}
	a.traced = options->trace != NULL;
	a.loop = loop_new();
	loop_signals(a.loop, on_agent_signal, &a);
	if (agent_connect(&a)) {
		if (options->app.confine)
			options->app.confine(options->app.ctx,
					     codex_command(a.codex));
		codex_start(a.codex);
		loop_run(a.loop);
		problem = 0;
	} else {
		log_error("standard input is not a pipe or socket");
		problem = 1;
	}
	if (a.ending && !a.last) { /* threads still run: free nothing */
		bridge_abandon(a.bridge);
		return problem;
	}
	agent_free(&a);
	return problem;
}
