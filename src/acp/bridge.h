/*
 * bridge.h - connects the MCP servers that Codex starts to this process.
 *
 * Codex runs `stet serve --bridge`, which finds our socket in its environment
 * (STET_BRIDGE) and copies lines: messages of Codex are handled here, in the
 * process that is connected to the editor. The socket has mode 0600, in a
 * directory of mode 0700. Each session has a secret (STET_BRIDGE_WORD), which
 * is the first line of a connection and assigns it to the session; the response
 * to it is a line "ok". `stet serve --bridge` sends the secret only to the
 * process that STET_BRIDGE_PID names. If it cannot connect to the agent, it
 * serves the disk itself, after 5 s at most. Of connections that have not sent a
 * secret, the oldest are closed when there are too many.
 */
#ifndef STET_BRIDGE_H
#define STET_BRIDGE_H

#include "io/loop.h"
#include "rpc/ask.h"
#include "rpc/server.h"

struct bridge;
struct bridge_session;

/* NULL with the reason in *@why. */
struct bridge *bridge_new(struct loop *l, struct arena *mem, struct str *why);
void bridge_free(struct bridge *b); /* after all sessions have left */
/* Only remove socket and directory; threads may still run. */
void bridge_abandon(struct bridge *b);
struct str bridge_socket(const struct bridge *b);
struct str bridge_pid(const struct bridge *b); /* process id of the agent */

/* A connection from within this process; -1 with errno. */
must_check int bridge_connect(struct bridge *b);

/* Environment of a session's calls; valid until bridge_leave(). */
struct bridge_want {
	struct server *server;
	/*
	 * How a call asks the user: see rpc/ask.h, ASK_DIRECT. The answer is
	 * given by bridge_answer(), unless @unask was called: then the job has
	 * ended. NULL = ask through the client.
	 */
	void (*ask)(void *ctx, struct job *job);
	void (*unask)(void *ctx, struct job *job);
	void *ctx;
};

struct bridge_session *bridge_join(struct bridge *b,
				   const struct bridge_want *want);
struct str bridge_secret(const struct bridge_session *s);

/* The user's answer to the question of @job; not from within ask(). */
void bridge_answer(struct job *job, enum ask_answer answer);

/* Cancel running calls; then @left is called on the loop. */
void bridge_leave(struct bridge_session *s, void (*left)(void *ctx), void *ctx);

/* Cancel all running calls of the session. */
void bridge_cancel(struct bridge_session *s);

/* The environment of `stet serve --bridge`. */
struct bridge_env {
	const char *socket; /* STET_BRIDGE */
	const char *agent;  /* STET_BRIDGE_PID: process id of the listener */
	char *secret;       /* STET_BRIDGE_WORD; wiped after use */
};

/*
 * `stet serve --bridge`: copy lines until either side ends; @confined: drop all
 * privileges first. False: the agent could not be reached or authenticated;
 * then nothing has been read from stdin.
 */
must_check bool bridge_proxy_run(const struct bridge_env *to, bool confined);

#endif
