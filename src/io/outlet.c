#include "io/outlet.h"

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

void outlet_open(struct outlet *o, int fd,
		 void (*done)(void *ctx, struct job *), void *ctx)
{
	char path[32];
	struct stat st;

	*o = (struct outlet){
		.fd = fd, .private = -1, .done = done, .ctx = ctx
	};
	o->last = &o->first;
	if (fstat(fd, &st))
		return;
	o->socket = S_ISSOCK(st.st_mode);
	o->pipe = S_ISFIFO(st.st_mode);
	if (!o->pipe)
		return;
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	o->private = fd_openat(AT_FDCWD, path, O_WRONLY | O_NONBLOCK, 0);
}

void outlet_enlarge(int fd)
{
	int size = PIPE_SIZE;

	/* Whichever of the two it is; a refusal costs only speed. */
	if (fcntl(fd, F_SETPIPE_SZ, size) < 0)
		(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size,
				 sizeof(size));
}

static void expect(struct outlet *o, size_t bytes)
{
	if (o->large || bytes <= LARGE_REPLY)
		return;
	o->large = true;
	outlet_enlarge(o->fd);
}

void outlet_add(struct outlet *o, struct job *job)
{
	expect(o, job->reply.len);
	o->bytes += job->reply.len - (o->first ? 0 : o->offset);
	job->next = NULL;
	*o->last = job;
	o->last = &job->next;
	o->count++;
}

static int gather(const struct outlet *o, struct iovec *parts)
{
	size_t skip = o->offset;
	int n = 0;

	for (struct job *job = o->first; job && n < MOST_PARTS;
	     job = job->next) {
		parts[n].iov_base = job->reply.ptr + skip;
		parts[n].iov_len = job->reply.len - skip;
		skip = 0;
		n++;
	}
	return n;
}

/* A pipe that is ready takes PIPE_BUF bytes without blocking, not more. */
static ssize_t write_piece(const struct outlet *o)
{
	struct pollfd ready = { o->fd, POLLOUT, 0 };
	struct iovec part;
	int n = poll(&ready, 1, 0);

	if (n <= 0) {
		errno = n ? errno : EAGAIN;
		return -1;
	}
	part.iov_base = o->first->reply.ptr + o->offset;
	part.iov_len = size_min(o->first->reply.len - o->offset, PIPE_BUF);
	return writev(o->fd, &part, 1);
}

static ssize_t write_parts(const struct outlet *o, struct iovec *parts, int n)
{
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = (size_t)n };

	if (!o->socket)
		return writev(o->private >= 0 ? o->private : o->fd, parts, n);
	return sendmsg(o->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static bool only_small_pieces(const struct outlet *o)
{
	return o->pipe && o->private < 0;
}

static ssize_t write_queue(const struct outlet *o)
{
	not_zeroed struct iovec parts[MOST_PARTS];

	if (only_small_pieces(o))
		return write_piece(o);
	return write_parts(o, parts, gather(o, parts));
}

static void written(struct outlet *o, size_t n)
{
	struct job *job;

	o->bytes -= n;
	o->offset += n;
	while ((job = o->first) && o->offset >= job->reply.len) {
		o->offset -= job->reply.len;
		o->first = job->next;
		if (!o->first)
			o->last = &o->first;
		o->count--;
		o->done(o->ctx, job);
	}
}

/* After a write that failed: may there be others? */
static bool is_only_full(void)
{
	return errno == EAGAIN || errno == EWOULDBLOCK;
}

bool outlet_early(struct outlet *o, struct buf *reply)
{
	struct iovec rest = { reply->ptr + o->offset, reply->len - o->offset };
	ssize_t n;

	if (only_small_pieces(o))
		return true;
	expect(o, reply->len);
	n = write_parts(o, &rest, 1);
	if (n < 0)
		return errno == EINTR || is_only_full();
	o->offset += (size_t)n;
	if (o->offset == reply->len)
		o->offset = reply->len = 0;
	return true;
}

bool outlet_flush(struct outlet *o)
{
	ssize_t n;

	while (o->first) {
		n = write_queue(o);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return is_only_full();
		written(o, (size_t)n);
	}
	return true;
}

int outlet_wants(const struct outlet *o)
{
	if (!o->first)
		return -1;
	return o->private >= 0 ? o->private : o->fd;
}

void outlet_close(struct outlet *o)
{
	struct job *job;

	while ((job = o->first)) {
		o->first = job->next;
		o->done(o->ctx, job);
	}
	o->last = &o->first;
	o->bytes = o->offset = o->count = 0;
	fd_drop(&o->private);
}
