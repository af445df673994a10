/*
 * bridge.c - the socket that the MCP servers of Codex connect to.
 *
 * The secret of a session gives access to its tools. The number of connections,
 * the bytes of incomplete messages and of unread replies are limited; reading
 * stops while a limit is reached. Runs on the loop; jobs run on a pool and come
 * back by the loop's mailbox.
 */
#include "acp/bridge.h"

#include "acp/bridge_listen.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/fd.h"
#include "base/secret.h"
#include "io/line_client.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	SECRET_LEN = 64,    /* hex digits */
	SECRET_MS = 5000,   /* for a connection to send its secret */
	DRAIN_MS = 5000,    /* for running jobs after the end of input */
	POLL_MS = 20,       /* interval of checks of a full connection */
	MAX_STRANGERS = 32, /* connections that have not sent a secret */
	MAX_CONNS = 32,     /* connections of a session */
	MAX_LINE = 128 * 1024 * 1024,  /* bytes of a message */
	MAX_QUEUED = 16 * 1024 * 1024, /* bytes of unread replies */
	MAX_HELD = 256 * 1024 * 1024,  /* bytes of all incomplete messages */
};

struct bridge {
	struct loop *loop;
	struct loop_listener *listening;
	struct pool *pool;
	struct bridge_session *sessions;
	struct bridge_conn *conns;
	unsigned strangers; /* connections without a session */
	char *dir;
	struct str path, pid;
};

struct bridge_session {
	struct bridge *bridge;
	struct bridge_session *next;
	struct bridge_want want;
	char secret[SECRET_LEN + 1];
	char caller[UUID_TEXT + 1]; /* caller id of all its connections */
	unsigned conns;
	bool leaving;
	void (*left)(void *ctx);
	void *ctx;
};

struct bridge_conn {
	struct line_client client; /* must be first: cast to bridge_conn */
	struct peer peer;
	struct bridge *bridge;
	struct bridge_session *session; /* NULL = secret not received yet */
	struct stream *stream;          /* NULL = closed */
	struct loop_timer *timer;
	struct bridge_conn *next, **link;
	uint64_t deadline;   /* clock_ms() for the secret, or for DRAIN_MS */
	atomic_uint notices; /* posted to the loop, not yet delivered */
	bool broken;         /* the connection failed and will be closed */
	bool gone;           /* freed with the last notice */
};

/* A message to the client of a connection, from any thread. */
struct bridge_notice {
	struct mail mail; /* must be first: cast to bridge_notice */
	struct bridge_conn *conn;
	size_t len;
	char line[];
};

static void conn_send(struct bridge_conn *c, struct str line)
{
	if (c->stream && !stream_write(c->stream, line))
		c->broken = true;
}

static void conn_job_done(struct call_queue *q, struct job *job)
{
	struct bridge_conn *c = (struct bridge_conn *)q;

	if (job->reply.len) {
		buf_lit(&job->reply, "\n");
		conn_send(c, buf_str(&job->reply));
	}
	line_client_put_job(&c->client, job);
}

static void conn_job_drop(struct call_queue *q, struct job *job)
{
	line_client_put_job((struct line_client *)q, job);
}

static bool conn_is_full(const struct call_queue *q)
{
	const struct bridge_conn *c = (const struct bridge_conn *)q;

	return c->stream && stream_queued(c->stream) > MAX_QUEUED;
}

static void conn_update(struct bridge_conn *c);

static void on_notice(struct mail *mail)
{
	struct bridge_notice *n = (struct bridge_notice *)mail;
	struct bridge_conn *c = n->conn;

	conn_send(c, str_make(n->line, n->len));
	free(n);
	atomic_fetch_sub(&c->notices, 1);
	conn_update(c);
}

static void send_notice(struct peer *peer, struct str message)
{
	struct bridge_conn *c =
		(struct bridge_conn *)((char *)peer -
				       offsetof(struct bridge_conn, peer));
	struct bridge_notice *n = malloc(sizeof(*n) + message.len + 1);

	if (!n)
		out_of_memory();
	*n = (struct bridge_notice){ { NULL, on_notice }, c, message.len + 1 };
	memcpy(n->line, message.ptr, message.len);
	n->line[message.len] = '\n';
	atomic_fetch_add(&c->notices, 1);
	loop_post(c->bridge->loop, &n->mail);
}

static struct pool *pool_of(struct call_queue *q)
{
	struct bridge *b = ((struct bridge_conn *)q)->bridge;

	if (!b->pool)
		b->pool = pool_new(2 * CALL_THREADS, loop_mailbox(b->loop));
	return b->pool;
}

static void on_returned(struct call_queue *q, struct job *job)
{
	call_queue_returned(q, job);
	conn_update((struct bridge_conn *)q);
}

static const struct call_queue_ops bridge_ops = {
	.finish = conn_job_done,
	.drop = conn_job_drop,
	.output_full = conn_is_full,
	.pool = pool_of,
	.returned = on_returned,
};

static void session_left_now(void *ctx)
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

/* By a timer: bridge_leave() must return before its callback is called. */
static void session_leave_soon(struct bridge_session *s)
{
	(void)loop_after(s->bridge->loop, 0, session_left_now, s);
}

static void conn_leave(struct bridge_conn *c)
{
	c->gone = true;
	call_queue_close(&c->client.queue);
	line_client_close(&c->client);
	*c->link = c->next;
	if (c->next)
		c->next->link = c->link;
	c->bridge->strangers -= !c->session;
	if (c->session && !--c->session->conns && c->session->leaving)
		session_leave_soon(c->session);
}

/* No job runs any more; a posted message may still be undelivered. */
static void conn_gone(struct bridge_conn *c)
{
	if (!c->gone)
		conn_leave(c);
	if (!atomic_load(&c->notices))
		free(c);
}

static void conn_end(struct bridge_conn *c)
{
	if (!c->stream)
		return;
	loop_timer_stop(c->timer);
	c->timer = NULL;
	stream_close(c->stream);
	c->stream = NULL;
	frame_free(&c->client.frame);
	call_queue_halt(&c->client.queue);
	if (!c->client.queue.running)
		conn_gone(c);
}

static bool conn_is_over(const struct bridge_conn *c)
{
	if (c->broken)
		return true;
	if (c->deadline && clock_ms() >= c->deadline)
		return true;
	return c->client.ended && call_queue_is_idle(&c->client.queue) &&
	       !stream_queued(c->stream);
}

static void on_conn_timer(void *ctx)
{
	struct bridge_conn *c = ctx;

	c->timer = NULL;
	call_queue_start_ready(&c->client.queue);
	conn_update(c);
}

/* Set the timer for the next deadline or retry. */
static void conn_set_timer(struct bridge_conn *c)
{
	uint64_t now = clock_ms(),
		 until = call_queue_deadline(&c->client.queue);

	loop_timer_stop(c->timer);
	c->timer = NULL;
	if (c->session && (c->client.ended || line_client_is_full(&c->client)))
		until = now + POLL_MS;
	if (c->deadline && c->deadline < until)
		until = c->deadline;
	if (until != UINT64_MAX)
		c->timer = loop_after(c->bridge->loop,
				      until > now ? until - now : 0,
				      on_conn_timer, c);
}

/* Process input and check for the end; may free the connection. */
static void conn_update(struct bridge_conn *c)
{
	if (!c->stream) {
		if (!c->client.queue.running)
			conn_gone(c);
		return;
	}
	if (c->session)
		line_client_read(&c->client);
	if (conn_is_over(c)) {
		conn_end(c);
		return;
	}
	stream_pause(c->stream, c->session && line_client_is_full(&c->client));
	conn_set_timer(c);
}

static struct bridge_session *session_by_secret(struct bridge *b,
						struct str secret)
{
	struct digest said = digest_of(secret);
	struct bridge_session *s = b->sessions;

	while (s &&
	       (s->leaving || !digest_eq(digest_of(str_of(s->secret)), said)))
		s = s->next;
	return s;
}

/* The first line is the secret of a session. */
static void conn_authenticate(struct bridge_conn *c)
{
	const struct bridge_want *want;
	struct bridge_session *session;
	auto_buf secret = BUF_INIT;
	struct link *link = &c->client.queue.link;
	enum frame_got got = frame_next(&c->client.frame, &secret);

	if (got == FRAME_NONE)
		return;
	session = session_by_secret(c->bridge, buf_str(&secret));
	if (!session || session->conns >= MAX_CONNS) {
		c->broken = true;
		return;
	}
	want = &session->want;
	c->session = session;
	session->conns++;
	c->bridge->strangers--;
	c->deadline = 0;
	line_client_open(&c->client, want->server, MAX_LINE, &bridge_ops);
	memcpy(link->session, c->session->caller, sizeof(link->session));
	c->peer.send = send_notice;
	link->peer = &c->peer;
	link->transport = STR("acp");
	link->ask = want->ask;
	link->unask = want->unask;
	link->ask_ctx = want->ctx;
	conn_send(c, STR("ok\n"));
}

/* One large message is allowed, but not on all connections at once. */
static void limit_held(struct bridge_conn *now)
{
	struct bridge_conn *largest = now;
	size_t held = 0;

	for (struct bridge_conn *c = now->bridge->conns; c; c = c->next) {
		held += c->client.frame.in.len;
		if (c->client.frame.in.len > largest->client.frame.in.len)
			largest = c;
	}
	if (held <= MAX_HELD)
		return;
	if (largest == now)
		now->broken = true; /* closed by conn_update() */
	else
		conn_end(largest);
}

static void on_conn_bytes(void *ctx, struct str bytes)
{
	struct bridge_conn *c = ctx;

	frame_add(&c->client.frame, bytes);
	limit_held(c);
	if (!c->session)
		conn_authenticate(c);
	conn_update(c);
}

static void on_conn_ended(void *ctx)
{
	struct bridge_conn *c = ctx;

	c->client.ended = true;
	c->broken = c->broken || !c->session;
	c->deadline = clock_ms() + DRAIN_MS;
	conn_update(c);
}

static bool is_same_user(int fd)
{
	struct ucred who;
	socklen_t len = sizeof(who);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) &&
	       who.uid == geteuid();
}

/* Idle connections without a secret must not block others. */
static void drop_oldest_anonymous(struct bridge *b)
{
	struct bridge_conn *oldest = NULL;

	if (b->strangers <= MAX_STRANGERS)
		return;
	for (struct bridge_conn *c = b->conns; c; c = c->next)
		if (!c->session)
			oldest = c; /* the list starts with the newest */
	if (oldest)
		conn_end(oldest);
}

static void on_connection(void *ctx, int fd)
{
	struct bridge *b = ctx;
	struct bridge_conn *c;

	if (!is_same_user(fd)) {
		fd_drop(&fd);
		return;
	}
	c = calloc(1, sizeof(*c));
	if (!c)
		out_of_memory();
	c->stream = stream_open(b->loop, fd, fd,
				&(struct stream_handler){ on_conn_bytes,
							  on_conn_ended, c });
	if (!c->stream) {
		free(c);
		return;
	}
	c->bridge = b;
	c->client.frame.max = 2 * SECRET_LEN;
	c->deadline = clock_ms() + SECRET_MS;
	c->next = b->conns;
	c->link = &b->conns;
	if (c->next)
		c->next->link = &c->next;
	b->conns = c;
	b->strangers++;
	conn_set_timer(c);
	drop_oldest_anonymous(b);
}

int bridge_connect(struct bridge *b)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -1;
	on_connection(b, ends[1]);
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
	secret_random_hex(s->secret, SECRET_LEN);
	uuid_text(uuid_new(clock_unix_ms()), s->caller);
	s->next = b->sessions;
	b->sessions = s;
	return s;
}

struct str bridge_secret(const struct bridge_session *s)
{
	return str_of(s->secret);
}

void bridge_answer(struct job *job, enum ask_answer answer)
{
	struct bridge_conn *c = (struct bridge_conn *)call_queue_of(job);

	ask_answer(job, answer);
	call_queue_start_ready(&c->client.queue);
	conn_update(c);
}

void bridge_leave(struct bridge_session *s, void (*left)(void *ctx), void *ctx)
{
	struct bridge_conn *next;

	s->left = left;
	s->ctx = ctx;
	s->leaving = true;
	if (!s->conns)
		session_leave_soon(s);
	for (struct bridge_conn *c = s->bridge->conns; c; c = next) {
		next = c->next;
		if (c->session == s)
			conn_end(c);
	}
}

static void cancel_all(struct call_queue *q)
{
	for (struct job *job = q->running; job; job = job->run_next)
		atomic_store(&job->cancelled, true);
	while (q->waiting)
		call_queue_abandon(q, q->waiting);
	while (q->link.parked)
		call_queue_abandon(q, q->link.parked);
}

void bridge_cancel(struct bridge_session *s)
{
	for (struct bridge_conn *c = s->bridge->conns; c; c = c->next)
		if (c->session == s)
			cancel_all(&c->client.queue);
}

struct bridge *bridge_new(struct loop *l, struct arena *mem, struct str *why)
{
	struct bridge *b = calloc(1, sizeof(*b));
	int fd;

	if (!b)
		out_of_memory();
	b->loop = l;
	b->pid = arena_printf(mem, "%ld", (long)getpid());
	fd = bridge_listen(mem, &b->dir, &b->path);
	if (fd < 0) {
		*why = arena_printf(mem, "cannot create a socket for Codex: %s",
				    strerror(errno));
		bridge_free(b);
		return NULL;
	}
	b->listening = loop_listen(l, fd, on_connection, b);
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
	struct bridge_conn *next;

	if (!b)
		return;
	loop_listen_end(b->listening);
	for (struct bridge_conn *c = b->conns; c; c = next) {
		next = c->next;
		conn_end(c);
	}
	pool_free(b->pool, POOL_DROP_QUEUED);
	bridge_abandon(b);
	free(b);
}
