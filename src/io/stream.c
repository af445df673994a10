/*
 * stream.c - reading and writing a pipe or socket on a loop; listening.
 *
 * A write goes to the descriptor at once as far as it takes bytes; the rest is
 * copied and queued by libuv. The struct is freed when libuv has closed both
 * handles.
 */
#include "base/fd.h"
#include "io/loop_local.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct stream {
	uv_pipe_t in, out;
	bool same_fd; /* @in and @out are one descriptor */
	bool has_out; /* @out is a handle of its own, and open */
	unsigned open_handles;
	struct stream_handler handler;
	size_t queued;
	bool broken, closed;
	bool paused; /* reading is stopped */
	bool ended;  /* end of input */
	char buffer[64 * 1024];
};

struct stream_write_request {
	uv_write_t write; /* first */
	struct stream *stream;
	size_t len;
	char bytes[];
};

static uv_stream_t *stream_out(struct stream *s)
{
	return (uv_stream_t *)(s->same_fd ? &s->in : &s->out);
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

static void stream_give_buffer(uv_handle_t *handle, size_t suggested,
			       uv_buf_t *buf)
{
	struct stream *s = handle->data;

	*buf = uv_buf_init(s->buffer, sizeof(s->buffer));
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
	else if (uv_read_start((uv_stream_t *)&s->in, stream_give_buffer,
			       on_read))
		s->broken = true;
}

/* On failure the handle is initialized too: stream_close() closes it. */
static bool stream_open_pipe(struct loop *l, uv_pipe_t *pipe, struct stream *s,
			     int fd)
{
	if (uv_pipe_init(&l->uv, pipe, 0))
		out_of_memory();
	pipe->data = s;
	s->open_handles++;
	return !uv_pipe_open(pipe, fd);
}

/* epoll refuses files and devices such as /dev/null, and then libuv aborts. */
static bool stream_can_poll(int fd)
{
	uv_handle_type type = uv_guess_handle(fd);

	return type == UV_NAMED_PIPE || type == UV_TCP || type == UV_TTY;
}

struct stream *stream_open(struct loop *l, int in, int out,
			   const struct stream_handler *handler)
{
	struct stream *s = calloc(1, sizeof(*s));
	bool opened;

	if (!s)
		out_of_memory();
	s->same_fd = in == out;
	s->has_out = !s->same_fd && out >= 0;
	s->broken = out < 0;
	s->handler = *handler;
	opened = stream_can_poll(in);
	opened = stream_open_pipe(l, &s->in, s, in) && opened;
	if (s->has_out)
		opened = stream_open_pipe(l, &s->out, s, out) && opened;
	if (!opened ||
	    uv_read_start((uv_stream_t *)&s->in, stream_give_buffer, on_read)) {
		stream_close(s);
		return NULL;
	}
	return s;
}

static void on_written(uv_write_t *write, int status)
{
	struct stream_write_request *p = (struct stream_write_request *)write;

	p->stream->queued -= p->len;
	if (status < 0)
		p->stream->broken = true;
	free(p);
}

bool stream_write(struct stream *s, struct str bytes)
{
	uv_buf_t buf = uv_buf_init((char *)bytes.ptr, (unsigned)bytes.len);
	struct stream_write_request *p;
	int sent = 0;

	if (s->closed || s->broken)
		return false;
	if (!s->queued)
		sent = uv_try_write(stream_out(s), &buf, 1);
	if (sent < 0)
		sent = 0; /* EAGAIN, or an error that uv_write() reports */
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
	if (uv_write(&p->write, stream_out(s), &buf, 1, on_written)) {
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

struct loop_listener {
	uv_poll_t uv; /* first */
	int fd;
	void (*accepted)(void *ctx, int fd);
	void *ctx;
};

static void on_connection(uv_poll_t *uv, int status, int events)
{
	struct loop_listener *s = (struct loop_listener *)uv;
	int fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC);

	if (fd >= 0)
		s->accepted(s->ctx, fd);
}

struct loop_listener *loop_listen(struct loop *l, int fd,
				  void (*accepted)(void *ctx, int fd),
				  void *ctx)
{
	struct loop_listener *s = calloc(1, sizeof(*s));

	if (!s || uv_poll_init(&l->uv, &s->uv, fd))
		out_of_memory();
	s->fd = fd;
	s->accepted = accepted;
	s->ctx = ctx;
	(void)uv_poll_start(&s->uv, UV_READABLE, on_connection);
	return s;
}

static void on_listener_closed(uv_handle_t *handle)
{
	struct loop_listener *s = (struct loop_listener *)handle;

	(void)close(s->fd);
	free(s);
}

void loop_listen_end(struct loop_listener *s)
{
	if (s)
		uv_close((uv_handle_t *)&s->uv, on_listener_closed);
}
