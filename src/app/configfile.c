/*
 * configfile.c - parses a settings file by the rows of config_keys.
 *
 * The JSON is parsed by base/json.h; every error names file, line and column.
 * Relies on json_raw() pointing into the parsed text.
 */
#include "app/configkeys.h"

#include "text/encoding/encoding.h"
#include "text/encoding/utf8.h"
#include "tools/call/args.h"

#define KEYS_END  \
	{         \
		0 \
	}

static const struct key hook_keys[] = {
	{ "command", KEY_TEXT, false, "Command for /bin/sh",
	  offsetof(struct config_hook, command) },
	{ "match", KEY_TEXT, false,
	  "Only for files that match this pattern (default: all)",
	  offsetof(struct config_hook, match) },
	{ "timeout_ms", KEY_COUNT, false, "Time limit",
	  offsetof(struct config_hook, timeout_ms) },
	KEYS_END,
};

static const struct key hooks_keys[] = {
	{ .name = "before_edit",
	  .type = KEY_HOOKS,
	  .doc = "Run before a file is changed; a failure refuses the change",
	  .keys = hook_keys },
	{ .name = "after_edit",
	  .type = KEY_HOOKS,
	  .doc = "Run after a file was changed, and may rewrite it",
	  .keys = hook_keys,
	  .what = 1 },
	KEYS_END,
};

static const struct key history_keys[] = {
	{ "off", KEY_BOOL, false, "Turn the history off",
	  offsetof(struct config_history, off),
	  offsetof(struct config_history, has_off) },
	{ "max_age_days", KEY_COUNT, false,
	  "'stet gc' deletes operations that are older",
	  offsetof(struct config_history, max_age_days) },
	{ "max_bytes", KEY_COUNT, false,
	  "'stet gc' deletes the oldest operations until the history is no larger",
	  offsetof(struct config_history, max_bytes) },
	KEYS_END,
};

static const struct key approvals_keys[] = {
	{ "yes_i_am_the_person", KEY_BOOL, false,
	  "'stet approvals allow' needs no terminal: any program that can run it can answer for you",
	  offsetof(struct config_approvals, yes_i_am_the_person),
	  offsetof(struct config_approvals, has_person) },
	{ "dialogs_may_last", KEY_BOOL, false,
	  "Grants from a client's own dialog may outlive the session",
	  offsetof(struct config_approvals, dialogs_may_last),
	  offsetof(struct config_approvals, has_last) },
	KEYS_END,
};

const struct key config_keys[] = {
	{ "$schema", KEY_ANY, false, "URI of the JSON schema of this file" },
	{ "mode", KEY_MODE, true,
	  "Permission mode: what applies when no rule matches" },
	{ .name = "allow",
	  .type = KEY_RULES,
	  .widens = true,
	  .doc = "Rules that allow a call without asking",
	  .what = VERDICT_ALLOW },
	{ .name = "ask",
	  .type = KEY_RULES,
	  .doc = "Rules that ask the person first",
	  .what = VERDICT_ASK },
	{ .name = "deny",
	  .type = KEY_RULES,
	  .doc = "Rules that forbid; they take precedence",
	  .what = VERDICT_DENY },
	{ "ignore", KEY_IGNORE, false,
	  "Files that are not written, as patterns of a .gitignore" },
	{ "tools", KEY_TOOLS, false,
	  "Tools and families to offer, as with --tools; a project can only remove some" },
	{ "gitignore", KEY_BOOL, false, "Apply .gitignore as well",
	  offsetof(struct config_file, gitignore),
	  offsetof(struct config_file, has_gitignore) },
	{ "find_ignored", KEY_BOOL, true,
	  "Also search files that .gitignore, .ignore and .rgignore exclude",
	  offsetof(struct config_file, find_ignored),
	  offsetof(struct config_file, has_find_ignored) },
	{ .name = "hooks",
	  .type = KEY_OBJECT,
	  .widens = true,
	  .doc = "Commands that run around changes",
	  .keys = hooks_keys },
	{ "encoding", KEY_ENCODINGS, false,
	  "GLOB: NAME - encoding of the files that match" },
	{ .name = "history",
	  .type = KEY_OBJECT,
	  .widens = true,
	  .doc = "Retention of the history",
	  .offset = offsetof(struct config_file, history),
	  .keys = history_keys },
	{ .name = "approvals",
	  .type = KEY_OBJECT,
	  .doc = "Who may answer for you; only in your own settings",
	  .offset = offsetof(struct config_file, approvals),
	  .keys = approvals_keys },
	KEYS_END,
};

/* A position: number of line ends before it, start of its line. */
struct spot {
	size_t at, line, start;
};

struct config_reader {
	struct str path, text;
	struct config_file *to;
	struct arena *mem;
	struct fault *f;
	struct spot
		last; /* cache: positions are requested in ascending order */
};

/* The position @at as "FILE:3:14". */
static struct str where(struct config_reader *r, size_t at)
{
	struct spot s = at < r->last.at ? (struct spot){ 0 } : r->last;

	for (; s.at < at; s.at++)
		if (r->text.ptr[s.at] == '\n') {
			s.line++;
			s.start = s.at + 1;
		}
	r->last = s;
	return arena_printf(r->mem, STR_FMT ":%zu:%zu", STR_ARG(r->path),
			    s.line + 1, at - s.start + 1);
}

static struct str place_of(struct config_reader *r, struct json v)
{
	return where(r, (size_t)(json_raw(v).ptr - r->text.ptr));
}

static enum err wrong(const struct config_reader *r, struct str at,
		      struct str words)
{
	return fail(r->f, ERR_BAD_CONFIG,
		    .text = arena_printf(r->mem, STR_FMT ": " STR_FMT,
					 STR_ARG(at), STR_ARG(words)));
}

static enum err must_be(struct config_reader *r, struct json v,
			const struct key *key, const char *what)
{
	return wrong(r, place_of(r, v),
		     arena_printf(r->mem, "\"%s\" must be %s", key->name,
				  what));
}

/* Fails when a list has more than CONFIGFILE_MAX_ENTRIES. */
static enum err check_count(struct config_reader *r, struct json v,
			    const struct key *key, size_t count)
{
	if (count < CONFIGFILE_MAX_ENTRIES)
		return ERR_OK;
	return wrong(
		r, place_of(r, v),
		arena_printf(r->mem,
			     "\"%s\" has too many entries (limit %d per file)",
			     key->name, CONFIGFILE_MAX_ENTRIES));
}

/* Rejects "~/x" in a project's pattern, which could never match. */
static enum err check_no_home(struct config_reader *r, struct json v,
			      const struct key *key, struct str pattern)
{
	if (!str_starts(pattern, STR("~/")))
		return ERR_OK;
	return wrong(
		r, place_of(r, v),
		arena_printf(
			r->mem,
			"\"%s\" takes patterns relative to the project's root: ~ means your home directory only in allow, ask and deny, as in *(~/x)",
			key->name));
}

static enum err read_mode(struct config_reader *r, const struct key *key,
			  struct json v)
{
	struct str name;

	if (!json_text(v, r->mem, &name) || !mode_named(name, &r->to->mode))
		return must_be(
			r, v, key,
			"default, plan, acceptEdits, bypassPermissions or yolo");
	r->to->has_mode = true;
	return ERR_OK;
}

static enum err read_rules(struct config_reader *r, const struct key *key,
			   struct json v)
{
	struct json_walk w = json_walk(v);
	struct rule *rule;
	struct str text;
	struct fault f;

	if (!json_is(v, JSON_ARRAY))
		return must_be(r, v, key, "an array of rules");
	while (json_step(&w)) {
		if (!json_text(w.value, r->mem, &text))
			return must_be(
				r, w.value, key,
				"an array of strings such as \"*(src)\"");
		if (check_count(r, w.value, key, r->to->rule_count))
			return ERR_BAD_CONFIG;
		rule = arena_add(r->mem, r->to->rules, r->to->rule_count);
		rule->verdict = (enum verdict)key->what;
		rule->origin = place_of(r, w.value);
		if (rule_parse(text, r->mem, rule, &f))
			return wrong(r, rule->origin, f.text);
	}
	return ERR_OK;
}

static enum err read_ignore(struct config_reader *r, const struct key *key,
			    struct json v)
{
	struct json_walk w = json_walk(v);
	struct config_ignore *ignore;
	struct ignore_rule parsed;
	struct str text;

	if (!json_is(v, JSON_ARRAY))
		return must_be(r, v, key, "an array of patterns");
	while (json_step(&w)) {
		if (!json_text(w.value, r->mem, &text) ||
		    str_find(text, '\n') < text.len ||
		    !ignore_parse_line(text, &parsed))
			return must_be(r, w.value, key,
				       "an array of patterns as in .gitignore");
		if (check_no_home(r, w.value, key, text) ||
		    check_count(r, w.value, key, r->to->ignore_count))
			return ERR_BAD_CONFIG;
		ignore = arena_add(r->mem, r->to->ignore, r->to->ignore_count);
		ignore->pattern = text;
		ignore->origin = place_of(r, w.value);
	}
	return ERR_OK;
}

static enum err read_tools(struct config_reader *r, const struct key *key,
			   struct json v)
{
	struct json_walk w = json_walk(v);
	struct selection_item *item;
	struct str text;
	struct fault f;

	if (!json_is(v, JSON_ARRAY) || !json_count(v))
		return must_be(r, v, key, "an array of tools and families");
	r->to->tools_origin = place_of(r, v);
	while (json_step(&w)) {
		if (!json_text(w.value, r->mem, &text))
			return must_be(r, w.value, key,
				       "made of texts such as \"-repo\"");
		if (check_count(r, w.value, key, r->to->tool_count))
			return ERR_BAD_CONFIG;
		item = arena_add(r->mem, r->to->tools, r->to->tool_count);
		if (selection_item(text, r->mem, item, &f))
			return wrong(r, place_of(r, w.value), f.text);
	}
	return ERR_OK;
}

static enum err read_encodings(struct config_reader *r, const struct key *key,
			       struct json v)
{
	struct json_walk w = json_walk(v);
	struct config_encoding *added;
	struct str glob, name;

	if (!json_is(v, JSON_OBJECT))
		return must_be(r, v, key, "an object of GLOB: NAME");
	if (json_duplicate_key(v, r->mem, &glob))
		return must_be(r, v, key, "without duplicate patterns");
	while (json_step(&w)) {
		if (!json_text(w.key, r->mem, &glob) || !glob.len ||
		    !json_text(w.value, r->mem, &name) || !encoding_named(name))
			return must_be(
				r, w.value, key,
				"an object whose values are names of encodings");
		if (check_no_home(r, w.key, key, glob) ||
		    check_count(r, w.key, key, r->to->encoding_count))
			return ERR_BAD_CONFIG;
		added = arena_add(r->mem, r->to->encodings,
				  r->to->encoding_count);
		added->rule.glob = arena_copy(r->mem, glob);
		added->rule.encoding = encoding_named(name);
		added->origin = place_of(r, w.key);
	}
	return ERR_OK;
}

static enum err read_object(struct config_reader *r, const struct key *table,
			    struct json v, void *to);

static enum err read_hooks(struct config_reader *r, const struct key *key,
			   struct json v)
{
	struct json_walk w = json_walk(v);
	struct config_hook *hook;
	enum err e = ERR_OK;

	if (!json_is(v, JSON_ARRAY))
		return must_be(r, v, key, "an array of objects");
	while (!e && json_step(&w)) {
		if (!json_is(w.value, JSON_OBJECT))
			return must_be(r, w.value, key, "an array of objects");
		if (check_count(r, w.value, key, r->to->hook_count))
			return ERR_BAD_CONFIG;
		hook = arena_add(r->mem, r->to->hooks, r->to->hook_count);
		hook->after = key->what;
		hook->origin = place_of(r, w.value);
		e = read_object(r, key->keys, w.value, hook);
		if (!e)
			e = check_no_home(r, w.value, key, hook->match);
		if (!e && !hook->command.len)
			e = wrong(r, hook->origin,
				  STR("a hook needs \"command\""));
	}
	return e;
}

static enum err read_count(struct config_reader *r, const struct key *key,
			   struct json v, uint64_t *to)
{
	int64_t n;

	if (!json_int(v, &n) || n < 1)
		return must_be(r, v, key, "an integer >= 1");
	*to = (uint64_t)n;
	return ERR_OK;
}

static enum err read_value(struct config_reader *r, const struct key *key,
			   struct json v, char *to)
{
	switch (key->type) {
	case KEY_ANY:
		return ERR_OK;
	case KEY_MODE:
		return read_mode(r, key, v);
	case KEY_RULES:
		return read_rules(r, key, v);
	case KEY_IGNORE:
		return read_ignore(r, key, v);
	case KEY_TOOLS:
		return read_tools(r, key, v);
	case KEY_BOOL:
		if (!json_bool(v, (bool *)(to + key->offset)))
			return must_be(r, v, key, "true or false");
		*(bool *)(to + key->given) = true;
		return ERR_OK;
	case KEY_COUNT:
		return read_count(r, key, v, (uint64_t *)(to + key->offset));
	case KEY_TEXT:
		return json_text(v, r->mem, (struct str *)(to + key->offset))
			       ? ERR_OK
			       : must_be(r, v, key, "a string");
	case KEY_HOOKS:
		return read_hooks(r, key, v);
	case KEY_ENCODINGS:
		return read_encodings(r, key, v);
	case KEY_OBJECT:
		if (!json_is(v, JSON_OBJECT))
			return must_be(r, v, key, "an object");
		return read_object(r, key->keys, v, to + key->offset);
	}
	return ERR_OK;
}

static enum err unknown_key(struct config_reader *r, const struct key *table,
			    struct json key)
{
	enum { MOST = 16 };
	const char *names[MOST], *near;
	struct str name = STR("");
	size_t n = 0;

	for (; n < MOST && table[n].name; n++)
		names[n] = table[n].name;
	(void)!json_text(key, r->mem, &name);
	near = args_nearest(name, names, n);
	name = utf8_head(name, 100);
	return wrong(r, place_of(r, key),
		     near ? arena_printf(r->mem,
					 "unknown key \"" STR_FMT
					 "\" (did you mean \"%s\"?)",
					 STR_ARG(name), near)
			  : arena_printf(r->mem, "unknown key \"" STR_FMT "\"",
					 STR_ARG(name)));
}

static void note_widening(struct config_reader *r, const struct key *key)
{
	struct str *w = &r->to->widening;

	*w = arena_printf(r->mem, STR_FMT "%s%s", STR_ARG(*w),
			  w->len ? ", " : "", key->name);
}

static enum err read_object(struct config_reader *r, const struct key *table,
			    struct json v, void *to)
{
	struct json_walk w = json_walk(v);
	const struct key *key;
	unsigned seen = 0, bit;
	enum err e;

	while (json_step(&w)) {
		for (key = table; key->name; key++)
			if (json_str_is(w.key, key->name))
				break;
		if (!key->name)
			return unknown_key(r, table, w.key);
		bit = 1U << (key - table);
		if (seen & bit)
			return wrong(r, place_of(r, w.key),
				     arena_printf(r->mem,
						  "\"%s\" is given twice",
						  key->name));
		seen |= bit;
		if (key->widens)
			note_widening(r, key);
		e = read_value(r, key, w.value, to);
		if (e)
			return e;
	}
	return ERR_OK;
}

enum err configfile_read(struct str path, struct str text, struct arena *mem,
			 struct config_file *ret, struct fault *f)
{
	struct config_reader r = { path, text, ret, mem, f, { 0 } };
	struct json_limits limits = { .max_depth = 16 };
	struct json_error error;
	struct json v;

	ret->path = path;
	if (text.len > CONFIGFILE_MAX_BYTES)
		return wrong(&r, path,
			     arena_printf(mem,
					  "it is too large (limit %d bytes)",
					  CONFIGFILE_MAX_BYTES));
	if (json_parse(text, &limits, mem, &v, &error))
		return wrong(&r, where(&r, error.offset),
			     arena_printf(mem, "invalid JSON: %s", error.why));
	if (!json_is(v, JSON_OBJECT))
		return wrong(&r, place_of(&r, v),
			     STR("the settings must be one JSON object"));
	return read_object(&r, config_keys, v, ret);
}
