/*
 * editing.h - what the edit tools share: change some strings of a file and
 * leave every other byte as it is.
 */
#ifndef STET_EDITING_H
#define STET_EDITING_H

#include "text/edit.h"
#include "tools/textfile.h"

struct edited {
	struct str diff;           /* unified, or "" when nothing changed */
	struct edit_range *ranges; /* one for each edit */
	size_t applied; /* all, unless the person took only some hunks */
	struct file_meta meta;
};

/*
 * Load, apply all @n edits or none, store, and describe. Also fills in what
 * events want to know of the call.
 */
must_check enum err edit_file(struct call *c, struct str path,
			      const struct edit *edits, size_t n,
			      struct edited *ret);

/* With a single edit nobody needs to be told which one it was. */
enum err edit_without_index(struct fault *f, enum err e);

/* A string as a message may carry it: whole, unless it is very long. */
struct str edit_quote(struct call *c, struct str text);

#endif
