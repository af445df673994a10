#include "tools/told.h"

#include "text/glob.h"
#include "text/lines.h"
#include "text/settings.h"
#include "tools/rules.h"

enum { MOST_LEVELS = 64, MOST_BYTES = 256 * 1024 };

bool told_matters(struct str bytes)
{
	bool ascii;

	(void)lines_survey(bytes, &ascii);
	return !ascii;
}

bool told_fits(struct str glob, struct str path)
{
	size_t slash;

	if (glob.len && glob.ptr[0] == '/')
		return glob_match(glob, path, GLOB_BRACES);
	do {
		slash = str_find(path, '/');
		if (glob_match(glob, path, GLOB_BRACES))
			return true;
		path = str_skip(path, slash + 1);
	} while (path.len);
	return false;
}

static const struct encoding *by_rules(const struct encoding_rule *rules,
				       size_t n, struct str path)
{
	while (n-- > 0) /* the last one wins */
		if (told_fits(rules[n].glob, path))
			return rules[n].encoding;
	return NULL;
}

/* One of the two formats, and how to read it. */
struct format {
	const char *name;
	void (*read)(struct str text, struct str path, struct settings *);
};

static const struct format formats[] = {
	{ "/.editorconfig", settings_editorconfig },
	{ "/.gitattributes", settings_gitattributes },
};

/*
 * What the files of this format say, from the nearest one up: the first that
 * names a charset. Above the root there is nothing to see.
 */
static struct str by_files(struct call *c, const struct format *format,
			   struct str path)
{
	struct str dir = path;

	for (int i = 0; i < MOST_LEVELS && dir.len; i++) {
		struct settings s = { 0 };
		struct snapshot snap;
		struct fault f = { 0 };
		enum err e;

		dir = str_head(dir, str_rfind(dir, '/'));
		e = ws_load(c->ws,
			    arena_printf(c->mem, STR_FMT "%s", STR_ARG(dir),
					 format->name),
			    MOST_BYTES, NULL, c->mem, &snap, &f);
		if (f.reason)
			break;
		if (e)
			continue;
		format->read(snap.bytes, str_skip(path, dir.len + 1), &s);
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

	for (int i = 0; i < MOST_LEVELS && dir.len; i++) {
		struct present p;

		dir = str_head(dir, str_rfind(dir, '/'));
		p = ws_present(c->ws, dir, names, c->mem);
		if (p.names || p.at_root)
			return p.names;
	}
	return true;
}

const struct encoding *told_displayed(struct call *c, struct str path,
				      const struct encoding *written)
{
	const struct tool_options *o = c->options;

	if (!written || encoding_is_free(written) ||
	    by_rules(o->encodings, o->encoding_count, path) == written)
		return written;
	return &encoding_utf8;
}

const struct encoding *told_encoding(struct call *c, struct str path)
{
	const struct tool_options *o = c->options;
	const struct rules *r = o->rules ? rules_now(o->rules) : NULL;
	const struct encoding *e;
	bool look;

	e = by_rules(o->encodings, o->encoding_count, path);
	if (!e && r)
		e = by_rules(r->encodings, r->encoding_count, path);
	look = !e && has_any(c, path);
	for (size_t i = 0; look && !e && i < COUNT_OF(formats); i++)
		e = encoding_named(by_files(c, &formats[i], path));
	return e;
}
