/*
 * t_list_allowed_directories.c - the tool list_allowed_directories: the roots.
 */
#include "tools/handlers/listing.h"

struct roots_args {
	char none; /* the tool takes no arguments */
};

static enum err roots_run(struct call *c)
{
	auto_listing_text text = listing_text_make(c);
	const struct str *roots;
	size_t n;

	roots = ws_roots(c->ws, c->mem, &n);
	listing_add(&text, STR("Allowed directories:"));
	for (size_t i = 0; i < n; i++)
		listing_add(&text, find_escape(roots[i], c->mem));
	if (!n) /* as the join of an empty list */
		listing_add(&text, STR(""));
	listing_finish(&text, NULL, STR(""));
	return ERR_OK;
}

static const struct field fields[] = {
	FIELDS_END,
};

static const char *const constraints[] = {
	"One directory per line, with symlinks resolved, in the order of the roots",
	NULL,
};

static const struct tool_example examples[] = {
	{ "The directories that may be accessed", "{}",
	  "{\"content\":\"Allowed directories:\\n/project\"}" },
	{ NULL },
};

const struct tool tool_list_allowed_directories = {
	.name = "list_allowed_directories",
	.title = "List Allowed Directories",
	.doc = "List the directories that this server may access, including everything below them.",
	.families = { "filesystem" },
	.kind = "read",
	.fields = fields,
	.out = listing_out_fields,
	.args_size = sizeof(struct roots_args),
	.out_size = sizeof(struct listing_out),
	.effects = TOOL_PURE,
	.run = roots_run,
	.text_result = true,
	.fails_as_result = true,
	.constraints = constraints,
	.examples = examples,
};
