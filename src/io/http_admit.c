/*
 * http_admit.c - which connections are closed when there are too many.
 *
 * A connection is anonymous until a request on it was authenticated
 * (http_authenticated()). When there is one too many, the oldest anonymous one
 * is closed: whoever floods the port pushes out connections of the same kind.
 * The same holds for memory: anonymous connections have one budget, and those
 * that leave a response unread are closed first.
 *
 * Authenticated connections are never closed for anonymous ones. When there
 * are too many of them, the client with the most gives one up for a client
 * that has fewer.
 */
#include "io/http_local.h"

#include <stdlib.h>

enum { MAKE_ROOM_PART = 8 }; /* of the budget: how much room is made at once */

/* Authenticated connections leave a quarter of the table to new ones. */
static unsigned max_authenticated(const struct http *h)
{
	unsigned all = h->options.limits.connections;

	return all - all / 4;
}

static void anonymous_remove(struct http_conn *c)
{
	struct http *h = c->http;

	if (!c->anonymous_link)
		return;
	*c->anonymous_link = c->next_anonymous;
	if (c->next_anonymous)
		c->next_anonymous->anonymous_link = c->anonymous_link;
	else
		h->anonymous_end = c->anonymous_link;
	c->anonymous_link = NULL;
}

void admit_open(struct http *h)
{
	h->anonymous_end = &h->anonymous;
}

bool admit_new(struct http_conn *c)
{
	struct http *h = c->http;

	c->anonymous_link = h->anonymous_end;
	*h->anonymous_end = c;
	h->anonymous_end = &c->next_anonymous;
	if (h->counts.connections <= h->options.limits.connections)
		return true;
	h->counts.refused++;
	if (h->anonymous == c)
		return false;
	http_conn_close(h->anonymous);
	return true;
}

bool is_anonymous(const struct http_conn *c)
{
	return c->held.budget == &c->http->anonymous_budget;
}

/* Close the oldest anonymous ones except @keep, until @bytes fit. */
static void close_anonymous(struct http_conn *keep, size_t bytes,
			    bool unread_only)
{
	struct http *h = keep->http;
	struct http_conn *next;

	for (struct http_conn *c = h->anonymous; c; c = next) {
		if (budget_left(&h->anonymous_budget) >= bytes ||
		    !budget_left(&h->closing_budget))
			return;
		next = c->next_anonymous;
		if (c == keep || !is_anonymous(c) ||
		    (unread_only && !c->queued))
			continue;
		h->counts.dropped++;
		http_conn_close(c);
	}
}

bool admit_memory(struct http_conn *c, size_t more)
{
	struct http *h = c->http;
	size_t part = h->anonymous_budget.max / MAKE_ROOM_PART;

	if (more > h->anonymous_budget.max)
		return false;
	close_anonymous(c, size_max(more, part), true);
	if (budget_left(&h->anonymous_budget) < more)
		close_anonymous(c, size_max(more, part), false);
	return budget_left(&h->anonymous_budget) >= more;
}

/* NULL: it has no authenticated connection. */
static struct client_conns *client_conns_find(struct http *h,
					      const struct budget *client)
{
	for (size_t i = 0; i < h->client_count; i++)
		if (h->clients[i].client == client)
			return &h->clients[i];
	return NULL;
}

static void client_conns_add(struct http *h, struct budget *client)
{
	struct client_conns *found = client_conns_find(h, client);
	size_t room = h->client_room ? 2 * h->client_room : 8;

	if (found) {
		found->count++;
		return;
	}
	if (h->client_count == h->client_room) {
		h->clients =
			reallocarray(h->clients, room, sizeof(*h->clients));
		if (!h->clients)
			out_of_memory();
		h->client_room = room;
	}
	h->clients[h->client_count++] = (struct client_conns){ client, 1 };
}

static void client_conns_drop(struct http *h, const struct budget *client)
{
	struct client_conns *found = client_conns_find(h, client);

	if (found && !--found->count)
		*found = h->clients[--h->client_count];
}

void admit_free(struct http *h)
{
	free(h->clients);
}

static void authenticated_end(struct http_conn *c)
{
	if (!c->authenticated)
		return;
	c->authenticated = false;
	c->http->authenticated--;
	client_conns_drop(c->http, c->client_budget);
}

void admit_closed(struct http_conn *c)
{
	anonymous_remove(c);
	authenticated_end(c);
}

/* Is @a idle for longer than @b? One with a stream is not idle. */
static bool is_idler(const struct http_conn *a, const struct http_conn *b)
{
	if (a->has_request || b->has_request)
		return !a->has_request ||
		       b->has_request; /* later in the list: older */
	return a->deadline <= b->deadline;
}

/* Skips connections with a call that is not answered yet. */
static struct http_conn *idlest_of(const struct http *h,
				   const struct budget *client)
{
	struct http_conn *found = NULL;

	for (struct http_conn *c = h->conns; c; c = c->next) {
		if (!c->authenticated || c->client_budget != client ||
		    (c->has_request && c->x.answer != ANSWER_STREAM))
			continue;
		if (!found || is_idler(c, found))
			found = c;
	}
	return found;
}

/* Close one of the client that has most, if @client has fewer. */
static bool make_authenticated_room(struct http *h, const struct budget *client)
{
	const struct client_conns *own = client_conns_find(h, client),
				  *most = NULL;
	struct http_conn *idlest;

	if (h->authenticated < max_authenticated(h))
		return true;
	for (size_t i = 0; i < h->client_count; i++)
		if (!most || h->clients[i].count > most->count)
			most = &h->clients[i];
	if (!most || most->count <= (own ? own->count : 0) + 1)
		return false;
	idlest = idlest_of(h, most->client);
	if (idlest)
		http_conn_close(idlest);
	return idlest;
}

void http_authenticated(struct http_exchange *x)
{
	struct http_conn *c = x->conn;
	struct http *h = c->http;

	if (c->closing ||
	    (c->authenticated && c->client_budget == c->held.budget))
		return;
	if (!c->authenticated && !make_authenticated_room(h, c->held.budget))
		return;
	if (c->authenticated)
		authenticated_end(c);
	else
		anonymous_remove(c);
	c->authenticated = true;
	c->client_budget = c->held.budget;
	h->authenticated++;
	client_conns_add(h, c->client_budget);
}

void admit_next(struct http *h, unsigned listener)
{
	unsigned at_once = h->options.limits.connections / 8;

	if (h->accepted > 0 && h->accepted >= at_once) {
		h->accept_waits[listener] = true;
		return;
	}
	h->accepted++;
	http_conn_accept(h, &h->listeners[listener]);
}

void admit_turn(struct http *h)
{
	h->accepted = 0;
	for (unsigned i = 0; i < COUNT_OF(h->listeners); i++) {
		bool waits = h->accept_waits[i] && !h->stopping;

		h->accept_waits[i] = false;
		if (waits)
			admit_next(h, i);
	}
}
