/*
 * glob.h - does a path fit a pattern?
 *
 *	?        one character, but not "/"
 *	*        any of them, but not "/"
 *	**       any of them
 *	[a-z!]   one of these; [!a-z] and [^a-z] one of the others; never "/"
 *	[[:alpha:]]  and the like, with GLOB_GIT
 *	{a,b}    either, with GLOB_BRACES; may hold patterns, also braces
 *	{3..7}   a number between, with GLOB_BRACES
 *	\x       x itself
 *
 * With GLOB_GIT "**" means that only as a whole part of the path (a, then
 * any directories, then b, is written a, two stars, b), and a set that does
 * not end fits nothing, as git has it.
 */
#ifndef STET_GLOB_H
#define STET_GLOB_H

#include "base/str.h"

enum {
	GLOB_BRACES = 1,
	GLOB_GIT = 2,
	GLOB_CASELESS = 4, /* letters of ASCII */
	GLOB_WARY = 8,     /* what takes too long to decide fits: to forbid */
};

/*
 * @path is relative, "src/main.c". Patterns that take too long to decide
 * (a bounded number of steps) fit nothing, unless GLOB_WARY is given.
 */
bool glob_match(struct str pattern, struct str path, unsigned flags);

/*
 * The work that many matches may take together: patterns come from files of
 * a project, and with enough stars in them each could cost a second.
 */
struct glob_effort {
	uint64_t steps; /* left; a step takes a few nanoseconds */
	bool exhausted; /* a match was given up: no answer counts */
	bool (*stop)(
		void *ctx); /* asked now and then; NULL = nobody stops it */
	void *ctx;
};

/* Take @n steps; false when they are used up, or when stop() says so. */
bool glob_spend(struct glob_effort *e, uint64_t n);

/* glob_match() on account of @effort, unless that is NULL. */
bool glob_match_within(struct str pattern, struct str path, unsigned flags,
		       struct glob_effort *effort);

/*
 * A pattern as .editorconfig and .gitattributes use it: without a "/" (but
 * for one at the end) it is for the last part of the path alone; otherwise
 * for the path from the directory where the file with the pattern is.
 * @effort may be NULL.
 */
bool glob_match_file(struct str pattern, struct str path, unsigned flags,
		     struct glob_effort *effort);

#endif
