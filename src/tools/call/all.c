/*
 * all.c - the table of all tools, made from all.def.
 *
 * The order of all.def is the order of tools/list, and part of the contract.
 */
#include "tools/call/selection.h"

#define TOOL(name) extern const struct tool tool_##name;
#include "tools/call/all.def"
#undef TOOL

const struct tool *const all_tools[] = {
#define TOOL(name) &tool_##name,
#include "tools/call/all.def"
#undef TOOL
};

_Static_assert(COUNT_OF(all_tools) <= SELECTION_MOST_TOOLS,
	       "a struct offer has a bit for each tool");

const size_t all_tools_count = COUNT_OF(all_tools);

const struct tool *tool_named(struct str name)
{
	for (size_t i = 0; i < all_tools_count; i++)
		if (str_is(name, all_tools[i]->name))
			return all_tools[i];
	return NULL;
}
