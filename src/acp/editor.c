#include "acp/editor.h"

#include "base/clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/*
 * A question is held by whoever waits for it and by the loop, and outlives
 * neither: the last to let go frees it. What the two share is under the
 * editor's lock; the rest belongs to the loop, once the question is on it.
 */

enum { LOOK_MS = 50 }; /* how often somebody who waits looks up */

struct query {
	struct loop_task ask;  /* first: it is cast */
	struct loop_task back; /* nobody waits any more */
	struct editor *editor;
	struct query *next, **link; /* of those that the wire has */
	const char *method;
	struct buf params;
	uint64_t number; /* of the wire; 0 = it does not have it */
	pthread_cond_t answered;

	unsigned refs; /* under the lock, like all that follows */
	bool done;
	bool left;
	enum editor_end end;
	struct buf text; /* the answer, or why there is none */
};

struct editor {
	struct editor_options options;
	struct buf session;
	struct query *open; /* the loop's own */
	atomic_bool reads, writes;
	pthread_mutex_t lock;
	unsigned refs; /* under the lock: whoever made it, and each query */
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

static void query_unrefs(struct query *q, unsigned held)
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

static void query_unref(struct query *q)
{
	query_unrefs(q, 1);
}

/* The wire has it no more. */
static void close_query(struct query *q)
{
	*q->link = q->next;
	if (q->next)
		q->next->link = q->link;
	q->number = 0;
}

static void answer(struct query *q, enum editor_end end, struct str text)
{
	(void)pthread_mutex_lock(&q->editor->lock);
	q->done = true;
	q->end = end;
	buf_add(&q->text, text);
	(void)pthread_cond_signal(&q->answered);
	(void)pthread_mutex_unlock(&q->editor->lock);
	query_unref(q);
}

static enum editor_end read_answer(const struct query *q,
				   const struct wire_answer *a, struct str *ret)
{
	*ret = a->message;
	switch (a->end) {
	case WIRE_REFUSED:
		return EDITOR_REFUSED;
	case WIRE_LATE: /* it has no limit: the wire was cut before */
	case WIRE_CUT:
		return EDITOR_CANNOT;
	case WIRE_ANSWERED:
		break;
	}
	if (strcmp(q->method, "fs/read_text_file") != 0 ||
	    json_text(json_get(a->result, "content"), a->mem, ret))
		return EDITOR_OK;
	*ret = STR("The answer has no content");
	return EDITOR_REFUSED;
}

static void on_answer(void *ctx, const struct wire_answer *a)
{
	struct query *q = ctx;
	struct str text = STR("");
	enum editor_end end = read_answer(q, a, &text);

	close_query(q);
	answer(q, end, text);
}

static bool is_cut(const struct editor *e)
{
	return !e->options.wire;
}

static bool has_left(struct query *q)
{
	bool left;

	(void)pthread_mutex_lock(&q->editor->lock);
	left = q->left;
	(void)pthread_mutex_unlock(&q->editor->lock);
	return left;
}

/* On the loop: put it to the editor. */
static void ask(struct loop_task *task)
{
	struct query *q = (struct query *)task;
	struct editor *e = q->editor;

	if (is_cut(e) || has_left(q)) {
		answer(q, EDITOR_CANNOT, STR(""));
		return;
	}
	q->next = e->open;
	q->link = &e->open;
	if (q->next)
		q->next->link = &q->next;
	e->open = q;
	q->number = wire_ask(e->options.wire, q->method, buf_str(&q->params),
			     /* limit_ms= */ 0, on_answer, q);
	buf_free(&q->params);
}

static void forget(struct query *q)
{
	wire_forget(q->editor->options.wire, q->number);
	close_query(q);
}

/* On the loop: take it back. */
static void take_back(struct loop_task *task)
{
	struct query *q =
		(struct query *)((char *)task - offsetof(struct query, back));
	struct wire *wire = q->editor->options.wire;
	auto_buf params = BUF_INIT;
	unsigned held = 1;

	if (q->number) {
		buf_addf(&params, "{\"requestId\":%llu}",
			 (unsigned long long)q->number);
		forget(q);
		wire_tell(wire, "$/cancel_request", buf_str(&params));
		held++; /* what the wire had */
	}
	query_unrefs(q, held);
}

void editor_cut(struct editor *e)
{
	struct query *next;

	atomic_store(&e->reads, false);
	atomic_store(&e->writes, false);
	for (struct query *q = e->open; q; q = next) {
		next = q->next;
		forget(q);
		answer(q, EDITOR_CANNOT, STR(""));
	}
	e->options.wire = NULL;
}

void editor_free(struct editor *e)
{
	if (!e)
		return;
	editor_cut(e);
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

static struct query *query_new(struct editor *e, const char *method)
{
	struct query *q = calloc(1, sizeof(*q));
	pthread_condattr_t attr;

	if (!q)
		out_of_memory();
	q->editor = e;
	q->method = method;
	q->ask.run = ask;
	q->back.run = take_back;
	q->refs = 2; /* ours, and the loop's */
	(void)pthread_condattr_init(&attr);
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&q->answered, &attr);
	(void)pthread_condattr_destroy(&attr);
	(void)pthread_mutex_lock(&e->lock);
	e->refs++;
	(void)pthread_mutex_unlock(&e->lock);
	return q;
}

static struct json_out open_params(struct query *q, struct str path)
{
	struct json_out o = json_out(&q->params);

	json_open(&o, '{');
	json_key(&o, "sessionId");
	json_put_str(&o, buf_str(&q->editor->session));
	json_key(&o, "path");
	json_put_str(&o, path);
	return o;
}

static struct timespec in_ms(uint64_t ms)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_nsec += (long)(ms % 1000) * 1000000;
	t.tv_sec += (time_t)(ms / 1000) + t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

/* A little, or until there is an answer. */
static bool doze(struct query *q, uint64_t ms)
{
	struct timespec until = in_ms(size_min(ms, LOOK_MS));
	bool done;

	(void)pthread_mutex_lock(&q->editor->lock);
	if (!q->done)
		(void)pthread_cond_timedwait(&q->answered, &q->editor->lock,
					     &until);
	done = q->done;
	(void)pthread_mutex_unlock(&q->editor->lock);
	return done;
}

static void leave(struct query *q)
{
	(void)pthread_mutex_lock(&q->editor->lock);
	q->left = true;
	q->refs++; /* of the task */
	(void)pthread_mutex_unlock(&q->editor->lock);
	loop_later(q->editor->options.loop, &q->back);
}

static enum editor_end await(struct query *q, uint64_t limit,
			     const struct errand *errand)
{
	uint64_t until = clock_ms() + limit, now;

	while (true) {
		now = clock_ms();
		if (doze(q, until > now ? until - now : 0))
			return q->end; /* nobody writes to it any more */
		if (errand && errand->stop && errand->stop(errand->ctx)) {
			leave(q);
			return EDITOR_STOPPED;
		}
		if (clock_ms() >= until) {
			leave(q);
			return EDITOR_LATE;
		}
	}
}

static enum editor_end put(struct query *q, uint64_t limit,
			   const struct errand *errand, struct arena *mem,
			   struct str *ret)
{
	enum editor_end end;

	loop_later(q->editor->options.loop, &q->ask);
	end = await(q, limit, errand);
	if (end == EDITOR_OK || end == EDITOR_REFUSED)
		*ret = arena_copy(mem, buf_str(&q->text));
	query_unref(q);
	return end;
}

enum editor_end editor_read(struct editor *e, struct str path,
			    const struct errand *errand, struct arena *mem,
			    struct str *ret, struct str *why)
{
	enum editor_end end;
	struct json_out o;
	struct query *q;
	struct str text;

	if (!editor_can_read(e))
		return EDITOR_CANNOT;
	q = query_new(e, "fs/read_text_file");
	o = open_params(q, path);
	json_close(&o, '}');
	end = put(q, e->options.read_ms, errand, mem, &text);
	if (end == EDITOR_OK)
		*ret = text;
	else if (end == EDITOR_REFUSED)
		*why = text;
	return end;
}

enum editor_end editor_write(struct editor *e, struct str path, struct str text,
			     const struct errand *errand, struct arena *mem,
			     struct str *why)
{
	enum editor_end end;
	struct json_out o;
	struct query *q;
	struct str said;

	if (!editor_can_write(e))
		return EDITOR_CANNOT;
	q = query_new(e, "fs/write_text_file");
	o = open_params(q, path);
	json_key(&o, "content");
	json_put_str(&o, text);
	json_close(&o, '}');
	end = put(q, e->options.write_ms, errand, mem, &said);
	if (end == EDITOR_REFUSED)
		*why = said;
	return end;
}
