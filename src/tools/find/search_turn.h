/*
 * search_turn.h - at most two searches at once in a process.
 *
 * A search has as many threads as there are processors, so that more of them at
 * a time would only take memory. Others wait within their own time; transports
 * keep such calls off the threads that serve all others (io/pool.h).
 */
#ifndef STET_SEARCH_TURN_H
#define STET_SEARCH_TURN_H

#include "tools/find/find.h"

enum { SEARCH_TURNS = 2 };

/* Wait for a turn; false: the call was cancelled or its time is up. */
must_check bool search_turn_take(struct find *find);
void search_turn_end(void);

#endif
