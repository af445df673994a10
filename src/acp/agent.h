/*
 * agent.h - an ACP agent: the editor on one side, Codex on the other.
 *
 *	agent.c       start and end; agent_methods.c the methods of ACP (a
 *	              table), agent_auth.c the login, agent_say.c updates
 *	session.c     one conversation, which is a Codex thread; thread.c its
 *	              parameters, session_options.c mode, model and effort,
 *	              session_server.c its tools
 *	turn.c        a prompt, until it is answered; prompt.c its content
 *	items.c       notifications of Codex as session/update (a table)
 *	calls.c       its tool calls; call_kinds.c a table of item types,
 *	              changes.c diffs
 *	permission.c  session/request_permission for Codex, permission_own.c
 *	              for stet's own tools; forms.c elicitation
 *	commands.c    slash commands (a table); undo.c /undo
 */
#ifndef STET_AGENT_H
#define STET_AGENT_H

#include "acp/bridge.h"
#include "acp/codex.h"
#include "acp/events.h"

struct agent;

/* Callbacks of the application: a server with rules for each session. */
struct agent_app {
	/*
	 * Called when sockets and pipes are open and before any thread is
	 * started: confine the process. @codex is the command that will be
	 * run; NULL: not found. May be NULL.
	 */
	void (*confine)(void *ctx, const char *const *codex);
	/* A server with the roots @dirs; NULL with a fault. */
	struct server *(*open)(void *ctx, const struct str *dirs, size_t n,
			       struct arena *mem, struct fault *f);
	/* X14: "plan", "default", "bypassPermissions". */
	void (*mode)(void *ctx, struct server *s, const char *mode);
	void (*close)(void *ctx, struct server *s);
	void *ctx;
};

struct agent_options {
	int in, out; /* descriptors of the editor */
	const char *version;
	const char *codex; /* --codex; NULL = search for it */
	const char *self;  /* the path of this program, for the bridge */
	const char *mode;  /* initial mode of sessions, or NULL */
	const char *trace; /* --trace FILE; NULL = none */
	enum events_dialect events;
	struct agent_app app;
};

/* Run until the editor disconnects or a signal arrives; the exit status. */
int agent_serve(const struct agent_options *options);

#endif
