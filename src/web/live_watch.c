/* The other half: looks at the store, where all processes put their news. */

#include "tools/approvals_json.h"
#include "tools/operations.h"
#include "web/live_local.h"

#include <stdlib.h>
#include <time.h>

enum {
	LOOK_MS = 500,
	LATEST = 64,   /* operations that are looked at */
	MOST_BACK = 8, /* of undoings of undoings */
};

static bool is_in(const struct uuid *list, size_t n, struct uuid id)
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

static void tell_approval(struct live *l, const struct approval *a,
			  struct arena *mem)
{
	auto_buf data = BUF_INIT;
	struct json_out o = json_out(&data);
	struct op_view view = op_view(l->page, mem);

	put_approval(&o, &view, a);
	live_tell(l, "approval", &data);
}

static void tell_gone(struct live *l, struct store *s, struct uuid id,
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
	live_tell(l, "approval_gone", &data);
}

/* A call has begun to wait for the answer, or its client has left. */
static void tell_waits(struct live *l, const struct approval *a)
{
	auto_buf data = BUF_INIT;
	struct json_out o = json_out(&data);

	json_open(&o, '{');
	put_id(&o, "id", a->id);
	put_number(&o, "waits", a->waits_ms);
	json_close(&o, '}');
	live_tell(l, "approval_waits", &data);
}

/* What is new of @a since the last look. */
static void tell_news(struct live *l, const struct approval *a,
		      struct arena *mem)
{
	const struct looked *had = &l->looked;
	size_t i = 0;

	while (i < had->approval_count && !uuid_eq(had->approvals[i], a->id))
		i++;
	if (i == had->approval_count)
		tell_approval(l, a, mem);
	else if (had->waits[i] != a->waits_ms)
		tell_waits(l, a);
}

/* @first: only learn what is there. */
static void look_at_approvals(struct live *l, struct store *s, bool first,
			      struct arena *mem)
{
	struct looked *had = &l->looked;
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
			tell_news(l, &list[i], mem);
	}
	for (size_t i = 0; !first && i < had->approval_count; i++)
		if (!is_in(now, n, had->approvals[i]))
			tell_gone(l, s, had->approvals[i], mem);
	free(had->approvals);
	free(had->waits);
	had->approvals = now;
	had->waits = waits;
	had->approval_count = n;
}

/* Which there are is for the page to fetch. */
static void tell_grants(struct live *l, size_t n)
{
	auto_buf data = BUF_INIT;
	struct json_out o = json_out(&data);

	json_open(&o, '{');
	put_number(&o, "count", n);
	json_close(&o, '}');
	live_tell(l, "grants", &data);
}

static void look_at_grants(struct live *l, struct store *s, bool first,
			   struct arena *mem)
{
	struct looked *had = &l->looked;
	struct grant *list;
	struct fault ignored;
	struct uuid *now;
	bool same;
	size_t n;

	if (grant_list(s, mem, &list, &n, &ignored))
		return;
	now = ids_new(n);
	same = n == had->grant_count;
	for (size_t i = 0; i < n; i++) {
		now[i] = list[i].id;
		same = same && uuid_eq(now[i], had->grants[i]);
	}
	if (!first && !same)
		tell_grants(l, n);
	free(had->grants);
	had->grants = now;
	had->grant_count = n;
}

static void tell_operation(struct live *l, const struct op_view *view,
			   const struct op *op)
{
	auto_buf data = BUF_INIT;
	struct json_out o = json_out(&data);

	put_operation(&o, view, op);
	live_tell(l, "operation", &data);
}

/* A new one; and those it takes back, as they are no longer what they were. */
static void tell_with_undone(struct live *l, const struct op_view *view,
			     const struct op *op)
{
	struct uuid back = op->undoes;
	struct fault ignored;
	struct op other;

	tell_operation(l, view, op);
	for (int i = 0; i < MOST_BACK && !uuid_is_zero(back); i++) {
		if (history_find(view->store, op_id(back, view->mem), view->mem,
				 &other, &ignored))
			return;
		tell_operation(l, view, &other);
		back = other.undoes;
	}
}

static void look_at_operations(struct live *l, struct store *s, bool first,
			       struct arena *mem)
{
	struct history_query q = { .limit = LATEST };
	struct op_view view = op_view(l->page, mem);
	struct looked *had = &l->looked;
	struct fault ignored;
	struct uuid *now;
	struct op *ops;
	size_t n, told = 0;

	if (history_list(s, &q, mem, &ops, &n, &ignored))
		return;
	now = ids_new(n);
	for (size_t i = n; i--;) { /* oldest first */
		now[i] = ops[i].id;
		if (!first && ops[i].time_ms >= had->oldest &&
		    !is_in(had->ops, had->op_count, ops[i].id)) {
			tell_with_undone(l, &view, &ops[i]);
			told++;
		}
	}
	if (told == LATEST) /* there may be more, between then and now */
		live_lose(l);
	free(had->ops);
	had->ops = now;
	had->op_count = n;
	had->oldest = n == LATEST ? ops[n - 1].time_ms : 0;
}

static void look(struct live *l, bool first)
{
	struct store *s = l->page->options.server->tools.store;
	auto_arena mem = ARENA_INIT;

	if (!s)
		return;
	look_at_approvals(l, s, first, &mem);
	look_at_grants(l, s, first, &mem);
	look_at_operations(l, s, first, &mem);
}

/* Under the lock: until it is time, or there is news. */
static void rest(struct live *l)
{
	struct timespec until;

	(void)clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += LOOK_MS * 1000000L;
	if (until.tv_nsec >= 1000000000L) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000L;
	}
	while (!l->look && !l->ends && l->count &&
	       !pthread_cond_timedwait(&l->wake, &l->lock, &until))
		;
	l->look = false;
}

static void now_ready(struct live *l)
{
	if (l->ready || !l->count)
		return;
	l->ready = true;
	live_post(l);
}

void *live_watch(void *live)
{
	struct live *l = live;
	bool first;

	(void)pthread_mutex_lock(&l->lock);
	while (!l->ends) {
		if (!l->count) {
			(void)pthread_cond_wait(&l->wake, &l->lock);
			continue;
		}
		first = !l->ready;
		(void)pthread_mutex_unlock(&l->lock);
		look(l, first);
		(void)pthread_mutex_lock(&l->lock);
		now_ready(l);
		rest(l);
	}
	(void)pthread_mutex_unlock(&l->lock);
	return NULL;
}
