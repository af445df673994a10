/*
 * cmd_trust.c - the command `stet trust`: let a project's settings widen rules.
 *
 * Shows everything that the project's file would allow or run, asks the person,
 * and stores the digest of the file (trust.h).
 */
#include "app/command.h"
#include "app/configfile.h"
#include "app/person.h"
#include "app/prompt.h"
#include "app/screen.h"
#include "app/trust.h"
#include "files/path.h"

#include <stdlib.h>
#include <unistd.h>

struct trust_config {
	bool help, list, yes;
	const char *remove;
};

static const struct option options[] = {
	{ "list", NULL, OPTION_FLAG, offsetof(struct trust_config, list),
	  "List the trusted projects" },
	{ "remove", "DIR", OPTION_TEXT, offsetof(struct trust_config, remove),
	  "Stop trusting the project" },
	{ "yes", NULL, OPTION_FLAG, offsetof(struct trust_config, yes),
	  "Do not ask" },
	OPTION_HELP,
	OPTIONS_END,
};

/* Prints text of the project in full: the person trusts all of it. */
static void print_setting(const char *label, struct str text, struct str origin)
{
	auto_screen s = screen_begin(SCREEN_TEXT);

	screen_print(&s, INK_PLAIN, "  %-12s ", label);
	screen_name(&s, INK_PLAIN, text);
	screen_print(&s, INK_PLAIN, "  (" STR_FMT ")\n", STR_ARG(origin));
	(void)screen_end(&s);
}

static void trust_show(const struct config_file *file)
{
	if (file->has_mode)
		print_setting("mode", str_of(mode_name(file->mode)),
			      file->path);
	for (size_t i = 0; i < file->rule_count; i++)
		if (file->rules[i].verdict == VERDICT_ALLOW)
			print_setting("allow", file->rules[i].text,
				      file->rules[i].origin);
	if (file->history.has_off)
		print_setting("history",
			      file->history.off ? STR("off") : STR("on"),
			      file->path);
	if (file->history.max_age_days || file->history.max_bytes)
		print_setting("history", STR("retention is shortened"),
			      file->path);
	for (size_t i = 0; i < file->hook_count; i++)
		print_setting(file->hooks[i].after ? "after_edit"
						   : "before_edit",
			      file->hooks[i].command, file->hooks[i].origin);
}

static struct str real_directory(const char *dir, struct arena *mem)
{
	char *real = realpath(dir, NULL);
	struct str ret = arena_copy(mem, real ? str_of(real) : str_of(dir));

	free(real);
	return ret;
}

static bool has_hook(const struct config_file *file,
		     const struct trusted_hook *gone, struct arena *mem)
{
	struct trusted row = trust_row(STR(""), file, mem);

	for (size_t i = 0; i < row.hook_count; i++)
		if (str_eq(row.hooks[i].command, gone->command) &&
		    str_eq(row.hooks[i].match, gone->match))
			return true;
	return false;
}

/* Hooks that were trusted before and are no longer in the file. */
static void show_gone(const struct trust *trust, struct str dir,
		      const struct config_file *now, struct arena *mem)
{
	const struct trusted *row = trust_find(trust, dir);

	for (size_t i = 0; row && i < row->hook_count; i++)
		if (!has_hook(now, &row->hooks[i], mem))
			print_setting(
				"gone", row->hooks[i].command,
				STR("a before_edit hook that you trusted"));
}

/* The file is gone, or has nothing that needs trust. */
static enum err go_without(const struct trust_config *config,
			   struct trust *trust, struct str dir,
			   struct arena *mem, struct fault *f)
{
	const struct config_file none = { 0 };
	enum err e = person_check_here("trust", mem, f);

	if (e)
		return e;
	screen_say("You trusted " STR_FMT " in an earlier version.\n",
		   STR_ARG(trust_project_path(dir, mem)));
	show_gone(trust, dir, &none, mem);
	if (!config->yes && !prompt_yes("Continue without it?"))
		return fail(f, ERR_REFUSED,
			    .text = trust_project_path(dir, mem));
	(void)trust_drop(trust, dir);
	return trust_save(trust, mem, f);
}

static enum err trust_add(const struct trust_config *config, const char *name,
			  struct arena *mem, struct fault *f)
{
	struct str dir = real_directory(name, mem), text;
	struct str path = trust_project_path(dir, mem);
	struct config_file file = { 0 };
	struct trusted row;
	struct trust trust;
	enum err e;

	e = trust_load(mem, &trust, f);
	if (!e)
		e = trust_read_project(dir, mem, &text, f);
	if (e == ERR_NOT_FOUND && trust_find(&trust, dir))
		return go_without(config, &trust, dir, mem, f);
	if (!e)
		e = configfile_read(path, text, mem, &file, f);
	if (e)
		return e;
	if (!file.widening.len) {
		screen_say(
			STR_FMT
			" only restricts what is allowed: nothing needs to be trusted.\n",
			STR_ARG(path));
		return trust_find(&trust, dir)
			       ? go_without(config, &trust, dir, mem, f)
			       : ERR_OK;
	}
	file.digest = trust_digest(text, mem);
	screen_say(STR_FMT " would enable:\n", STR_ARG(path));
	trust_show(&file);
	show_gone(&trust, dir, &file, mem);
	e = person_check_here("trust", mem, f);
	if (e)
		return e;
	if (!config->yes && !prompt_yes("Trust this version of the file?"))
		return fail(f, ERR_REFUSED, .text = path);
	/* record what was shown, even if the file has changed meanwhile */
	row = trust_row(dir, &file, mem);
	trust_set(&trust, &row, mem);
	e = trust_save(&trust, mem, f);
	if (!e)
		screen_say("Trusted. 'stet trust --remove " STR_FMT
			   "' revokes it.\n",
			   STR_ARG(dir));
	return e;
}

/*
 * A lost before_edit hook refuses edits. Removing the trust ends that, so it
 * needs a person, like trusting does.
 */
static enum err trust_withdraw(const char *name, struct arena *mem,
			       struct fault *f)
{
	struct trust trust;
	enum err e = trust_load(mem, &trust, f);

	if (e)
		return e;
	/* a deleted directory is found by the name that was recorded */
	if (!trust_drop(&trust, real_directory(name, mem)) &&
	    !trust_drop(&trust, str_of(name)))
		return fail(f, ERR_BAD_ARGS,
			    .text = arena_printf(mem, "%s is not trusted",
						 name));
	e = person_check_here("trust", mem, f);
	return e ? e : trust_save(&trust, mem, f);
}

static enum err trust_print_list(struct arena *mem, struct fault *f)
{
	struct trust trust;
	enum err e = trust_load(mem, &trust, f);
	struct str text;

	for (size_t i = 0; !e && i < trust.count; i++) {
		const struct trusted *row = &trust.rows[i];
		bool same = !trust_read_project(row->dir, mem, &text, f) &&
			    str_eq(trust_digest(text, mem), row->digest);

		screen_say(STR_FMT "%s\n", STR_ARG(row->dir),
			   same ? "" : "  (changed since then: not trusted)");
	}
	return e;
}

static int trust(const struct command *command, struct command_line *line)
{
	struct trust_config config = { 0 };
	auto_arena mem = ARENA_INIT;
	struct fault f;
	int status;
	enum err e;

	if (!command_options(command, line, &config, &mem, &status))
		return status;
	status = command_at_most(command, line,
				 config.list || config.remove ? 0 : 1);
	if (status)
		return status;
	if (config.list)
		e = trust_print_list(&mem, &f);
	else if (config.remove)
		e = trust_withdraw(config.remove, &mem, &f);
	else if (line->at == line->argc)
		e = fail(&f, ERR_BAD_ARGS,
			 .text = STR("name the directory of a project"));
	else
		e = trust_add(&config, line->argv[line->at], &mem, &f);
	return e ? command_misused(command, &f) : 0;
}

const struct command command_trust = {
	.name = "trust",
	.usage = "[--yes] DIR | --list | --remove DIR",
	.summary = "Trust a project's settings to allow changes and run hooks",
	.about =
		"The settings of a project, DIR/.stet/config.json, can always restrict what is\n"
		"allowed. Settings that allow more (mode, allow, hooks, history) are ignored until\n"
		"you trust them: this command shows them, and stores the hash of the file. When\n"
		"the file changes, it must be trusted again; until then, changes that its\n"
		"before_edit hooks would have checked are refused.",
	.options = options,
	.run = trust,
};
