/*
 * Which connections there are room for.
 *
 * A connection is a stranger's until a request on it has shown a known token
 * or session (http_known()). When there is one too many, the oldest of the
 * strangers goes, so that whoever fills the table pushes out connections of
 * their own kind, and one whose request is on its way has as long as it takes
 * to open as many as there may be. Those that are known never go for others.
 */

#include "io/http_local.h"

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

void admit_closed(struct conn *c)
{
	stranger_remove(c);
	if (c->known)
		c->http->known--;
	c->known = false;
}

void http_known(struct http_exchange *x)
{
	struct conn *c = x->conn;

	if (c->known || c->closing || c->http->known >= most_known(c->http))
		return;
	stranger_remove(c);
	c->known = true;
	c->http->known++;
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
