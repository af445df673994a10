/*
 * codex.h - the Codex CLI as a program of ours: `codex app-server`.
 *
 * Started in parallel with everything else; questions wait until it is ready.
 * One that says it is overloaded (-32001) is asked again, a little later. When
 * it ends by itself, what it said on stderr is told and every open question is
 * answered WIRE_CUT; codex_start() begins anew. It ends with us.
 */
#ifndef STET_CODEX_H
#define STET_CODEX_H

#include "io/wire.h"

struct codex;

struct codex_options {
	struct loop *loop;
	const char *path;    /* --codex; NULL = found */
	const char *version; /* ours, for its initialize */
	/* What it tells and asks; requests are answered with codex_reply(). */
	void (*message)(void *ctx, const struct wire_message *m);
	void (*ready)(void *ctx);
	/* It is gone: a sentence for the person, with its last words. */
	void (*gone)(void *ctx, struct str why);
	void (*line)(void *ctx, bool in,
		     struct str line); /* a trace, or NULL */
	void *ctx;
};

/*
 * Where it is: @path, else the native binary of the npm package beside the
 * `codex` on PATH (whose JavaScript launcher would cost a Node process), else
 * that `codex`. NULL with a sentence that says where was looked.
 */
const char *codex_find(const char *path, struct arena *mem, struct str *why);

struct codex *codex_new(const struct codex_options *options);

/* What codex_start() runs, for as long as @c; NULL: it was not found. */
const char *const *codex_command(const struct codex *c);
void codex_start(struct codex *c); /* or again, after gone() */
bool codex_is_ready(const struct codex *c);
void codex_ask(struct codex *c, const char *method, struct str params,
	       wire_done *done, void *ctx);
void codex_reply(struct codex *c, struct str id, struct str result);
void codex_refuse(struct codex *c, struct str id, int code, struct str message);

/* End it: its input is closed, then SIGTERM, SIGKILL; in under a second. */
void codex_end(struct codex *c, void (*ended)(void *ctx), void *ctx);
void codex_free(struct codex *c);

#endif
