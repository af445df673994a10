/*
 * hunks.h - a change of which only some hunks are approved.
 *
 * Hunks are those of the unified diff that the person was shown, numbered from
 * 1. What is written is the old content with the chosen hunks applied, by lines
 * of bytes: all other lines keep their bytes, whatever their encoding and line
 * endings are.
 */
#ifndef STET_HUNKS_H
#define STET_HUNKS_H

#include "store/approvals.h"
#include "text/diff/diff.h"
#include "text/encoding/encoding.h"
#include "tools/change/change.h"

/* The diff that was shown, and the bytes behind both of its sides. */
struct hunk_set {
	struct diff diff;
	struct str before, after;
	const struct encoding *written; /* of both sides; NULL = not known */
};

/*
 * The number of hunks that can be chosen separately. 0 when they cannot: binary
 * content, a stateful encoding (ISO-2022-JP), or a change of the encoding or the
 * byte order mark, which no line shows.
 */
size_t hunks_parts(const struct hunk_set *set);

/* The content with only these hunks applied; hunks_parts() is not 0. */
struct str hunks_apply(const struct hunk_set *set,
		       const struct accepted_hunks *taken, struct arena *mem);

/*
 * Were all changes to lines @from to @to of the old text, counted from 0, in
 * approved hunks? If none of these lines changed, the nearest change decides,
 * because a diff may put a new line before or after an equal one.
 */
bool hunks_took(const struct diff *d, const struct accepted_hunks *taken,
		size_t from, size_t to, struct arena *mem);

/*
 * "1,3": numbers from 1 to @of in any order; ERR_BAD_ARGS when there is none,
 * or something else.
 */
must_check enum err hunks_parse(struct str text, size_t of, struct arena *mem,
				struct accepted_hunks *ret, struct fault *f);

/*
 * The choice of hunks that a person typed, in the form of approval_decide(): in
 * order, and "" for all of them. ERR_BAD_ARGS with a message for the person,
 * also when the question is all or nothing.
 */
must_check enum err hunks_choose(const struct approval *a, struct str text,
				 struct arena *mem, struct str *ret,
				 struct fault *f);

/* Text for the caller: which hunks were applied, and the resulting diff. */
struct str hunks_describe(const struct accepted_hunks *taken,
			  const struct change *made, struct str after,
			  struct arena *mem);

#endif
