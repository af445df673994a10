/* stet trust - let the settings of a project have their way. */

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
	  "List what is trusted" },
	{ "remove", "DIR", OPTION_TEXT, offsetof(struct trust_config, remove),
	  "Do not trust it any more" },
	{ "yes", NULL, OPTION_FLAG, offsetof(struct trust_config, yes),
	  "Do not ask" },
	OPTION_HELP,
	OPTIONS_END,
};

/* What a stranger wrote, to its end: a yes is for all of it. */
static void say(const char *label, struct str text, struct str origin)
{
	auto_screen s = screen_begin(SCREEN_TEXT);

	screen_print(&s, INK_PLAIN, "  %-12s ", label);
	screen_name(&s, INK_PLAIN, text);
	screen_print(&s, INK_PLAIN, "  (" STR_FMT ")\n", STR_ARG(origin));
	(void)screen_end(&s);
}

static void show(const struct config_file *file)
{
	if (file->has_mode)
		say("mode", str_of(mode_name(file->mode)), file->path);
	for (size_t i = 0; i < file->rule_count; i++)
		if (file->rules[i].verdict == VERDICT_ALLOW)
			say("allow", file->rules[i].text,
			    file->rules[i].origin);
	if (file->history.has_off)
		say("history", file->history.off ? STR("off") : STR("on"),
		    file->path);
	if (file->history.max_age_days || file->history.max_bytes)
		say("history", STR("keeps less"), file->path);
	for (size_t i = 0; i < file->hook_count; i++)
		say(file->hooks[i].after ? "after_edit" : "before_edit",
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

/* What was trusted before and is not in the file any more: it forbade. */
static void show_gone(const struct trust *trust, struct str dir,
		      const struct config_file *now, struct arena *mem)
{
	const struct trusted *row = trust_find(trust, dir);

	for (size_t i = 0; row && i < row->hook_count; i++)
		if (!has_hook(now, &row->hooks[i], mem))
			say("gone", row->hooks[i].command,
			    STR("a before_edit hook that you trusted"));
}

/* The file has nothing to trust any more, or there is none. */
static enum err go_without(const struct trust_config *config,
			   struct trust *trust, struct str dir,
			   struct arena *mem, struct fault *f)
{
	const struct config_file none = { 0 };
	enum err e = person_check_here("trust", mem, f);

	if (e)
		return e;
	screen_say("You trusted " STR_FMT " as it was before.\n",
		   STR_ARG(trust_project_path(dir, mem)));
	show_gone(trust, dir, &none, mem);
	if (!config->yes && !prompt_yes("Go on without that?"))
		return fail(f, ERR_REFUSED,
			    .text = trust_project_path(dir, mem));
	(void)trust_drop(trust, dir);
	return trust_save(trust, mem, f);
}

static enum err add(const struct trust_config *config, const char *name,
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
		screen_say(STR_FMT " only narrows what is allowed: there is "
				   "nothing to trust.\n",
			   STR_ARG(path));
		return trust_find(&trust, dir)
			       ? go_without(config, &trust, dir, mem, f)
			       : ERR_OK;
	}
	file.digest = trust_digest(text, mem);
	screen_say(STR_FMT " wants to have:\n", STR_ARG(path));
	show(&file);
	show_gone(&trust, dir, &file, mem);
	e = person_check_here("trust", mem, f);
	if (e)
		return e;
	if (!config->yes &&
	    !prompt_yes("Trust it, as long as the file stays as it is?"))
		return fail(f, ERR_REFUSED, .text = path);
	/* what was shown is what is noted, whatever the file is by now */
	row = trust_row(dir, &file, mem);
	trust_set(&trust, &row, mem);
	e = trust_save(&trust, mem, f);
	if (!e)
		screen_say("Trusted. 'stet trust --remove " STR_FMT
			   "' takes it back.\n",
			   STR_ARG(dir));
	return e;
}

/*
 * A trusted before_edit hook that was lost forbids: to take the trust back ends
 * that too, so it needs a person, as trusting does.
 */
static enum err take_back(const char *name, struct arena *mem, struct fault *f)
{
	struct trust trust;
	enum err e = trust_load(mem, &trust, f);

	if (e)
		return e;
	/* one that is gone by now goes by the name it had */
	if (!trust_drop(&trust, real_directory(name, mem)) &&
	    !trust_drop(&trust, str_of(name)))
		return fail(f, ERR_BAD_ARGS,
			    .text = arena_printf(mem, "%s is not trusted",
						 name));
	e = person_check_here("trust", mem, f);
	return e ? e : trust_save(&trust, mem, f);
}

static enum err list(struct arena *mem, struct fault *f)
{
	struct trust trust;
	enum err e = trust_load(mem, &trust, f);
	struct str text;

	for (size_t i = 0; !e && i < trust.count; i++) {
		const struct trusted *row = &trust.rows[i];
		bool same = !trust_read_project(row->dir, mem, &text, f) &&
			    str_eq(trust_digest(text, mem), row->digest);

		screen_say(STR_FMT "%s\n", STR_ARG(row->dir),
			   same ? "" : "  (changed since: not trusted)");
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
	if (config.list)
		e = list(&mem, &f);
	else if (config.remove)
		e = take_back(config.remove, &mem, &f);
	else if (line->argc - line->at != 1)
		e = fail(&f, ERR_BAD_ARGS, .text = STR("which DIR?"));
	else
		e = add(&config, line->argv[line->at], &mem, &f);
	return e ? command_misused(command, &f) : 0;
}

const struct command command_trust = {
	.name = "trust",
	.usage = "[--yes] DIR | --list | --remove DIR",
	.summary = "Let a project's own settings allow things and run hooks",
	.about =
		"The settings of a project, DIR/.stet/config.json, can narrow what is allowed.\n"
		"What widens it (mode, allow, hooks, history) counts only when you trust it:\n"
		"this shows what that would be, and notes the file as it is now. When the\n"
		"file changes, it must be trusted anew; until then changes that its before_edit\n"
		"hooks would have judged are refused.",
	.options = options,
	.run = trust,
};
