#include "tools/hooks.h"

#include "base/child.h"
#include "text/utf8.h"
#include "tools/rules.h"
#include "tools/told.h"

#include <errno.h>
#include <stdlib.h>

enum { TIMEOUT_MS = 10000, MOST_SAID = 16 * 1024, MOST_WORDS = 2000 };

static const char *const events[] = { "before_edit", "after_edit" };

/*
 * What a command needs to find its programs, its files and its language, and
 * nothing that makes a shell or a loader run something else (LD_PRELOAD, IFS,
 * BASH_ENV ...). The command runs in the directory where stet was started,
 * mostly a project: no value may lead a program to files in there by a
 * relative path.
 */
enum value {
	VALUE_ANY,
	VALUE_WORD,     /* a name, as of a locale: with a "/" it is a file */
	VALUE_ABSOLUTE, /* a path */
	VALUE_PATHS,    /* several, with ":" between them */
};

static const struct passed {
	const char *name;
	enum value value;
} passed[] = {
	{ "PATH", VALUE_PATHS },     { "HOME", VALUE_ABSOLUTE },
	{ "USER", VALUE_WORD },      { "LOGNAME", VALUE_WORD },
	{ "SHELL", VALUE_ABSOLUTE }, { "LANG", VALUE_WORD },
	{ "LC_ALL", VALUE_WORD },    { "LC_CTYPE", VALUE_WORD },
	{ "TZ", VALUE_ANY },         { "TMPDIR", VALUE_ABSOLUTE },
};

/* Where programs are when PATH does not say: some shells add ".". */
static const struct str standard_path =
	STR_INIT("/usr/local/bin:/usr/bin:/bin");

static const char *set(struct call *c, const char *name, struct str value)
{
	auto_buf out = BUF_INIT;

	buf_addf(&out, "%s=", name);
	buf_add(&out, value); /* a path may be longer than STR_ARG shows */
	return arena_cstr(c->mem, buf_str(&out));
}

/* Those of a list that are absolute: "" and "." are the current directory. */
static struct str absolute_paths(struct str list, struct arena *mem)
{
	auto_buf out = BUF_INIT;
	struct str path;

	while (list.len && str_split(&list, ':', &path)) {
		if (!str_starts(path, STR("/")))
			continue;
		if (out.len)
			buf_addc(&out, ':');
		buf_add(&out, path);
	}
	return out.len ? arena_copy(mem, buf_str(&out)) : standard_path;
}

void hooks_clean_path(struct arena *mem)
{
	struct str path = absolute_paths(str_of(getenv("PATH")), mem);

	(void)setenv("PATH", arena_cstr(mem, path), 1);
}

/* The value as it is passed on; false = not at all. */
static bool value_of(struct call *c, const struct passed *p, struct str *ret)
{
	const char *value = getenv(p->name);

	*ret = str_of(value ? value : "");
	switch (p->value) {
	case VALUE_ANY:
		return value;
	case VALUE_WORD:
		return value && str_find(*ret, '/') == ret->len;
	case VALUE_ABSOLUTE:
		return str_starts(*ret, STR("/"));
	case VALUE_PATHS:
		*ret = absolute_paths(*ret, c->mem);
		return true;
	}
	return false;
}

static const char *const *environment(struct call *c,
				      const struct hook_facts *facts)
{
	const char **env =
		arena_array(c->mem, const char *, COUNT_OF(passed) + 3);
	struct str value;
	size_t n = 0;

	for (size_t i = 0; i < COUNT_OF(passed); i++)
		if (value_of(c, &passed[i], &value))
			env[n++] = set(c, passed[i].name, value);
	env[n++] = set(c, "STET_PATH", facts->path);
	env[n++] = set(c, "STET_TOOL", facts->tool);
	return env;
}

static void put(struct json_out *o, const char *key, struct str value)
{
	json_key(o, key);
	json_put_str(o, value);
}

static void put_facts(struct buf *out, enum hook_when when,
		      const struct hook_facts *facts)
{
	struct json_out o = json_out(out);

	json_open(&o, '{');
	put(&o, "event", str_of(events[when]));
	put(&o, "tool", facts->tool);
	put(&o, "path", facts->path);
	put(&o, "kind", facts->kind);
	put(&o, "client", facts->client);
	put(&o, "session", facts->session);
	put(&o, "operation", facts->operation);
	json_close(&o, '}');
	buf_lit(out, "\n");
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* What it said, on stderr for choice, without blanks around it. */
static struct str words_of(const struct child_done *done)
{
	struct str said = done->err.len ? done->err : done->out;

	while (said.len && is_blank(said.ptr[0]))
		said = str_skip(said, 1);
	said = utf8_head(said, MOST_WORDS);
	while (said.len && is_blank(said.ptr[said.len - 1]))
		said = str_head(said, said.len - 1);
	return said;
}

/* Its own words where it has some, else how it ended. */
static struct str why(struct call *c, const struct hook *hook,
		      const struct child_done *done)
{
	struct str words = words_of(done);

	switch (done->end) {
	case CHILD_EXITED:
		if (words.len)
			return words;
		return arena_printf(c->mem, "exit status %d", done->status);
	case CHILD_KILLED:
		return arena_printf(c->mem, "ended by signal %d", done->status);
	case CHILD_LATE:
		return arena_printf(c->mem, "no answer within %llu ms",
				    (unsigned long long)hook->timeout_ms);
	case CHILD_STOPPED:
		return STR("the call was cancelled");
	case CHILD_FAILED:
		return done->status == EPERM
			       ? STR("it is new since stet started, and stet is confined: restart stet to have it run")
			       : STR("it could not be run");
	}
	return words;
}

const char *const *hooks_argv(struct str command, struct arena *mem)
{
	const char **argv = arena_array(mem, const char *, 4);

	argv[0] = "/bin/sh";
	argv[1] = "-c";
	argv[2] = arena_cstr(mem, command);
	return argv; /* and NULL */
}

static enum err run(struct call *c, enum hook_when when,
		    const struct hook *hook, const struct hook_facts *facts)
{
	auto_buf input = BUF_INIT;
	struct child_done done;

	put_facts(&input, when, facts);
	c->hooked = true;
	child_run(&(struct child_want){ .argv = hooks_argv(hook->command,
							   c->mem),
					.env = environment(c, facts),
					.input = buf_str(&input),
					.most = MOST_SAID,
					.limit_ms = hook->timeout_ms,
					.stop = c->errand.stop,
					.ctx = c->errand.ctx },
		  c->mem, &done);
	if (done.end == CHILD_EXITED && !done.status)
		return ERR_OK;
	return fail(c->fault,
		    done.end == CHILD_STOPPED ? ERR_CANCELLED : ERR_HOOK,
		    .path = facts->path, .text = why(c, hook, &done),
		    .reason = "hook");
}

const struct hooks *hooks_of(const struct call *c)
{
	const struct tool_options *o = c->options;
	const struct hooks *by_settings =
		o->rules ? rules_now(o->rules)->hooks : NULL;

	return by_settings ? by_settings : o->hooks;
}

enum err hooks_check_lost(struct call *c, struct str path)
{
	const struct hooks *hooks = hooks_of(c);
	size_t n = hooks ? hooks->lost_count : 0;

	for (size_t i = 0; i < n; i++) {
		const struct lost_hook *lost = &hooks->lost[i];

		if (!lost->match.len || told_fits(lost->match, path, NULL))
			return fail(c->fault, ERR_HOOK, .path = path,
				    .text = lost->words, .reason = "hook");
	}
	return ERR_OK;
}

enum err hooks_run(struct call *c, enum hook_when when,
		   const struct hook_facts *facts)
{
	const struct hooks *hooks = hooks_of(c);
	size_t n = hooks ? hooks->count[when] : 0;
	struct str words = STR("");
	enum err e = ERR_OK, last;

	for (size_t i = 0; i < n; i++) {
		struct hook hook = hooks->rows[when][i];

		if (hook.match.len && !told_fits(hook.match, facts->path, NULL))
			continue;
		if (!hook.timeout_ms)
			hook.timeout_ms = TIMEOUT_MS;
		last = run(c, when, &hook, facts);
		if (!last)
			continue;
		e = last;
		if (words.len)
			c->fault->text =
				arena_printf(c->mem, STR_FMT "\n" STR_FMT,
					     STR_ARG(words),
					     STR_ARG(c->fault->text));
		words = c->fault->text;
		if (when == HOOK_BEFORE_EDIT || e == ERR_CANCELLED)
			break;
	}
	return e;
}
