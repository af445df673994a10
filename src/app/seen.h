/*
 * seen.h - what a terminal shows of a question: all of it, or the truth about
 * what it leaves out.
 */
#ifndef STET_SEEN_H
#define STET_SEEN_H

#include "app/screen.h"
#include "store/approvals.h"

/* A row "name     value"; nothing when @value is "". */
void seen_row(struct screen *s, const char *name, struct str value);

/* Rows for what no line of the diff shows, and how many lines it has. */
void seen_facts(struct screen *s, const struct approval *a, struct arena *mem);

/* The diff, or that it is too large. @cut: its end is not kept any more. */
void seen_change(struct screen *s, const struct approval *a, bool cut,
		 struct arena *mem);

/* A text of a question to its end, piece by piece. */
must_check enum err seen_text(struct store *store, struct uuid id,
			      enum approval_text which, struct buf *out,
			      struct fault *f);

#endif
