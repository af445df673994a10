/*
 * path_glob.h - globs for whole relative paths, as in Node's minimatch with the
 * option dot, which the reference filesystem server uses.
 *
 *	?          one character
 *	*          any characters of one component
 *	**         as a component: any number of components, at the end at least
 *	           one
 *	[a-z]      one of these; [!a] and [^a] one of the others; [[:alpha:]]
 *	{a,b}      brace expansion (brace.h), before anything else
 *	!PATTERN   in front: what does not match; each further "!" negates again
 *	#...       in front: a comment, which matches nothing
 *	\x         x itself
 *
 * A pattern is matched against all of a path, never against its last component
 * alone. Names that begin with a dot are not special. The work of a match is
 * bounded by the lengths of pattern and path: nothing backtracks over "**".
 */
#ifndef STET_PATH_GLOB_H
#define STET_PATH_GLOB_H

#include "base/arena.h"

struct path_glob {
	bool negated;
	bool nothing; /* a comment or an empty pattern: matches no path */
	const struct path_glob_choice *choice; /* the expansions */
	size_t count;
};

/*
 * NULL, or why @pattern cannot be used: an extended glob such as +(a|b), too
 * long, or too many alternatives. Allocates from @mem, and refers to @pattern.
 */
must_check const char *path_glob_parse(struct arena *mem, struct str pattern,
				       struct path_glob *ret);

/* Does the relative path @path match? */
bool path_glob_matches(const struct path_glob *glob, struct str path);

#endif
