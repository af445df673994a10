/*
 * line_client.h - a client whose messages are lines, over stdio or a socket.
 *
 * The transport puts the bytes that it reads into @frame and calls
 * line_client_read(), which adds a call to @queue for each message. Replies
 * come back to the transport by its call_queue_ops.
 */
#ifndef STET_LINE_CLIENT_H
#define STET_LINE_CLIENT_H

#include "io/call_queue.h"
#include "io/frame.h"

struct line_client {
	struct call_queue queue; /* first: it is cast */
	struct server *server;
	struct frame frame;
	bool ended; /* set by the transport at the end of the input */
	unsigned n_free_jobs;
	struct job *free_jobs; /* reused for the next messages */
};

/* The caller then sets the peer and the transport of queue.link. */
void line_client_open(struct line_client *c, struct server *server,
		      size_t max_line, const struct call_queue_ops *ops);

/* After call_queue_close(). */
void line_client_close(struct line_client *c);

/* Give a job back when its reply is written. */
void line_client_put_job(struct line_client *c, struct job *job);

/* Read no more: too many calls wait, or the client does not read replies. */
bool line_client_is_full(const struct line_client *c);

/* Handle all complete lines; after @ended, the last one without a newline. */
void line_client_read(struct line_client *c);

#endif
