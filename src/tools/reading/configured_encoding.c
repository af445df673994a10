/*
 * configured_encoding.c - finds the encoding that is configured for a file:
 * command line, settings, .editorconfig, .gitattributes.
 *
 * Project files are read through the workspace and compiled by patterns.h.
 * What is over a budget does not count, and the reply has a note about it.
 */
#include "tools/reading/configured_encoding.h"

#include "text/lines/lines.h"
#include "text/pattern/file_attributes.h"
#include "text/pattern/glob.h"
#include "tools/permissions/patterns.h"
#include "tools/permissions/rules.h"

bool configured_encoding_matters(struct str bytes)
{
	bool ascii;

	(void)lines_scan(bytes, &ascii);
	return !ascii;
}

bool configured_path_fits(struct str glob, struct str path,
			  struct glob_budget *effort)
{
	size_t slash;

	if (glob.len && glob.ptr[0] == '/')
		return glob_match_within(glob, path, GLOB_BRACES, effort);
	do {
		slash = str_find(path, '/');
		if (glob_match_within(glob, path, GLOB_BRACES, effort))
			return true;
		path = str_skip(path, slash + 1);
	} while (path.len && !(effort && effort->exhausted));
	return false;
}

static const struct encoding_rule *
last_rule_for(const struct encoding_rule *rules, size_t n, struct str path)
{
	while (n-- > 0) /* the last one wins */
		if (configured_path_fits(rules[n].glob, path, NULL))
			return &rules[n];
	return NULL;
}

/* A kind of settings file, and its parser. */
struct format {
	const char *name;
	void (*read)(struct str text, struct str path, struct glob_budget *,
		     struct file_attributes *);
};

static const struct format formats[] = {
	{ "/.editorconfig", file_attributes_editorconfig },
	{ "/.gitattributes", file_attributes_gitattributes },
};

/* One lookup, with the budgets that all files share. */
struct encoding_lookup {
	struct call *c;
	struct patterns_budget left;
	struct glob_budget effort;
};

/* Tell the caller that a settings file was skipped. */
static void lookup_skip_file(struct encoding_lookup *l, struct str path,
			     struct str why)
{
	l->c->note = arena_printf(l->c->mem, STR_FMT STR_FMT ": it is ignored",
				  STR_ARG(path), STR_ARG(why));
}

/*
 * The last matching rule of the settings. When the matching budget is exhausted
 * no rule is used, because the one in question might have been the last match.
 */
static const struct encoding_rule *lookup_in_settings(struct encoding_lookup *l,
						      const struct rules *r,
						      struct str path)
{
	struct glob_budget effort = l->effort;

	for (size_t n = r->encoding_count; n-- > 0;) {
		const struct encoding_rule *rule = &r->encodings[n];

		if (configured_path_fits(rule->glob, path, &effort))
			return rule;
		if (!effort.exhausted)
			continue;
		lookup_skip_file(l, rule->glob,
				 STR(" takes too long to match"));
		break;
	}
	return NULL;
}

static struct encoding_lookup encoding_lookup_begin(struct call *c)
{
	return (struct encoding_lookup){ .c = c,
					 .left = PATTERNS_BUDGET(&c->progress),
					 .effort = { .steps = IGNORE_MAX_STEPS,
						     .stop = c->progress.stop,
						     .ctx = c->progress.ctx } };
}

/*
 * The rule of the command line, else of the settings; *@own: it was set by the
 * person, not by a project.
 */
static const struct encoding_rule *lookup_in_rules(struct encoding_lookup *l,
						   struct str path, bool *own)
{
	const struct tool_options *o = l->c->options;
	const struct rules *r = o->rules ? rules_now(o->rules) : NULL;
	const struct encoding_rule *rule =
		last_rule_for(o->encodings, o->encoding_count, path);

	*own = rule;
	if (rule || !r)
		return rule;
	rule = lookup_in_settings(l, r, path);
	*own = rule && rule->own;
	return rule;
}

/* Read one settings file for the file at @rest beneath its directory. */
static bool lookup_read_file(struct encoding_lookup *l,
			     const struct format *format, struct str path,
			     struct str rest, struct file_attributes *ret)
{
	struct file_attributes s = { 0 };
	struct patterns *file;
	struct str why;

	switch (patterns_get(l->c->ws, path, PATTERNS_TEXT, &l->left, l->c->mem,
			     &file, &why)) {
	case PATTERNS_ABSENT:
		return true;
	case PATTERNS_UNUSABLE:
		if (why.len)
			lookup_skip_file(l, path, why);
		return why.len;
	case PATTERNS_HERE:
		break;
	}
	format->read(file->text, rest, &l->effort, &s);
	s.charset = arena_copy(l->c->mem, s.charset);
	patterns_drop(file);
	if (!l->effort.exhausted)
		*ret = s;
	else
		lookup_skip_file(l, path, STR(" takes too long to match"));
	return !l->effort.exhausted;
}

/*
 * The charset of the nearest settings file of this format that has one. The
 * search ends at the root.
 */
static struct str lookup_in_project(struct encoding_lookup *l,
				    const struct format *format,
				    struct str path)
{
	struct str dir = path, file;

	for (int i = 0; i < PATTERNS_MAX_LEVELS && dir.len; i++) {
		struct file_attributes s = { 0 };

		dir = str_head(dir, str_rfind(dir, '/'));
		file = arena_printf(l->c->mem, STR_FMT "%s", STR_ARG(dir),
				    format->name);
		if (!lookup_read_file(l, format, file,
				      str_skip(path, dir.len + 1), &s))
			break;
		if (s.charset.len || s.root)
			return s.charset;
	}
	return STR("");
}

/* Quick test: mostly no directory above has a settings file. */
static bool has_settings_file(struct call *c, struct str path)
{
	static const char *const names[] = { ".editorconfig", ".gitattributes",
					     NULL };
	struct str dir = path;

	for (int i = 0; i < PATTERNS_MAX_LEVELS && dir.len; i++) {
		struct present p;

		dir = str_head(dir, str_rfind(dir, '/'));
		p = ws_present(c->ws, dir, names, c->mem);
		if (p.names || p.at_root)
			return p.names;
	}
	return true;
}

struct display configured_display(struct call *c, struct str path,
				  const struct encoding *written)
{
	struct display d = { .written = written };
	struct encoding_lookup l = encoding_lookup_begin(c);
	const struct encoding_rule *rule;
	bool own;

	if (!written || encoding_is_utf8(written))
		return d;
	rule = lookup_in_rules(&l, path, &own);
	d.named = own && encoding_equal_but_bom(rule->encoding, written);
	return d;
}

const struct encoding *configured_encoding(struct call *c, struct str path)
{
	struct encoding_lookup l = encoding_lookup_begin(c);
	const struct encoding_rule *rule;
	const struct encoding *e;
	bool look, own;

	rule = lookup_in_rules(&l, path, &own);
	e = rule ? rule->encoding : NULL;
	look = !e && has_settings_file(c, path);
	for (size_t i = 0; look && !e && i < COUNT_OF(formats); i++)
		e = encoding_named(lookup_in_project(&l, &formats[i], path));
	return e;
}
