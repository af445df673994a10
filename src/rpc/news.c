#include "rpc/news.h"

#include "rpc/catalog.h"
#include "rpc/reply.h"

#include <stdlib.h>

enum { MOST_URIS = 256, MOST_URI = 4096 }; /* of one reader; bytes of one */

/* How a change is told, and how 2026-07-28 asks to be told of it. */
static const struct {
	const char *method, *filter;
} kinds[] = {
	[NEWS_TOOLS] = { "notifications/tools/list_changed",
			 "toolsListChanged" },
	[NEWS_PROMPTS] = { "notifications/prompts/list_changed",
			   "promptsListChanged" },
	[NEWS_RESOURCES] = { "notifications/resources/list_changed",
			     "resourcesListChanged" },
	[NEWS_RESOURCE] = { "notifications/resources/updated",
			    "resourceSubscriptions" },
};

static struct reader_uri **find_uri(struct reader *l, struct str uri)
{
	struct reader_uri **at = &l->uris;

	while (*at && !str_eq(str_make((*at)->text, (*at)->len), uri))
		at = &(*at)->next;
	return at;
}

static bool wants(struct reader *l, enum news what, struct str uri)
{
	return what == NEWS_RESOURCE ? *find_uri(l, uri) != NULL
				     : l->lists[what];
}

/* {"_meta":{".../subscriptionId":...} */
static void put_id(struct json_out *o, const struct reader *l)
{
	if (!l->id.len)
		return;
	json_key(o, "_meta");
	json_open(o, '{');
	json_key(o, MCP_META "subscriptionId");
	json_put_raw(o, l->id);
	json_close(o, '}');
}

static void tell(const struct reader *l, enum news what, struct str uri)
{
	auto_buf out = BUF_INIT;
	struct json_out o = message_notice(&out, kinds[what].method);

	put_id(&o, l);
	if (what == NEWS_RESOURCE) {
		json_key(&o, "uri");
		json_put_str(&o, uri);
	}
	message_notice_end(&o);
	l->peer->send(l->peer, buf_str(&out));
}

void news_tell(struct server *s, enum news what, struct str uri)
{
	lock_take(&s->readers.lock);
	for (struct reader *l = s->readers.first; l; l = l->next)
		if (wants(l, what, uri))
			tell(l, what, uri);
	lock_give(&s->readers.lock);
}

static void begin(struct reader *l, struct server *s, struct peer *peer)
{
	l->in = &s->readers;
	l->peer = peer;
	lock_take(&l->in->lock);
	l->next = l->in->first;
	l->in->first = l;
	lock_give(&l->in->lock);
}

void news_link(struct server *s, struct link *l)
{
	if (!s->catalog || !l->peer || l->reader.in)
		return;
	for (size_t i = 0; i < COUNT_OF(l->reader.lists); i++)
		l->reader.lists[i] = true;
	begin(&l->reader, s, l->peer);
}

static void drop_uri(struct reader *l, struct reader_uri **at)
{
	struct reader_uri *uri = *at;

	if (!uri)
		return;
	*at = uri->next;
	l->uris_count--;
	free(uri);
}

void news_end(struct reader *l)
{
	struct reader **at;

	if (l->in) {
		lock_take(&l->in->lock);
		for (at = &l->in->first; *at != l;)
			at = &(*at)->next;
		*at = l->next;
		lock_give(&l->in->lock);
	}
	while (l->uris)
		drop_uri(l, &l->uris);
	*l = (struct reader){ 0 };
}

/* False: there are too many, or it is too long. */
static bool add_uri(struct reader *l, struct str uri)
{
	struct reader_uri *new;

	if (*find_uri(l, uri))
		return true;
	if (l->uris_count >= MOST_URIS || uri.len > MOST_URI)
		return false;
	new = malloc(sizeof(*new) + uri.len);
	if (!new)
		out_of_memory();
	new->len = uri.len;
	memcpy(new->text, uri.ptr, uri.len);
	new->next = l->uris;
	l->uris = new;
	l->uris_count++;
	return true;
}

static bool read_uri(struct job *job, struct str *ret)
{
	if (json_text(json_get(job->message.params, "uri"), &job->mem, ret))
		return true;
	(void)reply_bad_params(job, "uri must be a string");
	return false;
}

enum job_next news_subscribe(struct job *job)
{
	struct reader *l = &job->link->reader;
	struct str uri;
	bool added;

	if (!read_uri(job, &uri))
		return JOB_DONE;
	lock_take(&job->server->readers.lock);
	added = add_uri(l, uri);
	lock_give(&job->server->readers.lock);
	if (!added)
		return reply_bad_params(job, "Too many subscriptions");
	return reply_empty(job);
}

enum job_next news_unsubscribe(struct job *job)
{
	struct reader *l = &job->link->reader;
	struct str uri;

	if (!read_uri(job, &uri))
		return JOB_DONE;
	lock_take(&job->server->readers.lock);
	drop_uri(l, find_uri(l, uri));
	lock_give(&job->server->readers.lock);
	return reply_empty(job);
}

static bool offers(const struct catalog *c, enum news what)
{
	switch (what) {
	case NEWS_TOOLS:
		return c->tools != NULL;
	case NEWS_PROMPTS:
		return c->prompts != NULL;
	case NEWS_RESOURCES:
	case NEWS_RESOURCE:
		break;
	}
	return c->resources != NULL;
}

/* What the client wants, as far as there is such a thing here. */
static bool read_filter(struct job *job, struct json filter)
{
	const struct catalog *c = job->server->catalog;
	struct reader *l = &job->reader;
	struct json_walk uris =
		json_walk(json_get(filter, kinds[NEWS_RESOURCE].filter));
	struct str uri;

	for (int i = NEWS_TOOLS; i < NEWS_RESOURCE; i++)
		l->lists[i] =
			offers(c, (enum news)i) &&
			json_is(json_get(filter, kinds[i].filter), JSON_TRUE);
	while (offers(c, NEWS_RESOURCE) && json_step(&uris))
		if (!json_text(uris.value, &job->mem, &uri) || !add_uri(l, uri))
			return false;
	return true;
}

static void acknowledge(struct reader *l, struct peer *peer)
{
	auto_buf out = BUF_INIT;
	struct json_out o =
		message_notice(&out,
			       "notifications/subscriptions/acknowledged");

	put_id(&o, l);
	json_key(&o, "notifications");
	json_open(&o, '{');
	for (size_t i = 0; i < COUNT_OF(l->lists); i++)
		if (l->lists[i]) {
			json_key(&o, kinds[i].filter);
			json_put_bool(&o, true);
		}
	if (l->uris) {
		json_key(&o, kinds[NEWS_RESOURCE].filter);
		json_open(&o, '[');
		for (const struct reader_uri *u = l->uris; u; u = u->next)
			json_put_str(&o, str_make(u->text, u->len));
		json_close(&o, ']');
	}
	json_close(&o, '}');
	message_notice_end(&o);
	peer->send(peer, buf_str(&out));
}

enum job_next news_open(struct job *job)
{
	struct json filter = json_get(job->message.params, "notifications");
	struct reader *l = &job->reader;

	if (!job->peer || job->batched)
		return reply_bad_params(job, "Nothing can be told here");
	if (!json_is(filter, JSON_OBJECT))
		return reply_bad_params(job, "notifications must be an object");
	if (!read_filter(job, filter)) {
		news_end(l);
		return reply_bad_params(
			job, "notifications.resourceSubscriptions is wrong");
	}
	l->id = job->message.id;
	acknowledge(l, job->peer);
	begin(l, job->server, job->peer);
	return JOB_LISTENS;
}
