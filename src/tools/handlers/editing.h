/*
 * editing.h - shared by the edit tools: replace strings in a file and leave
 * every other byte as it is.
 */
#ifndef STET_EDITING_H
#define STET_EDITING_H

#include "text/edit/edit.h"
#include "tools/reading/textfile.h"

struct edited {
	struct str diff;           /* unified, or "" when nothing changed */
	struct edit_range *ranges; /* one for each edit */
	size_t applied; /* fewer than all if only some hunks were approved */
	struct file_meta meta;
};

/*
 * Load, apply all @n edits or none, store, and make the diff. Also fills in the
 * members of @c for events.
 */
must_check enum err edit_file(struct call *c, struct str path,
			      const struct edit *edits, size_t n,
			      struct edited *ret);

/* Drop the index of the edit from the error of a single edit. */
enum err edit_without_index(struct fault *f, enum err e);

/* A string for a message: cut if it is very long. */
struct str edit_quote(struct call *c, struct str text);

#endif
