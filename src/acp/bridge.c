/*
 * bridge.c - the socket that the MCP servers of Codex connect to. Whoever knows
 * a word may use all tools of its session, but not all memory: connections,
 * bytes of messages that are not whole and replies that nobody reads have
 * limits, and nothing is read while there is no room for it.
 */
#include "acp/bridge.h"

#include "acp/bridge_place.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/fd.h"
#include "base/seal.h"
#include "io/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	WORD = 64,                      /* hex digits */
	WORD_MS = 5000,                 /* to say it */
	LAST_WORK_MS = 5000,            /* after the end of the input */
	SOON_MS = 20,                   /* to look again for room */
	MOST_STRANGERS = 32,            /* connections without a word */
	MOST_CONNS = 32,                /* connections of a session */
	MOST_LINE = 128 * 1024 * 1024,  /* of a message */
	MOST_QUEUED = 16 * 1024 * 1024, /* bytes that nobody takes */
	MOST_HELD = 256 * 1024 * 1024,  /* bytes read but not taken, by all */
};

struct bridge {
	struct loop *loop;
	struct listening *listening;
	struct pool *pool;
	struct bridge_session *sessions;
	struct conn *conns;
	unsigned strangers; /* connections that have not said their word */
	char *dir;
	struct str path, pid;
};

struct bridge_session {
	struct bridge *bridge;
	struct bridge_session *next;
	struct bridge_want want;
	char word[WORD + 1];
	char caller[UUID_TEXT + 1]; /* of all that come in by that word */
	unsigned conns;
	bool leaving;
	void (*left)(void *ctx);
	void *ctx;
};

struct conn {
	struct lines lines; /* first: it is cast */
	struct peer peer;
	struct bridge *bridge;
	struct bridge_session *session; /* NULL: it has not said its word */
	struct stream *stream;          /* NULL: it is closed */
	struct loop_timer *timer;
	struct conn *next, **link;
	uint64_t deadline;     /* clock_ms(), of the word or the last work */
	atomic_uint crossings; /* on their way to the loop */
	bool broken;           /* nobody reads */
	bool gone;             /* freed with the last crossing */
};

/* From a thread of the pool to the loop: a job that is back, or a message. */
struct crossing {
	struct loop_task task; /* first */
	struct conn *conn;
	struct job *job;
	struct buf text;
};

static void say(struct conn *c, struct str line)
{
	if (c->stream && !stream_write(c->stream, line))
		c->broken = true;
}

static void finish(struct lane *l, struct job *job)
{
	struct conn *c = (struct conn *)l;

	if (job->reply.len) {
		buf_lit(&job->reply, "\n");
		say(c, buf_str(&job->reply));
	}
	lines_put_job(&c->lines, job);
}

static void drop(struct lane *l, struct job *job)
{
	lines_put_job((struct lines *)l, job);
}

static bool is_clogged(const struct lane *l)
{
	const struct conn *c = (const struct conn *)l;

	return c->stream && stream_queued(c->stream) > MOST_QUEUED;
}

static void after(struct conn *c);

static void on_crossing(struct loop_task *task)
{
	struct crossing *x = (struct crossing *)task;
	struct conn *c = x->conn;

	if (x->job)
		lane_back(&c->lines.lane, x->job);
	else
		say(c, buf_str(&x->text));
	buf_free(&x->text);
	free(x);
	atomic_fetch_sub(&c->crossings, 1);
	after(c);
}

static struct crossing *cross(struct conn *c)
{
	struct crossing *x = calloc(1, sizeof(*x));

	if (!x)
		out_of_memory();
	atomic_fetch_add(&c->crossings, 1);
	x->task.run = on_crossing;
	x->conn = c;
	return x;
}

static void send_notice(struct peer *peer, struct str message)
{
	struct conn *c =
		(struct conn *)((char *)peer - offsetof(struct conn, peer));
	struct crossing *x = cross(c);

	buf_add(&x->text, message);
	buf_lit(&x->text, "\n");
	loop_later(c->bridge->loop, &x->task);
}

static void pool_run(void *ctx, struct job *job)
{
	(void)job_run(job, 0);
}

static void pool_done(void *ctx, struct job *job)
{
	struct bridge *b = ctx;
	struct crossing *x = cross((struct conn *)lane_of(job));

	x->job = job;
	loop_later(b->loop, &x->task);
}

static void to_pool(struct lane *l, struct job *job)
{
	struct bridge *b = ((struct conn *)l)->bridge;

	if (!b->pool)
		b->pool = pool_new(2 * LANE_THREADS, pool_run, pool_done, b);
	pool_add(b->pool, job);
}

static const struct lane_host host = {
	.finish = finish,
	.drop = drop,
	.clogged = is_clogged,
	.to_pool = to_pool,
};

static void leave_now(void *ctx)
{
	struct bridge_session *s = ctx;
	struct bridge_session **at = &s->bridge->sessions;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	if (s->left)
		s->left(s->ctx);
	free(s);
}

/* Not from here: who leaves is not to be told before it has said so. */
static void leave_soon(struct bridge_session *s)
{
	(void)loop_after(s->bridge->loop, 0, leave_now, s);
}

static void conn_leave(struct conn *c)
{
	c->gone = true;
	lane_close(&c->lines.lane);
	lines_close(&c->lines);
	*c->link = c->next;
	if (c->next)
		c->next->link = c->link;
	c->bridge->strangers -= !c->session;
	if (c->session && !--c->session->conns && c->session->leaving)
		leave_soon(c->session);
}

/* Nothing of it runs any more; a notice of it may still be on its way. */
static void conn_gone(struct conn *c)
{
	if (!c->gone)
		conn_leave(c);
	if (!atomic_load(&c->crossings))
		free(c);
}

static void conn_end(struct conn *c)
{
	if (!c->stream)
		return;
	loop_timer_stop(c->timer);
	c->timer = NULL;
	stream_close(c->stream);
	c->stream = NULL;
	frame_free(&c->lines.frame);
	lane_halt(&c->lines.lane);
	if (!c->lines.lane.running)
		conn_gone(c);
}

static bool is_over(const struct conn *c)
{
	if (c->broken)
		return true;
	if (c->deadline && clock_ms() >= c->deadline)
		return true;
	return c->lines.ended && lane_is_idle(&c->lines.lane) &&
	       !stream_queued(c->stream);
}

static void on_time(void *ctx)
{
	struct conn *c = ctx;

	c->timer = NULL;
	lane_pump(&c->lines.lane);
	after(c);
}

/* When there is something to do by itself. */
static void arm(struct conn *c)
{
	uint64_t now = clock_ms(), until = lane_until(&c->lines.lane);

	loop_timer_stop(c->timer);
	c->timer = NULL;
	if (c->session && (c->lines.ended || lines_full(&c->lines)))
		until = now + SOON_MS;
	if (c->deadline && c->deadline < until)
		until = c->deadline;
	if (until != UINT64_MAX)
		c->timer =
			loop_after(c->bridge->loop,
				   until > now ? until - now : 0, on_time, c);
}

/* Something has happened to it; it may be gone afterwards. */
static void after(struct conn *c)
{
	if (!c->stream) {
		if (!c->lines.lane.running)
			conn_gone(c);
		return;
	}
	if (c->session)
		lines_take(&c->lines);
	if (is_over(c)) {
		conn_end(c);
		return;
	}
	stream_pause(c->stream, c->session && lines_full(&c->lines));
	arm(c);
}

static struct bridge_session *session_of(struct bridge *b, struct str word)
{
	struct digest said = digest_of(word);
	struct bridge_session *s = b->sessions;

	while (s &&
	       (s->leaving || !digest_eq(digest_of(str_of(s->word)), said)))
		s = s->next;
	return s;
}

/* The first line: whose it is. */
static void hear_word(struct conn *c)
{
	const struct bridge_want *want;
	struct bridge_session *session;
	auto_buf word = BUF_INIT;
	struct link *link = &c->lines.lane.link;
	enum frame_got got = frame_next(&c->lines.frame, &word);

	if (got == FRAME_NONE)
		return;
	session = session_of(c->bridge, buf_str(&word));
	if (!session || session->conns >= MOST_CONNS) {
		c->broken = true;
		return;
	}
	want = &session->want;
	c->session = session;
	session->conns++;
	c->bridge->strangers--;
	c->deadline = 0;
	lines_open(&c->lines, want->server, MOST_LINE, &host);
	memcpy(link->session, c->session->caller, sizeof(link->session));
	c->peer.send = send_notice;
	link->peer = &c->peer;
	link->door = STR("acp");
	link->ask = want->ask;
	link->unask = want->unask;
	link->ask_ctx = want->ctx;
	say(c, STR("ok\n"));
}

/* Each may send one large message, but not all of them at once. */
static void limit_held(struct conn *now)
{
	struct conn *largest = now;
	size_t held = 0;

	for (struct conn *c = now->bridge->conns; c; c = c->next) {
		held += c->lines.frame.in.len;
		if (c->lines.frame.in.len > largest->lines.frame.in.len)
			largest = c;
	}
	if (held <= MOST_HELD)
		return;
	if (largest == now)
		now->broken = true; /* ended by after() */
	else
		conn_end(largest);
}

static void on_bytes(void *ctx, struct str bytes)
{
	struct conn *c = ctx;

	frame_add(&c->lines.frame, bytes);
	limit_held(c);
	if (!c->session)
		hear_word(c);
	after(c);
}

static void on_ended(void *ctx)
{
	struct conn *c = ctx;

	c->lines.ended = true;
	c->broken = c->broken || !c->session;
	c->deadline = clock_ms() + LAST_WORK_MS;
	after(c);
}

static bool is_ours(int fd)
{
	struct ucred who;
	socklen_t len = sizeof(who);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) &&
	       who.uid == geteuid();
}

/* Whoever opens connections without saying a word keeps nobody else out. */
static void make_room(struct bridge *b)
{
	struct conn *oldest = NULL;

	if (b->strangers <= MOST_STRANGERS)
		return;
	for (struct conn *c = b->conns; c; c = c->next)
		if (!c->session)
			oldest = c; /* the newest are first */
	if (oldest)
		conn_end(oldest);
}

static void on_came(void *ctx, int fd)
{
	struct bridge *b = ctx;
	struct conn *c;

	if (!is_ours(fd)) {
		fd_drop(&fd);
		return;
	}
	c = calloc(1, sizeof(*c));
	if (!c)
		out_of_memory();
	c->stream =
		stream_open(b->loop, fd, fd,
			    &(struct stream_handler){ on_bytes, on_ended, c });
	if (!c->stream) {
		free(c);
		return;
	}
	c->bridge = b;
	c->lines.frame.max = 2 * WORD;
	c->deadline = clock_ms() + WORD_MS;
	c->next = b->conns;
	c->link = &b->conns;
	if (c->next)
		c->next->link = &c->next;
	b->conns = c;
	b->strangers++;
	arm(c);
	make_room(b);
}

int bridge_reach(struct bridge *b)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -1;
	on_came(b, ends[1]);
	return ends[0];
}

struct bridge_session *bridge_join(struct bridge *b,
				   const struct bridge_want *want)
{
	struct bridge_session *s = calloc(1, sizeof(*s));

	if (!s)
		out_of_memory();
	s->bridge = b;
	s->want = *want;
	seal_random_hex(s->word, WORD);
	uuid_text(uuid_new(clock_unix_ms()), s->caller);
	s->next = b->sessions;
	b->sessions = s;
	return s;
}

struct str bridge_word(const struct bridge_session *s)
{
	return str_of(s->word);
}

void bridge_answer(struct job *job, enum ask_answer answer)
{
	struct conn *c = (struct conn *)lane_of(job);

	ask_answer(job, answer);
	lane_pump(&c->lines.lane);
	after(c);
}

void bridge_leave(struct bridge_session *s, void (*left)(void *ctx), void *ctx)
{
	struct conn *next;

	s->left = left;
	s->ctx = ctx;
	s->leaving = true;
	if (!s->conns)
		leave_soon(s);
	for (struct conn *c = s->bridge->conns; c; c = next) {
		next = c->next;
		if (c->session == s)
			conn_end(c);
	}
}

static void cancel_all(struct lane *l)
{
	for (struct job *job = l->running; job; job = job->run_next)
		atomic_store(&job->cancelled, true);
	while (l->waiting)
		lane_give_up(l, l->waiting);
	while (l->link.parked)
		lane_give_up(l, l->link.parked);
}

void bridge_cancel(struct bridge_session *s)
{
	for (struct conn *c = s->bridge->conns; c; c = c->next)
		if (c->session == s)
			cancel_all(&c->lines.lane);
}

struct bridge *bridge_new(struct loop *l, struct arena *mem, struct str *why)
{
	struct bridge *b = calloc(1, sizeof(*b));
	int fd;

	if (!b)
		out_of_memory();
	b->loop = l;
	b->pid = arena_printf(mem, "%ld", (long)getpid());
	fd = bridge_place(mem, &b->dir, &b->path);
	if (fd < 0) {
		*why = arena_printf(mem, "cannot make a socket for Codex: %s",
				    strerror(errno));
		bridge_free(b);
		return NULL;
	}
	b->listening = loop_listen(l, fd, on_came, b);
	return b;
}

struct str bridge_socket(const struct bridge *b)
{
	return b->path;
}

struct str bridge_pid(const struct bridge *b)
{
	return b->pid;
}

void bridge_abandon(struct bridge *b)
{
	if (b->path.len)
		(void)unlink(b->path.ptr);
	if (b->dir)
		(void)rmdir(b->dir);
}

void bridge_free(struct bridge *b)
{
	struct conn *next;

	if (!b)
		return;
	loop_listen_end(b->listening);
	for (struct conn *c = b->conns; c; c = next) {
		next = c->next;
		conn_end(c);
	}
	if (b->pool)
		pool_free(b->pool);
	bridge_abandon(b);
	free(b);
}
