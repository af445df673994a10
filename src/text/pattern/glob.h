/*
 * glob.h - match a path against a glob pattern.
 *
 *	?        one character other than "/"
 *	*        any number of characters other than "/"
 *	**       any number of characters
 *	[a-z!]   one of these; [!a-z] and [^a-z] one of the others; never "/"
 *	[[:alpha:]]  and other POSIX classes, with GLOB_GIT
 *	{a,b}    either alternative, with GLOB_BRACES; may be nested
 *	{3..7}   a number in this range, with GLOB_BRACES
 *	\x       x itself
 *
 * With GLOB_GIT "**" has this meaning only as a whole component of the path,
 * and an unterminated set matches nothing, as in git.
 */
#ifndef STET_GLOB_H
#define STET_GLOB_H

#include "base/str.h"

enum {
	GLOB_BRACES = 1,
	GLOB_GIT = 2,
	GLOB_CASELESS = 4, /* ignore the case of ASCII letters */
	/* over the step limit a pattern matches: for rules that forbid */
	GLOB_FAIL_CLOSED = 8,
};

/*
 * @path is relative, as "src/main.c". The number of steps is bounded; over the
 * limit a pattern does not match, unless GLOB_FAIL_CLOSED is given.
 */
bool glob_match(struct str pattern, struct str path, unsigned flags);

/*
 * A step budget that many matches share: patterns come from files of a project,
 * and with enough stars each could cost a second.
 */
struct glob_budget {
	uint64_t steps; /* left; one takes a few nanoseconds */
	bool exhausted; /* a match was given up: results are not valid */
	bool (*stop)(void *ctx); /* polled; true ends the match; may be NULL */
	void *ctx;
};

/* Take @n steps; false when the budget is exhausted or stop() returned true. */
bool glob_spend(struct glob_budget *e, uint64_t n);

/* glob_match() that takes its steps from @budget, unless that is NULL. */
bool glob_match_within(struct str pattern, struct str path, unsigned flags,
		       struct glob_budget *budget);

/*
 * A pattern as .editorconfig and .gitattributes use it: without a "/" (other
 * than a final one) it is matched against the last component of the path;
 * otherwise against the path relative to the directory of the pattern's file.
 * @budget may be NULL.
 */
bool glob_match_file(struct str pattern, struct str path, unsigned flags,
		     struct glob_budget *budget);

#endif
