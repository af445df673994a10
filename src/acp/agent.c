#include "acp/agent_local.h"

#include "base/clock.h"
#include "base/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINE = 64 << 20 };

/* A line of the trace: when, from whom to whom, and the line itself. */
static void trace(struct agent *a, const char *way, struct str line)
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
	trace(ctx, in ? "editor>" : "editor<", line);
}

static void on_codex_line(void *ctx, bool in, struct str line)
{
	trace(ctx, in ? "codex>" : "codex<", line);
}

void agent_ask(struct agent *a, const char *method, struct str params,
	       wire_done *done, void *ctx)
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

/* A helper of Codex's has a thread of its own: whose prompt runs, asks. */
static struct session *asking_session(struct agent *a)
{
	struct session *found = NULL;

	for (struct session *s = a->sessions; s; s = s->next) {
		if (s->closed || !s->prompt.len)
			continue;
		if (found)
			return NULL; /* it could be either */
		found = s;
	}
	return found;
}

static void on_codex(void *ctx, const struct wire_message *m)
{
	struct agent *a = ctx;
	struct session *s =
		session_of(a, text_at(m->params, "threadId", m->mem));

	if (m->id.len) {
		if (!s)
			s = asking_session(a);
		if (!s || !consent_codex(s, m))
			codex_refuse(a->codex, m->id, AGENT_NO_METHOD,
				     STR("The client does not do that"));
	} else if (str_is(m->method, "account/login/completed")) {
		auth_completed(a, m);
	} else if (s) {
		items_message(s, m);
	}
}

static void on_models(void *ctx, const struct wire_answer *answer)
{
	struct agent *a = ctx;

	if (answer->end == WIRE_CUT)
		return; /* the next one that runs is asked */
	a->models.len = 0;
	if (answer->end == WIRE_ANSWERED)
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

enum { LAST_MS = 900 };

/* All have left, and Codex has ended. */
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

/* A call that cannot be stopped: it ends with the process. */
static void on_last(void *ctx)
{
	struct agent *a = ctx;

	a->last = NULL;
	loop_stop(a->loop);
}

static void end(struct agent *a)
{
	if (a->ending)
		return;
	a->ending = true;
	for (struct session *s = a->sessions; s; s = s->next)
		session_close(s);
	wire_cut(a->wire);
	codex_end(a->codex, on_codex_over, a);
	a->last = loop_after(a->loop, LAST_MS, on_last, a);
}

static void on_signal(void *ctx)
{
	end(ctx);
}

static void on_bytes(void *ctx, struct str bytes)
{
	struct agent *a = ctx;

	wire_take(a->wire, bytes);
}

static void on_hung_up(void *ctx)
{
	end(ctx);
}

static bool connect(struct agent *a)
{
	const struct agent_options *options = &a->options;

	a->wire =
		wire_new(a->loop, &(struct wire_options){
					  .handler = { .message = agent_message,
						       .line = on_editor_line,
						       .ctx = a },
					  .max_line = MOST_LINE });
	a->stream = stream_open(a->loop, options->in, options->out,
				&(struct stream_handler){ on_bytes, on_hung_up,
							  a });
	if (!a->stream)
		return false;
	wire_connect(a->wire, a->stream);
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

static void free_agent(struct agent *a)
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
	wire_free(a->wire);
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
		log_say(LOG_ERROR, "--trace: %s", strerror(problem));
		return 1;
	}
	a.traced = options->trace != NULL;
	a.loop = loop_new();
	loop_signals(a.loop, on_signal, &a);
	if (connect(&a)) {
		if (options->app.confine)
			options->app.confine(options->app.ctx,
					     codex_command(a.codex));
		codex_start(a.codex);
		loop_run(a.loop);
		problem = 0;
	} else {
		problem = 1;
	}
	if (a.ending && !a.last) { /* its threads are used: leave it all */
		bridge_abandon(a.bridge);
		return problem;
	}
	free_agent(&a);
	return problem;
}
