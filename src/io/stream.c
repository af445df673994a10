/* stream.c - bytes in and out of a pipe or socket, on a loop. */

#include "base/fd.h"
#include "io/loop_local.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct stream {
	uv_pipe_t in, out;
	bool one;     /* both ways are one descriptor */
	bool has_out; /* @out is open */
	unsigned open_handles;
	struct stream_handler handler;
	size_t queued;
	bool broken, closed;
	bool paused; /* nothing is read */
	bool ended;  /* of the input */
	char room[64 * 1024];
};

struct pending {
	uv_write_t write; /* first */
	struct stream *stream;
	size_t len;
	char bytes[];
};

static uv_stream_t *out_of(struct stream *s)
{
	return (uv_stream_t *)(s->one ? &s->in : &s->out);
}

static void on_closed(uv_handle_t *handle)
{
	struct stream *s = handle->data;

	if (!--s->open_handles)
		free(s);
}

void stream_close(struct stream *s)
{
	if (!s || s->closed)
		return;
	stream_finish(s);
	s->closed = true;
	uv_close((uv_handle_t *)&s->in, on_closed);
}

void stream_finish(struct stream *s)
{
	s->broken = true;
	if (!s->has_out)
		return;
	s->has_out = false;
	uv_close((uv_handle_t *)&s->out, on_closed);
}

static void give_room(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
	struct stream *s = handle->data;

	*buf = uv_buf_init(s->room, sizeof(s->room));
}

static void on_read(uv_stream_t *uv, ssize_t n, const uv_buf_t *buf)
{
	struct stream *s = uv->data;

	if (n > 0)
		s->handler.bytes(s->handler.ctx,
				 str_make(buf->base, (size_t)n));
	if (n >= 0 || s->closed)
		return;
	(void)uv_read_stop(uv);
	s->ended = true;
	s->handler.ended(s->handler.ctx);
}

void stream_pause(struct stream *s, bool pause)
{
	if (s->paused == pause || s->ended || s->closed)
		return;
	s->paused = pause;
	if (pause)
		(void)uv_read_stop((uv_stream_t *)&s->in);
	else if (uv_read_start((uv_stream_t *)&s->in, give_room, on_read))
		s->broken = true;
}

/* A handle that could not be opened is closed by the loop, like any other. */
static bool open_pipe(struct loop *l, uv_pipe_t *pipe, struct stream *s, int fd)
{
	if (uv_pipe_init(&l->uv, pipe, 0))
		out_of_memory();
	pipe->data = s;
	s->open_handles++;
	return !uv_pipe_open(pipe, fd);
}

struct stream *stream_open(struct loop *l, int in, int out,
			   const struct stream_handler *handler)
{
	struct stream *s = calloc(1, sizeof(*s));
	bool opened;

	if (!s)
		out_of_memory();
	s->one = in == out;
	s->has_out = !s->one && out >= 0;
	s->broken = out < 0;
	s->handler = *handler;
	opened = open_pipe(l, &s->in, s, in);
	if (s->has_out)
		opened = open_pipe(l, &s->out, s, out) && opened;
	if (!opened ||
	    uv_read_start((uv_stream_t *)&s->in, give_room, on_read)) {
		stream_close(s);
		return NULL;
	}
	return s;
}

static void on_written(uv_write_t *write, int status)
{
	struct pending *p = (struct pending *)write;

	p->stream->queued -= p->len;
	if (status < 0)
		p->stream->broken = true;
	free(p);
}

bool stream_write(struct stream *s, struct str bytes)
{
	uv_buf_t buf = uv_buf_init((char *)bytes.ptr, (unsigned)bytes.len);
	struct pending *p;
	int sent = 0;

	if (s->closed || s->broken)
		return false;
	if (!s->queued)
		sent = uv_try_write(out_of(s), &buf, 1);
	if (sent < 0)
		sent = 0; /* EAGAIN; whatever else, the write will tell */
	if ((size_t)sent == bytes.len)
		return true;
	bytes = str_skip(bytes, (size_t)sent);
	p = malloc(sizeof(*p) + bytes.len);
	if (!p)
		out_of_memory();
	p->stream = s;
	p->len = bytes.len;
	memcpy(p->bytes, bytes.ptr, bytes.len);
	buf = uv_buf_init(p->bytes, (unsigned)p->len);
	s->queued += p->len;
	if (uv_write(&p->write, out_of(s), &buf, 1, on_written)) {
		s->queued -= p->len;
		s->broken = true;
		free(p);
	}
	return !s->broken;
}

size_t stream_queued(const struct stream *s)
{
	return s->queued;
}

struct listening {
	uv_poll_t uv; /* first */
	int fd;
	void (*came)(void *ctx, int fd);
	void *ctx;
};

static void on_came(uv_poll_t *uv, int status, int events)
{
	struct listening *s = (struct listening *)uv;
	int fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC);

	if (fd >= 0)
		s->came(s->ctx, fd);
}

struct listening *loop_listen(struct loop *l, int fd,
			      void (*came)(void *ctx, int fd), void *ctx)
{
	struct listening *s = calloc(1, sizeof(*s));

	if (!s || uv_poll_init(&l->uv, &s->uv, fd))
		out_of_memory();
	s->fd = fd;
	s->came = came;
	s->ctx = ctx;
	(void)uv_poll_start(&s->uv, UV_READABLE, on_came);
	return s;
}

static void on_listening_closed(uv_handle_t *handle)
{
	struct listening *s = (struct listening *)handle;

	(void)close(s->fd);
	free(s);
}

void loop_listen_end(struct listening *s)
{
	if (s)
		uv_close((uv_handle_t *)&s->uv, on_listening_closed);
}
