/*
 * live_local.h - what the two halves of live share: the loop's, which sends,
 * and that of the thread which looks at the store.
 */
#ifndef STET_LIVE_LOCAL_H
#define STET_LIVE_LOCAL_H

#include "base/buf.h"
#include "web/page_local.h"

#include <pthread.h>

/* A stream that is open; of the loop's thread. */
struct listener {
	struct listener *next;
	struct http_exchange *x;
	bool greeted;
};

/* What was there at the last look; of the looking thread. */
struct looked {
	struct uuid *approvals;
	uint64_t *waits; /* of each: until when a call waits for it */
	size_t approval_count;
	struct uuid *grants;
	size_t grant_count;
	struct uuid *ops;
	size_t op_count;
	uint64_t oldest; /* of those: older ones are no news */
};

struct live {
	struct web_page *page;
	struct listener *listeners;
	uint64_t comment_at, clients_at; /* clock_ms() of the next */
	struct arena clients_mem;
	struct endpoint_client *clients;
	size_t client_count;

	pthread_t thread;
	bool started;
	struct looked looked;

	pthread_mutex_t lock; /* for what is below */
	pthread_cond_t wake;
	struct http_task task; /* posted when there is something to send */
	bool posted;
	struct buf news; /* whole events */
	bool lost;       /* there were too many */
	unsigned count;  /* of listeners */
	bool ready;      /* the thread knows what is there */
	bool look;       /* do so now */
	bool ends;
};

/* From any thread: one event; put into @data by json_out(). */
void live_tell(struct live *l, const char *event, const struct buf *data);

/* From any thread: some news is lost. All pages are to come again. */
void live_lose(struct live *l);

/* From any thread, under the lock: there is something to send. */
void live_post(struct live *l);

/* The thread. */
void *live_watch(void *live);

#endif
