/*
 * failed_match.h - candidates for a string that an edit did not find exactly
 * once.
 */
#ifndef STET_FAILED_MATCH_H
#define STET_FAILED_MATCH_H

#include "base/err.h"
#include "text/match/candidates.h"

/* Limit of each form, in bytes: about 400 tokens. */
enum { FAILED_MATCH_ROOM = 1600 };

/*
 * If *@f says that f->text (the old string) is not in @text, or several times:
 * fill in f->candidates, a JSON array of {line, similarity, text, differs}, best
 * first, and f->nearest, the same as text.
 */
void failed_match_explain(struct str text, struct arena *mem, struct fault *f);

/* The same with these candidates. */
void failed_match_tell(const struct candidate *candidates, size_t n,
		       struct arena *mem, struct fault *f);

#endif
