/*
 * clients.h - what is known of a client by its name, and the form of the
 * replies that follows from it (clients.def).
 *
 * The name is what the client calls itself. It chooses only how the same
 * things are said, never what is allowed.
 */
#ifndef STET_CLIENTS_H
#define STET_CLIENTS_H

#include "rpc/job.h"

struct client_row {
	const char *name;
	enum results results;    /* with --results=auto */
	enum tool_errors errors; /* with --tool-errors=auto */
};

/* The row of that name; for a name that is not in the table, one without. */
const struct client_row *client_named(struct str name);

/* The row of the client that sent job->message. */
const struct client_row *client_of(struct job *job);

/*
 * The server's options with the results in this client's form; the server's
 * own, or a copy in job->mem.
 */
const struct tool_options *client_options(struct job *job);

/* Is the failure of a call told to this client as a result? */
bool client_wants_result(struct job *job, enum err e);

#endif
