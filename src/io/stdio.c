#include "io/stdio.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/log.h"
#include "io/lines.h"
#include "io/outlet.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	MOST_REPLIES = 1024,            /* not yet taken: we stop reading */
	MOST_QUEUED = 16 * 1024 * 1024, /* bytes of them; likewise */
	FLUSH_BYTES = 64 * 1024,
	NO_DEADLINE = -1,
};

struct stdio {
	struct lines lines; /* first: it is cast */
	struct peer peer;
	struct json_flow flow;
	struct outlet outlet;
	struct pool *pool;
	int in, wake, parent;
	bool broken;       /* no more output */
	uint64_t stop_ms;  /* stdio_options.stop_ms */
	uint64_t stop_at;  /* clock_ms() at which we exit in any case, or 0 */
	uint64_t moved_at; /* clock_ms() of the last progress after the end */
	size_t unread;     /* bytes of replies in the outlet then */

	pthread_mutex_t lock;         /* for what is below */
	struct job *news, **news_end; /* finished or to be sent, in order */
};

static int wake_fd = -1; /* for the signal handler */
static volatile sig_atomic_t told_to_end;

static void ring(int fd)
{
	uint64_t one = 1;

	(void)!fd_write(fd, str_make((const char *)&one, sizeof(one)));
}

static void on_signal(int number)
{
	int error = errno;

	told_to_end = 1;
	ring(wake_fd);
	errno = error;
}

static void put_job(void *ctx, struct job *job)
{
	struct stdio *s = ctx;

	lines_put_job(&s->lines, job);
}

/* The job has its reply, or none: send it on its way. */
static void finish(struct lane *l, struct job *job)
{
	struct stdio *s = (struct stdio *)l;

	if (!job->reply.len || s->broken) {
		put_job(s, job);
		return;
	}
	buf_lit(&job->reply, "\n");
	job_answered(job);
	outlet_add(&s->outlet, job);
	if (s->outlet.bytes > FLUSH_BYTES && !outlet_flush(&s->outlet))
		s->broken = true;
}

/* From any thread: give the loop a job to send on, and wake it. */
static void add_news(struct stdio *s, struct job *job)
{
	job->next = NULL;
	(void)pthread_mutex_lock(&s->lock);
	*s->news_end = job;
	s->news_end = &job->next;
	(void)pthread_mutex_unlock(&s->lock);
	ring(s->wake);
}

static void send_notice(struct peer *peer, struct str message)
{
	struct stdio *s =
		(struct stdio *)((char *)peer - offsetof(struct stdio, peer));
	struct job *job = job_new(s->lines.server);

	buf_add(&job->reply, message);
	add_news(s, job);
}

/* The reply is made where it can be sent meanwhile. */
static void pool_run(void *ctx, struct job *job)
{
	job->answer_later = true;
	(void)job_run(job, 0);
}

/* The client has given it up. */
static void drop(struct lane *l, struct job *job)
{
	put_job(l, job);
}

static void pool_done(void *ctx, struct job *job)
{
	add_news(ctx, job);
}

static void to_pool(struct lane *l, struct job *job)
{
	struct stdio *s = (struct stdio *)l;

	if (!s->pool)
		s->pool = pool_new(LANE_THREADS, pool_run, pool_done, s);
	pool_add(s->pool, job);
}

/* The client does not take its replies: make no more of them. */
static bool is_clogged(const struct lane *l)
{
	const struct stdio *s = (const struct stdio *)l;

	return s->outlet.count > MOST_REPLIES || s->outlet.bytes > MOST_QUEUED;
}

static void send_early(struct json_flow *flow, struct buf *reply)
{
	struct stdio *s =
		(struct stdio *)((char *)flow - offsetof(struct stdio, flow));

	if (!s->broken && !outlet_early(&s->outlet, reply))
		s->broken = true;
}

/* Replies do not overtake: with others before it, a reply waits. */
static struct json_flow *flow(struct lane *l)
{
	struct stdio *s = (struct stdio *)l;

	return s->outlet.first ? NULL : &s->flow;
}

static const struct lane_host host = {
	.finish = finish,
	.drop = drop,
	.clogged = is_clogged,
	.to_pool = to_pool,
	.alone = true,
	.flow = flow,
};

static void end_input(struct stdio *s, const char *why)
{
	if (s->lines.ended)
		return;
	log_info("ending: %s", why);
	s->lines.ended = true;
	s->moved_at = clock_ms();
}

/* Somebody wants us gone, or nobody is there: calls get stop_ms to finish. */
static void stop_soon(struct stdio *s, const char *why)
{
	end_input(s, why);
	if (!s->stop_at)
		s->stop_at = clock_ms() + s->stop_ms;
}

/*
 * After the input has ended: when to exit although not all is done. A client
 * that closed its end may still read, so calls under way take the time that
 * they need (each has a deadline of its own); replies that nobody takes, and
 * calls that cannot begin because of them, get stop_ms since the last
 * progress.
 */
static uint64_t exit_at(const struct stdio *s)
{
	const struct lane *l = &s->lines.lane;

	if (s->stop_at)
		return s->stop_at;
	return l->running || l->link.parked ? UINT64_MAX
					    : s->moved_at + s->stop_ms;
}

static void note_progress(struct stdio *s)
{
	const struct lane *l = &s->lines.lane;

	if (l->running || l->link.parked || s->outlet.bytes != s->unread)
		s->moved_at = clock_ms();
	s->unread = s->outlet.bytes;
}

static void read_input(struct stdio *s)
{
	long got = frame_fill(&s->lines.frame, s->in);

	if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return;
	if (got <= 0)
		end_input(s, got ? "the input broke" : "end of input");
	lines_take(&s->lines);
}

static struct job *all_news(struct stdio *s)
{
	struct job *list;

	(void)pthread_mutex_lock(&s->lock);
	list = s->news;
	s->news = NULL;
	s->news_end = &s->news;
	(void)pthread_mutex_unlock(&s->lock);
	return list;
}

static void take_news(struct stdio *s)
{
	struct job *job, *next;
	uint64_t count;

	(void)!fd_read(s->wake, &count, sizeof(count));
	if (told_to_end)
		stop_soon(s, "told to");
	for (job = all_news(s); job; job = next) {
		next = job->next;
		job->next = NULL;
		if (job->running)
			lane_back(&s->lines.lane, job);
		else /* a message to be sent */
			finish(&s->lines.lane, job);
	}
	lines_take(&s->lines);
}

/* How long poll() may sleep. */
static int patience(const struct stdio *s)
{
	uint64_t now = clock_ms(), until = lane_until(&s->lines.lane);

	if (s->lines.ended && exit_at(s) < until)
		until = exit_at(s);
	if (until == UINT64_MAX)
		return NO_DEADLINE;
	return until > now ? (int)(until - now) : 0;
}

static bool is_idle(const struct stdio *s)
{
	return lane_is_idle(&s->lines.lane) && !s->outlet.first;
}

/*
 * What to wait for on the output: room for replies; or, when the input has
 * ended and work goes on, that the reader is gone as well.
 */
static struct pollfd watch_output(const struct stdio *s)
{
	int wants = outlet_wants(&s->outlet);

	if (s->broken)
		return (struct pollfd){ -1, 0, 0 };
	if (wants < 0 && s->lines.ended)
		return (struct pollfd){ s->outlet.fd, 0, 0 };
	return (struct pollfd){ wants, POLLOUT, 0 };
}

/* Wait for something to happen, and do what it asks for. */
static void turn(struct stdio *s)
{
	bool reading = !s->lines.ended && !lines_full(&s->lines);
	struct pollfd fds[] = {
		{ s->wake, POLLIN, 0 },
		{ reading ? s->in : -1, POLLIN, 0 },
		watch_output(s),
		{ s->stop_at ? -1 : s->parent, POLLIN, 0 },
	};

	if (poll(fds, COUNT_OF(fds), patience(s)) < 0)
		return; /* EINTR: the handler rang */
	if (fds[0].revents)
		take_news(s);
	if (fds[1].revents)
		read_input(s);
	if (!fds[2].events && (fds[2].revents & (POLLERR | POLLHUP)))
		s->broken = true;
	if (fds[3].revents)
		stop_soon(s, "the parent is gone");
	lane_pump(&s->lines.lane);
	if (!s->broken && !outlet_flush(&s->outlet))
		s->broken = true;
	lane_pump(&s->lines.lane); /* there may be room for more replies now */
	lines_take(&s->lines);
	if (s->broken)
		stop_soon(s, "nobody reads");
	if (s->lines.ended)
		note_progress(s);
}

static void catch_signals(struct stdio *s)
{
	struct sigaction end = { .sa_handler = on_signal };
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	wake_fd = s->wake;
	told_to_end = 0;
	(void)sigaction(SIGTERM, &end, NULL);
	(void)sigaction(SIGINT, &end, NULL);
	(void)sigaction(SIGHUP, &end, NULL);
	(void)sigaction(SIGPIPE, &ignore, NULL);
}

static void close_all(struct stdio *s)
{
	struct job *job, *next;

	/* What has not begun by now will not: cancel what still runs. */
	lane_halt(&s->lines.lane);
	if (s->pool)
		pool_free(s->pool);
	for (job = all_news(s); job; job = next) {
		next = job->next;
		if (job->running)
			lane_back(&s->lines.lane, job);
		else
			job_free(job);
	}
	lane_close(&s->lines.lane);
	outlet_close(&s->outlet);
	lines_close(&s->lines);
	(void)pthread_mutex_destroy(&s->lock);
	fd_drop(&s->wake);
	fd_drop(&s->parent);
}

void stdio_serve(struct server *server, const struct stdio_options *options)
{
	struct stdio s = {
		.peer.send = send_notice,
		.flow.more = send_early,
		.in = options->in,
		.stop_ms = options->stop_ms,
		.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.parent = (int)syscall(SYS_pidfd_open, getppid(), 0),
		.lock = PTHREAD_MUTEX_INITIALIZER,
	};

	lines_open(&s.lines, server, options->max_message, &host);
	s.lines.lane.link.peer = &s.peer;
	s.lines.lane.link.door = STR("stdio");
	s.news_end = &s.news;
	outlet_open(&s.outlet, options->out, put_job, &s);
	catch_signals(&s);
	while (!s.lines.ended || (!is_idle(&s) && clock_ms() < exit_at(&s) &&
				  !(s.broken && !s.lines.lane.running)))
		turn(&s);
	close_all(&s);
}
