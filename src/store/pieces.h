/*
 * pieces.h - the long texts of questions, in pieces that are loaded one by one.
 *
 * A list of questions, which the page looks at twice a second, does not load
 * them. They go when their question is answered and used, or expires.
 */
#ifndef STET_PIECES_H
#define STET_PIECES_H

#include "store/approvals.h"
#include "store/db.h"

/* Within the transaction that adds the question. */
must_check enum err pieces_add(struct db *db, struct uuid id,
			       const struct str texts[APPROVAL_TEXTS],
			       struct fault *f);

/* Delete those whose question is not open any more. */
must_check enum err pieces_sweep(struct db *db, struct fault *f);

/* Is there room for @texts beside all that @asker has? */
must_check enum err pieces_fit(struct db *db, struct str asker,
			       const struct str texts[APPROVAL_TEXTS],
			       bool *ret, struct fault *f);

#endif
