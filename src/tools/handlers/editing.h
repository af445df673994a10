/*
 * editing.h - shared by the edit tools: replace strings in a file and leave
 * every other byte as it is.
 */
#ifndef STET_EDITING_H
#define STET_EDITING_H

#include "text/edit/edit.h"
#include "text/match/lenient.h"
#include "tools/reading/textfile.h"

struct edit_want {
	struct str path;
	const struct edit *edits;
	size_t n;
	bool lenient; /* a string that is not there exactly: see lenient.h */
	bool dry_run; /* write nothing, ask nothing */
	bool obeys_ignore; /* ERR_IGNORED for an excluded file */
};

struct edited {
	struct str diff;           /* unified, or "" when nothing changed */
	struct edit_range *ranges; /* one for each edit */
	struct textfile file;      /* before the edits */
	struct str text;           /* afterwards */
	enum lenient_rule rule;    /* of the last edit that needed one */
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

/*
 * Replace parts of the text of ret->file, which is loaded; @text is the result.
 * The splices are ascending and not adjacent. ret->ranges is not set.
 */
must_check enum err edit_splices(struct call *c, struct str path,
				 const struct splice *splices, size_t n,
				 struct str text, struct edited *ret);

/*
 * The same without the diff, also for no edits at all. ret->applied counts all
 * edits.
 */
must_check enum err edit_make(struct call *c, const struct edit_want *want,
			      struct edited *ret);

/* Drop the index of the edit from the error of a single edit. */
enum err edit_without_index(struct fault *f, enum err e);

/* A string for a message: cut if it is very long. */
struct str edit_quote(struct call *c, struct str text);

#endif
