/*
 * loose_indent.h - lines that are there, all shifted alike. Only for loose.c.
 */
#ifndef STET_LOOSE_INDENT_H
#define STET_LOOSE_INDENT_H

#include "base/arena.h"
#include "base/buf.h"

enum shift_kind {
	SHIFT_NONE,
	SHIFT_ADD,    /* the text has @blanks more in front of each line */
	SHIFT_DROP,   /* and fewer */
	SHIFT_TABS,   /* it has a tab for each @unit spaces */
	SHIFT_SPACES, /* and so many spaces for each tab */
};

struct shift {
	enum shift_kind kind;
	struct str blanks;
	size_t unit;
};

struct shifted {
	size_t from, to; /* bytes of the text */
	struct shift shift;
};

/*
 * Where the lines of @old are in @text, shifted. Returns how many such places
 * there are: 0, 1, or 2 for more, or for what takes too long to tell.
 */
size_t shift_find(struct str text, struct str old, struct arena *mem,
		  struct shifted *ret);

/* Add @line shifted to @out; false when it cannot be. */
must_check bool shift_line(const struct shift *s, struct str line,
			   struct buf *out);

#endif
