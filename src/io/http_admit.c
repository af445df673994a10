/*
 * Which connections there are room for.
 *
 * A connection is a stranger's until a request on it has shown a known token
 * or session (http_known()). When there is one too many, the oldest of the
 * strangers goes, so that whoever fills the table pushes out connections of
 * their own kind, and one whose request is on its way has as long as it takes
 * to open as many as there may be. The same goes for memory: what unknown
 * connections hold is one budget, and when that is used up, the oldest of them
 * go, those first that leave an answer unread.
 *
 * Known connections never go for unknown ones. When there are too many of
 * them, the client with the most gives one up for a client that has fewer.
 */

#include "io/http_local.h"

#include <stdlib.h>

enum { MAKE_ROOM_PART = 8 }; /* of the budget, so that room is made seldom */

/* Known connections leave a part of the table free for the next to come. */
static unsigned most_known(const struct http *h)
{
	unsigned all = h->options.limits.connections;

	return all - all / 4;
}

static void stranger_remove(struct conn *c)
{
	struct http *h = c->http;

	if (!c->stranger_link)
		return;
	*c->stranger_link = c->next_stranger;
	if (c->next_stranger)
		c->next_stranger->stranger_link = c->stranger_link;
	else
		h->strangers_end = c->stranger_link;
	c->stranger_link = NULL;
}

void admit_open(struct http *h)
{
	h->strangers_end = &h->strangers;
}

bool admit_new(struct conn *c)
{
	struct http *h = c->http;

	c->stranger_link = h->strangers_end;
	*h->strangers_end = c;
	h->strangers_end = &c->next_stranger;
	if (h->counts.connections <= h->options.limits.connections)
		return true;
	h->counts.refused++;
	if (h->strangers == c)
		return false;
	conn_close(h->strangers);
	return true;
}

bool is_unknown(const struct conn *c)
{
	return c->held.budget == &c->http->unknown_budget;
}

/* Close the oldest of them but @keep, until there is room for @bytes. */
static void close_unknown(struct conn *keep, size_t bytes, bool unread_only)
{
	struct http *h = keep->http;
	struct conn *next;

	for (struct conn *c = h->strangers; c; c = next) {
		if (budget_left(&h->unknown_budget) >= bytes ||
		    !budget_left(&h->closing_budget))
			return;
		next = c->next_stranger;
		if (c == keep || !is_unknown(c) || (unread_only && !c->queued))
			continue;
		h->counts.dropped++;
		conn_close(c);
	}
}

bool admit_memory(struct conn *c, size_t more)
{
	struct http *h = c->http;
	size_t part = h->unknown_budget.max / MAKE_ROOM_PART;

	if (more > h->unknown_budget.max)
		return false;
	close_unknown(c, size_max(more, part), true);
	if (budget_left(&h->unknown_budget) < more)
		close_unknown(c, size_max(more, part), false);
	return budget_left(&h->unknown_budget) >= more;
}

/* NULL: it has no known connection. */
static struct holder *find_holder(struct http *h, const struct budget *client)
{
	for (size_t i = 0; i < h->holder_count; i++)
		if (h->holders[i].client == client)
			return &h->holders[i];
	return NULL;
}

static void holder_add(struct http *h, struct budget *client)
{
	struct holder *found = find_holder(h, client);
	size_t room = h->holder_room ? 2 * h->holder_room : 8;

	if (found) {
		found->count++;
		return;
	}
	if (h->holder_count == h->holder_room) {
		h->holders =
			reallocarray(h->holders, room, sizeof(*h->holders));
		if (!h->holders)
			out_of_memory();
		h->holder_room = room;
	}
	h->holders[h->holder_count++] = (struct holder){ client, 1 };
}

static void holder_drop(struct http *h, const struct budget *client)
{
	struct holder *found = find_holder(h, client);

	if (found && !--found->count)
		*found = h->holders[--h->holder_count];
}

void admit_free(struct http *h)
{
	free(h->holders);
}

static void known_end(struct conn *c)
{
	if (!c->known)
		return;
	c->known = false;
	c->http->known--;
	holder_drop(c->http, c->known_for);
}

void admit_closed(struct conn *c)
{
	stranger_remove(c);
	known_end(c);
}

/* Does @a wait for its next request longer than @b, or @b not at all? */
static bool is_idler(const struct conn *a, const struct conn *b)
{
	if (a->busy || b->busy)
		return !a->busy || b->busy; /* later in the list: older */
	return a->deadline <= b->deadline;
}

/* A call that is not answered yet is left alone. */
static struct conn *idlest_of(const struct http *h, const struct budget *client)
{
	struct conn *found = NULL;

	for (struct conn *c = h->conns; c; c = c->next) {
		if (!c->known || c->known_for != client ||
		    (c->busy && c->x.answer != ANSWER_STREAM))
			continue;
		if (!found || is_idler(c, found))
			found = c;
	}
	return found;
}

/* The client with the most of them gives one up, if @client has fewer. */
static bool make_known_room(struct http *h, const struct budget *client)
{
	const struct holder *own = find_holder(h, client), *most = NULL;
	struct conn *idlest;

	if (h->known < most_known(h))
		return true;
	for (size_t i = 0; i < h->holder_count; i++)
		if (!most || h->holders[i].count > most->count)
			most = &h->holders[i];
	if (!most || most->count <= (own ? own->count : 0) + 1)
		return false;
	idlest = idlest_of(h, most->client);
	if (idlest)
		conn_close(idlest);
	return idlest;
}

void http_known(struct http_exchange *x)
{
	struct conn *c = x->conn;
	struct http *h = c->http;

	if (c->closing || (c->known && c->known_for == c->held.budget))
		return;
	if (!c->known && !make_known_room(h, c->held.budget))
		return;
	if (c->known)
		known_end(c);
	else
		stranger_remove(c);
	c->known = true;
	c->known_for = c->held.budget;
	h->known++;
	holder_add(h, c->known_for);
}

void admit_next(struct http *h, unsigned listener)
{
	unsigned at_once = h->options.limits.connections / 8;

	if (h->accepted > 0 && h->accepted >= at_once) {
		h->accept_waits[listener] = true;
		return;
	}
	h->accepted++;
	conn_accept(h, &h->listeners[listener]);
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
