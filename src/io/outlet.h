/*
 * outlet.h - replies on their way out, without ever blocking the loop.
 *
 * Jobs queue up with their reply and are given back when it is written. A
 * pipe is written through a descriptor of its own that does not block (the
 * one we were given may be shared with others, who would be surprised), or,
 * where it is another user's and may not be opened again, in small pieces
 * that fit; a socket with a flag, a file or terminal as it comes.
 */
#ifndef STET_OUTLET_H
#define STET_OUTLET_H

#include "rpc/job.h"

struct outlet {
	int fd;      /* as given */
	int private; /* our own for a pipe, or -1 */
	bool socket, pipe;
	bool large; /* the pipe has been made larger */
	struct job *first, **last;
	size_t offset; /* in the reply of the first, or of one to be added */
	size_t bytes;  /* queued */
	size_t count;  /* of jobs queued */
	void (*done)(void *ctx, struct job *);
	void *ctx;
};

void outlet_open(struct outlet *o, int fd,
		 void (*done)(void *ctx, struct job *), void *ctx);

/* Add a job whose reply is a whole line. */
void outlet_add(struct outlet *o, struct job *job);

/*
 * Nothing is queued: write what can be written now of a reply that is still
 * made, and will be added. What is written is taken out of @reply when it is
 * all of it. False: the other end is gone.
 */
must_check bool outlet_early(struct outlet *o, struct buf *reply);

/* Write what can be written now. False: the other end is gone. */
must_check bool outlet_flush(struct outlet *o);

/* The descriptor to wait on for writing, or -1 when nothing is queued. */
int outlet_wants(const struct outlet *o);

/* Give all jobs back, written or not. */
void outlet_close(struct outlet *o);

/* Make the pipe or socket at @fd hold more, for bulk. */
void outlet_enlarge(int fd);

#endif
