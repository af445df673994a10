/*
 * grant_words.h - what a grant covers, in words.
 *
 * One place for all who show a grant, before it is given or after: the page,
 * the command line and a client's own dialog. So none of them can say less
 * than what is granted.
 */
#ifndef STET_GRANT_WORDS_H
#define STET_GRANT_WORDS_H

#include "store/approvals.h"

/* The parts of "change every file in src/ · codex · until you revoke it". */
struct grant_words {
	struct str files;  /* "change every file in src/" */
	struct str client; /* "codex", "codex (as it calls itself)" */
	struct str ends;   /* "until you revoke it" */
	struct str except; /* "but no sensitive file"; "" = not needed */
};

/*
 * Paths are shown from @base on (see grant_base()), and in full where they do
 * not lie beneath it. @until is when the grant ends, in the reader's own way of
 * writing a time; "" where g->until_ms is 0.
 */
void grant_words(const struct grant *g, struct str base, struct str until,
		 struct arena *mem, struct grant_words *ret);

/* The parts that are not empty, with " · " between them. */
struct str grant_sentence(const struct grant_words *w, struct arena *mem);

/*
 * Where to begin with paths of @root when these are the roots: at the only
 * one, or before the name of one of several; "" for a root of others.
 */
struct str grant_base(struct str root, const struct str *roots, size_t n,
		      struct arena *mem);

/*
 * Does it cover whatever is in the root? Then the person is asked again, with
 * the reach spelled out, before it is given.
 */
bool grant_is_widest(const struct grant *g);

/* How it was given: "on the page", "on the command line" ... */
const char *grant_given(const struct grant *g);

#endif
