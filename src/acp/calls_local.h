/*
 * calls_local.h - a table of the kinds of items that are tool calls.
 */
#ifndef STET_CALLS_LOCAL_H
#define STET_CALLS_LOCAL_H

#include "acp/agent_local.h"

/* An item, and where paths in it are relative to. */
struct call_item {
	struct json json;
	struct str cwd;
	enum call_part part;
	struct arena *mem;
};

typedef void call_put(struct json_out *o, const struct call_item *item);

struct call_kind {
	const char *type; /* of the item */
	const char *kind; /* of ACP; or: */
	const char *(*find_kind)(const struct call_item *item);
	struct str (*title)(const struct call_item *item);
	call_put *locations, *content; /* the items of a list; NULL = none */
	call_put *input, *output;      /* rawInput and rawOutput, or NULL */
	bool late; /* title and places are only known when it ends */
};

extern const struct call_kind call_kinds[];
extern const size_t call_kind_count;

/* Members of content: words, and the output of a command. */
void call_put_words(struct json_out *o, struct str text);
void call_put_output(struct json_out *o, struct str output, struct arena *mem);

/* A value whose long texts are cut. */
void call_put_short(struct json_out *o, const char *key, struct json v,
		    struct arena *mem);

#endif
