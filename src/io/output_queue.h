/*
 * output_queue.h - replies waiting to be written, without blocking the loop.
 *
 * Jobs are queued with their reply and given back when it is written. A pipe
 * is opened again with O_NONBLOCK, because the descriptor that we were given
 * may be shared with other processes; where that is not allowed (another
 * user's pipe) it is written in pieces of PIPE_BUF. A socket is written with
 * MSG_DONTWAIT, a file or terminal with plain writes.
 */
#ifndef STET_OUTPUT_QUEUE_H
#define STET_OUTPUT_QUEUE_H

#include "rpc/job.h"

struct output_queue {
	int fd;     /* as given to output_queue_open() */
	int own_fd; /* the pipe, opened again with O_NONBLOCK; or -1 */
	bool is_socket, is_pipe;
	bool enlarged; /* output_queue_enlarge() was called */
	struct job *first, **last;
	size_t offset; /* bytes written of the first reply */
	size_t bytes;  /* of all queued replies, not yet written */
	size_t count;  /* of queued jobs */
	void (*done)(void *ctx, struct job *);
	void *ctx;
};

void output_queue_open(struct output_queue *q, int fd,
		       void (*done)(void *ctx, struct job *), void *ctx);

/* Add a job whose reply is a whole line. */
void output_queue_add(struct output_queue *q, struct job *job);

/*
 * While nothing is queued: write what can be written now of a reply that is
 * not complete and will be added later. When all of @reply is written, it is
 * emptied. False: the other end is gone.
 */
must_check bool output_queue_send_early(struct output_queue *q,
					struct buf *reply);

/* Write what can be written now. False: the other end is gone. */
must_check bool output_queue_flush(struct output_queue *q);

/* The descriptor to wait on for writing, or -1 when nothing is queued. */
int output_queue_poll_fd(const struct output_queue *q);

/* Give all jobs back, written or not. */
void output_queue_close(struct output_queue *q);

/* Enlarge the buffer of the pipe or socket @fd, for long replies. */
void output_queue_enlarge(int fd);

#endif
