#include "tools/told.h"

#include "text/glob.h"
#include "text/lines.h"
#include "text/settings.h"
#include "tools/patterns.h"
#include "tools/rules.h"

bool told_matters(struct str bytes)
{
	bool ascii;

	(void)lines_survey(bytes, &ascii);
	return !ascii;
}

bool told_fits(struct str glob, struct str path, struct glob_effort *effort)
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

static const struct encoding_rule *fitting(const struct encoding_rule *rules,
					   size_t n, struct str path)
{
	while (n-- > 0) /* the last one wins */
		if (told_fits(rules[n].glob, path, NULL))
			return &rules[n];
	return NULL;
}

/* One of the two formats, and how to read it. */
struct format {
	const char *name;
	void (*read)(struct str text, struct str path, struct glob_effort *,
		     struct settings *);
};

static const struct format formats[] = {
	{ "/.editorconfig", settings_editorconfig },
	{ "/.gitattributes", settings_gitattributes },
};

/* What the files of one call may cost together, and what became of that. */
struct telling {
	struct call *c;
	struct patterns_budget left;
	struct glob_effort effort;
};

/* A file that does not count: the caller may wonder about the encoding. */
static void pass_over(struct telling *t, struct str path, struct str why)
{
	t->c->note =
		arena_printf(t->c->mem, STR_FMT STR_FMT ": it does not count",
			     STR_ARG(path), STR_ARG(why));
}

/*
 * What the settings say, a project's among them. What takes too long does not
 * count, nor does what stands before it: it might have been the last to fit.
 */
static const struct encoding_rule *by_settings(struct telling *t,
					       const struct rules *r,
					       struct str path)
{
	struct glob_effort effort = t->effort;

	for (size_t n = r->encoding_count; n-- > 0;) {
		const struct encoding_rule *rule = &r->encodings[n];

		if (told_fits(rule->glob, path, &effort))
			return rule;
		if (!effort.exhausted)
			continue;
		pass_over(t, rule->glob, STR(" takes too long to match"));
		break;
	}
	return NULL;
}

static struct telling telling_of(struct call *c)
{
	return (struct telling){ .c = c,
				 .left = PATTERNS_BUDGET(&c->errand),
				 .effort = { .steps = IGNORE_MAX_STEPS,
					     .stop = c->errand.stop,
					     .ctx = c->errand.ctx } };
}

/*
 * What the command line says of @path, or else the settings; *@own: it is the
 * person who says so.
 */
static const struct encoding_rule *by_rules(struct telling *t, struct str path,
					    bool *own)
{
	const struct tool_options *o = t->c->options;
	const struct rules *r = o->rules ? rules_now(o->rules) : NULL;
	const struct encoding_rule *rule =
		fitting(o->encodings, o->encoding_count, path);

	*own = rule;
	if (rule || !r)
		return rule;
	rule = by_settings(t, r, path);
	*own = rule && rule->own;
	return rule;
}

/* What the file at @path says of what is at @rest beneath its directory. */
static bool read_file(struct telling *t, const struct format *format,
		      struct str path, struct str rest, struct settings *ret)
{
	struct settings s = { 0 };
	struct patterns *file;
	struct str why;

	switch (patterns_get(t->c->ws, path, PATTERNS_TEXT, &t->left, t->c->mem,
			     &file, &why)) {
	case PATTERNS_ABSENT:
		return true;
	case PATTERNS_UNUSABLE:
		if (why.len)
			pass_over(t, path, why);
		return why.len;
	case PATTERNS_HERE:
		break;
	}
	format->read(file->text, rest, &t->effort, &s);
	s.charset = arena_copy(t->c->mem, s.charset);
	patterns_drop(file);
	if (!t->effort.exhausted)
		*ret = s;
	else
		pass_over(t, path, STR(" takes too long to match"));
	return !t->effort.exhausted;
}

/*
 * What the files of this format say, from the nearest one up: the first that
 * names a charset. Above the root there is nothing to see.
 */
static struct str by_files(struct telling *t, const struct format *format,
			   struct str path)
{
	struct str dir = path, file;

	for (int i = 0; i < PATTERNS_MAX_LEVELS && dir.len; i++) {
		struct settings s = { 0 };

		dir = str_head(dir, str_rfind(dir, '/'));
		file = arena_printf(t->c->mem, STR_FMT "%s", STR_ARG(dir),
				    format->name);
		if (!read_file(t, format, file, str_skip(path, dir.len + 1),
			       &s))
			break;
		if (s.charset.len || s.root)
			return s.charset;
	}
	return STR("");
}

/* Is there any such file on the way up? Mostly there is none. */
static bool has_any(struct call *c, struct str path)
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

struct display told_display(struct call *c, struct str path,
			    const struct encoding *written)
{
	struct display d = { .written = written };
	struct telling t = telling_of(c);
	const struct encoding_rule *rule;
	bool own;

	if (!written || encoding_is_utf8(written))
		return d;
	rule = by_rules(&t, path, &own);
	d.named = own && encoding_alike(rule->encoding, written);
	return d;
}

const struct encoding *told_encoding(struct call *c, struct str path)
{
	struct telling t = telling_of(c);
	const struct encoding_rule *rule;
	const struct encoding *e;
	bool look, own;

	rule = by_rules(&t, path, &own);
	e = rule ? rule->encoding : NULL;
	look = !e && has_any(c, path);
	for (size_t i = 0; look && !e && i < COUNT_OF(formats); i++)
		e = encoding_named(by_files(&t, &formats[i], path));
	return e;
}
