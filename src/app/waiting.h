/*
 * waiting.h - whether a client still waits for the answer to its question.
 */
#ifndef STET_WAITING_H
#define STET_WAITING_H

#include "store/approvals.h"

/*
 * Of an open question: "ci is waiting, 32 s left", or "ci stopped waiting: your
 * answer counts if it asks again within 23 h".
 */
struct str waiting_words(const struct approval *a, uint64_t now_ms,
			 struct arena *mem);

/* The same right after the answer: "ci was waiting and goes on now". */
struct str waiting_outcome(const struct approval *a, uint64_t now_ms,
			   struct arena *mem);

#endif
