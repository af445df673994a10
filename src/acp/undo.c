/*
 * undo.c - the command /undo.
 *
 * Calls the tool undo_file_change through the bridge, as Codex would, so that
 * rules, questions, the editor and the history apply.
 */
#include "acp/agent_local.h"

#include "base/clock.h"
#include "base/uuid.h"

#include <stdlib.h>

struct undo {
	struct session *session;
	struct stream *stream;
	struct jsonrpc *rpc;
	struct str path; /* in the session's arena; "" = the latest change */
	struct loop_timer *over;
	bool accepted; /* the bridge has answered "ok" */
};

void undo_end(struct session *s)
{
	struct undo *u = s->undo;

	if (!u)
		return;
	s->undo = NULL;
	loop_timer_stop(u->over);
	stream_close(u->stream);
	jsonrpc_free(u->rpc);
	free(u);
}

/* Freed by a timer: it must not be freed within its own callback. */
static void on_undo_over(void *ctx)
{
	struct undo *u = ctx;

	u->over = NULL;
	undo_end(u->session);
}

static void undo_finish(struct undo *u, struct str text)
{
	struct session *s = u->session;

	u->over = loop_after(s->agent->loop, 0, on_undo_over, u);
	agent_chunk(s, "agent_message_chunk", STR(""), text);
	turn_end(s, "end_turn");
}

static void on_undone(void *ctx, const struct jsonrpc_response *answer)
{
	struct json_walk w = json_walk(json_get(answer->result, "content"));
	bool failed = json_is(json_get(answer->result, "isError"), JSON_TRUE);
	struct str text;

	if (answer->end == JSONRPC_ERROR)
		text = answer->message;
	else if (answer->end == JSONRPC_RESULT && json_step(&w))
		text = text_at(w.value, "text", answer->mem);
	else
		text = STR("cancelled");
	failed = failed || answer->end != JSONRPC_RESULT;
	undo_finish(ctx,
		    failed ? arena_printf(answer->mem,
					  "Nothing was undone: " STR_FMT "\n",
					  STR_ARG(text))
			   : arena_printf(answer->mem,
					  "Undone.\n\n```diff\n" STR_FMT
					  "\n```\n",
					  STR_ARG(text)));
}

/* The tool call id, which must not collide with one of Codex. */
static struct str undo_id(struct arena *mem)
{
	char text[UUID_TEXT + 1];

	uuid_text(uuid_new(clock_unix_ms()), text);
	return arena_printf(mem, "undo-%s", text);
}

static void on_undo_ready(void *ctx, const struct jsonrpc_response *answer)
{
	struct undo *u = ctx;
	auto_buf params = BUF_INIT;
	struct json_out o = json_out(&params);

	if (answer->end != JSONRPC_RESULT) {
		on_undone(ctx, answer);
		return;
	}
	jsonrpc_notify(u->rpc, "notifications/initialized", STR(""));
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
	(void)jsonrpc_request(u->rpc, "tools/call", buf_str(&params), 0,
			      on_undone, u);
}

static void on_undo_message(void *ctx, const struct jsonrpc_message *m)
{
}

static void on_undo_bytes(void *ctx, struct str bytes)
{
	struct undo *u = ctx;

	if (!u->accepted) {
		size_t end = str_find(bytes, '\n');

		u->accepted = end < bytes.len;
		bytes = str_skip(bytes, end + 1);
	}
	jsonrpc_receive(u->rpc, bytes);
}

static void on_ended(void *ctx)
{
	struct undo *u = ctx;

	jsonrpc_disconnect(u->rpc);
}

static void undo_begin(struct undo *u)
{
	struct session *s = u->session;
	auto_buf word = BUF_INIT;

	jsonrpc_connect(u->rpc, u->stream);
	buf_add(&word, bridge_secret(s->bridge));
	jsonrpc_send_line(u->rpc, buf_str(&word));
	(void)jsonrpc_request(
		u->rpc, "initialize",
		STR("{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},"
		    "\"clientInfo\":{\"name\":\"stet-undo\",\"version\":\"1\"}}"),
		0, on_undo_ready, u);
}

void undo_run(struct session *s, struct str path)
{
	int fd = bridge_connect(s->agent->bridge);
	struct undo *u = calloc(1, sizeof(*u));

	if (!u)
		out_of_memory();
	undo_end(s); /* a previous one, already answered */
	u->session = s;
	u->rpc = jsonrpc_new(s->agent->loop,
			     &(struct jsonrpc_options){
				     .handler = { .message = on_undo_message,
						  .ctx = u },
				     .max_line = 64 << 20 });
	if (fd >= 0)
		u->stream = stream_open(s->agent->loop, fd, fd,
					&(struct stream_handler){
						on_undo_bytes, on_ended, u });
	if (!u->stream) {
		jsonrpc_free(u->rpc);
		free(u);
		turn_fail(s, AGENT_REFUSED, STR("Cannot undo now"));
		return;
	}
	if (path.len)
		u->path = changes_path(s->cwd, arena_copy(&s->mem, path),
				       &s->mem);
	s->undo = u;
	undo_begin(u);
}
