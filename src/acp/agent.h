/*
 * agent.h - an ACP agent: the editor on one side, Codex on the other.
 *
 *	agent.c     both sides and their end; agent_methods.c the methods of
 *	            ACP (a table), agent_auth.c the login
 *	session.c   one conversation: a Codex thread; thread.c its begin,
 *	            files.c its bridge and its files
 *	turn.c      a prompt, until it is answered; prompt.c what is in it
 *	items.c     what Codex does, as session/update (a table)
 *	calls.c     its tool calls (a table of item kinds); changes.c
 *	consent.c   every question to the person is one session/request_permission
 *	commands.c  slash commands (a table); modes.c modes and options
 */
#ifndef STET_AGENT_H
#define STET_AGENT_H

#include "acp/bridge.h"
#include "acp/codex.h"
#include "acp/events.h"

struct agent;

/* What the program gives each session: files with its rules. */
struct agent_app {
	/*
	 * Sockets and pipes are open, no thread is there yet: give up what is
	 * not needed. @codex is the command that is started then, again and
	 * again; NULL: there is none. May be NULL.
	 */
	void (*confine)(void *ctx, const char *const *codex);
	/* A server on the disk beneath @dirs; NULL with a fault. */
	struct server *(*open)(void *ctx, const struct str *dirs, size_t n,
			       struct arena *mem, struct fault *f);
	/* X14: "plan", "default", "bypassPermissions". */
	void (*mode)(void *ctx, struct server *s, const char *mode);
	void (*close)(void *ctx, struct server *s);
	void *ctx;
};

struct agent_options {
	int in, out; /* to the editor */
	const char *version;
	const char *codex; /* --codex; NULL = found */
	const char *self;  /* the path of this program, for the bridge */
	const char *mode;  /* that sessions begin with, or NULL */
	const char *trace; /* --trace FILE; NULL = none */
	enum events_dialect events;
	struct agent_app app;
};

/* Until the editor hangs up or a signal ends it; the exit status. */
int agent_serve(const struct agent_options *options);

#endif
