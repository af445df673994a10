/*
 * catalog.h - what a server offers beside its own tools: more tools,
 * resources, prompts, and values to complete an argument with.
 *
 * Each table ends with a row of nothing; one that is NULL makes the methods
 * for it unknown. A server without a catalog knows none of them.
 */
#ifndef STET_CATALOG_H
#define STET_CATALOG_H

#include "rpc/round.h"

struct server;

struct catalog_tool {
	const char *name, *description;
	const char *schema; /* of its arguments, as JSON */
	enum err (*run)(struct round *);
};

/* One whose URI has {...} in it is a template. */
struct catalog_resource {
	const char *uri, *name, *description, *mime;
	enum err (*run)(struct round *);
};

struct catalog_argument {
	const char *name, *description;
	bool required;
};

struct catalog_prompt {
	const char *name, *description;
	const struct catalog_argument *arguments; /* NULL = none */
	enum err (*run)(struct round *);
};

struct catalog_completion {
	const char *of; /* the prompt's name, or the template's URI */
	const char *argument;
	const char *const *values; /* ends with NULL */
};

struct catalog {
	const struct catalog_tool *tools;
	const struct catalog_resource *resources;
	const struct catalog_prompt *prompts;
	const struct catalog_completion *completions;
};

/* The row of that method, if the catalog has something for it. */
const struct method *catalog_method(const struct catalog *c, struct str name,
				    enum eras era);

/* {"tools":{...},...} of a server with a catalog, or without. */
void catalog_put_capabilities(struct json_out *o, const struct catalog *c);

/* The entries of tools/list. */
void catalog_put_tools(struct json_out *o, const struct catalog *c);

/* tools/call of a tool in there, or false. */
bool catalog_call_tool(struct job *job, struct str name, enum job_next *ret);

/* Is the list asked for from its beginning? Else the reply is there. */
must_check bool catalog_lists(struct job *job);

#endif
