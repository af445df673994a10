/*
 * command.h - one command of the program, one row.
 */
#ifndef STET_COMMAND_H
#define STET_COMMAND_H

#include "app/options.h"

#define STET_VERSION "0.1.0"

enum { EXIT_USAGE = 2 };

struct command {
	const char *name;
	const char *usage;    /* what comes after the name */
	const char *summary;  /* one line */
	const char *about;    /* the rest of its --help */
	const char *examples; /* lines of its --help, or NULL */
	const struct option *options;
	size_t argument_count; /* how many of those are a tool's arguments */
	/* @line stands at the first word after the name. */
	int (*run)(const struct command *, struct command_line *);
};

#define GROUP(title)
#define COMMAND(name) extern const struct command command_##name;
#include "app/commands.def"
#undef COMMAND
#undef GROUP

/* Say on stderr what is wrong with the command line; the exit status. */
int command_misused(const struct command *c, const struct fault *f);

/* Print the --help of a command; exit status 0. */
int command_help(const struct command *c);

/*
 * Read the command's options into @config. True: go on. False: @status is
 * the exit status, because help was asked for or something is wrong; every
 * config starts with a bool for --help.
 */
bool command_options(const struct command *c, struct command_line *line,
		     void *config, struct arena *mem, int *status);

#define OPTION_HELP                                                \
	{                                                          \
		"help", NULL, OPTION_FLAG, 0, "Show this and exit" \
	}

#endif
