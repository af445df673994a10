/*
 * hunks.h - a change of which the person takes only some hunks.
 *
 * Hunks are those of the unified diff that the person was shown, numbered
 * from 1. What is written then is what was there, with the lines of the
 * chosen hunks in the place of theirs: lines of bytes, so that all others
 * keep theirs whatever the encoding and the line endings are.
 */
#ifndef STET_HUNKS_H
#define STET_HUNKS_H

#include "store/approvals.h"
#include "text/diff.h"
#include "text/encoding.h"
#include "tools/change.h"

/* A change as it was shown, and the bytes that this stands for. */
struct cut {
	struct diff diff;
	struct str before, after;
	const struct encoding *written; /* of both; NULL = not known */
};

/*
 * Into how many hunks the change can be cut. 0 when it cannot: bytes that
 * are no text, an encoding in which a line depends on the ones before it
 * (ISO-2022-JP), or another encoding or mark afterwards, which no line shows.
 */
size_t hunks_parts(const struct cut *cut);

/* What is there when only these hunks are taken; hunks_parts() is not 0. */
struct str hunks_apply(const struct cut *cut, const struct taken *taken,
		       struct arena *mem);

/*
 * Is all that the change did to lines @from to @to of the old text, counted
 * from 0, in hunks that were taken? When it did nothing to them, it is what
 * was done nearest to them: a line can be put in before or after its equal.
 */
bool hunks_took(const struct diff *d, const struct taken *taken, size_t from,
		size_t to, struct arena *mem);

/*
 * "1,3": numbers from 1 to @of in any order; ERR_BAD_ARGS when there is none,
 * or something else.
 */
must_check enum err hunks_parse(struct str text, size_t of, struct arena *mem,
				struct taken *ret, struct fault *f);

/*
 * What the person says to a question, as approval_decide() wants it: in
 * order, and "" when it is all of them. ERR_BAD_ARGS with words for them,
 * also when the question is all or nothing.
 */
must_check enum err hunks_choose(const struct approval *a, struct str text,
				 struct arena *mem, struct str *ret,
				 struct fault *f);

/* Tell the caller what was taken, with the diff from @made->before to @after. */
struct str hunks_tell(const struct taken *taken, const struct change *made,
		      struct str after, struct arena *mem);

#endif
