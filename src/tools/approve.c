#include "tools/approve.h"

static bool is_approved(const struct call *c)
{
	const struct tool_options *o = c->options;

	for (size_t i = 0; i < o->approved_count; i++)
		if (!strcmp(o->approved[i], c->tool->name))
			return true;
	return c->granted;
}

enum err approval_needed(struct call *c, struct str summary)
{
	if (is_approved(c))
		return ERR_OK;
	return fail(
		c->fault, ERR_APPROVAL, .text = summary,
		.hint = arena_printf(
			c->mem,
			"The person has to agree first. Who wants %s to work without being asked starts stet with --approve=%s",
			c->tool->name, c->tool->name));
}
