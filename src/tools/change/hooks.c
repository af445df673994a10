/*
 * hooks.c - runs the person's commands before and after a change.
 *
 * A hook is a child process (base/child.h) with a minimal environment and the
 * facts on stdin. Blocks until the command ends or its timeout passes, so
 * never on the event loop.
 */
#include "tools/change/hooks.h"

#include "base/child.h"
#include "text/encoding/utf8.h"
#include "tools/permissions/rules.h"
#include "tools/reading/configured_encoding.h"

#include <errno.h>
#include <stdlib.h>

enum { TIMEOUT_MS = 10000, MOST_SAID = 16 * 1024, MOST_WORDS = 2000 };

static const char *const events[] = { "before_edit", "after_edit" };

/*
 * The variables that a command needs to find programs, files and its locale,
 * and none that makes a shell or loader run something else (LD_PRELOAD, IFS,
 * BASH_ENV ...). The command runs in the directory where stet was started,
 * mostly a project: no value may be a relative path into it.
 */
enum value {
	VALUE_ANY,
	VALUE_WORD,     /* a name without "/", such as a locale */
	VALUE_ABSOLUTE, /* an absolute path */
	VALUE_PATHS,    /* absolute paths, separated by ":" */
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

/* Default PATH: without one, some shells search ".". */
static const struct str standard_path =
	STR_INIT("/usr/local/bin:/usr/bin:/bin");

static const char *env_entry(struct call *c, const char *name, struct str value)
{
	auto_buf out = BUF_INIT;

	buf_addf(&out, "%s=", name);
	buf_add(&out, value); /* not STR_ARG, which cuts long paths */
	return arena_cstr(c->mem, buf_str(&out));
}

/* Only the absolute paths of a list. */
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

/* The value to pass on; false = leave the variable out. */
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

static const char *const *hook_environment(struct call *c,
					   const struct hook_facts *facts)
{
	const char **env =
		arena_array(c->mem, const char *, COUNT_OF(passed) + 3);
	struct str value;
	size_t n = 0;

	for (size_t i = 0; i < COUNT_OF(passed); i++)
		if (value_of(c, &passed[i], &value))
			env[n++] = env_entry(c, passed[i].name, value);
	env[n++] = env_entry(c, "STET_PATH", facts->path);
	env[n++] = env_entry(c, "STET_TOOL", facts->tool);
	return env;
}

static void put_fact(struct json_out *o, const char *key, struct str value)
{
	json_key(o, key);
	json_put_str(o, value);
}

static void put_facts(struct buf *out, enum hook_when when,
		      const struct hook_facts *facts)
{
	struct json_out o = json_out(out);

	json_open(&o, '{');
	put_fact(&o, "event", str_of(events[when]));
	put_fact(&o, "tool", facts->tool);
	put_fact(&o, "path", facts->path);
	put_fact(&o, "kind", facts->kind);
	put_fact(&o, "client", facts->client);
	put_fact(&o, "session", facts->session);
	put_fact(&o, "operation", facts->operation);
	if (facts->group.len)
		put_fact(&o, "group", facts->group);
	if (facts->from.len)
		put_fact(&o, "from", facts->from);
	json_close(&o, '}');
	buf_lit(out, "\n");
}

static bool is_blank_char(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The output of a hook, preferably stderr, trimmed. */
static struct str hook_words(const struct child_result *done)
{
	struct str said = done->err.len ? done->err : done->out;

	while (said.len && is_blank_char(said.ptr[0]))
		said = str_skip(said, 1);
	said = utf8_head(said, MOST_WORDS);
	while (said.len && is_blank_char(said.ptr[said.len - 1]))
		said = str_head(said, said.len - 1);
	return said;
}

/* Why a hook failed: its output, else how the process ended. */
static struct str hook_why(struct call *c, const struct hook *hook,
			   const struct child_result *done)
{
	struct str words = hook_words(done);

	switch (done->end) {
	case CHILD_EXITED:
		if (words.len)
			return words;
		return arena_printf(c->mem, "exit status %d", done->status);
	case CHILD_KILLED:
		return arena_printf(c->mem, "ended by signal %d", done->status);
	case CHILD_TIMED_OUT:
		return arena_printf(c->mem, "timeout after %llu ms",
				    (unsigned long long)hook->timeout_ms);
	case CHILD_CANCELLED:
		return STR("the call was cancelled");
	case CHILD_FAILED:
		return done->status == EPERM
			       ? STR("it was added after stet started, and stet is confined: restart stet to run it")
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

static enum err hook_run(struct call *c, enum hook_when when,
			 const struct hook *hook,
			 const struct hook_facts *facts)
{
	auto_buf input = BUF_INIT;
	struct child_result done;

	put_facts(&input, when, facts);
	c->hook_ran = true;
	child_run(&(struct child_options){ .argv = hooks_argv(hook->command,
							      c->mem),
					   .env = hook_environment(c, facts),
					   .input = buf_str(&input),
					   .most = MOST_SAID,
					   .limit_ms = hook->timeout_ms,
					   .stop = c->progress.stop,
					   .ctx = c->progress.ctx },
		  c->mem, &done);
	if (done.end == CHILD_EXITED && !done.status)
		return ERR_OK;
	return fail(c->fault,
		    done.end == CHILD_CANCELLED ? ERR_CANCELLED : ERR_HOOK,
		    .path = facts->path, .text = hook_why(c, hook, &done),
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

		if (!lost->match.len ||
		    configured_path_fits(lost->match, path, NULL))
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

		if (hook.match.len &&
		    !configured_path_fits(hook.match, facts->path, NULL))
			continue;
		if (!hook.timeout_ms)
			hook.timeout_ms = TIMEOUT_MS;
		last = hook_run(c, when, &hook, facts);
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
