#include "app/configkeys.h"

#include "text/encoding.h"
#include "text/utf8.h"
#include "tools/args.h"

#define KEYS_END  \
	{         \
		0 \
	}

static const struct key hook_keys[] = {
	{ "command", KEY_TEXT, false, "What /bin/sh is to run",
	  offsetof(struct config_hook, command) },
	{ "match", KEY_TEXT, false,
	  "For files that fit this pattern; left out: for all",
	  offsetof(struct config_hook, match) },
	{ "timeout_ms", KEY_COUNT, false, "How long it may take",
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
	{ "off", KEY_BOOL, false, "Keep no history",
	  offsetof(struct config_history, off),
	  offsetof(struct config_history, has_off) },
	{ "max_age_days", KEY_COUNT, false, "What is older goes with 'stet gc'",
	  offsetof(struct config_history, max_age_days) },
	{ "max_bytes", KEY_COUNT, false,
	  "'stet gc' drops the oldest while the history takes more",
	  offsetof(struct config_history, max_bytes) },
	KEYS_END,
};

static const struct key approvals_keys[] = {
	{ "yes_i_am_the_person", KEY_BOOL, false,
	  "'stet approvals allow' needs no terminal: whatever can run it answers for you",
	  offsetof(struct config_approvals, yes_i_am_the_person),
	  offsetof(struct config_approvals, has_person) },
	{ "dialogs_may_last", KEY_BOOL, false,
	  "What you allow in a client's own dialog may outlive the session",
	  offsetof(struct config_approvals, dialogs_may_last),
	  offsetof(struct config_approvals, has_last) },
	KEYS_END,
};

const struct key config_keys[] = {
	{ "$schema", KEY_ANY, false, "Where the schema of this file is" },
	{ "mode", KEY_MODE, true, "What is asked for when no rule fits" },
	{ .name = "allow",
	  .type = KEY_RULES,
	  .widens = true,
	  .doc = "Rules that let a call pass without a question",
	  .what = VERDICT_ALLOW },
	{ .name = "ask",
	  .type = KEY_RULES,
	  .doc = "Rules that ask the person first",
	  .what = VERDICT_ASK },
	{ .name = "deny",
	  .type = KEY_RULES,
	  .doc = "Rules that forbid; these win",
	  .what = VERDICT_DENY },
	{ "ignore", KEY_IGNORE, false,
	  "Files that are not written, as lines of a .gitignore" },
	{ "gitignore", KEY_BOOL, false, "Let .gitignore count as well",
	  offsetof(struct config_file, gitignore),
	  offsetof(struct config_file, has_gitignore) },
	{ .name = "hooks",
	  .type = KEY_OBJECT,
	  .widens = true,
	  .doc = "Commands that run around changes",
	  .keys = hooks_keys },
	{ "encoding", KEY_ENCODINGS, false,
	  "GLOB: NAME - files that fit are in this encoding" },
	{ .name = "history",
	  .type = KEY_OBJECT,
	  .widens = true,
	  .doc = "What is kept of the past, and how long",
	  .offset = offsetof(struct config_file, history),
	  .keys = history_keys },
	{ .name = "approvals",
	  .type = KEY_OBJECT,
	  .doc = "Who may answer for you; only in your own settings",
	  .offset = offsetof(struct config_file, approvals),
	  .keys = approvals_keys },
	KEYS_END,
};

/* A place in the text: how many lines end before it, where its own starts. */
struct spot {
	size_t at, line, start;
};

struct reader {
	struct str path, text;
	struct config_file *to;
	struct arena *mem;
	struct fault *f;
	struct spot last; /* places are asked for from the start to the end */
};

/* "FILE:3:14" of where @at is in the text. */
static struct str where(struct reader *r, size_t at)
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

static struct str place_of(struct reader *r, struct json v)
{
	return where(r, (size_t)(json_raw(v).ptr - r->text.ptr));
}

static enum err wrong(const struct reader *r, struct str at, struct str words)
{
	return fail(r->f, ERR_BAD_CONFIG,
		    .text = arena_printf(r->mem, STR_FMT ": " STR_FMT,
					 STR_ARG(at), STR_ARG(words)));
}

static enum err must_be(struct reader *r, struct json v, const struct key *key,
			const char *what)
{
	return wrong(r, place_of(r, v),
		     arena_printf(r->mem, "\"%s\" must be %s", key->name,
				  what));
}

/* One more of what a file may have only so many of, or why not. */
static enum err check_count(struct reader *r, struct json v,
			    const struct key *key, size_t count)
{
	if (count < CONFIGFILE_MAX_ENTRIES)
		return ERR_OK;
	return wrong(
		r, place_of(r, v),
		arena_printf(r->mem,
			     "\"%s\" has one too many (limit %d in a file)",
			     key->name, CONFIGFILE_MAX_ENTRIES));
}

/* "~/x" in a pattern for files of a project would fit none, without a word. */
static enum err check_no_home(struct reader *r, struct json v,
			      const struct key *key, struct str pattern)
{
	if (!str_starts(pattern, STR("~/")))
		return ERR_OK;
	return wrong(
		r, place_of(r, v),
		arena_printf(
			r->mem,
			"\"%s\" takes patterns from the project's root: ~ is your "
			"home only in allow, ask and deny, as in *(~/x)",
			key->name));
}

static enum err read_mode(struct reader *r, const struct key *key,
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

static enum err read_rules(struct reader *r, const struct key *key,
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
			return must_be(r, w.value, key,
				       "made of texts such as \"write"
				       "(src)\"");
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

static enum err read_ignore(struct reader *r, const struct key *key,
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
				       "made of lines as in .gitignore");
		if (check_no_home(r, w.value, key, text) ||
		    check_count(r, w.value, key, r->to->ignore_count))
			return ERR_BAD_CONFIG;
		ignore = arena_add(r->mem, r->to->ignore, r->to->ignore_count);
		ignore->pattern = text;
		ignore->origin = place_of(r, w.value);
	}
	return ERR_OK;
}

static enum err read_encodings(struct reader *r, const struct key *key,
			       struct json v)
{
	struct json_walk w = json_walk(v);
	struct config_encoding *added;
	struct str glob, name;

	if (!json_is(v, JSON_OBJECT))
		return must_be(r, v, key, "an object of GLOB: NAME");
	if (json_twice(v, r->mem, &glob))
		return must_be(r, v, key, "without any pattern twice");
	while (json_step(&w)) {
		if (!json_text(w.key, r->mem, &glob) || !glob.len ||
		    !json_text(w.value, r->mem, &name) || !encoding_named(name))
			return must_be(r, w.value, key,
				       "made of names of encodings");
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

static enum err read_object(struct reader *r, const struct key *table,
			    struct json v, void *to);

static enum err read_hooks(struct reader *r, const struct key *key,
			   struct json v)
{
	struct json_walk w = json_walk(v);
	struct config_hook *hook;
	enum err e = ERR_OK;

	if (!json_is(v, JSON_ARRAY))
		return must_be(r, v, key, "an array of objects");
	while (!e && json_step(&w)) {
		if (!json_is(w.value, JSON_OBJECT))
			return must_be(r, w.value, key, "made of objects");
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

static enum err read_count(struct reader *r, const struct key *key,
			   struct json v, uint64_t *to)
{
	int64_t n;

	if (!json_int(v, &n) || n < 1)
		return must_be(r, v, key, "a whole number from 1");
	*to = (uint64_t)n;
	return ERR_OK;
}

static enum err read_value(struct reader *r, const struct key *key,
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
			       : must_be(r, v, key, "a text");
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

static enum err unknown(struct reader *r, const struct key *table,
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

static void note_widening(struct reader *r, const struct key *key)
{
	struct str *w = &r->to->widening;

	*w = arena_printf(r->mem, STR_FMT "%s%s", STR_ARG(*w),
			  w->len ? ", " : "", key->name);
}

static enum err read_object(struct reader *r, const struct key *table,
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
			return unknown(r, table, w.key);
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
	struct reader r = { path, text, ret, mem, f, { 0 } };
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
			     arena_printf(mem, "this is no JSON: %s",
					  error.why));
	if (!json_is(v, JSON_OBJECT))
		return wrong(&r, place_of(&r, v),
			     STR("settings are one JSON object"));
	return read_object(&r, config_keys, v, ret);
}
