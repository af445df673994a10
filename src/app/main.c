/*
 * main.c - the program's entry: finds the command's row and runs it.
 *
 * Also prints the help, and repairs what the parent process may have left
 * closed or ignored (descriptors 0 to 2, signals).
 */
#include "app/command.h"
#include "app/screen.h"
#include "base/log.h"
#include "text/display/visible.h"
#include "tools/call/args.h"

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

/* The commands in groups, for `stet help`. */
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

static void main_show_help(int fd, struct str text)
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

	fault_add_message(f, &out);
	screen_warn("stet %s: " STR_FMT "\n", c->name, STR_ARG(buf_str(&out)));
	/* a fault with a reason is not about usage: no hint at --help */
	if (f->err == ERR_BAD_ARGS && !f->reason)
		screen_warn("Try 'stet %s --help'.\n", c->name);
	return f->err == ERR_BAD_ARGS ? EXIT_USAGE : err_exit(f->err);
}

static void warn_surplus(const char *name, const char *word)
{
	screen_warn("stet%s%s: unexpected argument '%s'\n"
		    "Try 'stet %s%s--help'.\n",
		    *name ? " " : "", name, word, name, *name ? " " : "");
}

int command_surplus(const struct command *c, const char *word)
{
	warn_surplus(c->name, word);
	return EXIT_USAGE;
}

int command_at_most(const struct command *c, const struct command_line *line,
		    int most)
{
	if (line->argc - line->at <= most)
		return 0;
	return command_surplus(c, line->argv[line->at + most]);
}

static void add_exit_statuses(struct buf *out, size_t width)
{
	enum { COLUMN = 6 };

	buf_lit(out, "\nExit status:\n");
	for (size_t i = 0; i < err_exit_statuses_count; i++) {
		const struct err_exit_status *row = &err_exit_statuses[i];

		buf_addf(out, "  %-*d", COLUMN - 2, row->status);
		options_wrap(out, str_of(row->meaning), COLUMN, width);
	}
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
	if (c->lists_exits)
		add_exit_statuses(&out, width);
	if (c->examples)
		buf_addf(&out, "\nExamples:\n%s", c->examples);
	main_show_help(STDOUT_FILENO, buf_str(&out));
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
		     STR("'stet COMMAND --help' explains a command, 'stet "
			 "--version' prints the version, 'man stet' is the "
			 "manual. Exit statuses are listed by 'stet call "
			 "--help'. Documents that messages name, such as "
			 "docs/approvals.md, are in share/doc/stet where stet "
			 "is installed (/usr/local/share/doc/stet)."),
		     0, width);
	main_show_help(fd, buf_str(&out));
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
 * If the parent closed descriptor 0, 1 or 2, the next file opened would get that
 * number and messages would be written into that file: open /dev/null there.
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

/* The words that are not commands: help, -h, --help and --version. */
static int run_word(struct str word, const struct command_line *line)
{
	bool help = str_is(word, "help");
	bool help_option = str_is(word, "--help") || str_is(word, "-h");
	bool version = str_is(word, "--version");
	int most = help ? 1 : 0, words = line->argc - line->at;

	if (!help && !help_option && !version)
		return unknown_command(line->argv[1]);
	if (words > most) {
		warn_surplus("", line->argv[line->at + most]);
		return EXIT_USAGE;
	}
	if (words) /* "help COMMAND" is "COMMAND --help" */
		return help_of(line->argv[line->at]);
	if (!version)
		return usage(STDOUT_FILENO);
	screen_say("stet %s\n", STET_VERSION);
	return 0;
}

int main(int argc, char **argv)
{
	struct command_line line = { argc, argv, 2 };
	struct str word;

	fill_gaps();
	log_set_escape(visible_line);
	/* A file size limit becomes an EFBIG error instead of a signal. */
	(void)signal(SIGXFSZ, SIG_IGN);
	/* If the parent ignored SIGCHLD, waitpid() could not tell how hooks ended. */
	(void)signal(SIGCHLD, SIG_DFL);
	if (argc < 2)
		return usage(STDERR_FILENO);
	word = str_of(argv[1]);
	for (size_t i = 0; i < COUNT_OF(commands); i++)
		if (str_is(word, commands[i]->name))
			return commands[i]->run(commands[i], &line);
	return run_word(word, &line);
}
