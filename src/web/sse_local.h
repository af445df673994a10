/*
 * sse_local.h - shared by sse.c (the loop's thread, which sends) and sse_poll.c
 * (the thread that polls the store).
 */
#ifndef STET_SSE_LOCAL_H
#define STET_SSE_LOCAL_H

#include "base/buf.h"
#include "io/mailbox.h"
#include "web/page_local.h"

#include <pthread.h>

/* A stream that is open; of the loop's thread. */
struct sse_stream {
	struct sse_stream *next;
	struct http_exchange *x;
	bool hello_sent;
};

/* The result of the last poll; used by the polling thread alone. */
struct sse_snapshot {
	struct uuid *approvals;
	uint64_t *waits; /* parallel: Unix time until which a call waits */
	size_t approval_count;
	struct uuid *grants;
	size_t grant_count;
	struct uuid *unused; /* yes answers that no call has used */
	size_t unused_count;
	struct uuid *ops;
	size_t op_count;
	uint64_t
		oldest; /* time of the oldest of @ops; older ones are not sent */
};

struct sse {
	struct web_page *page;
	struct sse_stream *streams;
	uint64_t comment_at,
		clients_at; /* clock_ms() of the next comment, of the next poll of clients */
	struct arena clients_mem;
	struct endpoint_client *clients;
	size_t client_count;

	pthread_t thread;
	bool started;
	struct sse_snapshot snapshot;

	pthread_mutex_t lock; /* protects the members below */
	pthread_cond_t wake;
	struct mail mail; /* posted when there is something to send */
	bool posted;
	struct buf pending; /* whole events */
	bool overflowed;    /* too many events are queued: close all streams */
	unsigned count;     /* of streams */
	bool ready;         /* the first poll is done, "hello" may be sent */
	bool poll;          /* poll without waiting for POLL_MS */
	bool ends;          /* the polling thread is to stop */
};

/* From any thread: one event; put into @data by json_out(). */
void sse_send(struct sse *l, const char *event, const struct buf *data);

/* From any thread: events are missing. Close all streams. */
void sse_overflow(struct sse *l);

/* From any thread, under the lock: there is something to send. */
void sse_wake_loop(struct sse *l);

/* Main function of the polling thread; @sse is a struct sse. */
void *sse_poll_thread(void *sse);

#endif
