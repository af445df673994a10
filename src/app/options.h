/*
 * options.h - the command line, from tables.
 *
 * A row says what an option is called, what it takes and where it goes; from
 * the same row come parsing, --help and the manual. An unknown
 * option is refused, with the most similar known one as a suggestion.
 */
#ifndef STET_OPTIONS_H
#define STET_OPTIONS_H

#include "base/err.h"

enum option_type {
	OPTION_FLAG,    /* bool */
	OPTION_TEXT,    /* const char * */
	OPTION_SIZE,    /* uint64_t, with k, m or g */
	OPTION_SECONDS, /* uint64_t, up to a week */
	OPTION_CHOICE,  /* int: index into choices */
	OPTION_LIST,    /* struct option_list: may be repeated */
};

/* What stands before the name of an option on the command line. */
static inline const char *option_dashes(const char *name)
{
	return name[0] == '-' ? "" : "--";
}

struct option_list {
	const char **items;
	size_t count;
};

struct option {
	const char *name;  /* without "--"; "-A" has its dash */
	const char *value; /* what it takes, for --help; NULL for a flag */
	enum option_type type;
	size_t offset;
	const char *help;
	const char *const *choices; /* ends with NULL */
};

#define OPTIONS_END \
	{           \
		0   \
	}

struct command_line {
	int argc;
	char **argv;
	int at; /* index of the next word */
};

/*
 * Reads options into @config, up to "--" if there is one. Options may stand
 * between other words; afterwards argv[at] is the first of those words.
 * ERR_BAD_ARGS says what is wrong with an option.
 */
must_check enum err options_read(const struct option *table, void *config,
				 struct command_line *line, struct arena *mem,
				 struct fault *f);

/* The first @most rows for --help, in lines of @width columns. */
void options_help(const struct option *table, size_t most, size_t width,
		  struct buf *out);

/* Wraps @text at @width; all lines but the first are indented to @column. */
void options_wrap(struct buf *out, struct str text, size_t column,
		  size_t width);

/*
 * Rewraps paragraphs at @width. An empty line ends a paragraph; a line that
 * begins with a blank is copied unchanged.
 */
void options_reflow(struct buf *out, struct str text, size_t width);

#endif
