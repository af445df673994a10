/*
 * news.h - who wants to be told of changes.
 *
 * A client of 2026-07-28 opens a stream by subscriptions/listen and says what
 * it wants there. An older one is told of all lists, and of the resources
 * that it has subscribed to.
 *
 * Changes are told from any thread.
 */
#ifndef STET_NEWS_H
#define STET_NEWS_H

#include "base/lock.h"
#include "base/str.h"
#include "rpc/method.h"

struct job;
struct link;
struct peer;
struct server;

enum news {
	NEWS_TOOLS,
	NEWS_PROMPTS,
	NEWS_RESOURCES, /* the list of them */
	NEWS_RESOURCE,  /* what one of them holds */
};

struct reader_uri {
	struct reader_uri *next;
	size_t len;
	char text[];
};

struct reader {
	struct reader *next;
	struct readers *in; /* NULL = it does not listen */
	struct peer *peer;
	struct str id; /* of the subscription, raw JSON; "" = it has none */
	bool lists[NEWS_RESOURCE]; /* of which it wants to know */
	struct reader_uri *uris;
	size_t uris_count;
};

/* All of a server; all zero is right. */
struct readers {
	struct lock lock; /* for this, and what hangs on it */
	struct reader *first;
	size_t count;
};

void news_tell(struct server *s, enum news what, struct str uri);

/* An older client that can be told: of all lists. */
void news_link(struct server *s, struct link *l);

/* Be told no more. */
void news_end(struct reader *r);

/* resources/subscribe and resources/unsubscribe; subscriptions/listen. */
enum job_next news_subscribe(struct job *job);
enum job_next news_unsubscribe(struct job *job);
enum job_next news_open(struct job *job);

#endif
