/*
 * editor.c - fs/read_text_file and fs/write_text_file, from worker threads.
 *
 * A request is shared by the worker that waits for it and by the loop, which
 * sends it; it is reference-counted and freed by the last of them. Fields that
 * both use are under the editor's lock, the others belong to the loop once the
 * request was posted there.
 */
#include "acp/editor.h"

#include "base/clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
	POLL_MS = 50
}; /* interval at which a waiting call checks for cancellation */

struct editor_request {
	struct mail send;   /* must be first: cast to editor_request */
	struct mail cancel; /* posted when the caller has stopped waiting */
	struct editor *editor;
	struct editor_request *next,
		**link; /* list of requests sent to the editor */
	const char *method;
	struct buf params;
	uint64_t number; /* JSON-RPC id; 0 = not sent, or over */
	pthread_cond_t answered;

	unsigned refs; /* under the editor's lock, like all below */
	bool done;
	bool abandoned;
	enum editor_end end;
	struct buf text; /* the content, or the error message */
};

struct editor {
	struct editor_options options;
	struct buf session;
	struct editor_request *open; /* sent requests; loop only */
	atomic_bool reads, writes;
	pthread_mutex_t lock;
	unsigned refs; /* under the lock: the owner's and one per request */
};

struct editor *editor_new(const struct editor_options *options)
{
	enum { WAIT_MS = 5000 };
	struct editor *e = calloc(1, sizeof(*e));

	if (!e)
		out_of_memory();
	e->options = *options;
	if (!e->options.read_ms)
		e->options.read_ms = WAIT_MS;
	if (!e->options.write_ms)
		e->options.write_ms = WAIT_MS;
	buf_add(&e->session, options->session);
	atomic_init(&e->reads, options->reads);
	atomic_init(&e->writes, options->writes);
	(void)pthread_mutex_init(&e->lock, NULL);
	e->refs = 1;
	return e;
}

static void editor_unref(struct editor *e)
{
	bool last;

	(void)pthread_mutex_lock(&e->lock);
	last = !--e->refs;
	(void)pthread_mutex_unlock(&e->lock);
	if (!last)
		return;
	(void)pthread_mutex_destroy(&e->lock);
	buf_free(&e->session);
	free(e);
}

static void request_unref_n(struct editor_request *q, unsigned held)
{
	struct editor *e = q->editor;
	bool last;

	(void)pthread_mutex_lock(&e->lock);
	q->refs -= held;
	last = !q->refs;
	(void)pthread_mutex_unlock(&e->lock);
	if (!last)
		return;
	(void)pthread_cond_destroy(&q->answered);
	buf_free(&q->params);
	buf_free(&q->text);
	free(q);
	editor_unref(e);
}

static void request_unref(struct editor_request *q)
{
	request_unref_n(q, 1);
}

/* The request is over: take it off the list. */
static void request_unlink(struct editor_request *q)
{
	*q->link = q->next;
	if (q->next)
		q->next->link = q->link;
	q->number = 0;
}

static void request_complete(struct editor_request *q, enum editor_end end,
			     struct str text)
{
	(void)pthread_mutex_lock(&q->editor->lock);
	q->done = true;
	q->end = end;
	buf_add(&q->text, text);
	(void)pthread_cond_signal(&q->answered);
	(void)pthread_mutex_unlock(&q->editor->lock);
	request_unref(q);
}

static enum editor_end response_text(const struct editor_request *q,
				     const struct jsonrpc_response *a,
				     struct str *ret)
{
	*ret = a->message;
	switch (a->end) {
	case JSONRPC_ERROR:
		return EDITOR_REFUSED;
	case JSONRPC_TIMEOUT: /* no timeout is set: it was never connected */
	case JSONRPC_DISCONNECTED:
		return EDITOR_CANNOT;
	case JSONRPC_RESULT:
		break;
	}
	if (strcmp(q->method, "fs/read_text_file") != 0 ||
	    json_text(json_get(a->result, "content"), a->mem, ret))
		return EDITOR_OK;
	*ret = STR("The response has no content");
	return EDITOR_REFUSED;
}

static void on_response(void *ctx, const struct jsonrpc_response *a)
{
	struct editor_request *q = ctx;
	struct str text = STR("");
	enum editor_end end = response_text(q, a, &text);

	request_unlink(q);
	request_complete(q, end, text);
}

static bool is_disconnected(const struct editor *e)
{
	return !e->options.rpc;
}

static bool is_abandoned(struct editor_request *q)
{
	bool left;

	(void)pthread_mutex_lock(&q->editor->lock);
	left = q->abandoned;
	(void)pthread_mutex_unlock(&q->editor->lock);
	return left;
}

/* On the loop: send the request. */
static void request_send(struct mail *mail)
{
	struct editor_request *q = (struct editor_request *)mail;
	struct editor *e = q->editor;

	if (is_disconnected(e) || is_abandoned(q)) {
		request_complete(q, EDITOR_CANNOT, STR(""));
		return;
	}
	q->next = e->open;
	q->link = &e->open;
	if (q->next)
		q->next->link = &q->next;
	e->open = q;
	q->number =
		jsonrpc_request(e->options.rpc, q->method, buf_str(&q->params),
				/* timeout_ms= */ 0, on_response, q);
	buf_free(&q->params);
}

static void request_forget(struct editor_request *q)
{
	jsonrpc_forget(q->editor->options.rpc, q->number);
	request_unlink(q);
}

/* On the loop: cancel the request. */
static void request_cancel(struct mail *mail)
{
	struct editor_request *q =
		(struct editor_request *)((char *)mail -
					  offsetof(struct editor_request,
						   cancel));
	struct jsonrpc *rpc = q->editor->options.rpc;
	auto_buf params = BUF_INIT;
	unsigned held = 1;

	if (q->number) {
		buf_addf(&params, "{\"requestId\":%llu}",
			 (unsigned long long)q->number);
		request_forget(q);
		jsonrpc_notify(rpc, "$/cancel_request", buf_str(&params));
		held++; /* the reference of the request */
	}
	request_unref_n(q, held);
}

void editor_disconnect(struct editor *e)
{
	struct editor_request *next;

	atomic_store(&e->reads, false);
	atomic_store(&e->writes, false);
	for (struct editor_request *q = e->open; q; q = next) {
		next = q->next;
		request_forget(q);
		request_complete(q, EDITOR_CANNOT, STR(""));
	}
	e->options.rpc = NULL;
}

void editor_free(struct editor *e)
{
	if (!e)
		return;
	editor_disconnect(e);
	editor_unref(e);
}

bool editor_can_read(const struct editor *e)
{
	return atomic_load(&e->reads);
}

bool editor_can_write(const struct editor *e)
{
	return atomic_load(&e->writes);
}

static struct editor_request *request_new(struct editor *e, const char *method)
{
	struct editor_request *q = calloc(1, sizeof(*q));
	pthread_condattr_t attr;

	if (!q)
		out_of_memory();
	q->editor = e;
	q->method = method;
	q->send.deliver = request_send;
	q->cancel.deliver = request_cancel;
	q->refs = 2; /* the caller's and the loop's */
	(void)pthread_condattr_init(&attr);
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&q->answered, &attr);
	(void)pthread_condattr_destroy(&attr);
	(void)pthread_mutex_lock(&e->lock);
	e->refs++;
	(void)pthread_mutex_unlock(&e->lock);
	return q;
}

static struct json_out open_params(struct editor_request *q, struct str path)
{
	struct json_out o = json_out(&q->params);

	json_open(&o, '{');
	json_key(&o, "sessionId");
	json_put_str(&o, buf_str(&q->editor->session));
	json_key(&o, "path");
	json_put_str(&o, path);
	return o;
}

static struct timespec timespec_after(uint64_t ms)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_nsec += (long)(ms % 1000) * 1000000;
	t.tv_sec += (time_t)(ms / 1000) + t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

/* Wait for at most POLL_MS; true when the request is complete. */
static bool request_wait(struct editor_request *q, uint64_t ms)
{
	struct timespec until = timespec_after(size_min(ms, POLL_MS));
	bool done;

	(void)pthread_mutex_lock(&q->editor->lock);
	if (!q->done)
		(void)pthread_cond_timedwait(&q->answered, &q->editor->lock,
					     &until);
	done = q->done;
	(void)pthread_mutex_unlock(&q->editor->lock);
	return done;
}

static void request_abandon(struct editor_request *q)
{
	(void)pthread_mutex_lock(&q->editor->lock);
	q->abandoned = true;
	q->refs++; /* held by the posted message */
	(void)pthread_mutex_unlock(&q->editor->lock);
	loop_post(q->editor->options.loop, &q->cancel);
}

static enum editor_end request_await(struct editor_request *q, uint64_t limit,
				     const struct progress *progress)
{
	uint64_t until = clock_ms() + limit, now;

	while (true) {
		now = clock_ms();
		if (request_wait(q, until > now ? until - now : 0))
			return q->end; /* complete: no longer written by the loop */
		if (progress && progress->stop &&
		    progress->stop(progress->ctx)) {
			request_abandon(q);
			return EDITOR_STOPPED;
		}
		if (clock_ms() >= until) {
			request_abandon(q);
			return EDITOR_LATE;
		}
	}
}

static enum editor_end request_run(struct editor_request *q, uint64_t limit,
				   const struct progress *progress,
				   struct arena *mem, struct str *ret)
{
	enum editor_end end;

	loop_post(q->editor->options.loop, &q->send);
	end = request_await(q, limit, progress);
	if (end == EDITOR_OK || end == EDITOR_REFUSED)
		*ret = arena_copy(mem, buf_str(&q->text));
	request_unref(q);
	return end;
}

enum editor_end editor_read(struct editor *e, struct str path,
			    const struct progress *progress, struct arena *mem,
			    struct str *ret, struct str *why)
{
	enum editor_end end;
	struct json_out o;
	struct editor_request *q;
	struct str text;

	if (!editor_can_read(e))
		return EDITOR_CANNOT;
	q = request_new(e, "fs/read_text_file");
	o = open_params(q, path);
	json_close(&o, '}');
	end = request_run(q, e->options.read_ms, progress, mem, &text);
	if (end == EDITOR_OK)
		*ret = text;
	else if (end == EDITOR_REFUSED)
		*why = text;
	return end;
}

enum editor_end editor_write(struct editor *e, struct str path, struct str text,
			     const struct progress *progress, struct arena *mem,
			     struct str *why)
{
	enum editor_end end;
	struct json_out o;
	struct editor_request *q;
	struct str said;

	if (!editor_can_write(e))
		return EDITOR_CANNOT;
	q = request_new(e, "fs/write_text_file");
	o = open_params(q, path);
	json_key(&o, "content");
	json_put_str(&o, text);
	json_close(&o, '}');
	end = request_run(q, e->options.write_ms, progress, mem, &said);
	if (end == EDITOR_REFUSED)
		*why = said;
	return end;
}
