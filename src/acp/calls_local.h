/*
 * calls_local.h - the table of item types of Codex that are tool calls.
 */
#ifndef STET_CALLS_LOCAL_H
#define STET_CALLS_LOCAL_H

#include "acp/agent_local.h"

/* An item, with the directory that its paths are relative to. */
struct call_item {
	struct json json;
	struct str cwd;
	enum call_part part;
	struct arena *mem;
};

typedef void call_put(struct json_out *o, const struct call_item *item);

struct call_kind {
	const char *type; /* type of the item */
	const char *kind; /* kind in ACP; NULL = find_kind() */
	const char *(*find_kind)(const struct call_item *item);
	struct str (*title)(const struct call_item *item);
	call_put *locations, *content; /* elements of a list; NULL = none */
	call_put *input, *output;      /* rawInput and rawOutput, or NULL */
	bool late; /* title and locations are known only at the end */
};

extern const struct call_kind call_kinds[];
extern const size_t call_kind_count;

/* Elements of content: text, and the output of a command. */
void call_put_words(struct json_out *o, struct str text);
void call_put_output(struct json_out *o, struct str output, struct arena *mem);

/* A member with long strings truncated. */
void call_put_short(struct json_out *o, const char *key, struct json v,
		    struct arena *mem);

#endif
