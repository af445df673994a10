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
 * The diff, at most 16 KiB of it and then a line that says how much is
 * missing. Sets question.whole and question.parts of @c, and *@cut, of which
 * some hunks can be taken.
 */
struct str shown_change(struct call *c, const struct deed_facts *facts,
			struct cut *cut);

/* The line that says how much of the diff is missing; "" = nothing is. */
struct str question_rest(struct str diff);

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
