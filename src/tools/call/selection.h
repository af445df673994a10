/*
 * selection.h - which tools a client is offered: the list of --tools.
 *
 * A selection is a list of items, each a tool, a family, "all" or "auto" (the
 * default list of the client). "+NAME" and "NAME" add, "-NAME" takes away, in
 * their order. A selection whose first item has a sign starts from auto, any
 * other from nothing; an empty one is auto.
 *
 * Listed and callable are not the same: what a default list leaves out to save
 * tokens can still be called by name, what the person leaves out cannot.
 */
#ifndef STET_SELECTION_H
#define STET_SELECTION_H

#include "tools/call/tool.h"

enum { SELECTION_MOST_TOOLS = 64 };

enum selection_kind { SELECT_TOOL, SELECT_FAMILY, SELECT_ALL, SELECT_AUTO };

struct selection_item {
	enum selection_kind kind;
	char sign;        /* '+', '-', or '\0' = none */
	const char *name; /* SELECT_TOOL, SELECT_FAMILY */
};

struct selection {
	const struct selection_item *items;
	size_t count; /* 0 = auto */
};

/* The tools for one client; bit i stands for all_tools[i]. */
struct offer {
	uint64_t listed, callable;
	bool reference; /* with struct tool.reference: see offer_face() */
};

/* One item; ERR_BAD_ARGS names the nearest tool or family. */
must_check enum err selection_item(struct str word, struct arena *mem,
				   struct selection_item *ret, struct fault *f);

/* A list "ITEM,ITEM"; its strings are copied into @mem. */
must_check enum err selection_parse(struct str text, struct arena *mem,
				    struct selection *ret, struct fault *f);

/*
 * What a client is offered whose default list has these families, separated by
 * blanks; NULL = all tools.
 */
struct offer selection_offer(const struct selection *s, const char *families);

/* Takes away the tools that are not in @tools. */
void offer_narrow(struct offer *o, uint64_t tools);

bool offer_lists(const struct offer *o, const struct tool *t);
bool offer_calls(const struct offer *o, const struct tool *t);

/*
 * The row that describes and runs @t for this client: @t itself, or its row of
 * the reference server's contract when the selection has the family filesystem
 * and not contract.
 */
const struct tool *offer_face(const struct offer *o, const struct tool *t);

#endif
