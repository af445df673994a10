/*
 * ask_grant.h - what a wide answer to a question grants.
 */
#ifndef STET_ASK_GRANT_H
#define STET_ASK_GRANT_H

#include "rpc/ask.h"
#include "store/approvals.h"

/*
 * The grant that @answer would be, without end and channel; "". Else what is
 * missing for it to hold for this client alone. Nothing is missing for
 * ASK_ONCE and ASK_DENY, which are no grants.
 */
struct str ask_grant_of(enum ask_answer answer, const struct approval *a,
			struct grant *ret);

/*
 * Keep it, for so long; 0 = until it is revoked. One for a session ends after
 * a day at the latest.
 */
must_check enum err ask_grant_keep(struct store *s, struct grant *g,
				   uint64_t for_ms, struct fault *f);

#endif
