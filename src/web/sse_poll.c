/*
 * sse_poll.c - find new events in the store, on a thread of its own.
 *
 * Other processes write to the store as well, so it is polled while a stream is
 * open: twice a second, and at once after a call of ours. The snapshot of the
 * last poll belongs to this thread alone; what differs from it is sent.
 */
#include "tools/history/operations.h"
#include "tools/permissions/approvals_json.h"
#include "web/sse_local.h"

#include <stdlib.h>
#include <time.h>

enum {
	POLL_MS = 500,
	LATEST = 64, /* operations that are compared with the last poll */
	MAX_UNDO_CHAIN = 8, /* operations that one undo of an undo refers to */
};

static bool ids_contain(const struct uuid *list, size_t n, struct uuid id)
{
	for (size_t i = 0; i < n; i++)
		if (uuid_eq(list[i], id))
			return true;
	return false;
}

static struct uuid *ids_new(size_t n)
{
	struct uuid *ids = calloc(n + 1, sizeof(*ids));

	if (!ids)
		out_of_memory();
	return ids;
}

static void send_approval(struct sse *l, const struct approval *a,
			  struct arena *mem)
{
	auto_buf data = BUF_INIT;
	struct json_out o = json_out(&data);
	struct op_view view = op_view(l->page, mem);

	put_approval(&o, &view, a);
	sse_send(l, "approval", &data);
}

static void send_approval_gone(struct sse *l, struct store *s, struct uuid id,
			       struct arena *mem)
{
	struct approval a = { .state = APPROVAL_EXPIRED };
	auto_buf data = BUF_INIT;
	struct json_out o = json_out(&data);
	struct fault ignored;

	(void)!approval_find(s, op_id(id, mem), mem, &a, &ignored);
	json_open(&o, '{');
	put_id(&o, "id", id);
	json_text_member(&o, "state", str_of(approvals_state(a.state)));
	json_close(&o, '}');
	sse_send(l, "approval_gone", &data);
}

/* A call has begun to wait for the answer, or its client has left. */
static void send_approval_waits(struct sse *l, const struct approval *a)
{
	auto_buf data = BUF_INIT;
	struct json_out o = json_out(&data);

	json_open(&o, '{');
	put_id(&o, "id", a->id);
	put_number(&o, "waits", a->waits_ms);
	json_close(&o, '}');
	sse_send(l, "approval_waits", &data);
}

/* The changes of @a since the last poll. */
static void send_if_new(struct sse *l, const struct approval *a,
			struct arena *mem)
{
	const struct sse_snapshot *had = &l->snapshot;
	size_t i = 0;

	while (i < had->approval_count && !uuid_eq(had->approvals[i], a->id))
		i++;
	if (i == had->approval_count)
		send_approval(l, a, mem);
	else if (had->waits[i] != a->waits_ms)
		send_approval_waits(l, a);
}

/* @first: only record the current state. */
static void poll_approvals(struct sse *l, struct store *s, bool first,
			   struct arena *mem)
{
	struct sse_snapshot *had = &l->snapshot;
	struct approval *list;
	struct fault ignored;
	struct uuid *now;
	uint64_t *waits;
	size_t n;

	if (approval_list(s, /* all= */ false, mem, &list, &n, &ignored))
		return;
	now = ids_new(n);
	waits = calloc(n + 1, sizeof(*waits));
	if (!waits)
		out_of_memory();
	for (size_t i = 0; i < n; i++) {
		now[i] = list[i].id;
		waits[i] = list[i].waits_ms;
		if (!first)
			send_if_new(l, &list[i], mem);
	}
	for (size_t i = 0; !first && i < had->approval_count; i++)
		if (!ids_contain(now, n, had->approvals[i]))
			send_approval_gone(l, s, had->approvals[i], mem);
	free(had->approvals);
	free(had->waits);
	had->approvals = now;
	had->waits = waits;
	had->approval_count = n;
}

/* Reports that a list has changed; the page then fetches it. */
static void send_count(struct sse *l, const char *event, size_t n)
{
	auto_buf data = BUF_INIT;
	struct json_out o = json_out(&data);

	json_open(&o, '{');
	put_number(&o, "count", n);
	json_close(&o, '}');
	sse_send(l, event, &data);
}

/* Keep @now, @n ids, as the last poll; false: it had the same ones. */
static bool ids_replace(struct uuid **had, size_t *had_n, struct uuid *now,
			size_t n)
{
	bool same = n == *had_n;

	for (size_t i = 0; same && i < n; i++)
		same = uuid_eq(now[i], (*had)[i]);
	free(*had);
	*had = now;
	*had_n = n;
	return !same;
}

static void poll_grants(struct sse *l, struct store *s, bool first,
			struct arena *mem)
{
	struct sse_snapshot *had = &l->snapshot;
	struct grant *list;
	struct fault ignored;
	struct uuid *now;
	size_t n;

	if (grant_list(s, mem, &list, &n, &ignored))
		return;
	now = ids_new(n);
	for (size_t i = 0; i < n; i++)
		now[i] = list[i].id;
	if (ids_replace(&had->grants, &had->grant_count, now, n) && !first)
		send_count(l, "grants", n);
}

static void poll_unused(struct sse *l, struct store *s, bool first,
			struct arena *mem)
{
	struct sse_snapshot *had = &l->snapshot;
	struct approval *list;
	struct fault ignored;
	struct uuid *now;
	size_t n;

	if (approval_list_unused(s, mem, &list, &n, &ignored))
		return;
	now = ids_new(n);
	for (size_t i = 0; i < n; i++)
		now[i] = list[i].id;
	if (ids_replace(&had->unused, &had->unused_count, now, n) && !first)
		send_count(l, "unused", n);
}

static void send_operation(struct sse *l, const struct op_view *view,
			   const struct op *op)
{
	auto_buf data = BUF_INIT;
	struct json_out o = json_out(&data);

	put_operation(&o, view, op);
	sse_send(l, "operation", &data);
}

/* Sends a new operation, and again those it undoes: their state changed. */
static void send_with_undone(struct sse *l, const struct op_view *view,
			     const struct op *op)
{
	struct uuid back = op->undoes;
	struct fault ignored;
	struct op other;

	send_operation(l, view, op);
	for (int i = 0; i < MAX_UNDO_CHAIN && !uuid_is_zero(back); i++) {
		if (history_find(view->store, op_id(back, view->mem), view->mem,
				 &other, &ignored))
			return;
		send_operation(l, view, &other);
		back = other.undoes;
	}
}

static void poll_operations(struct sse *l, struct store *s, bool first,
			    struct arena *mem)
{
	struct history_query q = { .limit = LATEST };
	struct op_view view = op_view(l->page, mem);
	struct sse_snapshot *had = &l->snapshot;
	struct fault ignored;
	struct uuid *now;
	struct op *ops;
	size_t n, sent = 0;

	if (history_list(s, &q, mem, &ops, &n, &ignored))
		return;
	now = ids_new(n);
	for (size_t i = n; i--;) { /* oldest first */
		now[i] = ops[i].id;
		if (!first && ops[i].time_ms >= had->oldest &&
		    !ids_contain(had->ops, had->op_count, ops[i].id)) {
			send_with_undone(l, &view, &ops[i]);
			sent++;
		}
	}
	if (sent == LATEST) /* there may be more, between then and now */
		sse_overflow(l);
	free(had->ops);
	had->ops = now;
	had->op_count = n;
	had->oldest = n == LATEST ? ops[n - 1].time_ms : 0;
}

static void poll_store(struct sse *l, bool first)
{
	struct store *s = l->page->options.server->tools.store;
	auto_arena mem = ARENA_INIT;

	if (!s)
		return;
	poll_approvals(l, s, first, &mem);
	poll_grants(l, s, first, &mem);
	poll_unused(l, s, first, &mem);
	poll_operations(l, s, first, &mem);
}

/* Under the lock: wait until the next poll is due. */
static void wait_for_poll(struct sse *l)
{
	struct timespec until;

	(void)clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += POLL_MS * 1000000L;
	if (until.tv_nsec >= 1000000000L) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000L;
	}
	while (!l->poll && !l->ends && l->count &&
	       !pthread_cond_timedwait(&l->wake, &l->lock, &until))
		;
	l->poll = false;
}

static void set_ready(struct sse *l)
{
	if (l->ready || !l->count)
		return;
	l->ready = true;
	sse_wake_loop(l);
}

void *sse_poll_thread(void *sse)
{
	struct sse *l = sse;
	bool first;

	(void)pthread_mutex_lock(&l->lock);
	while (!l->ends) {
		if (!l->count) {
			(void)pthread_cond_wait(&l->wake, &l->lock);
			continue;
		}
		first = !l->ready;
		(void)pthread_mutex_unlock(&l->lock);
		poll_store(l, first);
		(void)pthread_mutex_lock(&l->lock);
		set_ready(l);
		wait_for_poll(l);
	}
	(void)pthread_mutex_unlock(&l->lock);
	return NULL;
}
