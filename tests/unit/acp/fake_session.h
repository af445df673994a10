/*
 * fake_session.h - an ACP session without editor and Codex: the lines that it
 * sends are recorded.
 */
#ifndef STET_FAKE_SESSION_H
#define STET_FAKE_SESSION_H

#include "../parsed.h"

#include "acp/agent_local.h"

struct fake_session {
	struct agent agent;
	struct session session;
	struct buf lines; /* sent to the editor */
	struct arena mem;
};

static inline void fake_session_line(void *ctx, bool in, struct str line)
{
	struct fake_session *t = ctx;

	buf_add(&t->lines, line);
	buf_lit(&t->lines, "\n");
}

static inline void fake_session_open(struct fake_session *t)
{
	*t = (struct fake_session){ 0 };
	t->agent.loop = loop_new();
	t->agent.rpc =
		jsonrpc_new(t->agent.loop,
			    &(struct jsonrpc_options){
				    .handler = { .line = fake_session_line,
						 .ctx = t } });
	t->agent.sessions = &t->session;
	t->agent.options.version = "1";
	t->session.agent = &t->agent;
	t->session.id = STR("S");
	t->session.cwd = STR("/p");
	t->session.mode = agent_mode_named(STR("auto"));
	t->session.opening = OPENED;
	buf_lit(&t->session.prompt, "1");
}

static inline void fake_session_close(struct fake_session *t)
{
	items_forget_all(&t->session);
	buf_free(&t->session.prompt);
	buf_free(&t->session.streamed);
	buf_free(&t->session.model);
	buf_free(&t->session.effort);
	buf_free(&t->agent.models);
	buf_free(&t->lines);
	jsonrpc_free(t->agent.rpc);
	loop_free(t->agent.loop);
	arena_free(&t->mem);
}

/* A notification of Codex arrives. */
static inline void fake_session_message(struct fake_session *t,
					const char *method, const char *params)
{
	items_message(&t->session,
		      &(struct jsonrpc_message){
			      .method = str_of(method),
			      .params = parsed(str_of(params), &t->mem),
			      .mem = &t->mem });
}

/* params.update of the last line; "" = nothing was sent. */
static inline struct str fake_session_update(struct fake_session *t)
{
	struct str rest = buf_str(&t->lines), line, last = STR("");

	while (str_split(&rest, '\n', &line))
		if (line.len)
			last = line;
	if (!last.len)
		return last;
	return json_raw(
		json_get(json_get(parsed(last, &t->mem), "params"), "update"));
}

static inline void assert_text(struct str text, const char *want)
{
	auto_arena mem = ARENA_INIT;

	assert_string_equal(arena_cstr(&mem, text), want);
}

#endif
