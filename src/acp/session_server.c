/*
 * session_server.c - the server that runs a session's calls of stet's own tools:
 * its workspace, its place on the bridge, and its tool events.
 *
 * Tool events arrive on any thread and are posted to the loop, which alone
 * writes to the editor.
 */
#include "acp/agent_local.h"

#include "acp/permission_local.h"
#include "acp/ws_acp.h"

#include <stdlib.h>

enum { EDITOR_TIMEOUT_MS = 5000 }; /* for the editor to respond */

/* A call of an own tool has begun or ended; posted from any thread. */
struct call_event {
	struct mail mail; /* must be first: cast to call_event */
	struct session *session;
	bool begins;
	struct buf id, line;
};

static void call_event_show(struct call_event *x)
{
	struct session *s = x->session;
	struct open_call *c = call_of(s, buf_str(&x->id));

	if (x->begins && !c && s->prompt.len) {
		(void)call_open(s, buf_str(&x->id));
	} else if (x->begins || !c || c->ended || c->item.len) {
		return; /* of a turn that has ended */
	} else {
		c->ended = true; /* closed when Codex reports its end */
	}
	if (!s->closed)
		jsonrpc_send_line(s->agent->rpc, buf_str(&x->line));
}

static void on_call_event(struct mail *mail)
{
	struct call_event *x = (struct call_event *)mail;

	call_event_show(x);
	buf_free(&x->id);
	buf_free(&x->line);
	free(x);
}

static void post_call_event(struct event_sink *sink, const struct tool_event *e,
			    bool begins)
{
	struct session *s = (struct session *)((char *)sink -
					       offsetof(struct session, sink));
	struct call_event *x = calloc(1, sizeof(*x));
	enum events_dialect dialect = s->agent->options.events;

	if (!x)
		out_of_memory();
	x->mail.deliver = on_call_event;
	x->session = s;
	x->begins = begins;
	buf_add(&x->id, e->id);
	if (begins)
		events_begin(e, dialect, s->id, &x->line);
	else
		events_end(e, dialect, s->id, &x->line);
	loop_post(s->agent->loop, &x->mail);
}

static void on_call_begin(struct event_sink *sink, const struct tool_event *e)
{
	post_call_event(sink, e, true);
}

static void on_call_end(struct event_sink *sink, const struct tool_event *e)
{
	post_call_event(sink, e, false);
}

bool session_server_reported(struct session *s, struct str id)
{
	struct open_call *c = call_of(s, id);

	if (!c || c->item.len)
		return false;
	if (c->ended)
		call_close(c);
	return true;
}

static void put_failed_call(struct json_out *o, struct str id, const char *why)
{
	json_text_member(o, "type", STR("toolCallUpdate"));
	json_text_member(o, "id", id);
	json_key(o, "fields");
	json_open(o, '{');
	json_text_member(o, "status", STR("failed"));
	json_key(o, "rawOutput");
	json_open(o, '{');
	json_key(o, "error");
	json_open(o, '{');
	json_key(o, "code");
	json_put_int(o, -32800);
	json_text_member(o, "message", str_of(why));
	json_close(o, '}');
	json_close(o, '}');
	json_close(o, '}');
}

void session_server_fail_call(struct session *s, struct str id, const char *why)
{
	auto_buf update = BUF_INIT;
	struct json_out o = json_out(&update);

	json_open(&o, '{');
	put_failed_call(&o, id, why);
	json_close(&o, '}');
	agent_update(s, buf_str(&update));
}

bool session_server_open(struct session *s, struct fault *f)
{
	struct agent *a = s->agent;
	const struct agent_app *app = &a->options.app;

	if (!a->bridge) {
		*f = (struct fault){ .text = a->no_bridge };
		return false;
	}
	s->server = app->open(app->ctx, s->dirs, s->dir_count, &s->mem, f);
	if (!s->server)
		return false;
	s->disk = s->server->ws;
	s->bridge =
		bridge_join(a->bridge, &(struct bridge_want){
					       .server = s->server,
					       .ask = permission_ask_for_job,
					       .unask = permission_withdraw_job,
					       .ctx = s });
	return true;
}

void session_server_attach_editor(struct session *s)
{
	struct agent *a = s->agent;

	s->editor = editor_new(
		&(struct editor_options){ .loop = a->loop,
					  .rpc = a->rpc,
					  .session = s->id,
					  .reads = a->reads,
					  .writes = a->writes,
					  .read_ms = EDITOR_TIMEOUT_MS,
					  .write_ms = EDITOR_TIMEOUT_MS });
	s->ws = ws_acp_new(s->disk, s->editor);
	s->server->ws = s->ws;
	s->sink = (struct event_sink){ .begin = on_call_begin,
				       .end = on_call_end,
				       .next = s->server->events };
	s->server->events = &s->sink;
}

void session_server_cancel_calls(struct session *s)
{
	if (s->bridge)
		bridge_cancel(s->bridge);
}

static void on_left(void *ctx)
{
	struct session *s = ctx;

	s->bridge = NULL;
	session_left(s);
}

void session_server_leave(struct session *s)
{
	if (s->editor)
		editor_disconnect(s->editor);
	undo_end(s);
	if (s->bridge)
		bridge_leave(s->bridge, on_left, s);
	else
		session_left(s);
}

void session_server_close(struct session *s)
{
	const struct agent_app *app = &s->agent->options.app;

	if (!s->server)
		return;
	if (s->ws) { /* restore the server for its owner */
		s->server->ws = s->disk;
		s->server->events = s->sink.next;
		ws_acp_free(s->ws);
	}
	if (s->editor)
		editor_free(s->editor);
	app->close(app->ctx, s->server);
}
