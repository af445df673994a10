/*
 * mcp_session.c - the sessions of the endpoint, by id or by client name.
 *
 * A hash table has both kinds: sessions made by `initialize`, found by their
 * random id, and stateless clients (2026-07-28), found by the names of token
 * and client. Limits are per token and for all; the token with the most
 * sessions gives one up first. Loop thread only; mail posted by other
 * threads holds a reference (@refs).
 */

#include "base/clock.h"
#include "base/hash.h"
#include "io/endpoint_local.h"
#include "io/loop.h"

#include <stdlib.h>

enum { SESSION_ROOM = 2048 }; /* bytes charged for a session's arena */

static struct mcp_session **session_bucket(struct endpoint *e, struct str key)
{
	return &e->table[hash_of(key).low % BUCKETS];
}

/* Few buckets are filled, and they are walked at every tick. */
size_t mcp_session_bucket(const struct endpoint *e, size_t i)
{
	for (; i < BUCKETS; i = (i | 63) + 1) {
		uint64_t left = e->filled[i / 64] >> (i % 64);

		if (left)
			return i + (size_t)__builtin_ctzll(left);
	}
	return BUCKETS;
}

/* After @bucket has changed. */
static void note_filled(struct endpoint *e, struct mcp_session **bucket)
{
	const size_t i = (size_t)(bucket - e->table);

	e->filled[i / 64] &= ~(1ULL << (i % 64));
	e->filled[i / 64] |= (uint64_t)(*bucket != NULL) << (i % 64);
}

static struct mcp_session *session_find(struct endpoint *e, struct str key)
{
	struct mcp_session *s = *session_bucket(e, key);

	while (s && !str_eq(s->key, key))
		s = s->next;
	return s;
}

static void session_finish(struct call_queue *q, struct job *job)
{
	mcp_exchange_finish(job->holder);
}

static bool session_output_full(const struct call_queue *q)
{
	return ((const struct mcp_session *)q)->endpoint->stopping;
}

static void session_call_returned(struct call_queue *q, struct job *job)
{
	struct mcp_session *s = (struct mcp_session *)q;

	atomic_fetch_add(&s->refs,
			 1); /* the exchange may hold the last reference */
	call_queue_returned(q, job);
	mcp_session_unref(s);
}

static struct pool *session_pool(struct call_queue *q)
{
	struct endpoint *e = ((struct mcp_session *)q)->endpoint;

	if (!e->pool)
		e->pool = pool_new(2 * CALL_THREADS,
				   loop_mailbox(http_loop(e->http)));
	return e->pool;
}

const struct call_queue_ops mcp_session_ops = {
	.finish = session_finish,
	.drop = session_finish,
	.output_full = session_output_full,
	.pool = session_pool,
	.returned = session_call_returned,
};

/* NULL: the budget of the token has no room for it. */
static struct mcp_session *session_add(struct endpoint *e, struct str key,
				       struct str name)
{
	struct account *account = endpoint_account(e, name);
	struct charge held = { .budget = &account->budget };
	struct mcp_session *s, **at = session_bucket(e, key);
	struct arena *mem;

	if (!charge_raise(&held, sizeof(*s) + SESSION_ROOM))
		return NULL;
	s = calloc(1, sizeof(*s));
	if (!s)
		out_of_memory();
	s->held = held;
	s->account = account;
	s->queue.link.budget = &account->budget;
	s->queue.link.caches = &account->caches;
	mem = &s->queue.link.mem;
	s->endpoint = e;
	atomic_init(&s->refs, 1);
	s->kept_end = &s->kept;
	s->name = arena_copy(mem, name);
	s->key = arena_copy(mem, key);
	s->since_ms = clock_unix_ms();
	call_queue_open(&s->queue, &mcp_session_ops);
	s->queue.link.transport =
		arena_printf(mem, "http:" STR_FMT, STR_ARG(s->name));
	s->next = *at;
	*at = s;
	note_filled(e, at);
	return s;
}

static void session_touch(struct mcp_session *s)
{
	s->last_ms = clock_unix_ms();
	s->used = clock_ms();
	s->turn = ++s->endpoint->turns;
}

/* Call @f for each session; @f may end it. */
static void session_each(struct endpoint *e,
			 void (*f)(struct mcp_session *, void *), void *ctx)
{
	struct mcp_session *next;

	for (size_t i = mcp_session_bucket(e, 0); i < BUCKETS;
	     i = mcp_session_bucket(e, i + 1))
		for (struct mcp_session *s = e->table[i]; s; s = next) {
			next = s->next;
			f(s, ctx);
		}
}

/* Which session to end when there is one too many. */
struct session_victim {
	bool has_id;   /* the kind of session that is looked for */
	bool own_only; /* of the token that asks for room */
	const struct account *asker;
	struct mcp_session *found;
};

static bool is_better_victim(const struct mcp_session *a,
			     const struct mcp_session *b)
{
	unsigned of_a = a->account->sessions[a->has_id];
	unsigned of_b = b->account->sessions[b->has_id];

	return of_a != of_b ? of_a > of_b : a->turn < b->turn;
}

/* An idle session of the same token, or of one that has more of them. */
static bool may_evict(const struct mcp_session *s,
		      const struct session_victim *v)
{
	if (s->has_id != v->has_id || s->exchanges ||
	    !call_queue_is_idle(&s->queue))
		return false;
	return s->account == v->asker ||
	       (!v->own_only && s->account->sessions[s->has_id] >
					v->asker->sessions[s->has_id]);
}

static void consider_victim(struct mcp_session *s, void *ctx)
{
	struct session_victim *v = ctx;

	if (may_evict(s, v) && (!v->found || is_better_victim(s, v->found)))
		v->found = s;
}

/*
 * End the session that is unused longest, of the token that has most of them.
 * False: there is none to end.
 */
static bool session_evict(struct endpoint *e, const struct account *asker,
			  bool has_id, bool own_only)
{
	struct session_victim v = { .has_id = has_id,
				    .own_only = own_only,
				    .asker = asker };

	session_each(e, consider_victim, &v);
	if (v.found)
		mcp_session_end(v.found);
	return v.found;
}

/* Make room for one more session: within the limits per token and for all. */
static bool make_session_room(struct endpoint *e, struct str name)
{
	const struct endpoint_options *o = &e->options;
	const struct account *asker = endpoint_account(e, name);

	if (asker->sessions[true] >= o->sessions_each &&
	    !session_evict(e, asker, true, true))
		return false;
	return e->sessions < o->sessions ||
	       session_evict(e, asker, true, false);
}

/* The same for a stateless client. */
static bool make_client_room(struct endpoint *e, struct str name)
{
	return e->clients < MOST_CLIENTS ||
	       session_evict(e, endpoint_account(e, name), false, false);
}

struct mcp_session *mcp_session_stateless(struct endpoint *e, struct str name,
					  struct job *job)
{
	enum { MOST = 100 };
	struct str key =
		arena_join(&job->mem,
			   (struct str[]){
				   STR("client "), name, STR(" "),
				   str_head(job_client_name(job), MOST) },
			   4);
	struct mcp_session *s = session_find(e, key);

	if (!s && !make_client_room(e, name))
		return NULL;
	if (!s) {
		s = session_add(e, key, name);
		if (!s)
			return NULL;
		job_introduce(job, &s->queue.link);
		e->clients++;
		s->account->sessions[false]++;
	}
	session_touch(s);
	return s;
}

struct mcp_session *mcp_session_new(struct endpoint *e, struct str name)
{
	char id[SESSION_ID + 1];
	struct mcp_session *s;

	if (!make_session_room(e, name))
		return NULL;
	secret_random_hex(id, SESSION_ID);
	s = session_add(e, str_of(id), name);
	if (!s)
		return NULL;
	memcpy(s->id, id, sizeof(id));
	s->has_id = true;
	s->peer.send = mcp_session_send;
	s->queue.link.peer = &s->peer;
	e->sessions++;
	s->account->sessions[true]++;
	session_touch(s);
	return s;
}

struct mcp_session *mcp_session_find(struct endpoint *e, struct str id,
				     struct str name)
{
	struct mcp_session *s;

	if (id.len != SESSION_ID)
		return NULL;
	s = session_find(e, id);
	if (!s || !s->has_id || !str_eq(s->name, name))
		return NULL;
	session_touch(s);
	return s;
}

void mcp_session_unref(struct mcp_session *s)
{
	if (atomic_fetch_sub(&s->refs, 1) != 1)
		return;
	mcp_session_drop_events(s, 0);
	call_queue_close(&s->queue);
	charge_set(&s->held, 0);
	free(s);
}

static void session_end_exchanges(struct mcp_session *s)
{
	struct mcp_exchange *next;

	for (struct mcp_exchange *exchange = s->exchanges; exchange;
	     exchange = next) {
		next = exchange->next;
		mcp_exchange_end(exchange);
	}
}

void mcp_session_end(struct mcp_session *s)
{
	struct mcp_session **bucket = session_bucket(s->endpoint, s->key);
	struct mcp_session **at = bucket;

	if (s->ended)
		return;
	s->ended = true;
	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	note_filled(s->endpoint, bucket);
	s->account->sessions[s->has_id]--;
	if (s->has_id)
		s->endpoint->sessions--;
	else
		s->endpoint->clients--;
	link_end(&s->queue.link); /* while its peer is still there */
	session_end_exchanges(s);
	mcp_session_drop_events(s, 0);
	mcp_session_unref(s);
}

static void consider_kept(struct mcp_session *s, void *ctx)
{
	struct mcp_session **found = ctx;
	const struct mcp_session *had = *found;
	size_t most = had ? had->account->kept_bytes : 0;
	size_t kept = s->account->kept_bytes;

	if (s->kept &&
	    (!had || kept > most || (kept == most && s->turn < had->turn)))
		*found = s;
}

bool mcp_session_evict_events(struct endpoint *e)
{
	struct mcp_session *found = NULL;

	session_each(e, consider_kept, &found);
	if (found)
		mcp_session_drop_events(found, 0);
	return found;
}

struct session_sweep {
	uint64_t now;
	struct str known; /* token of the last session that may stay */
};

static bool session_may_stay(const struct mcp_session *s,
			     struct session_sweep *sweep)
{
	const struct endpoint_options *o = &s->endpoint->options;

	if (!o->knows || str_eq(s->name, sweep->known))
		return true;
	if (!o->knows(o->ctx, s->name))
		return false;
	sweep->known = s->name;
	return true;
}

static void session_sweep_one(struct mcp_session *s, void *ctx)
{
	struct session_sweep *sweep = ctx;

	if (!session_may_stay(s, sweep) ||
	    (!s->exchanges && call_queue_is_idle(&s->queue) &&
	     sweep->now > s->used + s->endpoint->options.idle_ms)) {
		sweep->known = STR(""); /* @known may be in its memory */
		mcp_session_end(s);
	}
}

void mcp_session_sweep(struct endpoint *e)
{
	struct session_sweep sweep = { .now = clock_ms(), .known = STR("") };

	session_each(e, session_sweep_one, &sweep);
}

static void session_halt(struct mcp_session *s, void *ctx)
{
	call_queue_halt(&s->queue);
}

void mcp_session_halt_all(struct endpoint *e)
{
	session_each(e, session_halt, NULL);
}

static void session_end(struct mcp_session *s, void *ctx)
{
	mcp_session_end(s);
}

void mcp_session_end_all(struct endpoint *e)
{
	session_each(e, session_end, NULL);
}
