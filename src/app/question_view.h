/*
 * question_view.h - a question on a terminal.
 *
 * The whole change is shown; where something is left out, the output says so.
 */
#ifndef STET_QUESTION_VIEW_H
#define STET_QUESTION_VIEW_H

#include "app/screen.h"
#include "store/approvals.h"

/* Prints a row "name     value", or nothing when @value is "". */
void question_view_row(struct screen *s, const char *name, struct str value);

/* Rows for mode, encoding and the like, and the number of changed lines. */
void question_view_facts(struct screen *s, const struct approval *a,
			 struct arena *mem);

/* The diff, or that it is too large. @cut = its end is not stored any more. */
void question_view_change(struct screen *s, const struct approval *a, bool cut,
			  struct arena *mem);

/* Loads a stored text of a question completely, chunk by chunk. */
must_check enum err question_view_text(struct store *store, struct uuid id,
				       enum approval_text which,
				       struct buf *out, struct fault *f);

#endif
