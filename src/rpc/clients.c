/*
 * clients.c - the table of known clients (clients.def), looked up by name, and
 * the options --results and --tool-errors as they are for one client.
 */
#include "rpc/clients.h"

static const struct client_row rows[] = {
#define CLIENT(name, results, errors) \
	{ name, RESULTS_##results, TOOL_ERRORS_##errors },
#include "rpc/clients.def"
#undef CLIENT
};

static const struct client_row unknown = { "", RESULTS_BOTH, TOOL_ERRORS_AUTO };

const struct client_row *client_named(struct str name)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (str_is(name, rows[i].name))
			return &rows[i];
	return &unknown;
}

const struct client_row *client_of(struct job *job)
{
	struct json meta = json_get(job->message.params, "_meta");
	struct json info = json_get(meta, MCP_META "clientInfo");
	struct str name;

	/* A message of 2026-07-28 brings the name along. */
	if (json_text(json_get(info, "name"), &job->mem, &name))
		return client_named(name);
	return client_named(job->link->client_name);
}

const struct tool_options *client_options(struct job *job)
{
	const struct tool_options *server = &job->server->tools;
	const struct client_row *row;
	struct tool_options *own;

	if (!job->server->results_auto)
		return server;
	row = client_of(job);
	if (row->results == server->results)
		return server;
	own = arena_new(&job->mem, struct tool_options);
	*own = *server;
	own->results = row->results;
	return own;
}

bool client_wants_result(struct job *job, enum err e)
{
	enum tool_errors chosen = job->server->tool_errors;
	bool in_words = chosen == TOOL_ERRORS_AUTO &&
			client_of(job)->errors == TOOL_ERRORS_RESULT;

	/* The model made the arguments, and is to mend them. */
	if (err_is_rpc(e))
		return in_words && e == ERR_BAD_ARGS;
	return in_words || job->modern || chosen == TOOL_ERRORS_RESULT;
}
