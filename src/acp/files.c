/* files.c - the files of a session: the editor's, else those on the disk. */

#include "acp/agent_local.h"

#include "acp/consent_local.h"
#include "acp/ws_acp.h"

#include <stdlib.h>

enum { EDITOR_MS = 5000 }; /* to answer */

/* A call of ours has begun or ended, on whatever thread it runs. */
struct crossing {
	struct loop_task task; /* first */
	struct session *session;
	bool begins;
	struct buf id, line;
};

static void show(struct crossing *x)
{
	struct session *s = x->session;
	struct open_call *c = call_of(s, buf_str(&x->id));

	if (x->begins && !c && s->prompt.len) {
		(void)call_open(s, buf_str(&x->id));
	} else if (x->begins || !c || c->ended || c->item.len) {
		return; /* of a turn that is over, or closed already */
	} else {
		c->ended = true; /* until Codex has said so, too */
	}
	if (!s->closed)
		wire_put(s->agent->wire, buf_str(&x->line));
}

static void on_crossing(struct loop_task *task)
{
	struct crossing *x = (struct crossing *)task;

	show(x);
	buf_free(&x->id);
	buf_free(&x->line);
	free(x);
}

static void cross(struct event_sink *sink, const struct tool_event *e,
		  bool begins)
{
	struct session *s = (struct session *)((char *)sink -
					       offsetof(struct session, sink));
	struct crossing *x = calloc(1, sizeof(*x));
	enum events_dialect dialect = s->agent->options.events;

	if (!x)
		out_of_memory();
	x->task.run = on_crossing;
	x->session = s;
	x->begins = begins;
	buf_add(&x->id, e->id);
	if (begins)
		events_begin(e, dialect, s->id, &x->line);
	else
		events_end(e, dialect, s->id, &x->line);
	loop_later(s->agent->loop, &x->task);
}

static void on_begin(struct event_sink *sink, const struct tool_event *e)
{
	cross(sink, e, true);
}

static void on_end(struct event_sink *sink, const struct tool_event *e)
{
	cross(sink, e, false);
}

bool files_told(struct session *s, struct str id)
{
	struct open_call *c = call_of(s, id);

	if (!c || c->item.len)
		return false;
	if (c->ended)
		call_close(c);
	return true;
}

static void put_ended(struct json_out *o, struct str id, const char *why)
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

void files_end_call(struct session *s, struct str id, const char *why)
{
	auto_buf update = BUF_INIT;
	struct json_out o = json_out(&update);

	json_open(&o, '{');
	put_ended(&o, id, why);
	json_close(&o, '}');
	agent_update(s, buf_str(&update));
}

bool files_open(struct session *s, struct fault *f)
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
	s->bridge = bridge_join(a->bridge,
				&(struct bridge_want){ .server = s->server,
						       .ask = consent_job,
						       .unask = consent_unask,
						       .ctx = s });
	return true;
}

void files_ready(struct session *s)
{
	struct agent *a = s->agent;

	s->editor =
		editor_new(&(struct editor_options){ .loop = a->loop,
						     .wire = a->wire,
						     .session = s->id,
						     .reads = a->reads,
						     .writes = a->writes,
						     .read_ms = EDITOR_MS,
						     .write_ms = EDITOR_MS });
	s->ws = ws_acp_new(s->disk, s->editor);
	s->server->ws = s->ws;
	s->sink = (struct event_sink){ .begin = on_begin,
				       .end = on_end,
				       .next = s->server->events };
	s->server->events = &s->sink;
}

void files_cancel(struct session *s)
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

void files_leave(struct session *s)
{
	if (s->editor)
		editor_cut(s->editor);
	undo_end(s);
	if (s->bridge)
		bridge_leave(s->bridge, on_left, s);
	else
		session_left(s);
}

void files_close(struct session *s)
{
	const struct agent_app *app = &s->agent->options.app;

	if (!s->server)
		return;
	if (s->ws) { /* as it was when it was given to us */
		s->server->ws = s->disk;
		s->server->events = s->sink.next;
		ws_acp_free(s->ws);
	}
	if (s->editor)
		editor_free(s->editor);
	app->close(app->ctx, s->server);
}
