/*
 * clients.h - the table of known clients (clients.def) and the form of replies
 * that each of them shows best.
 *
 * A client chooses its name itself, so the name decides only the form of
 * replies and which tools are listed, never what is allowed.
 */
#ifndef STET_CLIENTS_H
#define STET_CLIENTS_H

#include "rpc/job.h"

struct client_row {
	struct str name;         /* beginning of the client's name */
	enum results results;    /* with --results=auto */
	enum tool_errors errors; /* with --tool-errors=auto */
	const char *listed;      /* families in tools/list, with --tools=auto */
};

/* The first row whose name @name begins with. Never NULL. */
const struct client_row *client_named(struct str name);

/* The row of the client that sent job->message. */
const struct client_row *client_of(struct job *job);

/*
 * The server's options with the results in this client's form; the server's
 * own, or a copy in job->mem.
 */
const struct tool_options *client_options(struct job *job);

/*
 * The tools of the client that sent job->message: --tools, without those that
 * the settings of a project take away.
 */
struct offer client_offer(struct job *job);

/*
 * May every client call every tool by its own row? That is so without --tools
 * and such settings.
 */
bool client_may_call_all(const struct job *job);

/* Is the failure of a call sent to this client as a result? */
bool client_wants_result(struct job *job, enum err e);

#endif
