/*
 * chunks.h - the long texts of questions, in chunks that are loaded one by one.
 *
 * A list of questions, which the page polls twice a second, does not load them.
 * They are deleted when the answer was used, or the question has expired.
 */
#ifndef STET_CHUNKS_H
#define STET_CHUNKS_H

#include "store/approvals.h"
#include "store/db.h"

/* Called in the transaction that inserts the question. */
must_check enum err chunks_add(struct db *db, struct uuid id,
			       const struct str texts[APPROVAL_TEXTS],
			       struct fault *f);

/* Delete the chunks of questions that are not open any more. */
must_check enum err chunks_sweep(struct db *db, struct fault *f);

/* *@ret: do @texts and all that @asker has stay within the limit? */
must_check enum err chunks_fit(struct db *db, struct str asker,
			       const struct str texts[APPROVAL_TEXTS],
			       bool *ret, struct fault *f);

#endif
