/*
 * selection.c - parses the list of --tools and computes what it means for one
 * client.
 *
 * Pure. Tools are numbered by their place in all_tools, so a set of tools has
 * no order of its own: a list always has the order of all.def.
 */
#include "tools/call/selection.h"

#include "text/encoding/utf8.h"
#include "tools/call/args.h"

/* Most names of tools and families, each tool with all of its families. */
enum { MOST_NAMES = SELECTION_MOST_TOOLS * (1 + TOOL_FAMILIES) + 2 };

static bool is_family(struct str name, const char **ret)
{
	for (size_t i = 0; i < all_tools_count; i++)
		for (size_t k = 0;
		     k < TOOL_FAMILIES && all_tools[i]->families[k]; k++)
			if (str_is(name, all_tools[i]->families[k])) {
				*ret = all_tools[i]->families[k];
				return true;
			}
	return false;
}

static enum err unknown_item(struct str word, struct arena *mem,
			     struct fault *f)
{
	const char *names[MOST_NAMES] = { "all", "auto" }, *near;
	size_t n = 2;

	for (size_t i = 0; i < all_tools_count; i++) {
		names[n++] = all_tools[i]->name;
		for (size_t k = 0;
		     k < TOOL_FAMILIES && all_tools[i]->families[k]; k++)
			names[n++] = all_tools[i]->families[k];
	}
	near = args_nearest(word, names, n);
	word = utf8_head(word, 100);
	if (near)
		return fail(f, ERR_BAD_ARGS,
			    .text = arena_printf(
				    mem,
				    "no tool or family is called '" STR_FMT
				    "' (did you mean %s?)",
				    STR_ARG(word), near));
	return fail(f, ERR_BAD_ARGS,
		    .text = arena_printf(mem,
					 "no tool or family is called '" STR_FMT
					 "' (see 'stet tools')",
					 STR_ARG(word)));
}

enum err selection_item(struct str word, struct arena *mem,
			struct selection_item *ret, struct fault *f)
{
	const struct tool *tool;

	*ret = (struct selection_item){ .kind = SELECT_FAMILY };
	if (str_starts(word, STR("+")) || str_starts(word, STR("-"))) {
		ret->sign = word.ptr[0];
		word = str_skip(word, 1);
	}
	if (str_is(word, "all")) {
		ret->kind = SELECT_ALL;
		return ERR_OK;
	}
	if (str_is(word, "auto")) {
		ret->kind = SELECT_AUTO;
		return ERR_OK;
	}
	if (is_family(word, &ret->name))
		return ERR_OK;
	tool = tool_named(word);
	if (!tool)
		return unknown_item(word, mem, f);
	ret->kind = SELECT_TOOL;
	ret->name = tool->name;
	return ERR_OK;
}

enum err selection_parse(struct str text, struct arena *mem,
			 struct selection *ret, struct fault *f)
{
	struct selection_item *items = NULL, *item;
	size_t count = 0;
	struct str word;
	enum err e;

	while (str_split(&text, ',', &word)) {
		item = arena_add(mem, items, count);
		e = selection_item(word, mem, item, f);
		if (e)
			return e;
	}
	*ret = (struct selection){ items, count };
	return ERR_OK;
}

/* A selection that is being computed. */
struct selecting {
	const char *families; /* of auto */
	uint64_t listed, callable;
	bool contract, filesystem; /* families that the selection has */
};

static uint64_t all_bits(void)
{
	return all_tools_count < SELECTION_MOST_TOOLS
		       ? (1ULL << all_tools_count) - 1
		       : UINT64_MAX;
}

static bool has_word(const char *words, struct str name)
{
	struct str rest = str_of(words), word;

	while (str_split(&rest, ' ', &word))
		if (str_eq(word, name))
			return true;
	return false;
}

/* Is @t in the default list, as its families say? */
static bool in_auto(const char *families, const struct tool *t)
{
	if (!families)
		return true;
	for (size_t i = 0; i < TOOL_FAMILIES && t->families[i]; i++)
		if (has_word(families, str_of(t->families[i])))
			return true;
	return false;
}

static uint64_t item_bits(const struct selecting *s,
			  const struct selection_item *item)
{
	uint64_t bits = 0;
	bool has = false;

	for (size_t i = 0; i < all_tools_count; i++) {
		const struct tool *t = all_tools[i];

		switch (item->kind) {
		case SELECT_TOOL:
			has = str_is(str_of(t->name), item->name);
			break;
		case SELECT_FAMILY:
			has = tool_in_family(t, str_of(item->name));
			break;
		case SELECT_ALL:
			has = true;
			break;
		case SELECT_AUTO:
			has = in_auto(s->families, t);
			break;
		}
		if (has)
			bits |= 1ULL << i;
	}
	return bits;
}

static bool item_has_family(const struct selecting *s,
			    const struct selection_item *item,
			    const char *family)
{
	switch (item->kind) {
	case SELECT_TOOL:
		return false;
	case SELECT_FAMILY:
		return !strcmp(item->name, family);
	case SELECT_ALL:
		return true;
	case SELECT_AUTO:
		return !s->families || has_word(s->families, str_of(family));
	}
	return false;
}

static void select_item(struct selecting *s, const struct selection_item *item)
{
	uint64_t bits = item_bits(s, item);
	bool adds = item->sign != '-';

	if (item_has_family(s, item, "contract"))
		s->contract = adds;
	if (item_has_family(s, item, "filesystem"))
		s->filesystem = adds;
	if (!adds) {
		s->listed &= ~bits;
		s->callable &= ~bits;
		return;
	}
	s->listed |= bits;
	s->callable |= item->kind == SELECT_AUTO ? all_bits() : bits;
}

struct offer selection_offer(const struct selection *s, const char *families)
{
	static const struct selection_item start = { .kind = SELECT_AUTO };
	struct selecting now = { .families = families };

	if (!s->count || s->items[0].sign)
		select_item(&now, &start);
	for (size_t i = 0; i < s->count; i++)
		select_item(&now, &s->items[i]);
	return (struct offer){ now.listed, now.callable,
			       now.filesystem && !now.contract };
}

void offer_narrow(struct offer *o, uint64_t tools)
{
	o->listed &= tools;
	o->callable &= tools;
}

static bool has_tool(uint64_t bits, const struct tool *t)
{
	for (size_t i = 0; i < all_tools_count; i++)
		if (all_tools[i] == t)
			return bits >> i & 1;
	return false;
}

bool offer_lists(const struct offer *o, const struct tool *t)
{
	return has_tool(o->listed, t);
}

bool offer_calls(const struct offer *o, const struct tool *t)
{
	return has_tool(o->callable, t);
}

const struct tool *offer_face(const struct offer *o, const struct tool *t)
{
	return o->reference && t->reference ? t->reference : t;
}
