/* stet rules - which rules there are, and what they say of one call. */

#include "app/config.h"
#include "app/person.h"
#include "app/pretty.h"
#include "app/rulefile.h"
#include "app/screen.h"
#include "files/path.h"
#include "tools/args.h"
#include "tools/rules_json.h"
#include "tools/sensitive.h"
#include "tools/weigh.h"

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
	  "Serve DIR; may be given again (default: the current directory)" },
	{ "bytes", "BYTES", OPTION_SIZE, offsetof(struct rules_config, bytes),
	  "The file would have so many bytes" },
	{ "lines-removed", "LINES", OPTION_SIZE,
	  offsetof(struct rules_config, lines_removed),
	  "So many lines would go" },
	{ "json", NULL, OPTION_FLAG, offsetof(struct rules_config, json),
	  "As JSON" },
	POLICY_OPTIONS(offsetof(struct rules_config, common.policy)),
	OPTION_HELP,
	OPTIONS_END,
};

static void put(struct json_out *o, const char *key, struct str text)
{
	json_key(o, key);
	json_put_str(o, text);
}

static void show(struct buf *out)
{
	buf_lit(out, "\n");
	(void)screen_json(buf_str(out));
}

static int misused(const struct command *command, struct str words)
{
	struct fault f;

	(void)fail(&f, ERR_BAD_ARGS, .text = words);
	return command_misused(command, &f);
}

static void put_list(const struct rules *r, struct buf *out)
{
	struct json_out o = json_out(out);

	json_open(&o, '{');
	put(&o, "mode", str_of(mode_name(r->mode)));
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

/* "*" are the tools that read as well, but for files that end so. */
static void say_sensitive(const struct sensitive *row, struct arena *mem)
{
	screen_say(STR_FMT " %s: %s", STR_ARG(rule_says(&row->rule, mem)),
		   sensitive_kind_name(row->kind), row->reason);
	for (size_t i = 0; row->open && row->open[i]; i++)
		screen_say("%s*%s", i ? ", " : "; to read, not ", row->open[i]);
	screen_say("\n");
}

/* In the order in which they count: deny, ignore, ask, allow, built in. */
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
	return path_join(mem, str_of(here), str_of(path));
}

/* What is asked about: one tool, or all that read or change files. */
struct asked {
	const char *name; /* of the tool, or "read" or "write" */
	bool all, changes;
	struct buf strictest; /* names of the tools, where others get less */
};

#define auto_asked cleanup(asked_free) struct asked

static void asked_free(struct asked *a)
{
	buf_free(&a->strictest);
}

/* Tools of the history show no content of a file as it is. */
static bool is_asked_about(const struct asked *a, const struct tool *tool)
{
	if (!a->all)
		return !strcmp(tool->name, a->name);
	if (a->changes)
		return effects_change(tool->effects);
	return tool->effects == TOOL_READS &&
	       strcmp(tool->family, "history") != 0;
}

/* The strictest answer that one of the tools gets. False = no such tool. */
static bool weigh_asked(struct asked *a, struct server *s,
			struct weigh_want want, struct arena *mem,
			struct weighed *ret)
{
	size_t all = 0, strict = 0;
	struct weighed w;

	for (size_t i = 0; i < all_tools_count; i++) {
		want.tool = all_tools[i];
		if (!is_asked_about(a, want.tool))
			continue;
		weigh(s->ws, s->tools.rules, &want, mem, &w);
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

static void say_decision(const struct asked *a, const struct weighed *w,
			 const struct rules *r, struct arena *mem)
{
	const struct decision *decision = &w->decision;
	const struct deed *d = &w->deed;
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
		screen_say("  No tool may see this file.\n");
}

static int check(const struct command *command, struct command_line *line,
		 struct server *s, const struct rules_config *config,
		 struct arena *mem)
{
	const struct rules *r = rules_now(s->tools.rules);
	struct weigh_want want = { .bytes = config->bytes,
				   .lines_removed = config->lines_removed };
	auto_buf out = BUF_INIT;
	struct json_out o = json_out(&out);
	auto_asked a = { .strictest = BUF_INIT };
	struct weighed w = { 0 };

	if (line->argc - line->at != 2)
		return misused(
			command,
			STR("check takes read, write or a TOOL, and a PATH"));
	a.name = line->argv[line->at];
	a.changes = !strcmp(a.name, "write");
	a.all = a.changes || !strcmp(a.name, "read");
	want.path = absolute(line->argv[line->at + 1], mem);
	if (!weigh_asked(&a, s, want, mem, &w))
		return misused(
			command,
			arena_printf(
				mem,
				"no tool is called '%s' (see 'stet tools')",
				a.name));
	if (config->json) {
		weigh_put(&o, &w, r);
		show(&out);
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

/* The file that a server with these flags would read. */
static enum err settings_path(const struct rules_config *config,
			      struct arena *mem, struct str *ret,
			      struct fault *f)
{
	const char *named = config->common.policy.config;
	struct str dir = trust_user_dir(mem);

	if (!named && !dir.len)
		return fail(f, ERR_BAD_ARGS,
			    .text = STR("there is no home: --config FILE"));
	*ret = named ? str_of(named) : path_join(mem, dir, STR("config.json"));
	return ERR_OK;
}

static void say_changed(const struct rule_change *c, struct str path)
{
	screen_say("%s " STR_FMT "\n  %s " STR_FMT "\n",
		   verdict_name(c->verdict), STR_ARG(c->rule),
		   c->remove ? "is no longer in" : "is now in", STR_ARG(path));
	screen_say(
		"A server with a page takes this over within a second; one that a client\n"
		"has started, when it is started again.\n");
}

/* 'add LIST RULE' and 'remove LIST RULE': in the person's own settings. */
static int change(const struct command *command, struct command_line *line,
		  const struct rules_config *config, struct arena *mem)
{
	struct rule_change c = { .remove = !strcmp(line->argv[line->at],
						   "remove") };
	struct str path = STR(""), text;
	struct fault f;
	enum err e;

	if (line->argc - line->at != 3 ||
	    !list_named(line->argv[line->at + 1], &c.verdict))
		return misused(
			command,
			STR("add and remove take allow, ask or deny, and a RULE"));
	c.rule = str_of(line->argv[line->at + 2]);
	e = settings_path(config, mem, &path, &f);
	if (!e) /* rules decide what agents may do */
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
		return check(command, line, s, config, mem);
	}
	if (line->at < line->argc && strcmp(line->argv[line->at], "list") != 0)
		return misused(
			command,
			STR("rules takes list, check, add, remove or schema"));
	if (config->json) {
		put_list(r, &out);
		show(&out);
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
	show(&neat);
	return 0;
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
	if (line->argc - line->at == 1 &&
	    !strcmp(line->argv[line->at], "schema"))
		return schema();
	if (line->at < line->argc && (!strcmp(line->argv[line->at], "add") ||
				      !strcmp(line->argv[line->at], "remove")))
		return change(command, line, &config, &mem);
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
	.summary = "Tell what is allowed, asked for and forbidden, and why",
	.about =
		"List the rules in the order in which they count. 'check read PATH' and 'check\n"
		"write PATH' tell what they say of tools that read or change that file, 'check\n"
		"TOOL PATH' of one tool ('stet tools' lists them), and which rule decides. Where\n"
		"a rule depends on the size of a change, give --bytes or --lines-removed.\n"
		"'schema' prints the JSON schema of the settings. 'add' and 'remove' change your own settings, and nothing else\n"
		"in that file; LIST is allow, ask or deny. For you at a terminal alone.",
	.options = options,
	.run = rules,
};
