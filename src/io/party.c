/* party.c - whose a message is: sessions, and clients that have none. */

#include "base/clock.h"
#include "base/hash.h"
#include "io/endpoint_local.h"

#include <stdlib.h>

enum { PARTY_ROOM = 2048 }; /* of a party, for what it remembers */

static struct party **bucket(struct endpoint *e, struct str key)
{
	return &e->table[hash_of(key).low % BUCKETS];
}

static struct party *find(struct endpoint *e, struct str key)
{
	struct party *p = *bucket(e, key);

	while (p && !str_eq(p->key, key))
		p = p->next;
	return p;
}

static void finish(struct lane *l, struct job *job)
{
	post_finish(job->holder);
}

static bool is_clogged(const struct lane *l)
{
	return ((const struct party *)l)->endpoint->stopping;
}

static void on_back(struct http_task *task)
{
	struct post *post =
		(struct post *)((char *)task - offsetof(struct post, back));

	struct party *p = post->party;

	atomic_fetch_add(&p->refs, 1); /* the post may be its last */
	lane_back(&p->lane, post->job);
	party_unref(p);
}

static void pool_run(void *ctx, struct job *job)
{
	(void)job_run(job, 0);
}

static void pool_done(void *ctx, struct job *job)
{
	struct endpoint *e = ctx;
	struct post *post = job->holder;

	post->back.run = on_back;
	http_later(e->http, &post->back);
}

static void to_pool(struct lane *l, struct job *job)
{
	struct endpoint *e = ((struct party *)l)->endpoint;

	if (!e->pool)
		e->pool = pool_new(2 * LANE_THREADS, pool_run, pool_done, e);
	pool_add(e->pool, job);
}

const struct lane_host party_host = {
	.finish = finish,
	.drop = finish,
	.clogged = is_clogged,
	.to_pool = to_pool,
};

/* NULL: the client has no memory left for one more. */
static struct party *add(struct endpoint *e, struct str key, struct str name)
{
	struct account *account = endpoint_account(e, name);
	struct charge held = { .budget = &account->budget };
	struct party *p, **at = bucket(e, key);
	struct arena *mem;

	if (!charge_raise(&held, sizeof(*p) + PARTY_ROOM))
		return NULL;
	p = calloc(1, sizeof(*p));
	if (!p)
		out_of_memory();
	p->held = held;
	p->account = account;
	p->lane.link.budget = &account->budget;
	p->lane.link.caches = &account->caches;
	mem = &p->lane.link.mem;
	p->endpoint = e;
	atomic_init(&p->refs, 1);
	p->kept_end = &p->kept;
	p->name = arena_copy(mem, name);
	p->key = arena_copy(mem, key);
	p->since_ms = clock_unix_ms();
	lane_open(&p->lane, &party_host);
	p->lane.link.door =
		arena_printf(mem, "http:" STR_FMT, STR_ARG(p->name));
	p->next = *at;
	*at = p;
	return p;
}

static void touch(struct party *p)
{
	p->last_ms = clock_unix_ms();
	p->used = clock_ms();
	p->turn = ++p->endpoint->turns;
}

/* Call @f for each, which may end it. */
static void each(struct endpoint *e, void (*f)(struct party *, void *),
		 void *ctx)
{
	struct party *next;

	for (size_t i = 0; i < BUCKETS; i++)
		for (struct party *p = e->table[i]; p; p = next) {
			next = p->next;
			f(p, ctx);
		}
}

/* The party that goes when there is one too many. */
struct victim {
	bool sessions;
	bool own_only;
	const struct account *asker;
	struct party *found;
};

static bool is_better(const struct party *a, const struct party *b)
{
	unsigned of_a = a->account->parties[a->session];
	unsigned of_b = b->account->parties[b->session];

	return of_a != of_b ? of_a > of_b : a->turn < b->turn;
}

/* Somebody else's goes only if they have more than the one who asks. */
static bool may_go(const struct party *p, const struct victim *v)
{
	if (p->session != v->sessions || p->posts || !lane_is_idle(&p->lane))
		return false;
	return p->account == v->asker ||
	       (!v->own_only && p->account->parties[p->session] >
					v->asker->parties[p->session]);
}

static void look_victim(struct party *p, void *ctx)
{
	struct victim *v = ctx;

	if (may_go(p, v) && (!v->found || is_better(p, v->found)))
		v->found = p;
}

/*
 * End the party that is silent longest, of the client that has the most of
 * them; false: none may go.
 */
static bool end_one_for(struct endpoint *e, const struct account *asker,
			bool sessions, bool own_only)
{
	struct victim v = { .sessions = sessions,
			    .own_only = own_only,
			    .asker = asker };

	each(e, look_victim, &v);
	if (v.found)
		party_end(v.found);
	return v.found;
}

/* Room for one more session, of this client and of all. */
static bool make_room(struct endpoint *e, struct str name)
{
	const struct endpoint_options *o = &e->options;
	const struct account *asker = endpoint_account(e, name);

	if (asker->parties[true] >= o->sessions_each &&
	    !end_one_for(e, asker, true, true))
		return false;
	return e->sessions < o->sessions || end_one_for(e, asker, true, false);
}

/* The same for clients that have none. */
static bool make_client_room(struct endpoint *e, struct str name)
{
	return e->clients < MOST_CLIENTS ||
	       end_one_for(e, endpoint_account(e, name), false, false);
}

struct party *party_stateless(struct endpoint *e, struct str name,
			      struct json client_info, struct arena *mem)
{
	enum { MOST = 100 };
	struct str client, key;
	struct party *p;

	if (!json_text(json_get(client_info, "name"), mem, &client))
		client = STR("");
	key = arena_join(mem,
			 (struct str[]){ STR("client "), name, STR(" "),
					 str_head(client, MOST) },
			 4);
	p = find(e, key);
	if (!p && !make_client_room(e, name))
		return NULL;
	if (!p) {
		p = add(e, key, name);
		if (!p)
			return NULL;
		link_meet(&p->lane.link, client_info);
		e->clients++;
		p->account->parties[false]++;
	}
	touch(p);
	return p;
}

struct party *party_session(struct endpoint *e, struct str name)
{
	char id[SESSION_ID + 1];
	struct party *p;

	if (!make_room(e, name))
		return NULL;
	seal_random_hex(id, SESSION_ID);
	p = add(e, str_of(id), name);
	if (!p)
		return NULL;
	memcpy(p->id, id, sizeof(id));
	p->session = true;
	p->peer.send = post_send_general;
	p->lane.link.peer = &p->peer;
	e->sessions++;
	p->account->parties[true]++;
	touch(p);
	return p;
}

struct party *party_find(struct endpoint *e, struct str id, struct str name)
{
	struct party *p;

	if (id.len != SESSION_ID)
		return NULL;
	p = find(e, id);
	if (!p || !p->session || !str_eq(p->name, name))
		return NULL;
	touch(p);
	return p;
}

void party_unref(struct party *p)
{
	if (atomic_fetch_sub(&p->refs, 1) != 1)
		return;
	post_forget_events(p, 0);
	lane_close(&p->lane);
	charge_set(&p->held, 0);
	free(p);
}

static void end_posts(struct party *p)
{
	struct post *next;

	for (struct post *post = p->posts; post; post = next) {
		next = post->next;
		post_end(post);
	}
}

void party_end(struct party *p)
{
	struct party **at = bucket(p->endpoint, p->key);

	if (p->ended)
		return;
	p->ended = true;
	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	p->account->parties[p->session]--;
	if (p->session)
		p->endpoint->sessions--;
	else
		p->endpoint->clients--;
	news_end(&p->lane.link.reader); /* before its peer may go */
	end_posts(p);
	post_forget_events(p, 0);
	party_unref(p);
}

static void look_kept(struct party *p, void *ctx)
{
	struct party **found = ctx;
	const struct party *had = *found;
	size_t most = had ? had->account->kept_bytes : 0;
	size_t kept = p->account->kept_bytes;

	if (p->kept &&
	    (!had || kept > most || (kept == most && p->turn < had->turn)))
		*found = p;
}

bool party_forget_events(struct endpoint *e)
{
	struct party *found = NULL;

	each(e, look_kept, &found);
	if (found)
		post_forget_events(found, 0);
	return found;
}

struct sweep {
	uint64_t now;
	struct str known; /* the last that may be here */
};

static bool may_stay(const struct party *p, struct sweep *s)
{
	const struct endpoint_options *o = &p->endpoint->options;

	if (!o->knows || str_eq(p->name, s->known))
		return true;
	if (!o->knows(o->ctx, p->name))
		return false;
	s->known = p->name;
	return true;
}

static void sweep_one(struct party *p, void *ctx)
{
	struct sweep *s = ctx;

	if (!may_stay(p, s) ||
	    (!p->posts && lane_is_idle(&p->lane) &&
	     s->now > p->used + p->endpoint->options.idle_ms)) {
		s->known = STR(""); /* its name may go with it */
		party_end(p);
	}
}

void party_sweep(struct endpoint *e)
{
	struct sweep s = { .now = clock_ms(), .known = STR("") };

	each(e, sweep_one, &s);
}

static void halt_one(struct party *p, void *ctx)
{
	lane_halt(&p->lane);
}

void party_halt_all(struct endpoint *e)
{
	each(e, halt_one, NULL);
}

static void end_one(struct party *p, void *ctx)
{
	party_end(p);
}

void party_end_all(struct endpoint *e)
{
	each(e, end_one, NULL);
}
