/*
 * options.h - the command line, from tables.
 *
 * A row says what an option is called, what it takes and where it goes; from
 * the same row come parsing, --help and the manual. An option that is not
 * known is refused with the nearest one that is.
 */
#ifndef STET_OPTIONS_H
#define STET_OPTIONS_H

#include "base/err.h"

enum option_type {
	OPTION_FLAG,    /* bool */
	OPTION_TEXT,    /* const char * */
	OPTION_SIZE,    /* uint64_t, with k, m or g */
	OPTION_SECONDS, /* uint64_t, up to a week */
	OPTION_CHOICE,  /* int: which of the choices */
	OPTION_LIST,    /* struct option_list: may be given again */
};

struct option_list {
	const char **items;
	size_t count;
};

struct option {
	const char *name;  /* without the dashes */
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
	int at; /* the next to look at */
};

/*
 * Read options into @config, up to "--" if there is one; they may stand
 * between the other words, which are argv[at] and on afterwards. ERR_BAD_ARGS
 * says what is wrong with one.
 */
must_check enum err options_read(const struct option *table, void *config,
				 struct command_line *line, struct arena *mem,
				 struct fault *f);

/* The first @most rows as --help shows them, in lines of @width. */
void options_help(const struct option *table, size_t most, size_t width,
		  struct buf *out);

/* The words of @text in lines that end before @width and, but for the first,
 * begin at @column. */
void options_wrap(struct buf *out, struct str text, size_t column,
		  size_t width);

/*
 * Paragraphs in lines of @width; an empty line ends one, and a line that
 * begins with a blank stays as it is.
 */
void options_reflow(struct buf *out, struct str text, size_t width);

#endif
