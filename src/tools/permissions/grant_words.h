/*
 * grant_words.h - describes what a grant covers, as text.
 *
 * Used wherever a grant is shown, before or after it is given: the page, the
 * command line and the dialog of a client. So none of them can show less than
 * what is granted.
 */
#ifndef STET_GRANT_WORDS_H
#define STET_GRANT_WORDS_H

#include "store/approvals.h"

/* The parts of "change every file in src/ · codex · until you revoke it". */
struct grant_words {
	struct str files;  /* "change every file in src/" */
	struct str client; /* "codex", "codex (declared name)" */
	struct str ends;   /* "until you revoke it" */
	struct str except; /* "but no sensitive file"; "" = not needed */
};

/*
 * Paths are relative to @base (see grant_base()), or absolute if they are not
 * beneath it. @until is the end of the grant, formatted by the caller; "" if
 * g->until_ms is 0.
 */
void grant_words(const struct grant *g, struct str base, struct str until,
		 struct arena *mem, struct grant_words *ret);

/* The parts that are not empty, with " · " between them. */
struct str grant_sentence(const struct grant_words *w, struct arena *mem);

/*
 * The base for paths in @root: the root itself if it is the only one, its parent
 * if there are several; "" if @root is not one of @roots.
 */
struct str grant_base(struct str root, const struct str *roots, size_t n,
		      struct arena *mem);

/*
 * Does it cover the whole root? Then the person has to confirm it, with the
 * reach spelled out.
 */
bool grant_is_widest(const struct grant *g);

/* Where it was given: "on the page", "on the command line" ... */
const char *grant_given(const struct grant *g);

#endif
