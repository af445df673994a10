/*
 * diff.h - which lines differ between two texts.
 *
 * The result is a list of changes in ascending order, with at least one equal
 * line between any two: lines a to a + a_count of the old text (counted from 0)
 * became lines b to b + b_count of the new one.
 *
 * Cost is bounded. Past a limit the result is still correct, but no longer the
 * shortest. Texts over 256 KiB are first resynchronised (resync.h): a long run
 * of equal bytes ends a difference without a search for a better match. More
 * than 4 million lines between the first and the last difference become one
 * change.
 */
#ifndef STET_DIFF_H
#define STET_DIFF_H

#include "base/arena.h"
#include "text/edit/edit.h"

struct diff_change {
	size_t a, a_count;
	size_t b, b_count;
};

struct diff {
	struct str old_text, new_text;
	struct diff_change *changes;
	size_t count;
};

void diff_texts(struct str old_text, struct str new_text, struct arena *mem,
		struct diff *ret);

/*
 * The same for a @new_text made of @old_text by these splices: only the lines
 * around them are compared.
 */
void diff_splices(struct str old_text, struct str new_text,
		  const struct splice *splices, size_t n, struct arena *mem,
		  struct diff *ret);

/*
 * The changes as splices, one each, of @text: the old text, or one with the
 * same lines and other line endings.
 */
struct splice *diff_as_splices(const struct diff *diff, struct str text,
			       struct arena *mem);

#endif
