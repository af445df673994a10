/*
 * lines.h - a client that speaks in lines: its lane, and the way there.
 *
 * What carries the bytes (a pair of descriptors, a socket) gives them to the
 * frame and calls lines_take(); replies come to its lane_host.
 */
#ifndef STET_IO_LINES_H
#define STET_IO_LINES_H

#include "io/frame.h"
#include "io/lane.h"

struct lines {
	struct lane lane; /* first: it is cast */
	struct server *server;
	struct frame frame;
	bool ended; /* no more input */
	unsigned spares;
	struct job *spare; /* for the next messages */
};

/* The lane is the caller's to complete: its link's peer and door. */
void lines_open(struct lines *l, struct server *server, size_t max_line,
		const struct lane_host *host);

/* After lane_close(). */
void lines_close(struct lines *l);

/* A job is done with. */
void lines_put_job(struct lines *l, struct job *job);

/* Take no more: there are too many, or the client does not take replies. */
bool lines_full(const struct lines *l);

/* Take the lines that are whole, or, at the end of the input, all there is. */
void lines_take(struct lines *l);

#endif
