/*
 * screen.h - the one way in which commands write to stdout and stderr.
 *
 * Names and texts come from files, clients and settings of strangers, so
 * everything goes through text/display/visible.h: no character in it moves the cursor,
 * hides or turns around other text. A name stays on its line, also in a pipe.
 * Exact are only JSON, which on a terminal has the same characters as escapes,
 * and in a pipe a patch and the bytes of a file. dev/check-banned sees to it
 * that no other file here prints.
 */
#ifndef STET_SCREEN_H
#define STET_SCREEN_H

#include "base/buf.h"

/* How a screen is shown at the end. */
enum screen_kind {
	SCREEN_PAGED, /* text: through a pager where there is a terminal */
	SCREEN_TEXT,  /* text: at once */
	SCREEN_JSON,
	SCREEN_BYTES, /* of a file or a patch: exact unless on a terminal */
};

/* The output of a command, collected in a buffer. */
struct screen {
	struct buf out; /* JSON and bytes are put here directly */
	enum screen_kind kind;
	bool terminal, colour;
};

#define auto_screen cleanup(screen_free) struct screen

enum ink {
	INK_PLAIN,
	INK_DIM,
	INK_BOLD,
	INK_RED,
	INK_GREEN,
	INK_YELLOW,
	INK_CYAN
};

/* Columns of the terminal on standard output, within reason; else 79. */
size_t screen_width(void);

/* Depends on standard output, $TERM and $NO_COLOR. */
struct screen screen_begin(enum screen_kind kind);

/* Text of several lines; a name, which stays on its line. */
void screen_text(struct screen *s, enum ink ink, struct str text);
void screen_name(struct screen *s, enum ink ink, struct str name);

/* visible_print(): every %s is a name, only the format has line ends. */
void screen_print(struct screen *s, enum ink ink, const char *format, ...)
	prints(3, 4);

/* A unified diff; one of @parts hunks that can be chosen, with their numbers. */
void screen_diff(struct screen *s, struct str diff);
void screen_hunks(struct screen *s, struct str diff, size_t parts);

/* Show it all; the exit status, not 0 when it could not be written. */
int screen_end(struct screen *s);
void screen_free(struct screen *s);

/* At once, to stdout and to stderr; as screen_print(). */
void screen_say(const char *format, ...) prints(1, 2);
void screen_warn(const char *format, ...) prints(1, 2);

/* The same of text that has several lines. */
void screen_warn_text(struct str text);

/* JSON at once, to stdout; the exit status. */
int screen_json(struct str json);

/* A bar on standard error, if that is a terminal; @done == @total ends it. */
void screen_progress(void *words, uint64_t done, uint64_t total);

/* Clear the current line of a terminal on stderr. */
void screen_clear_line(void);

#endif
