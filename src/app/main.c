/*
 * stet - the file server for coding agents.
 *
 * Finds the command's row and runs it; everything else is in the commands.
 */

#include "app/command.h"
#include "app/screen.h"
#include "base/log.h"
#include "text/visible.h"
#include "tools/args.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

static const struct command *const commands[] = {
#define GROUP(title)
#define COMMAND(name) &command_##name,
#include "app/commands.def"
#undef COMMAND
#undef GROUP
};

/* The same with titles between them, for the help. */
static const struct {
	const char *title; /* NULL for a command */
	const struct command *command;
} help_rows[] = {
#define GROUP(title)  { title, NULL },
#define COMMAND(name) { NULL, &command_##name },
#include "app/commands.def"
#undef COMMAND
#undef GROUP
};

static const char examples[] =
	"\nExamples:\n"
	"  $ stet demo\n"
	"  $ stet serve --http 127.0.0.1:7717 ~/project\n"
	"  $ stet open\n"
	"  $ stet log\n"
	"  $ stet undo --dry-run\n\n";

static void show(int fd, struct str text)
{
	auto_screen s = screen_begin(SCREEN_TEXT);

	if (fd == STDERR_FILENO) {
		screen_warn_text(text);
		return;
	}
	screen_text(&s, INK_PLAIN, text);
	(void)screen_end(&s);
}

int command_misused(const struct command *c, const struct fault *f)
{
	auto_buf out = BUF_INIT;

	fault_say(f, &out);
	screen_warn("stet %s: " STR_FMT "\n", c->name, STR_ARG(buf_str(&out)));
	/* with a reason the words were right, and help has no better ones */
	if (f->err == ERR_BAD_ARGS && !f->reason)
		screen_warn("Try 'stet %s --help'.\n", c->name);
	return f->err == ERR_BAD_ARGS ? EXIT_USAGE : err_exit(f->err);
}

int command_help(const struct command *c)
{
	const size_t width = screen_width();
	auto_buf out = BUF_INIT, usage = BUF_INIT;

	buf_addf(&usage, "Usage: stet %s %s", c->name, c->usage);
	options_wrap(&out, buf_str(&usage), 2, width);
	buf_addc(&out, '\n');
	options_reflow(&out, str_of(c->about), width);
	if (c->argument_count)
		buf_lit(&out, "\nArguments:\n");
	options_help(c->options, c->argument_count, width, &out);
	buf_lit(&out, "\nOptions:\n");
	options_help(c->options + c->argument_count, SIZE_MAX, width, &out);
	if (c->examples)
		buf_addf(&out, "\nExamples:\n%s", c->examples);
	show(STDOUT_FILENO, buf_str(&out));
	return 0;
}

bool command_options(const struct command *c, struct command_line *line,
		     void *config, struct arena *mem, int *status)
{
	const bool *help = config;
	struct fault f;

	if (options_read(c->options, config, line, mem, &f)) {
		*status = command_misused(c, &f);
		return false;
	}
	if (*help) {
		*status = command_help(c);
		return false;
	}
	return true;
}

static int usage(int fd)
{
	enum { COLUMN = 13 };
	const size_t width = screen_width();
	auto_buf out = BUF_INIT;

	buf_lit(&out, "stet - the file server for coding agents\n\n"
		      "Usage: stet COMMAND [OPTION...]\n");
	for (size_t i = 0; i < COUNT_OF(help_rows); i++) {
		const struct command *c = help_rows[i].command;

		if (!c) {
			buf_addf(&out, "\n%s\n", help_rows[i].title);
			continue;
		}
		buf_addf(&out, "  %-*s", COLUMN - 2, c->name);
		options_wrap(&out, str_of(c->summary), COLUMN, width);
	}
	buf_add(&out, str_of(examples));
	options_wrap(&out,
		     STR("'stet COMMAND --help' tells more of each, 'stet "
			 "--version' which one this is. Documents that "
			 "messages name, such as docs/approvals.md, are in "
			 "share/doc/stet where stet is installed "
			 "(/usr/local/share/doc/stet); 'man stet' is the "
			 "manual."),
		     0, width);
	show(fd, buf_str(&out));
	return fd == STDOUT_FILENO ? 0 : EXIT_USAGE;
}

static int unknown_command(const char *name)
{
	const char *names[COUNT_OF(commands) + 2], *near;

	for (size_t i = 0; i < COUNT_OF(commands); i++)
		names[i] = commands[i]->name;
	names[COUNT_OF(commands)] = "--help";
	names[COUNT_OF(commands) + 1] = "--version";
	near = args_nearest(str_of(name), names, COUNT_OF(names));
	if (near)
		screen_warn("stet: unknown command '%s' (did you mean '%s'?)\n",
			    name, near);
	else
		screen_warn("stet: unknown command '%s'\nTry 'stet --help'.\n",
			    name);
	return EXIT_USAGE;
}

static int help_of(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(commands); i++)
		if (!strcmp(name, commands[i]->name))
			return command_help(commands[i]);
	return unknown_command(name);
}

/*
 * A descriptor that was closed by whoever started us would be given to the
 * next file we open, and what is meant for the person would end up in there.
 */
static void fill_gaps(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		(void)close(fd);
}

int main(int argc, char **argv)
{
	struct command_line line = { argc, argv, 2 };
	struct str word;

	fill_gaps();
	log_spell_with(visible_line);
	/* Past a limit on file sizes there is an error to tell, not a death. */
	(void)signal(SIGXFSZ, SIG_IGN);
	/* Ignored by whoever started us, it would hide how hooks end. */
	(void)signal(SIGCHLD, SIG_DFL);
	if (argc < 2)
		return usage(STDERR_FILENO);
	word = str_of(argv[1]);
	if (str_is(word, "--help") || str_is(word, "-h") ||
	    (str_is(word, "help") && argc < 3))
		return usage(STDOUT_FILENO);
	if (str_is(word, "help")) /* "help COMMAND" is "COMMAND --help" */
		return help_of(argv[2]);
	if (str_is(word, "--version")) {
		screen_say("stet %s\n", STET_VERSION);
		return 0;
	}
	for (size_t i = 0; i < COUNT_OF(commands); i++)
		if (str_is(word, commands[i]->name))
			return commands[i]->run(commands[i], &line);
	return unknown_command(argv[1]);
}
