/*
 * t_read_file.c - the tool read_file: the older name of read_text_file in the
 * reference server.
 */
#include "tools/handlers/read_text.h"

static const struct tool_example examples[] = {
	{ "The first line", "{\"path\":\"README.md\",\"head\":1}",
	  "{\"content\":\"# stet\\n\"}" },
	{ NULL },
};

const struct tool tool_read_file = {
	.name = "read_file",
	.title = "Read File (Deprecated)",
	.doc = "Read a text file, or only its first (head) or last (tail) lines. Deprecated: use read_text_file.",
	.families = { "filesystem" },
	.kind = "read",
	.fields = read_text_reference_fields,
	.out = read_text_reference_members,
	.args_size = sizeof(struct read_text_args),
	.out_size = sizeof(struct read_text_reference_out),
	.effects = TOOL_READS,
	.run = read_text_reference_run,
	.text_result = true,
	.fails_as_result = true,
	.constraints = read_text_reference_constraints,
	.examples = examples,
};
