/*
 * bridge.h - where the MCP servers that Codex starts come back to us.
 *
 * Codex runs `stet serve --bridge`, which finds our socket in its environment
 * (STET_BRIDGE) and carries lines: what Codex says is answered here, in the
 * process that knows the editor. The socket is in a directory of this process
 * alone (0700), itself 0600; each session has a word of its own that the
 * bridge says first (STET_BRIDGE_WORD), so that a connection belongs to one
 * session; the answer to it is a line "ok". The bridge says it only to the
 * process that STET_BRIDGE_PID names. Without us the bridge serves the disk
 * itself, after 5 s at most. Of connections that have not said a word, the
 * oldest make room for new ones.
 */
#ifndef STET_BRIDGE_H
#define STET_BRIDGE_H

#include "io/loop.h"
#include "rpc/ask.h"
#include "rpc/server.h"

struct bridge;
struct bridge_session;

/* NULL with a sentence. */
struct bridge *bridge_new(struct loop *l, struct arena *mem, struct str *why);
void bridge_free(struct bridge *b); /* when all sessions have left */
/* Leave no trace in the file system; nothing else ends. */
void bridge_abandon(struct bridge *b);
struct str bridge_socket(const struct bridge *b);
struct str bridge_pid(const struct bridge *b); /* of this process */

/* A connection from within, as if it came by the socket; -1 with errno. */
must_check int bridge_reach(struct bridge *b);

/* What a session's calls need; lasts until bridge_leave(). */
struct bridge_want {
	struct server *server;
	/*
	 * How a call asks the person: see rpc/ask.h, ASK_DIRECT. The answer is
	 * given by bridge_answer(), unless @unask says that nobody waits for it
	 * any more: then the job is gone. NULL = as the client can.
	 */
	void (*ask)(void *ctx, struct job *job);
	void (*unask)(void *ctx, struct job *job);
	void *ctx;
};

struct bridge_session *bridge_join(struct bridge *b,
				   const struct bridge_want *want);
struct str bridge_word(const struct bridge_session *s);

/* What the person said to the question of @job; not from within ask(). */
void bridge_answer(struct job *job, enum ask_answer answer);

/* Calls under way are given up, then @left is called, on the loop. */
void bridge_leave(struct bridge_session *s, void (*left)(void *ctx), void *ctx);

/* All calls of the session that are under way: cancel them. */
void bridge_cancel(struct bridge_session *s);

/* From the environment of `stet serve --bridge`. */
struct bridge_call {
	const char *socket; /* STET_BRIDGE */
	const char *agent; /* STET_BRIDGE_PID: the process that listens there */
	char *word;        /* STET_BRIDGE_WORD; wiped when it is not needed */
};

/*
 * For `stet serve --bridge`: carry lines until either side ends; @confined:
 * with nothing but the descriptors for that. False: the agent could not be
 * reached, or somebody else is there; then nothing was read yet.
 */
must_check bool bridge_carry(const struct bridge_call *to, bool confined);

#endif
