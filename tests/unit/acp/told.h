/*
 * told.h - a session without anybody around it: what it tells the editor, and
 * what it answers Codex, is kept as lines.
 */
#ifndef STET_TOLD_H
#define STET_TOLD_H

#include "../parsed.h"

#include "acp/agent_local.h"

struct told {
	struct agent agent;
	struct session session;
	struct buf lines; /* to the editor */
	struct arena mem;
};

static inline void told_line(void *ctx, bool in, struct str line)
{
	struct told *t = ctx;

	buf_add(&t->lines, line);
	buf_lit(&t->lines, "\n");
}

static inline void told_open(struct told *t)
{
	*t = (struct told){ 0 };
	t->agent.loop = loop_new();
	t->agent.wire =
		wire_new(t->agent.loop,
			 &(struct wire_options){
				 .handler = { .line = told_line, .ctx = t } });
	t->agent.sessions = &t->session;
	t->agent.options.version = "1";
	t->session.agent = &t->agent;
	t->session.id = STR("S");
	t->session.cwd = STR("/p");
	t->session.mode = agent_mode_named(STR("auto"));
	t->session.opening = OPENED;
	buf_lit(&t->session.prompt, "1");
}

static inline void told_close(struct told *t)
{
	items_forget_all(&t->session);
	buf_free(&t->session.prompt);
	buf_free(&t->session.streamed);
	buf_free(&t->session.model);
	buf_free(&t->session.effort);
	buf_free(&t->agent.models);
	buf_free(&t->lines);
	wire_free(t->agent.wire);
	loop_free(t->agent.loop);
	arena_free(&t->mem);
}

/* Codex tells something. */
static inline void told_message(struct told *t, const char *method,
				const char *params)
{
	items_message(&t->session,
		      &(struct wire_message){
			      .method = str_of(method),
			      .params = parsed(str_of(params), &t->mem),
			      .mem = &t->mem });
}

/* The update of the last line, whole; "" = nothing was told. */
static inline struct str told_update(struct told *t)
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
