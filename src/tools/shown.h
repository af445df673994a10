/*
 * shown.h - a change as the person is shown it who is asked.
 *
 * What is shown is what one who reads bytes would see, as far as nobody but a
 * project says what they are in; see encoding_text().
 */
#ifndef STET_SHOWN_H
#define STET_SHOWN_H

#include "tools/gate.h"
#include "tools/hunks.h"
#include "tools/rules.h"

/*
 * What of a change can be seen (docs/approvals.md tells these limits). A diff
 * within SHOWN_WHOLE is kept with the question to its end. Of a larger one
 * only its numbers are told, and both sides of the file are kept for the
 * person to open, if they are within SHOWN_SIDES together.
 */
enum { SHOWN_WHOLE = 4 << 20, SHOWN_SIDES = 64 << 20 };

/*
 * Fills in question.does, badges, diff, whole, texts, kept, added, removed
 * and parts of @c, and *@cut, of which some hunks can be taken. question.diff
 * is at most 16 KiB of the diff; the rest is in question.texts.
 */
void shown_change(struct call *c, const struct deed_facts *facts,
		  struct cut *cut);

/* "+5,000 -5,000 lines" */
struct str shown_counts(uint64_t added, uint64_t removed, struct arena *mem);

/* "too large to show: 5,000 lines" */
struct str shown_too_large(uint64_t added, uint64_t removed, struct arena *mem);

/*
 * What a diff does not show, one line each: what is done to the file beside
 * its lines, how many these are, encoding and line endings, look-alike
 * characters of the path, and that it is too large to be shown.
 */
struct str shown_facts(const struct question *q, struct arena *mem);

/* How many lines of the whole are not in its @head, to their end. */
size_t extent_lines_left(const struct extent *whole, struct str head);

/*
 * The size and the lines of the change, for the rules. Lines are those of the
 * text or of the bytes, whichever are more: a project that says what a file is
 * in does not decide how many lines it has.
 */
void shown_count(struct call *c, const struct deed_facts *facts,
		 struct deed *d);

#endif
