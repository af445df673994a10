/*
 * lenient_indent.h - find lines that all have the same difference in
 * indentation. Private to lenient.c and hunk_place.c.
 */
#ifndef STET_LENIENT_INDENT_H
#define STET_LENIENT_INDENT_H

#include "base/arena.h"
#include "base/buf.h"

enum shift_kind {
	SHIFT_NONE,
	SHIFT_ADD,    /* each line of the text has @blanks more */
	SHIFT_DROP,   /* each line of the text has @blanks less */
	SHIFT_TABS,   /* the text has a tab for @unit spaces */
	SHIFT_SPACES, /* the text has @unit spaces for a tab */
};

struct shift {
	enum shift_kind kind;
	struct str blanks;
	size_t unit;
};

struct shifted {
	size_t from, to; /* byte range in the text */
	struct shift shift;
};

/* A line, without its trailing blanks and line ending. */
struct indent_line {
	struct str indent, rest;
	size_t end;      /* offset in the text after @rest */
	size_t next;     /* offset of the next line */
	bool terminated; /* has a line ending */
};

struct indent_lines {
	struct indent_line *at;
	size_t count;
};

struct indent_lines shift_lines(struct str old, struct arena *mem);

/*
 * Are the lines of @old at @at, the start of a line of @text, with one shift?
 * *@steps counts the lines compared in a search; past a limit nothing is found.
 */
bool shift_at(struct str text, size_t at, const struct indent_lines *old,
	      size_t *steps, struct shifted *ret);

/*
 * Find the lines of @old in @text with one shift. Returns the number of places:
 * 0, 1, or 2 for several and for a search over its step limit.
 */
size_t shift_find(struct str text, struct str old, struct arena *mem,
		  struct shifted *ret);

/*
 * Add @line with the shift applied to @out; false when it lacks the blanks to
 * be replaced.
 */
must_check bool shift_line(const struct shift *s, struct str line,
			   struct buf *out);

#endif
