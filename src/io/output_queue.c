/*
 * output_queue.c - write queued replies to a pipe, socket or file.
 *
 * Never blocks on a pipe or socket: what the system does not take stays queued
 * and the loop polls output_queue_poll_fd(). For the loop's thread only.
 */
#include "io/output_queue.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

enum {
	LARGE_REPLY = 32 * 1024,
	PIPE_SIZE = 1024 * 1024,
	MOST_PARTS = 32,
};

void output_queue_open(struct output_queue *q, int fd,
		       void (*done)(void *ctx, struct job *), void *ctx)
{
	char path[32];
	struct stat st;

	*q = (struct output_queue){
		.fd = fd, .own_fd = -1, .done = done, .ctx = ctx
	};
	q->last = &q->first;
	if (fstat(fd, &st))
		return;
	q->is_socket = S_ISSOCK(st.st_mode);
	q->is_pipe = S_ISFIFO(st.st_mode);
	if (!q->is_pipe)
		return;
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	q->own_fd = fd_openat(AT_FDCWD, path, O_WRONLY | O_NONBLOCK, 0);
}

void output_queue_enlarge(int fd)
{
	int size = PIPE_SIZE;

	/* One of the two fits @fd; a refusal costs only speed. */
	if (fcntl(fd, F_SETPIPE_SZ, size) < 0)
		(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size,
				 sizeof(size));
}

static void output_queue_expect(struct output_queue *q, size_t bytes)
{
	if (q->enlarged || bytes <= LARGE_REPLY)
		return;
	q->enlarged = true;
	output_queue_enlarge(q->fd);
}

void output_queue_add(struct output_queue *q, struct job *job)
{
	output_queue_expect(q, job->reply.len);
	q->bytes += job->reply.len - (q->first ? 0 : q->offset);
	job->next = NULL;
	*q->last = job;
	q->last = &job->next;
	q->count++;
}

static int output_queue_gather(const struct output_queue *q,
			       struct iovec *parts)
{
	size_t skip = q->offset;
	int n = 0;

	for (struct job *job = q->first; job && n < MOST_PARTS;
	     job = job->next) {
		parts[n].iov_base = job->reply.ptr + skip;
		parts[n].iov_len = job->reply.len - skip;
		skip = 0;
		n++;
	}
	return n;
}

/* A pipe that is ready takes PIPE_BUF bytes without blocking, not more. */
static ssize_t pipe_write_piece(const struct output_queue *q)
{
	struct pollfd ready = { q->fd, POLLOUT, 0 };
	struct iovec part;
	int n = poll(&ready, 1, 0);

	if (n <= 0) {
		errno = n ? errno : EAGAIN;
		return -1;
	}
	part.iov_base = q->first->reply.ptr + q->offset;
	part.iov_len = size_min(q->first->reply.len - q->offset, PIPE_BUF);
	return writev(q->fd, &part, 1);
}

static ssize_t output_write_parts(const struct output_queue *q,
				  struct iovec *parts, int n)
{
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = (size_t)n };

	if (!q->is_socket)
		return writev(q->own_fd >= 0 ? q->own_fd : q->fd, parts, n);
	return sendmsg(q->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static bool only_small_pieces(const struct output_queue *q)
{
	return q->is_pipe && q->own_fd < 0;
}

static ssize_t output_queue_write(const struct output_queue *q)
{
	not_zeroed struct iovec parts[MOST_PARTS];

	if (only_small_pieces(q))
		return pipe_write_piece(q);
	return output_write_parts(q, parts, output_queue_gather(q, parts));
}

static void output_queue_written(struct output_queue *q, size_t n)
{
	struct job *job;

	q->bytes -= n;
	q->offset += n;
	while ((job = q->first) && q->offset >= job->reply.len) {
		q->offset -= job->reply.len;
		q->first = job->next;
		if (!q->first)
			q->last = &q->first;
		q->count--;
		q->done(q->ctx, job);
	}
}

/* Did the write fail only because the other end has not read yet? */
static bool is_full_error(void)
{
	return errno == EAGAIN || errno == EWOULDBLOCK;
}

bool output_queue_send_early(struct output_queue *q, struct buf *reply)
{
	struct iovec rest = { reply->ptr + q->offset, reply->len - q->offset };
	ssize_t n;

	if (only_small_pieces(q))
		return true;
	output_queue_expect(q, reply->len);
	n = output_write_parts(q, &rest, 1);
	if (n < 0)
		return errno == EINTR || is_full_error();
	q->offset += (size_t)n;
	if (q->offset == reply->len)
		q->offset = reply->len = 0;
	return true;
}

bool output_queue_flush(struct output_queue *q)
{
	ssize_t n;

	while (q->first) {
		n = output_queue_write(q);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return is_full_error();
		output_queue_written(q, (size_t)n);
	}
	return true;
}

int output_queue_poll_fd(const struct output_queue *q)
{
	if (!q->first)
		return -1;
	return q->own_fd >= 0 ? q->own_fd : q->fd;
}

void output_queue_close(struct output_queue *q)
{
	struct job *job;

	while ((job = q->first)) {
		q->first = job->next;
		q->done(q->ctx, job);
	}
	q->last = &q->first;
	q->bytes = q->offset = q->count = 0;
	fd_drop(&q->own_fd);
}
