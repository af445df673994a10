/*
 * clients.c - the table of known clients (clients.def), looked up by name, and
 * the options --tools, --results and --tool-errors as they are for one client.
 */
#include "rpc/clients.h"

#include "tools/permissions/rules.h"

#include <strings.h>

#define LISTED_TO_ANY "contract claude repo history find patch manage"

static const struct client_row rows[] = {
#define CLIENT(name, results, errors, listed) \
	{ STR_INIT(name), RESULTS_##results, TOOL_ERRORS_##errors, listed },
#include "rpc/clients.def"
#undef CLIENT
};

static bool name_begins(struct str name, struct str with)
{
	return name.len >= with.len &&
	       (!with.len || !strncasecmp(name.ptr, with.ptr, with.len));
}

const struct client_row *client_named(struct str name)
{
	const struct client_row *row = rows;

	while (!name_begins(name, row->name)) /* the last row fits any name */
		row++;
	return row;
}

const struct client_row *client_of(struct job *job)
{
	struct json meta, info;
	struct str name;

	if (!job->modern)
		return client_named(job->link->client_name);
	meta = json_get(job->message.params, "_meta");
	info = json_get(meta, MCP_META "clientInfo");
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

/* The tools that the settings of projects take away. */
static uint64_t withheld(const struct job *job)
{
	const struct rules *rules = job->server->tools.rules;

	return rules ? rules_now(rules)->withheld : 0;
}

struct offer client_offer(struct job *job)
{
	struct offer offer = selection_offer(&job->server->selection,
					     client_of(job)->listed);

	offer_narrow(&offer, ~withheld(job));
	return offer;
}

bool client_may_call_all(const struct job *job)
{
	return !job->server->selection.count && !withheld(job);
}

bool client_wants_result(struct job *job, enum err e)
{
	enum tool_errors chosen = job->server->tool_errors;
	bool in_words = chosen == TOOL_ERRORS_AUTO &&
			client_of(job)->errors == TOOL_ERRORS_RESULT;

	/* The model wrote the arguments: it has to see what is wrong. */
	if (err_is_rpc(e))
		return in_words && e == ERR_BAD_ARGS;
	return in_words || job->modern || chosen == TOOL_ERRORS_RESULT;
}
