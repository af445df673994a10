/* stet rules - which rules there are, and what they say of one call. */

#include "app/config.h"
#include "app/pretty.h"
#include "app/screen.h"
#include "files/path.h"
#include "tools/args.h"
#include "tools/ignored.h"
#include "tools/rules_json.h"
#include "tools/sensitive.h"

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

static void weigh(struct server *s, const struct rules_config *config,
		  struct deed *d, const char *path, struct decision *ret,
		  struct arena *mem)
{
	struct look look = { 0 };
	struct ignore_cause cause;
	struct decision told;
	struct fault f = { 0 };
	const struct str *roots;
	struct str name = absolute(path, mem);
	size_t n;
	struct glob_effort effort = { .steps = RULES_MAX_STEPS };

	roots = ws_roots(s->ws, mem, &n);
	d->changes = effects_change(d->tool->effects);
	d->known_size = config->bytes || config->lines_removed;
	d->bytes = config->bytes;
	d->lines_removed = config->lines_removed;
	if (ws_look(s->ws, name, mem, &look, &f) && f.reason) {
		deed_place(d, name, STR(""), roots, n, mem);
		*ret = (struct decision){ VERDICT_DENY, NULL, f.reason,
					  STR("it lies outside the roots"),
					  false };
		if (!strcmp(f.reason, "config")) {
			ret->why = f.hint;
			ret->hidden = true;
		}
		return;
	}
	deed_place(d, name, look.key, roots, n, mem);
	deed_place_above(d, s->tools.rules, mem);
	d->effort = &effort;
	d->ignored = ignored_by(s->tools.rules, s->ws, d, NULL, mem);
	if (!d->ignored.len && rules_ignored(s->tools.rules, d, &cause) &&
	    cause.rule->line)
		d->ignored = arena_printf(mem, STR_FMT ":%zu",
					  STR_ARG(cause.list->source),
					  cause.rule->line);
	rules_decide(s->tools.rules, d, ret);
	/* What a change tells may be asked for where the change is not. */
	if (d->changes && ret->verdict == VERDICT_ALLOW &&
	    rules_ask_to_tell(s->tools.rules, d, &told))
		*ret = told;
	d->effort = NULL;
}

static void put_decision(const struct deed *d, const struct decision *decision,
			 const struct rules *r, struct buf *out)
{
	struct json_out o = json_out(out);

	json_open(&o, '{');
	put(&o, "verdict", str_of(verdict_name(decision->verdict)));
	put(&o, "reason", str_of(decision->reason));
	put(&o, "why", decision->why);
	if (decision->rule) {
		json_key(&o, "rule");
		rules_put_one(&o, decision->rule);
	}
	put(&o, "mode", str_of(mode_name(r->mode)));
	json_key(&o, "hidden");
	json_put_bool(&o, decision->hidden);
	put(&o, "tool", str_of(d->tool->name));
	put(&o, "path", d->path);
	put(&o, "key", d->key);
	json_close(&o, '}');
}

static void say_decision(const struct deed *d, const struct decision *decision,
			 const struct rules *r, struct arena *mem)
{
	struct str because = decision->why;

	if (decision->rule)
		because = rule_says(decision->rule, mem);
	screen_say("%s: %s " STR_FMT "\n", verdict_name(decision->verdict),
		   d->tool->name, STR_ARG(d->path));
	if (!str_eq(d->path, d->key))
		screen_say("  is:      " STR_FMT "\n", STR_ARG(d->key));
	screen_say("  because: %s: " STR_FMT "\n", decision->reason,
		   STR_ARG(because));
	screen_say("  mode:    %s\n", mode_name(r->mode));
	if (decision->hidden)
		screen_say("  No tool may see this file.\n");
}

static int check(const struct command *command, struct command_line *line,
		 struct server *s, const struct rules_config *config,
		 struct arena *mem)
{
	const struct rules *r = rules_now(s->tools.rules);
	struct decision decision;
	auto_buf out = BUF_INIT;
	struct deed d = { 0 };

	if (line->argc - line->at != 2)
		return misused(command, STR("check takes a TOOL and a PATH"));
	d.tool = tool_named(str_of(line->argv[line->at]));
	if (!d.tool)
		return misused(
			command,
			arena_printf(
				mem,
				"no tool is called '%s' (see 'stet tools')",
				line->argv[line->at]));
	weigh(s, config, &d, line->argv[line->at + 1], &decision, mem);
	if (config->json) {
		put_decision(&d, &decision, r, &out);
		show(&out);
	} else {
		say_decision(&d, &decision, r, mem);
	}
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
		return misused(command,
			       STR("rules takes list, check or schema"));
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
	server = config_server(&config.common, &f, &mem);
	if (!server)
		return command_misused(command, &f);
	if (!config.roots.count)
		config_roots_here(server);
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
	.usage = "[list | check TOOL PATH | schema] [OPTION...]",
	.summary = "Tell what is allowed, asked for and forbidden, and why",
	.about =
		"List the rules in the order in which they count. 'check TOOL PATH' tells what\n"
		"they say of that call, and which one decides; 'schema' prints the JSON schema\n"
		"of the settings. Nothing is changed.",
	.options = options,
	.run = rules,
};
