#include "rpc/news.h"

#include "rpc/catalog.h"
#include "rpc/reply.h"

#include <stdlib.h>

enum {
	MOST_READERS = 10 * 1000,
	MOST_URIS = 256, /* of one of them */
	MOST_URI = 4096, /* bytes of one of these */
};

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

static struct reader_uri **find_uri(struct reader *r, struct str uri)
{
	struct reader_uri **at = &r->uris;

	while (*at && !str_eq(str_make((*at)->text, (*at)->len), uri))
		at = &(*at)->next;
	return at;
}

static bool wants(struct reader *r, enum news what, struct str uri)
{
	return what == NEWS_RESOURCE ? *find_uri(r, uri) != NULL
				     : r->lists[what];
}

/* {"_meta":{".../subscriptionId":...} */
static void put_id(struct json_out *o, const struct reader *r)
{
	if (!r->id.len)
		return;
	json_key(o, "_meta");
	json_open(o, '{');
	json_key(o, MCP_META "subscriptionId");
	json_put_raw(o, r->id);
	json_close(o, '}');
}

static void tell(const struct reader *r, enum news what, struct str uri)
{
	auto_buf out = BUF_INIT;
	struct json_out o = message_notice(&out, kinds[what].method);

	put_id(&o, r);
	if (what == NEWS_RESOURCE) {
		json_key(&o, "uri");
		json_put_str(&o, uri);
	}
	message_notice_end(&o);
	r->peer->send(r->peer, buf_str(&out));
}

void news_tell(struct server *s, enum news what, struct str uri)
{
	lock_take(&s->readers.lock);
	for (struct reader *r = s->readers.first; r; r = r->next)
		if (wants(r, what, uri))
			tell(r, what, uri);
	lock_give(&s->readers.lock);
}

/* Under the lock. False: there are too many. */
static bool add(struct reader *r, struct server *s, struct peer *peer)
{
	if (s->readers.count >= MOST_READERS)
		return false;
	r->in = &s->readers;
	r->peer = peer;
	r->next = r->in->first;
	r->in->first = r;
	r->in->count++;
	return true;
}

void news_link(struct server *s, struct link *l)
{
	if (!s->catalog || !l->peer || l->reader.in)
		return;
	for (size_t i = 0; i < COUNT_OF(l->reader.lists); i++)
		l->reader.lists[i] = true;
	lock_take(&s->readers.lock);
	(void)!add(&l->reader, s, l->peer);
	lock_give(&s->readers.lock);
}

static void drop_uri(struct reader *r, struct reader_uri **at)
{
	struct reader_uri *uri = *at;

	if (!uri)
		return;
	*at = uri->next;
	r->uris_count--;
	free(uri);
}

void news_end(struct reader *r)
{
	struct reader **at;

	if (r->in) {
		lock_take(&r->in->lock);
		for (at = &r->in->first; *at != r;)
			at = &(*at)->next;
		*at = r->next;
		r->in->count--;
		lock_give(&r->in->lock);
	}
	while (r->uris)
		drop_uri(r, &r->uris);
	*r = (struct reader){ 0 };
}

/* False: there are too many, or it is too long. */
static bool add_uri(struct reader *r, struct str uri)
{
	struct reader_uri *new;

	if (*find_uri(r, uri))
		return true;
	if (r->uris_count >= MOST_URIS || uri.len > MOST_URI)
		return false;
	new = malloc(sizeof(*new) + uri.len);
	if (!new)
		out_of_memory();
	new->len = uri.len;
	memcpy(new->text, uri.ptr, uri.len);
	new->next = r->uris;
	r->uris = new;
	r->uris_count++;
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
	struct reader *r = &job->link->reader;
	struct str uri;
	bool added;

	if (!read_uri(job, &uri))
		return JOB_DONE;
	lock_take(&job->server->readers.lock);
	added = add_uri(r, uri);
	lock_give(&job->server->readers.lock);
	if (!added)
		return reply_bad_params(job, "Too many subscriptions");
	return reply_empty(job);
}

enum job_next news_unsubscribe(struct job *job)
{
	struct reader *r = &job->link->reader;
	struct str uri;

	if (!read_uri(job, &uri))
		return JOB_DONE;
	lock_take(&job->server->readers.lock);
	drop_uri(r, find_uri(r, uri));
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
	struct reader *r = &job->reader;
	struct json_walk uris =
		json_walk(json_get(filter, kinds[NEWS_RESOURCE].filter));
	struct str uri;

	for (int i = NEWS_TOOLS; i < NEWS_RESOURCE; i++)
		r->lists[i] =
			offers(c, (enum news)i) &&
			json_is(json_get(filter, kinds[i].filter), JSON_TRUE);
	while (offers(c, NEWS_RESOURCE) && json_step(&uris))
		if (!json_text(uris.value, &job->mem, &uri) || !add_uri(r, uri))
			return false;
	return true;
}

static void acknowledge(const struct reader *r)
{
	auto_buf out = BUF_INIT;
	struct json_out o =
		message_notice(&out,
			       "notifications/subscriptions/acknowledged");

	put_id(&o, r);
	json_key(&o, "notifications");
	json_open(&o, '{');
	for (size_t i = 0; i < COUNT_OF(r->lists); i++)
		if (r->lists[i]) {
			json_key(&o, kinds[i].filter);
			json_put_bool(&o, true);
		}
	if (r->uris) {
		json_key(&o, kinds[NEWS_RESOURCE].filter);
		json_open(&o, '[');
		for (const struct reader_uri *u = r->uris; u; u = u->next)
			json_put_str(&o, str_make(u->text, u->len));
		json_close(&o, ']');
	}
	json_close(&o, '}');
	message_notice_end(&o);
	r->peer->send(r->peer, buf_str(&out));
}

/* Nothing is told before the acknowledgement, and nothing missed after. */
static bool open_stream(struct job *job)
{
	struct reader *r = &job->reader;
	bool added;

	r->id = job->message.id;
	lock_take(&job->server->readers.lock);
	added = add(r, job->server, job->peer);
	if (added)
		acknowledge(r);
	lock_give(&job->server->readers.lock);
	return added;
}

enum job_next news_open(struct job *job)
{
	struct json filter = json_get(job->message.params, "notifications");
	const char *wrong = "notifications.resourceSubscriptions is wrong";

	if (!job->peer || job->batched)
		return reply_bad_params(job, "Nothing can be told here");
	if (!json_is(filter, JSON_OBJECT))
		return reply_bad_params(job, "notifications must be an object");
	if (read_filter(job, filter)) {
		if (open_stream(job))
			return JOB_LISTENS;
		wrong = "Too many listen";
	}
	news_end(&job->reader);
	return reply_bad_params(job, wrong);
}
