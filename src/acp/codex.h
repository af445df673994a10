/*
 * codex.h - the Codex CLI as a child process: `codex app-server`.
 *
 * Started asynchronously; requests are queued until it is ready, and retried
 * with backoff while it reports that it is overloaded (-32001). When the
 * process ends by itself, gone() gets its last lines of stderr and every open
 * request ends with JSONRPC_DISCONNECTED; codex_start() starts it again. The
 * process ends with the agent.
 */
#ifndef STET_CODEX_H
#define STET_CODEX_H

#include "acp/jsonrpc.h"

struct codex;

struct codex_options {
	struct loop *loop;
	const char *path;    /* --codex; NULL = search for it */
	const char *version; /* stet's version, for initialize */
	/* A notification or request; answer requests by codex_reply(). */
	void (*message)(void *ctx, const struct jsonrpc_message *m);
	void (*ready)(void *ctx);
	/* The process has ended; @why is for the user, with its last stderr. */
	void (*gone)(void *ctx, struct str why);
	void (*line)(void *ctx, bool in,
		     struct str line); /* a trace, or NULL */
	void *ctx;
};

/*
 * The executable: @path, else the native binary of the npm package beside the
 * `codex` on PATH (whose JavaScript launcher would cost a Node process), else
 * that `codex`, else the npm package in /usr/local/lib or /usr/lib. NULL when
 * it was not found; *@why says where it was searched.
 */
const char *codex_find(const char *path, struct arena *mem, struct str *why);

struct codex *codex_new(const struct codex_options *options);

/* The argv of codex_start(), owned by @c; NULL: not found. */
const char *const *codex_command(const struct codex *c);
void codex_start(struct codex *c); /* may be called again after gone() */
bool codex_is_ready(const struct codex *c);
void codex_ask(struct codex *c, const char *method, struct str params,
	       jsonrpc_done *done, void *ctx);
void codex_reply(struct codex *c, struct str id, struct str result);
void codex_refuse(struct codex *c, struct str id, int code, struct str message);

/* End the process: close stdin, then SIGTERM, SIGKILL; in under a second. */
void codex_end(struct codex *c, void (*ended)(void *ctx), void *ctx);
void codex_free(struct codex *c);

#endif
