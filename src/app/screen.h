/*
 * screen.h - what a command has to show, on a terminal or in a file.
 *
 * Written into a buffer, and shown at the end: through a pager and in colour
 * on a terminal, plainly anywhere else. Text of files and names goes through
 * screen_text(): on a terminal no control character in it comes through, as
 * those could make it show anything.
 */
#ifndef STET_SCREEN_H
#define STET_SCREEN_H

#include "base/buf.h"

struct screen {
	struct buf out;
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

/* Looks at standard output, $TERM and $NO_COLOR. */
struct screen screen_begin(void);

void screen_text(struct screen *s, enum ink ink, struct str text);
void screen_print(struct screen *s, enum ink ink, const char *format, ...)
	prints(3, 4);

/* A unified diff. */
void screen_diff(struct screen *s, struct str diff);

/* Show it all; the exit status, not 0 when it could not be written. */
int screen_end(struct screen *s);
void screen_free(struct screen *s);

/* A bar on standard error, if that is a terminal; @done == @total ends it. */
void screen_progress(void *words, uint64_t done, uint64_t total);

#endif
