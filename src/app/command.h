/*
 * command.h - a command of the program: one table row each.
 */
#ifndef STET_COMMAND_H
#define STET_COMMAND_H

#include "app/options.h"
#include "app/version.h" /* made by meson from the version of the project */

enum { EXIT_USAGE = 2 };

struct command {
	const char *name;
	const char *usage;    /* words after the name, for --help */
	const char *summary;  /* one line for `stet help` */
	const char *about;    /* the rest of its --help */
	const char *examples; /* lines of its --help, or NULL */
	const struct option *options;
	size_t argument_count; /* leading options that are a tool's arguments */
	bool lists_exits;      /* --help has the table of exit statuses */
	/* @line is positioned at the first word after the name. */
	int (*run)(const struct command *, struct command_line *);
};

#define GROUP(title)
#define COMMAND(name) extern const struct command command_##name;
#include "app/commands.def"
#undef COMMAND
#undef GROUP

/* Prints a usage error to stderr and returns the exit status. */
int command_misused(const struct command *c, const struct fault *f);

/* Prints a usage error that names an argument too many; the exit status. */
int command_surplus(const struct command *c, const char *word);

/* The same if more than @most words are left; else returns 0. */
must_check int command_at_most(const struct command *c,
			       const struct command_line *line, int most);

/* Prints the --help of a command and returns 0. */
int command_help(const struct command *c);

/*
 * Reads the command's options into @config. False = the command is done with
 * exit status @status: --help was given, or an option is wrong. Every config
 * struct starts with a bool for --help.
 */
bool command_options(const struct command *c, struct command_line *line,
		     void *config, struct arena *mem, int *status);

#define OPTION_HELP                                                     \
	{                                                               \
		"help", NULL, OPTION_FLAG, 0, "Show this help and exit" \
	}

#endif
