/*
 * schema.h - the tools/list entry of a tool, generated from its row.
 */
#ifndef STET_SCHEMA_H
#define STET_SCHEMA_H

#include "tools/call/tool.h"

/* The entry of tools/list: name, description, schemas, annotations. */
void schema_tool(struct json_out *o, const struct tool *t,
		 const struct tool_options *options);

/* The two schemas alone. */
void schema_input(struct json_out *o, const struct tool *t);
void schema_output(struct json_out *o, const struct tool *t);

#endif
