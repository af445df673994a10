/*
 * cmd_rules.c - the command `stet rules`: list, check, add and remove rules.
 *
 * check builds the same server as `stet serve` would and asks its rules; add
 * and remove edit the person's settings file (rulefile.h).
 */
#include "app/cli_path.h"
#include "app/config.h"
#include "app/person.h"
#include "app/pretty.h"
#include "app/rulefile.h"
#include "app/screen.h"
#include "files/path.h"
#include "tools/call/args.h"
#include "tools/permissions/access.h"
#include "tools/permissions/rules_explain.h"
#include "tools/permissions/rules_json.h"
#include "tools/permissions/sensitive.h"

#include <limits.h>
#include <unistd.h>

struct rules_config {
	struct config common;
	struct option_list roots;
	uint64_t bytes, lines_removed;
	bool json;
};

static const struct option options[] = {
	{ "root", "DIR", OPTION_LIST, offsetof(struct rules_config, roots),
	  "Serve DIR; repeatable (default: the current directory)" },
	{ "bytes", "BYTES", OPTION_SIZE, offsetof(struct rules_config, bytes),
	  "Size of the file after the change, for check" },
	{ "lines-removed", "LINES", OPTION_SIZE,
	  offsetof(struct rules_config, lines_removed),
	  "Number of lines that the change removes, for check" },
	{ "json", NULL, OPTION_FLAG, offsetof(struct rules_config, json),
	  "Print JSON" },
	POLICY_OPTIONS(offsetof(struct rules_config, common.policy)),
	OPTION_HELP,
	OPTIONS_END,
};

static void rules_put_json(struct json_out *o, const char *key, struct str text)
{
	json_key(o, key);
	json_put_str(o, text);
}

static void rules_show(struct buf *out)
{
	buf_lit(out, "\n");
	(void)screen_json(buf_str(out));
}

static int rules_misused(const struct command *command, struct str words)
{
	struct fault f;

	(void)fail(&f, ERR_BAD_ARGS, .text = words);
	return command_misused(command, &f);
}

static void rules_print_json(const struct rules *r, struct buf *out)
{
	struct json_out o = json_out(out);

	json_open(&o, '{');
	rules_put_json(&o, "mode", str_of(mode_name(r->mode)));
	json_key(&o, "rules");
	rules_put_list(&o, r);
	json_key(&o, "ignore");
	json_open(&o, '[');
	for (size_t i = 0; i < r->ignore_count; i++)
		for (size_t n = 0; n < r->ignore[i].list.count; n++)
			json_put_str(&o, r->ignore[i].list.rules[n].pattern);
	json_close(&o, ']');
	json_close(&o, '}');
}

static void say_ignored(const struct ignore_set *set)
{
	for (size_t i = 0; i < set->list.count; i++) {
		const struct ignore_rule *rule = &set->list.rules[i];

		screen_say("ignore %s" STR_FMT "%s (" STR_FMT,
			   rule->negated ? "!" : "", STR_ARG(rule->pattern),
			   rule->only_directory ? "/" : "",
			   STR_ARG(set->list.source));
		if (rule->line)
			screen_say(":%zu", rule->line);
		screen_say(")\n");
	}
}

/* "*" = also asked before reads, except names with the listed endings. */
static void say_sensitive(const struct sensitive *row, struct arena *mem)
{
	screen_say(STR_FMT " %s: %s", STR_ARG(rule_says(&row->rule, mem)),
		   sensitive_kind_name(row->kind), row->reason);
	for (size_t i = 0; row->open && row->open[i]; i++)
		screen_say("%s*%s",
			   i ? ", " : "; reading is not restricted for ",
			   row->open[i]);
	screen_say("\n");
}

/* In order of precedence: deny, ignore, ask, allow, built in. */
static void say_list(const struct rules *r)
{
	static const enum verdict order[] = { VERDICT_DENY, VERDICT_ASK,
					      VERDICT_ALLOW };
	auto_arena mem = ARENA_INIT;

	screen_say("mode %s\n", mode_name(r->mode));
	for (size_t v = 0; v < COUNT_OF(order); v++) {
		for (size_t i = 0; i < r->count; i++)
			if (r->rule[i].verdict == order[v])
				screen_say(STR_FMT "\n",
					   STR_ARG(rule_says(&r->rule[i],
							     &mem)));
		for (size_t i = 0; !v && i < r->ignore_count; i++)
			say_ignored(&r->ignore[i]);
	}
	for (size_t i = 0; i < sensitive_count; i++)
		say_sensitive(&sensitive_rows[i], &mem);
}

static struct str absolute(const char *path, struct arena *mem)
{
	char here[PATH_MAX];

	if (path[0] == '/' || !getcwd(here, sizeof(here)))
		return str_of(path);
	/* path_join() would stay in the current directory. */
	if (path_has(str_of(path), ".."))
		return cli_path(path, mem);
	return path_join(mem, str_of(here), str_of(path));
}

/* The subject of `rules check`: one tool, or all that read or change. */
struct rules_query {
	const char *name; /* a tool's name, "read" or "write" */
	bool all, changes;
	struct buf
		strictest; /* tools with the strictest answer, if others differ */
};

#define auto_asked cleanup(rules_query_free) struct rules_query

static void rules_query_free(struct rules_query *a)
{
	buf_free(&a->strictest);
}

static bool is_asked_about(const struct rules_query *a, const struct tool *tool)
{
	if (!a->all)
		return !strcmp(tool->name, a->name);
	return access_needs(tool, a->changes);
}

/* The strictest answer of the selected tools. False = no such tool. */
static bool weigh_query(struct rules_query *a, struct server *s,
			struct rules_explain_want want, struct arena *mem,
			struct rules_explained *ret)
{
	size_t all = 0, strict = 0;
	struct rules_explained w;

	for (size_t i = 0; i < all_tools_count; i++) {
		want.tool = all_tools[i];
		if (!is_asked_about(a, want.tool))
			continue;
		rules_explain(s->ws, s->tools.rules, &want, mem, &w);
		if (!all++ || w.decision.verdict > ret->decision.verdict) {
			*ret = w;
			strict = 0;
			buf_clear(&a->strictest, SIZE_MAX);
		}
		if (w.decision.verdict == ret->decision.verdict)
			buf_addf(&a->strictest, "%s%s", strict++ ? ", " : "",
				 want.tool->name);
	}
	if (strict == all)
		buf_clear(&a->strictest, SIZE_MAX);
	return all;
}

static void say_decision(const struct rules_query *a,
			 const struct rules_explained *w, const struct rules *r,
			 struct arena *mem)
{
	const struct decision *decision = &w->decision;
	const struct action *d = &w->action;
	struct str because = decision->why;

	if (decision->rule)
		because = rule_says(decision->rule, mem);
	screen_say("%s: %s " STR_FMT "\n", verdict_name(decision->verdict),
		   a->name, STR_ARG(d->path));
	if (a->strictest.len)
		screen_say("  tools:   " STR_FMT "\n",
			   STR_ARG(buf_str(&a->strictest)));
	if (!str_eq(d->path, d->key))
		screen_say("  is:      " STR_FMT "\n", STR_ARG(d->key));
	if (!decision->rule && !strcmp(decision->reason, "mode"))
		because = arena_printf(mem,
				       "no rule matches; the mode " STR_FMT
				       " allows it",
				       STR_ARG(decision->why));
	else
		because = arena_printf(mem, "%s: " STR_FMT, decision->reason,
				       STR_ARG(because));
	screen_say("  because: " STR_FMT "\n", STR_ARG(because));
	screen_say("  mode:    %s\n", mode_name(r->mode));
	if (decision->hidden)
		screen_say("  Tools cannot see this file.\n");
}

static int rules_check(const struct command *command, struct command_line *line,
		       struct server *s, const struct rules_config *config,
		       struct arena *mem)
{
	const struct rules *r = rules_now(s->tools.rules);
	struct rules_explain_want want = { .bytes = config->bytes,
					   .lines_removed =
						   config->lines_removed };
	auto_buf out = BUF_INIT;
	struct json_out o = json_out(&out);
	auto_asked a = { .strictest = BUF_INIT };
	struct rules_explained w = { 0 };

	if (line->argc - line->at < 2)
		return rules_misused(
			command,
			STR("check needs read, write or a TOOL, and a PATH"));
	a.name = line->argv[line->at];
	a.changes = !strcmp(a.name, "write");
	a.all = a.changes || !strcmp(a.name, "read");
	want.path = absolute(line->argv[line->at + 1], mem);
	if (!weigh_query(&a, s, want, mem, &w))
		return rules_misused(
			command,
			arena_printf(mem,
				     "there is no tool '%s' (see 'stet tools')",
				     a.name));
	if (config->json) {
		rules_explained_put(&o, &w, r);
		rules_show(&out);
	} else {
		say_decision(&a, &w, r, mem);
	}
	return 0;
}

static const struct {
	const char *name;
	enum verdict verdict;
} lists[] = { { "allow", VERDICT_ALLOW },
	      { "ask", VERDICT_ASK },
	      { "deny", VERDICT_DENY } };

static bool list_named(const char *name, enum verdict *ret)
{
	for (size_t i = 0; i < COUNT_OF(lists); i++)
		if (!strcmp(name, lists[i].name)) {
			*ret = lists[i].verdict;
			return true;
		}
	return false;
}

/* The settings file that a server with these flags would read. */
static enum err settings_path(const struct rules_config *config,
			      struct arena *mem, struct str *ret,
			      struct fault *f)
{
	const char *named = config->common.policy.config;
	struct str dir = trust_user_dir(mem);

	if (!named && !dir.len)
		return fail(
			f, ERR_BAD_ARGS,
			.text = STR(
				"there is no home directory: use --config FILE"));
	*ret = named ? str_of(named) : path_join(mem, dir, STR("config.json"));
	return ERR_OK;
}

static void say_changed(const struct rule_change *c, struct str path)
{
	screen_say("%s " STR_FMT "\n  %s " STR_FMT "\n",
		   verdict_name(c->verdict), STR_ARG(c->rule),
		   c->remove ? "was removed from" : "was added to",
		   STR_ARG(path));
	screen_say(
		"A server with a page applies this within a second; a server that a client has\n"
		"started, after a restart.\n");
}

/* `add LIST RULE` and `remove LIST RULE` edit the person's settings. */
static int rules_change(const struct command *command,
			struct command_line *line,
			const struct rules_config *config, struct arena *mem)
{
	struct rule_change c = { .remove = !strcmp(line->argv[line->at],
						   "remove") };
	struct str path = STR(""), text;
	struct fault f;
	enum err e;

	if (line->argc - line->at < 3 ||
	    !list_named(line->argv[line->at + 1], &c.verdict))
		return rules_misused(
			command,
			STR("add and remove need allow, ask or deny, and a RULE"));
	c.rule = str_of(line->argv[line->at + 2]);
	e = settings_path(config, mem, &path, &f);
	if (!e) /* only a person may change rules */
		e = person_check_here(c.remove ? "rules remove" : "rules add",
				      mem, &f);
	if (!e)
		e = rulefile_change(path, &c, mem, &text, &f);
	if (e)
		return command_misused(command, &f);
	say_changed(&c, path);
	return 0;
}

static int perform(const struct command *command, struct command_line *line,
		   struct server *s, const struct rules_config *config,
		   struct arena *mem)
{
	const struct rules *r = rules_now(s->tools.rules);
	auto_buf out = BUF_INIT;

	if (line->at < line->argc && !strcmp(line->argv[line->at], "check")) {
		line->at++;
		return rules_check(command, line, s, config, mem);
	}
	if (line->at < line->argc && strcmp(line->argv[line->at], "list") != 0)
		return rules_misused(
			command,
			STR("the first word must be list, check, add, remove or schema"));
	if (config->json) {
		rules_print_json(r, &out);
		rules_show(&out);
	} else {
		say_list(r);
	}
	return 0;
}

static int schema(void)
{
	auto_buf out = BUF_INIT;
	auto_buf neat = BUF_INIT;

	configfile_schema(&out);
	pretty_json(buf_str(&out), &neat);
	rules_show(&neat);
	return 0;
}

/* How many words there may be, by the first of them. */
static int most_words(const struct command_line *line)
{
	static const struct {
		const char *name;
		int most;
	} rows[] = { { "list", 1 },
		     { "check", 3 },
		     { "add", 3 },
		     { "remove", 3 },
		     { "schema", 1 } };

	for (size_t i = 0; line->at < line->argc && i < COUNT_OF(rows); i++)
		if (!strcmp(line->argv[line->at], rows[i].name))
			return rows[i].most;
	return INT_MAX; /* an unknown word is reported by itself */
}

static int rules(const struct command *command, struct command_line *line)
{
	struct rules_config config = { .common = config_default };
	auto_arena mem = ARENA_INIT;
	struct server *server;
	struct fault f;
	int status;

	if (!command_options(command, line, &config, &mem, &status))
		return status;
	status = command_at_most(command, line, most_words(line));
	if (status)
		return status;
	if (line->at < line->argc && !strcmp(line->argv[line->at], "schema"))
		return schema();
	if (line->at < line->argc && (!strcmp(line->argv[line->at], "add") ||
				      !strcmp(line->argv[line->at], "remove")))
		return rules_change(command, line, &config, &mem);
	server = config_server(&config.common, &f, &mem);
	if (!server)
		return command_misused(command, &f);
	if (!config.roots.count)
		config_roots_here(server, NAME_A_ROOT);
	if ((config.roots.count &&
	     config_roots(server, (char *const *)config.roots.items,
			  (int)config.roots.count, &mem, &f)) ||
	    config_projects(server, &f))
		status = command_misused(command, &f);
	else
		status = perform(command, line, server, &config, &mem);
	config_free(server);
	return status;
}

const struct command command_rules = {
	.name = "rules",
	.usage =
		"[list | check read|write|TOOL PATH | add LIST RULE | remove LIST RULE | schema] [OPTION...]",
	.summary = "List, check and change the permission rules",
	.about =
		"List the rules in order of precedence. 'check read PATH' and 'check write PATH'\n"
		"show whether tools may read or change that file, 'check TOOL PATH' whether one\n"
		"tool may ('stet tools' lists them), and which rule decides. If a rule depends on\n"
		"the size of a change, give --bytes or --lines-removed. 'schema' prints the JSON\n"
		"schema of the settings. 'add' and 'remove' change one rule in your own settings;\n"
		"LIST is allow, ask or deny. They need a person at a terminal.",
	.options = options,
	.run = rules,
};
