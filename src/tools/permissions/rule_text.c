/*
 * rule_text.c - parses rules and modes, and works out by which names and from
 * which roots an action is judged.
 *
 * Pure.
 */
#include "files/path.h"
#include "text/display/caseless.h"
#include "text/encoding/utf8.h"
#include "tools/call/args.h"
#include "tools/permissions/rules.h"

static const char *const modes[] = {
	[MODE_DEFAULT] = "default",
	[MODE_PLAN] = "plan",
	[MODE_ACCEPT_EDITS] = "acceptEdits",
	[MODE_BYPASS] = "bypassPermissions",
	[MODE_YOLO] = "yolo",
};

static char mode_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Ignores case, and "-" and "_" between words. */
static bool same_mode(struct str a, const char *b)
{
	for (; *b; b++, a = str_skip(a, 1)) {
		if (a.len > 1 && (a.ptr[0] == '-' || a.ptr[0] == '_') &&
		    *b >= 'A' && *b <= 'Z')
			a = str_skip(a, 1);
		if (!a.len || mode_lower(a.ptr[0]) != mode_lower(*b))
			return false;
	}
	return !a.len;
}

bool mode_named(struct str name, enum mode *ret)
{
	for (size_t i = 0; i < COUNT_OF(modes); i++)
		if (same_mode(name, modes[i])) {
			*ret = (enum mode)i;
			return true;
		}
	return false;
}

const char *mode_name(enum mode m)
{
	return modes[m];
}

const char *verdict_name(enum verdict v)
{
	static const char *const names[] = { "allow", "ask", "deny" };

	return names[v];
}

static enum err rule_bad(struct fault *f, struct str text)
{
	return fail(f, ERR_BAD_ARGS, .text = text);
}

/* Adds the names of @t and of its families to @names. */
static size_t add_names(const struct tool *t, const char **names, size_t n,
			size_t most)
{
	if (n < most)
		names[n++] = t->name;
	for (size_t i = 0; i < TOOL_FAMILIES && t->families[i] && n < most; i++)
		names[n++] = t->families[i];
	return n;
}

static enum err check_tool(struct str word, struct str text, struct arena *mem,
			   struct fault *f)
{
	enum { MOST = 128 };
	/* The last two stand for other tools: see rules.h. */
	const char *names[MOST] = { "*", "read", "write", "MultiEdit",
				    "NotebookEdit" },
		   *near;
	size_t n = 5;

	for (size_t i = 0; i < all_tools_count; i++)
		n = add_names(all_tools[i], names, n, MOST);
	for (size_t i = 0; i < n; i++)
		if (str_is(word, names[i]))
			return ERR_OK;
	near = args_nearest(word, names, n);
	word = utf8_head(word, 100);
	if (near)
		return rule_bad(
			f, arena_printf(mem,
					"there is no tool or family '" STR_FMT
					"' (did you mean %s?)",
					STR_ARG(word), near));
	return rule_bad(f,
			arena_printf(mem,
				     "there is no tool or family '" STR_FMT
				     "'; a rule is TOOL(GLOB), such as *(src)",
				     STR_ARG(word)));
}

static bool rule_number(struct str text, uint64_t *ret)
{
	uint64_t n = 0;

	if (!text.len || text.len > 18)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return false;
		n = n * 10 + (uint64_t)(text.ptr[i] - '0');
	}
	*ret = n;
	return true;
}

static enum err read_condition(struct str word, struct rule *ret,
			       struct arena *mem, struct fault *f)
{
	size_t sign = str_find(word, '>');
	struct str name = str_head(word, sign);
	struct str number = str_skip(word, sign + 1);

	if (str_is(name, "lines_removed") &&
	    rule_number(number, &ret->lines_removed)) {
		ret->by_lines = true;
		return ERR_OK;
	}
	if (str_is(name, "bytes") && rule_number(number, &ret->bytes)) {
		ret->by_bytes = true;
		return ERR_OK;
	}
	if (str_is(name, "files") && rule_number(number, &ret->files)) {
		ret->by_files = true;
		return ERR_OK;
	}
	return rule_bad(
		f,
		arena_printf(
			mem,
			"'" STR_FMT
			"' is not a condition: use lines_removed>N, bytes>N or files>N",
			STR_ARG(utf8_head(word, 100))));
}

/* "(GLOB)" up to the last bracket: names may contain brackets. */
static enum err read_path(struct str *rest, struct rule *ret, struct arena *mem,
			  struct fault *f)
{
	size_t end = str_rfind(*rest, ')');

	if (!str_starts(*rest, STR("(")))
		return ERR_OK;
	if (end == rest->len)
		return rule_bad(f,
				STR("a rule is TOOL(GLOB): the ) is missing"));
	ret->path = arena_copy(mem, str_sub(*rest, 1, end));
	*rest = str_skip(*rest, end + 1);
	if (!ignore_parse_line(ret->path, &ret->glob) || ret->glob.negated)
		return rule_bad(f, arena_printf(mem,
						"'" STR_FMT
						"' is not a path pattern",
						STR_ARG(utf8_head(ret->path,
								  100))));
	return ERR_OK;
}

enum err rule_parse(struct str text, struct arena *mem, struct rule *ret,
		    struct fault *f)
{
	enum { MOST_BYTES = 1024 };
	struct str rest = text, word;
	size_t n = 0;
	enum err e;

	if (text.len > MOST_BYTES || str_find(text, '\0') < text.len)
		return rule_bad(f, STR("a rule has at most 1024 bytes"));
	while (n < text.len && text.ptr[n] != '(' && text.ptr[n] != ' ')
		n++;
	ret->text = arena_copy(mem, text);
	ret->tool = arena_copy(mem, str_head(text, n));
	rest = str_skip(rest, n);
	e = check_tool(ret->tool, text, mem, f);
	if (!e)
		e = read_path(&rest, ret, mem, f);
	while (!e && rest.len && str_split(&rest, ' ', &word))
		if (word.len)
			e = read_condition(word, ret, mem, f);
	return e;
}

struct str rule_says(const struct rule *rule, struct arena *mem)
{
	return arena_printf(mem, "%s " STR_FMT " (" STR_FMT ")",
			    verdict_name(rule->verdict), STR_ARG(rule->text),
			    STR_ARG(rule->origin));
}

static void add_spot(struct action *d, struct action_spot spot,
		     struct arena *mem)
{
	*arena_add(mem, d->spot, d->spot_count) = spot;
}

/*
 * Add a spot for every root that @path is in. Returns the path behind the
 * outermost one. The names of @d are set already.
 */
static struct str place_in(struct action *d, struct str path, bool by_key,
			   const struct str *roots, size_t n, struct arena *mem,
			   struct str *ret_root)
{
	struct str part = STR(""), rest, folded;
	bool plain = d->name_count == d->plain_count;

	*ret_root = STR("");
	for (size_t i = 0; i < n; i++) {
		if (!path_beneath(path, roots[i], &rest))
			continue;
		add_spot(d,
			 (struct action_spot){ .root = roots[i],
					       .part = rest,
					       .by_key = by_key },
			 mem);
		if (!plain && caseless_fold(rest, mem, &folded))
			add_spot(d,
				 (struct action_spot){ .root = roots[i],
						       .part = folded,
						       .by_key = by_key,
						       .folded = true },
				 mem);
		if (ret_root->len && roots[i].len >= ret_root->len)
			continue;
		*ret_root = roots[i];
		part = rest;
	}
	return part;
}

void action_place(struct action *d, struct str path, struct str key,
		  const struct str *roots, size_t n, struct arena *mem)
{
	struct str folded;
	size_t names = 1;

	d->path = path_join(mem, STR("/"), path);
	d->key = key.len && !str_eq(key, path) ? path_join(mem, STR("/"), key)
					       : d->path;
	d->name[0] = d->key;
	if (!action_same_name(d))
		d->name[names++] = d->path;
	d->plain_count = d->name_count = names;
	for (size_t i = 0; i < names; i++)
		if (caseless_fold(d->name[i], mem, &folded))
			d->name[d->name_count++] = folded;
	d->spot = NULL;
	d->spot_count = 0;
	d->key_part = place_in(d, d->key, true, roots, n, mem, &d->root);
	d->part = d->key_part;
	d->path_root = d->root;
	if (!action_same_name(d))
		d->part = place_in(d, d->path, false, roots, n, mem,
				   &d->path_root);
}

/* The number of components of a path. */
static size_t depth_of(struct str dir)
{
	struct str name;
	size_t n = 0;

	while (path_next(&dir, &name))
		n++;
	return n;
}

static bool is_root(const struct action *d, struct str dir)
{
	for (size_t i = 0; i < d->spot_count; i++)
		if (!d->spot[i].above && str_eq(d->spot[i].root, dir))
			return true;
	return false;
}

/* Add spots for the parents of @name with @from to @to - 1 components. */
static void add_above(struct action *d, struct str name, size_t from, size_t to,
		      bool folded, struct arena *mem)
{
	struct str rest = str_skip(name, 1), skipped;

	for (size_t depth = 0; depth < to && rest.len; depth++) {
		if (depth >= from)
			add_spot(d,
				 (struct action_spot){ .part = rest,
						       .folded = folded,
						       .above = true,
						       .inner = depth > from },
				 mem);
		if (path_next(&rest, &skipped))
			rest = str_skip(rest, 1);
	}
}

/* Add spots for the directories above @root, from @base down. */
static void place_above(struct action *d, struct str name, struct str base,
			struct str root, struct arena *mem)
{
	size_t from = depth_of(base), to = size_max(from + 1, depth_of(root));
	struct str folded;

	add_above(d, name, from, to, false, mem);
	if (caseless_fold(name, mem, &folded))
		add_above(d, folded, from, to, true, mem);
}

/* Add spots for the project at @dir, which contains the root. */
static void place_in_project(struct action *d, struct str dir,
			     struct arena *mem)
{
	struct action_spot spot = { .root = dir,
				    .above = true,
				    .project = true };

	for (size_t i = 0; i < d->plain_count; i++) {
		if (!path_beneath(d->name[i], dir, &spot.part))
			continue;
		spot.folded = false;
		add_spot(d, spot, mem);
		spot.folded = caseless_fold(spot.part, mem, &spot.part);
		if (spot.folded)
			add_spot(d, spot, mem);
	}
}

void action_place_above(struct action *d, const struct rules *r,
			struct arena *mem)
{
	bool known = false;
	struct str rest;

	r = r ? rules_now(r) : NULL;
	if (!r || (!r->count && !r->ignore_count))
		return;
	for (size_t i = 0; i < r->enclosing_count; i++)
		place_in_project(d, r->enclosing[i], mem);
	for (size_t b = 0; b < r->base_count; b++)
		for (size_t i = 0; i < d->plain_count; i++) {
			if (!path_beneath(d->name[i], r->base[b], &rest))
				continue;
			known = known || i == 0; /* the key */
			if (!is_root(d, r->base[b]))
				place_above(d, d->name[i], r->base[b],
					    i ? d->path_root : d->root, mem);
		}
	for (size_t i = 0; !known && i < d->plain_count; i++)
		place_above(d, d->name[i], STR(""), i ? d->path_root : d->root,
			    mem);
}
