/*
 * undo.c - /undo: a call of undo_file_change, made as Codex would make it, so
 * that it goes the same way: rules, questions, the editor, the history.
 */

#include "acp/agent_local.h"

#include "base/clock.h"
#include "base/uuid.h"

#include <stdlib.h>

struct undo {
	struct session *session;
	struct stream *stream;
	struct wire *wire;
	struct str path; /* in the session's memory; "" = the latest */
	struct loop_timer *over;
	bool heard; /* the "ok" that comes before all else */
};

void undo_end(struct session *s)
{
	struct undo *u = s->undo;

	if (!u)
		return;
	s->undo = NULL;
	loop_timer_stop(u->over);
	stream_close(u->stream);
	wire_free(u->wire);
	free(u);
}

/* It cannot be ended by what it calls: later. */
static void on_over(void *ctx)
{
	struct undo *u = ctx;

	u->over = NULL;
	undo_end(u->session);
}

static void finish(struct undo *u, struct str text)
{
	struct session *s = u->session;

	u->over = loop_after(s->agent->loop, 0, on_over, u);
	agent_chunk(s, "agent_message_chunk", STR(""), text);
	turn_end(s, "end_turn");
}

static void on_undone(void *ctx, const struct wire_answer *answer)
{
	struct json_walk w = json_walk(json_get(answer->result, "content"));
	bool failed = json_is(json_get(answer->result, "isError"), JSON_TRUE);
	struct str text;

	if (answer->end == WIRE_REFUSED)
		text = answer->message;
	else if (answer->end == WIRE_ANSWERED && json_step(&w))
		text = text_at(w.value, "text", answer->mem);
	else
		text = STR("cancelled");
	failed = failed || answer->end != WIRE_ANSWERED;
	finish(ctx,
	       failed ? arena_printf(answer->mem,
				     "Nothing was undone: " STR_FMT "\n",
				     STR_ARG(text))
		      : arena_printf(answer->mem,
				     "Undone.\n\n```diff\n" STR_FMT "\n```\n",
				     STR_ARG(text)));
}

/* Of the call, as the editor sees it: unlike any of Codex's. */
static struct str undo_id(struct arena *mem)
{
	char text[UUID_TEXT + 1];

	uuid_text(uuid_new(clock_unix_ms()), text);
	return arena_printf(mem, "undo-%s", text);
}

static void on_ready(void *ctx, const struct wire_answer *answer)
{
	struct undo *u = ctx;
	auto_buf params = BUF_INIT;
	struct json_out o = json_out(&params);

	if (answer->end != WIRE_ANSWERED) {
		on_undone(ctx, answer);
		return;
	}
	wire_tell(u->wire, "notifications/initialized", STR(""));
	json_open(&o, '{');
	json_text_member(&o, "name", STR("undo_file_change"));
	json_key(&o, "arguments");
	json_open(&o, '{');
	if (u->path.len)
		json_text_member(&o, "path", u->path);
	json_close(&o, '}');
	json_key(&o, "_meta");
	json_open(&o, '{');
	json_text_member(&o, "callId", undo_id(answer->mem));
	json_close(&o, '}');
	json_close(&o, '}');
	(void)wire_ask(u->wire, "tools/call", buf_str(&params), 0, on_undone,
		       u);
}

static void on_message(void *ctx, const struct wire_message *m)
{
}

static void on_bytes(void *ctx, struct str bytes)
{
	struct undo *u = ctx;

	if (!u->heard) {
		size_t end = str_find(bytes, '\n');

		u->heard = end < bytes.len;
		bytes = str_skip(bytes, end + 1);
	}
	wire_take(u->wire, bytes);
}

static void on_ended(void *ctx)
{
	struct undo *u = ctx;

	wire_cut(u->wire);
}

static void begin(struct undo *u)
{
	struct session *s = u->session;
	auto_buf word = BUF_INIT;

	wire_connect(u->wire, u->stream);
	buf_add(&word, bridge_word(s->bridge));
	wire_put(u->wire, buf_str(&word));
	(void)wire_ask(
		u->wire, "initialize",
		STR("{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},"
		    "\"clientInfo\":{\"name\":\"stet-undo\",\"version\":\"1\"}}"),
		0, on_ready, u);
}

void files_undo(struct session *s, struct str path)
{
	int fd = bridge_reach(s->agent->bridge);
	struct undo *u = calloc(1, sizeof(*u));

	if (!u)
		out_of_memory();
	undo_end(s); /* the one before, which is answered */
	u->session = s;
	u->wire =
		wire_new(s->agent->loop,
			 &(struct wire_options){
				 .handler = { .message = on_message, .ctx = u },
				 .max_line = 64 << 20 });
	if (fd >= 0)
		u->stream = stream_open(s->agent->loop, fd, fd,
					&(struct stream_handler){
						on_bytes, on_ended, u });
	if (!u->stream) {
		wire_free(u->wire);
		free(u);
		turn_fail(s, AGENT_REFUSED, STR("Cannot undo now"));
		return;
	}
	if (path.len)
		u->path = changes_path(s->cwd, arena_copy(&s->mem, path),
				       &s->mem);
	s->undo = u;
	begin(u);
}
