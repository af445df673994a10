/*
 * stdio.c - the loop that serves one client on stdin and stdout.
 *
 * It polls its descriptors itself, without libuv, because that costs least for
 * a client that asks one thing at a time. Other threads reach it by the
 * mailbox; signals set a flag and write to the eventfd @wake. After every
 * wake-up it looks for parked calls that can go on.
 */
#include "io/stdio.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/log.h"
#include "io/line_client.h"
#include "io/mailbox.h"
#include "io/output_queue.h"
#include "rpc/ask.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	MOST_REPLIES = 1024, /* queued replies at which we stop reading */
	MOST_QUEUED = 16 * 1024 * 1024, /* bytes of them, likewise */
	FLUSH_BYTES = 64 * 1024,
	NO_DEADLINE = -1,
};

struct stdio {
	struct line_client client; /* must be first: cast to struct stdio */
	struct peer peer;
	struct json_flush flush;
	struct output_queue output;
	struct pool *pool;
	int in, wake, parent;
	bool broken;      /* the output is closed */
	uint64_t stop_ms; /* stdio_options.stop_ms */
	uint64_t stop_at; /* clock_ms() to exit at in any case; 0 = none */
	uint64_t
		progress_at; /* clock_ms() of the last progress after the end of input */
	size_t unread; /* bytes in the output queue at that time */
	struct mailbox mailbox;
};

/* A message to the client, from any thread; its job holds the bytes. */
struct stdio_notice {
	struct mail mail; /* first: it is cast */
	struct stdio *stdio;
	struct job *job;
};

/* For the signal handler. */
static volatile sig_atomic_t wake_fd = -1; /* -1 = stdio_serve() does not run */
static volatile sig_atomic_t stop_requested;

static void wake_fd_signal(int fd)
{
	uint64_t one = 1;

	(void)!fd_write(fd, str_make((const char *)&one, sizeof(one)));
}

static void on_signal(int number)
{
	int error = errno;

	stop_requested = 1;
	if (wake_fd >= 0)
		wake_fd_signal(wake_fd);
	errno = error;
}

static void stdio_put_job(void *ctx, struct job *job)
{
	struct stdio *s = ctx;

	line_client_put_job(&s->client, job);
}

/* Queue the reply of a job that is done. */
static void stdio_finish(struct call_queue *q, struct job *job)
{
	struct stdio *s = (struct stdio *)q;

	if (!job->reply.len || s->broken) {
		stdio_put_job(s, job);
		return;
	}
	buf_lit(&job->reply, "\n");
	job_answered(job);
	output_queue_add(&s->output, job);
	if (s->output.bytes > FLUSH_BYTES && !output_queue_flush(&s->output))
		s->broken = true;
}

static void wake_loop(void *ctx)
{
	const struct stdio *s = ctx;

	wake_fd_signal(s->wake);
}

static void on_stdio_notice(struct mail *mail)
{
	struct stdio_notice *n = (struct stdio_notice *)mail;

	stdio_finish(&n->stdio->client.queue, n->job);
	free(n);
}

static void send_notice(struct peer *peer, struct str message)
{
	struct stdio *s =
		(struct stdio *)((char *)peer - offsetof(struct stdio, peer));
	struct stdio_notice *n = malloc(sizeof(*n));

	if (!n)
		out_of_memory();
	*n = (struct stdio_notice){ { NULL, on_stdio_notice },
				    s,
				    job_new(s->client.server) };
	buf_add(&n->job->reply, message);
	mailbox_post(&s->mailbox, &n->mail);
}

static void stdio_drop(struct call_queue *q, struct job *job)
{
	stdio_put_job(q, job);
}

static struct pool *stdio_pool(struct call_queue *q)
{
	struct stdio *s = (struct stdio *)q;

	if (!s->pool)
		s->pool = pool_new(CALL_THREADS, &s->mailbox);
	return s->pool;
}

/* The client does not read its replies: start no more calls. */
static bool stdio_output_full(const struct call_queue *q)
{
	const struct stdio *s = (const struct stdio *)q;

	return s->output.count > MOST_REPLIES || s->output.bytes > MOST_QUEUED;
}

static void send_early(struct json_flush *flush, struct buf *reply)
{
	struct stdio *s =
		(struct stdio *)((char *)flush - offsetof(struct stdio, flush));

	if (!s->broken && !output_queue_send_early(&s->output, reply))
		s->broken = true;
}

/* A reply can be sent early only if no other is queued before it. */
static struct json_flush *stdio_flush(struct call_queue *q)
{
	struct stdio *s = (struct stdio *)q;

	return s->output.first ? NULL : &s->flush;
}

static const struct call_queue_ops stdio_ops = {
	.finish = stdio_finish,
	.drop = stdio_drop,
	.output_full = stdio_output_full,
	.pool = stdio_pool,
	.returned = call_queue_returned,
	.single_client = true,
	.flush = stdio_flush,
};

static void stdio_end_input(struct stdio *s, const char *why)
{
	if (s->client.ended)
		return;
	log_info("ending: %s", why);
	s->client.ended = true;
	s->progress_at = clock_ms();
}

/* A signal, or the client is gone: calls get stop_ms to finish. */
static void stdio_stop_soon(struct stdio *s, const char *why)
{
	stdio_end_input(s, why);
	if (!s->stop_at)
		s->stop_at = clock_ms() + s->stop_ms;
}

/*
 * After the end of the input: when to exit although not all is done. A client
 * that closed its end may still read, so running calls take the time that they
 * need (each has a deadline of its own); replies that are not read, and calls
 * that cannot start because of them, get stop_ms since the last progress.
 */
static uint64_t exit_at(const struct stdio *s)
{
	const struct call_queue *q = &s->client.queue;

	if (s->stop_at)
		return s->stop_at;
	return q->running || q->link.parked ? UINT64_MAX
					    : s->progress_at + s->stop_ms;
}

static void note_progress(struct stdio *s)
{
	const struct call_queue *q = &s->client.queue;

	if (q->running || q->link.parked || s->output.bytes != s->unread)
		s->progress_at = clock_ms();
	s->unread = s->output.bytes;
}

static void read_input(struct stdio *s)
{
	long got = frame_fill(&s->client.frame, s->in);

	if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return;
	if (got <= 0)
		stdio_end_input(s, got ? "read error" : "end of input");
	line_client_read(&s->client);
}

static void take_mail(struct stdio *s)
{
	uint64_t count;

	(void)!fd_read(s->wake, &count, sizeof(count));
	if (stop_requested)
		stdio_stop_soon(s, "signal");
	(void)mailbox_deliver(&s->mailbox);
	line_client_read(&s->client);
}

/* How long poll() may sleep. */
static int poll_timeout(const struct stdio *s)
{
	uint64_t now = clock_ms(),
		 until = call_queue_deadline(&s->client.queue);

	if (s->client.ended && exit_at(s) < until)
		until = exit_at(s);
	if (until == UINT64_MAX)
		return NO_DEADLINE;
	return until > now ? (int)(until - now) : 0;
}

static bool stdio_is_idle(const struct stdio *s)
{
	return call_queue_is_idle(&s->client.queue) && !s->output.first;
}

/*
 * Poll the output for room; or, when the input has ended while calls run, for
 * POLLERR or POLLHUP, which say that the reader is gone.
 */
static struct pollfd watch_output(const struct stdio *s)
{
	int wants = output_queue_poll_fd(&s->output);

	if (s->broken)
		return (struct pollfd){ -1, 0, 0 };
	if (wants < 0 && s->client.ended)
		return (struct pollfd){ s->output.fd, 0, 0 };
	return (struct pollfd){ wants, POLLOUT, 0 };
}

/* One turn of the loop: poll, then handle what is ready. */
static void stdio_turn(struct stdio *s)
{
	bool reading = !s->client.ended && !line_client_is_full(&s->client);
	struct pollfd fds[] = {
		{ s->wake, POLLIN, 0 },
		{ reading ? s->in : -1, POLLIN, 0 },
		watch_output(s),
		{ s->stop_at ? -1 : s->parent, POLLIN, 0 },
	};

	if (poll(fds, COUNT_OF(fds), poll_timeout(s)) < 0)
		return; /* EINTR: the signal handler wrote to @wake */
	if (fds[0].revents)
		take_mail(s);
	if (fds[1].revents)
		read_input(s);
	if (!fds[2].events && (fds[2].revents & (POLLERR | POLLHUP)))
		s->broken = true;
	if (fds[3].revents)
		stdio_stop_soon(s, "the parent process has exited");
	call_queue_start_ready(&s->client.queue);
	if (!s->broken && !output_queue_flush(&s->output))
		s->broken = true;
	call_queue_start_ready(
		&s->client.queue); /* the output may have room now */
	line_client_read(&s->client);
	if (s->broken)
		stdio_stop_soon(s, "the output was closed");
	if (s->client.ended)
		note_progress(s);
}

void stdio_catch_signals(void)
{
	struct sigaction end = { .sa_handler = on_signal };
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	(void)sigaction(SIGTERM, &end, NULL);
	(void)sigaction(SIGINT, &end, NULL);
	(void)sigaction(SIGHUP, &end, NULL);
	(void)sigaction(SIGPIPE, &ignore, NULL);
}

/* From now on a signal wakes the loop; one that came before does so now. */
static void watch_signals(struct stdio *s)
{
	stdio_catch_signals();
	wake_fd = s->wake;
	if (stop_requested)
		wake_fd_signal(s->wake);
}

static void close_all(struct stdio *s)
{
	wake_fd = -1;
	ask_on_decision(s->client.server, NULL, NULL);
	/* Start no more calls, and cancel those that run. */
	call_queue_halt(&s->client.queue);
	pool_free(s->pool, POOL_DROP_QUEUED);
	mailbox_drain(&s->mailbox);
	call_queue_close(&s->client.queue);
	output_queue_close(&s->output);
	line_client_close(&s->client);
	mailbox_close(&s->mailbox);
	fd_drop(&s->wake);
	fd_drop(&s->parent);
}

void stdio_serve(struct server *server, const struct stdio_options *options)
{
	struct stdio s = {
		.peer.send = send_notice,
		.flush.write = send_early,
		.in = options->in,
		.stop_ms = options->stop_ms,
		.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.parent = (int)syscall(SYS_pidfd_open, getppid(), 0),
	};

	line_client_open(&s.client, server, options->max_message, &stdio_ops);
	s.client.queue.link.peer = &s.peer;
	s.client.queue.link.transport = STR("stdio");
	mailbox_open(&s.mailbox, wake_loop, &s);
	output_queue_open(&s.output, options->out, stdio_put_job, &s);
	watch_signals(&s);
	ask_on_decision(server, wake_loop, &s);
	while (!s.client.ended ||
	       (!stdio_is_idle(&s) && clock_ms() < exit_at(&s) &&
		!(s.broken && !s.client.queue.running)))
		stdio_turn(&s);
	close_all(&s);
}
