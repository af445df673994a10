#include "io/wire.h"

#include "io/frame.h"

#include <stdlib.h>

struct question {
	struct question *next;
	struct wire *wire;
	uint64_t number;
	struct loop_timer *timer;
	wire_done *done;
	void *ctx;
};

struct wire {
	struct loop *loop;
	struct wire_options options;
	struct stream *out;
	struct frame frame;
	struct buf line;
	struct arena mem; /* of the line that is looked at */
	struct question *questions;
	uint64_t asked;
	bool is_cut;
};

struct wire *wire_new(struct loop *l, const struct wire_options *options)
{
	struct wire *w = calloc(1, sizeof(*w));

	if (!w)
		out_of_memory();
	w->loop = l;
	w->options = *options;
	w->frame.max = options->max_line;
	return w;
}

void wire_connect(struct wire *w, struct stream *out)
{
	w->out = out;
	w->is_cut = false;
}

void wire_put(struct wire *w, struct str line)
{
	const struct wire_handler *h = &w->options.handler;
	auto_buf whole = BUF_INIT;

	if (h->line)
		h->line(h->ctx, false, line);
	if (!w->out || w->is_cut)
		return;
	buf_add(&whole, line);
	buf_lit(&whole, "\n");
	(void)!stream_write(w->out, buf_str(&whole)); /* its end will tell */
}

static struct json_out begin(struct wire *w, struct buf *out)
{
	struct json_out o = json_out(out);

	json_open(&o, '{');
	if (!w->options.bare) {
		json_key(&o, "jsonrpc");
		json_put_str(&o, STR("2.0"));
	}
	return o;
}

static void end(struct wire *w, struct json_out *o, struct buf *out)
{
	json_close(o, '}');
	wire_put(w, buf_str(out));
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

void wire_tell(struct wire *w, const char *method, struct str params)
{
	auto_buf out = BUF_INIT;
	struct json_out o = begin(w, &out);

	put_method(&o, method, params);
	end(w, &o, &out);
}

/* Take it out of the list, and let its clock go. */
static void settle(struct question *q)
{
	struct question **at = &q->wire->questions;

	while (*at != q)
		at = &(*at)->next;
	*at = q->next;
	loop_timer_stop(q->timer);
}

static void answer(struct question *q, const struct wire_answer *a)
{
	settle(q);
	q->done(q->ctx, a);
	free(q);
}

static void on_late(void *ctx)
{
	auto_arena mem = ARENA_INIT;
	struct question *q = ctx;

	q->timer = NULL;
	answer(q, &(struct wire_answer){ .end = WIRE_LATE, .mem = &mem });
}

uint64_t wire_ask(struct wire *w, const char *method, struct str params,
		  uint64_t limit_ms, wire_done *done, void *ctx)
{
	struct question *q = calloc(1, sizeof(*q));
	auto_buf out = BUF_INIT;
	struct json_out o;

	if (!q)
		out_of_memory();
	*q = (struct question){ .next = w->questions,
				.wire = w,
				.number = ++w->asked,
				.done = done,
				.ctx = ctx };
	w->questions = q;
	/* Never from here: who asks is not to be answered before it goes on. */
	if (w->is_cut || !w->out)
		limit_ms = 1;
	if (limit_ms)
		q->timer = loop_after(w->loop, limit_ms, on_late, q);
	o = begin(w, &out);
	json_key(&o, "id");
	json_put_int(&o, (int64_t)q->number);
	put_method(&o, method, params);
	end(w, &o, &out);
	return w->asked;
}

static struct question *find(struct wire *w, uint64_t number)
{
	struct question *q = w->questions;

	while (q && q->number != number)
		q = q->next;
	return q;
}

void wire_forget(struct wire *w, uint64_t number)
{
	struct question *q = find(w, number);

	if (!q)
		return;
	settle(q);
	free(q);
}

void wire_reply(struct wire *w, struct str id, struct str result)
{
	auto_buf out = BUF_INIT;
	struct json_out o = begin(w, &out);

	json_key(&o, "id");
	json_put_raw(&o, id);
	json_key(&o, "result");
	json_put_raw(&o, result);
	end(w, &o, &out);
}

void wire_refuse(struct wire *w, struct str id, int code, struct str message,
		 struct str data)
{
	auto_buf out = BUF_INIT;
	struct json_out o = begin(w, &out);

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
	end(w, &o, &out);
}

static void take_answer(struct wire *w, struct json v)
{
	struct json error = json_get(v, "error");
	struct wire_answer a = { .end = WIRE_ANSWERED,
				 .result = json_get(v, "result"),
				 .mem = &w->mem };
	struct question *q = NULL;
	int64_t number;

	if (json_int(json_get(v, "id"), &number) && number > 0)
		q = find(w, (uint64_t)number);
	if (!q)
		return; /* too late, or not ours */
	if (json_is(error, JSON_OBJECT)) {
		a.end = WIRE_REFUSED;
		a.data = json_get(error, "data");
		if (!json_int(json_get(error, "code"), &a.code))
			a.code = 0;
		if (!json_text(json_get(error, "message"), &w->mem, &a.message))
			a.message = STR("");
	}
	answer(q, &a);
}

static void take_message(struct wire *w, struct json v)
{
	struct wire_handler *h = &w->options.handler;
	struct json id = json_get(v, "id");
	struct wire_message m = { .params = json_get(v, "params"),
				  .id = json_raw(id),
				  .mem = &w->mem };

	if (json_is(v, JSON_OBJECT) &&
	    json_is(json_get(v, "method"), JSON_NONE) &&
	    !json_is(id, JSON_NONE)) {
		take_answer(w, v);
		return;
	}
	if (!json_text(json_get(v, "method"), &w->mem, &m.method) ||
	    json_is(id, JSON_OBJECT) || json_is(id, JSON_ARRAY) ||
	    (!w->options.bare && !json_str_is(json_get(v, "jsonrpc"), "2.0")))
		wire_refuse(w, STR(""), -32600, STR("Not a JSON-RPC message"),
			    STR(""));
	else
		h->message(h->ctx, &m);
}

static void take_line(struct wire *w)
{
	static const struct json_limits limits = { 0 };
	struct wire_handler *h = &w->options.handler;
	struct str line = buf_str(&w->line);
	struct json_error error;
	struct json v;

	while (line.len && strchr(" \t\r", line.ptr[line.len - 1]))
		line.len--;
	if (!line.len)
		return;
	if (h->line)
		h->line(h->ctx, true, line);
	if (json_parse(line, &limits, &w->mem, &v, &error))
		wire_refuse(w, STR(""), -32700,
			    arena_printf(&w->mem, "Parse error: %s at byte %zu",
					 error.why, error.offset),
			    STR(""));
	else
		take_message(w, v);
}

void wire_take(struct wire *w, struct str bytes)
{
	enum { KEEP = 1 << 20 };
	enum frame_got got;

	frame_add(&w->frame, bytes);
	while ((got = frame_next(&w->frame, &w->line)) != FRAME_NONE) {
		if (got == FRAME_LINE)
			take_line(w);
		else
			wire_refuse(w, STR(""), -32600,
				    STR("The message is too long"), STR(""));
		arena_reset(&w->mem, KEEP);
		buf_clear(&w->line, KEEP);
	}
}

void wire_cut(struct wire *w)
{
	auto_arena mem = ARENA_INIT;
	struct question *q;

	w->is_cut = true;
	while ((q = w->questions)) {
		w->questions = q->next;
		loop_timer_stop(q->timer);
		q->done(q->ctx,
			&(struct wire_answer){ .end = WIRE_CUT, .mem = &mem });
		free(q);
	}
}

void wire_free(struct wire *w)
{
	struct question *q;

	if (!w)
		return;
	while ((q = w->questions)) {
		w->questions = q->next;
		loop_timer_stop(q->timer);
		free(q);
	}
	frame_free(&w->frame);
	buf_free(&w->line);
	arena_free(&w->mem);
	free(w);
}
