/*
 * jsonrpc.c - a JSON-RPC connection over lines, for the editor and for Codex.
 *
 * Requests that wait for their response are in a list; ids are counted up, so
 * that a late or invented response finds none. A line's values live in @mem
 * until the next line.
 */
#include "acp/jsonrpc.h"

#include "io/frame.h"

#include <stdlib.h>

struct jsonrpc_pending {
	struct jsonrpc_pending *next;
	struct jsonrpc *rpc;
	uint64_t id;
	struct loop_timer *timer;
	jsonrpc_done *done;
	void *ctx;
};

struct jsonrpc {
	struct loop *loop;
	struct jsonrpc_options options;
	struct stream *out;
	struct frame frame;
	struct buf line;
	struct arena mem; /* for the line being handled */
	struct jsonrpc_pending *pending;
	uint64_t last_id;
	bool disconnected;
};

struct jsonrpc *jsonrpc_new(struct loop *l,
			    const struct jsonrpc_options *options)
{
	struct jsonrpc *r = calloc(1, sizeof(*r));

	if (!r)
		out_of_memory();
	r->loop = l;
	r->options = *options;
	r->frame.max = options->max_line;
	return r;
}

void jsonrpc_connect(struct jsonrpc *r, struct stream *out)
{
	r->out = out;
	r->disconnected = false;
}

void jsonrpc_send_line(struct jsonrpc *r, struct str line)
{
	const struct jsonrpc_handler *h = &r->options.handler;
	auto_buf whole = BUF_INIT;

	if (h->line)
		h->line(h->ctx, false, line);
	if (!r->out || r->disconnected)
		return;
	buf_add(&whole, line);
	buf_lit(&whole, "\n");
	/* A failure shows as the end of the stream. */
	(void)!stream_write(r->out, buf_str(&whole));
}

static struct json_out message_begin(struct jsonrpc *r, struct buf *out)
{
	struct json_out o = json_out(out);

	json_open(&o, '{');
	if (!r->options.bare) {
		json_key(&o, "jsonrpc");
		json_put_str(&o, STR("2.0"));
	}
	return o;
}

static void message_send(struct jsonrpc *r, struct json_out *o, struct buf *out)
{
	json_close(o, '}');
	jsonrpc_send_line(r, buf_str(out));
}

static void put_method(struct json_out *o, const char *method,
		       struct str params)
{
	json_key(o, "method");
	json_put_str(o, str_of(method));
	if (!params.len)
		return;
	json_key(o, "params");
	json_put_raw(o, params);
}

void jsonrpc_notify(struct jsonrpc *r, const char *method, struct str params)
{
	auto_buf out = BUF_INIT;
	struct json_out o = message_begin(r, &out);

	put_method(&o, method, params);
	message_send(r, &o, &out);
}

static void pending_remove(struct jsonrpc_pending *q)
{
	struct jsonrpc_pending **at = &q->rpc->pending;

	while (*at != q)
		at = &(*at)->next;
	*at = q->next;
	loop_timer_stop(q->timer);
}

static void pending_finish(struct jsonrpc_pending *q,
			   const struct jsonrpc_response *a)
{
	pending_remove(q);
	q->done(q->ctx, a);
	free(q);
}

static void on_timeout(void *ctx)
{
	auto_arena mem = ARENA_INIT;
	struct jsonrpc_pending *q = ctx;

	q->timer = NULL;
	pending_finish(q, &(struct jsonrpc_response){ .end = JSONRPC_TIMEOUT,
						      .mem = &mem });
}

uint64_t jsonrpc_request(struct jsonrpc *r, const char *method,
			 struct str params, uint64_t timeout_ms,
			 jsonrpc_done *done, void *ctx)
{
	struct jsonrpc_pending *q = calloc(1, sizeof(*q));
	auto_buf out = BUF_INIT;
	struct json_out o;

	if (!q)
		out_of_memory();
	*q = (struct jsonrpc_pending){ .next = r->pending,
				       .rpc = r,
				       .id = ++r->last_id,
				       .done = done,
				       .ctx = ctx };
	r->pending = q;
	/* Not connected: time out soon, as done() is not called from here. */
	if (r->disconnected || !r->out)
		timeout_ms = 1;
	if (timeout_ms)
		q->timer = loop_after(r->loop, timeout_ms, on_timeout, q);
	o = message_begin(r, &out);
	json_key(&o, "id");
	json_put_int(&o, (int64_t)q->id);
	put_method(&o, method, params);
	message_send(r, &o, &out);
	return r->last_id;
}

static struct jsonrpc_pending *pending_find(struct jsonrpc *r, uint64_t id)
{
	struct jsonrpc_pending *q = r->pending;

	while (q && q->id != id)
		q = q->next;
	return q;
}

void jsonrpc_forget(struct jsonrpc *r, uint64_t id)
{
	struct jsonrpc_pending *q = pending_find(r, id);

	if (!q)
		return;
	pending_remove(q);
	free(q);
}

void jsonrpc_reply(struct jsonrpc *r, struct str id, struct str result)
{
	auto_buf out = BUF_INIT;
	struct json_out o = message_begin(r, &out);

	json_key(&o, "id");
	json_put_raw(&o, id);
	json_key(&o, "result");
	json_put_raw(&o, result);
	message_send(r, &o, &out);
}

void jsonrpc_error(struct jsonrpc *r, struct str id, int code,
		   struct str message, struct str data)
{
	auto_buf out = BUF_INIT;
	struct json_out o = message_begin(r, &out);

	json_key(&o, "id");
	json_put_raw(&o, id.len ? id : STR("null"));
	json_key(&o, "error");
	json_open(&o, '{');
	json_key(&o, "code");
	json_put_int(&o, code);
	json_key(&o, "message");
	json_put_str(&o, message);
	if (data.len) {
		json_key(&o, "data");
		json_put_raw(&o, data);
	}
	json_close(&o, '}');
	message_send(r, &o, &out);
}

static void take_response(struct jsonrpc *r, struct json v)
{
	struct json error = json_get(v, "error");
	struct jsonrpc_response a = { .end = JSONRPC_RESULT,
				      .result = json_get(v, "result"),
				      .mem = &r->mem };
	struct jsonrpc_pending *q = NULL;
	int64_t id;

	if (json_int(json_get(v, "id"), &id) && id > 0)
		q = pending_find(r, (uint64_t)id);
	if (!q)
		return; /* timed out, forgotten, or an unknown id */
	if (json_is(error, JSON_OBJECT)) {
		a.end = JSONRPC_ERROR;
		a.data = json_get(error, "data");
		if (!json_int(json_get(error, "code"), &a.code))
			a.code = 0;
		if (!json_text(json_get(error, "message"), &r->mem, &a.message))
			a.message = STR("");
	}
	pending_finish(q, &a);
}

static void take_message(struct jsonrpc *r, struct json v)
{
	struct jsonrpc_handler *h = &r->options.handler;
	struct json id = json_get(v, "id");
	struct jsonrpc_message m = { .params = json_get(v, "params"),
				     .id = json_raw(id),
				     .mem = &r->mem };

	if (json_is(v, JSON_OBJECT) &&
	    json_is(json_get(v, "method"), JSON_NONE) &&
	    !json_is(id, JSON_NONE)) {
		take_response(r, v);
		return;
	}
	if (!json_text(json_get(v, "method"), &r->mem, &m.method) ||
	    json_is(id, JSON_OBJECT) || json_is(id, JSON_ARRAY) ||
	    (!r->options.bare && !json_str_is(json_get(v, "jsonrpc"), "2.0")))
		jsonrpc_error(r, STR(""), -32600, STR("Not a JSON-RPC message"),
			      STR(""));
	else
		h->message(h->ctx, &m);
}

static void jsonrpc_take_line(struct jsonrpc *r)
{
	static const struct json_limits limits = { 0 };
	struct jsonrpc_handler *h = &r->options.handler;
	struct str line = buf_str(&r->line);
	struct json_error error;
	struct json v;

	while (line.len && strchr(" \t\r", line.ptr[line.len - 1]))
		line.len--;
	if (!line.len)
		return;
	if (h->line)
		h->line(h->ctx, true, line);
	if (json_parse(line, &limits, &r->mem, &v, &error))
		jsonrpc_error(r, STR(""), -32700,
			      arena_printf(&r->mem,
					   "Parse error: %s at byte %zu",
					   error.why, error.offset),
			      STR(""));
	else
		take_message(r, v);
}

void jsonrpc_receive(struct jsonrpc *r, struct str bytes)
{
	enum { KEEP = 1 << 20 };
	enum frame_got got;

	frame_add(&r->frame, bytes);
	while ((got = frame_next(&r->frame, &r->line)) != FRAME_NONE) {
		if (got == FRAME_LINE)
			jsonrpc_take_line(r);
		else
			jsonrpc_error(r, STR(""), -32600,
				      STR("The message is too long"), STR(""));
		arena_reset(&r->mem, KEEP);
		buf_clear(&r->line, KEEP);
	}
}

void jsonrpc_disconnect(struct jsonrpc *r)
{
	auto_arena mem = ARENA_INIT;
	struct jsonrpc_pending *q;

	r->disconnected = true;
	while ((q = r->pending)) {
		r->pending = q->next;
		loop_timer_stop(q->timer);
		q->done(q->ctx,
			&(struct jsonrpc_response){ .end = JSONRPC_DISCONNECTED,
						    .mem = &mem });
		free(q);
	}
}

void jsonrpc_free(struct jsonrpc *r)
{
	struct jsonrpc_pending *q;

	if (!r)
		return;
	while ((q = r->pending)) {
		r->pending = q->next;
		loop_timer_stop(q->timer);
		free(q);
	}
	frame_free(&r->frame);
	buf_free(&r->line);
	arena_free(&r->mem);
	free(r);
}
