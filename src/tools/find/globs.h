/*
 * globs.h - the file patterns of one call: Glob's pattern, Grep's glob.
 *
 * Each part is a line as in .gitignore, with braces: without a slash it matches
 * a name at any depth, with one a path from the base directory; "!" leaves out,
 * and the last part that matches decides. If there is a part without "!", a
 * file must match one.
 */
#ifndef STET_GLOBS_H
#define STET_GLOBS_H

#include "base/err.h"
#include "text/pattern/ignore.h"

struct find_glob {
	struct ignore_rule rule;
	size_t dirs;       /* bytes of literal directories at its front */
	bool literal_last; /* its last component has a literal character */
};

struct find_globs {
	struct find_glob *part;
	size_t count;
	bool positive;     /* some part has no "!" */
	struct str *named; /* literal components of positive parts */
	size_t named_count;
};

/*
 * Parse @text, split at blanks and commas outside braces if @split is set.
 * ERR_BAD_GLOB for one that is malformed or can match nothing.
 */
must_check enum err find_globs_parse(struct str text, bool split,
				     struct arena *mem, struct find_globs *ret,
				     struct fault *f);

enum find_fit {
	FIND_NO_FIT,
	FIND_FITS,
	FIND_NAMED, /* fits a part that names files: found although ignored */
};

/* Does a file fit? @path is relative to the base directory. */
enum find_fit find_globs_fit(const struct find_globs *globs, struct str path,
			     struct glob_budget *budget);

/* Is the directory left out by a part with "!"? */
bool find_globs_prune(const struct find_globs *globs, struct str path,
		      struct glob_budget *budget);

/*
 * May the directory contain a file that fits, by the literal directories at the
 * front of the parts?
 */
bool find_globs_lead(const struct find_globs *globs, struct str path);

/* Is @name a literal component of a part without "!"? */
bool find_globs_name(const struct find_globs *globs, struct str name);

#endif
