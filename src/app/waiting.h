/*
 * waiting.h - says whether a client still waits for an answer.
 */
#ifndef STET_WAITING_H
#define STET_WAITING_H

#include "store/approvals.h"

/*
 * For an open question: "ci is waiting, 32 s left", or "ci stopped waiting: your
 * answer will be used if it asks again within 23 h".
 */
struct str waiting_words(const struct approval *a, uint64_t now_ms,
			 struct arena *mem);

/* For a question that was just answered: "ci was waiting and goes on now". */
struct str waiting_outcome(const struct approval *a, uint64_t now_ms,
			   struct arena *mem);

#endif
