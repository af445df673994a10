/*
 * ask_grant.h - the grant that a wide answer to a question becomes.
 */
#ifndef STET_ASK_GRANT_H
#define STET_ASK_GRANT_H

#include "rpc/ask.h"
#include "store/approvals.h"

/*
 * Fill *@ret for @answer, but for its end and channel. Returns "", or why the
 * grant could not be limited to this client, and so must not be given.
 * ASK_ONCE and ASK_DENY need no grant: "".
 */
struct str ask_grant_of(enum ask_answer answer, const struct approval *a,
			struct grant *ret);

/*
 * The grant ends @for_ms from now; 0 = when it is revoked. A grant for a
 * session ends after a day at the latest.
 */
void ask_grant_set_end(struct grant *g, uint64_t for_ms);

#endif
