/*
 * search_turn.c - a counting semaphore for searches, whose waiters check for
 * cancellation and their deadline.
 */
#include "tools/find/search_turn.h"

#include <pthread.h>
#include <time.h>

enum { POLL_NS = 20 * 1000 * 1000 }; /* for cancelled calls and deadlines */

static pthread_mutex_t search_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t search_ended = PTHREAD_COND_INITIALIZER;
static unsigned searches; /* under search_lock */

/* Under the lock: wait until a search ends, for a moment at most. */
static void search_turn_wait(void)
{
	struct timespec until;

	(void)clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += POLL_NS;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	(void)pthread_cond_timedwait(&search_ended, &search_lock, &until);
}

bool search_turn_take(struct find *find)
{
	bool taken = false;

	(void)pthread_mutex_lock(&search_lock);
	while (searches == SEARCH_TURNS && !find_is_over(find))
		search_turn_wait();
	if (searches < SEARCH_TURNS) {
		searches++;
		taken = true;
	}
	(void)pthread_mutex_unlock(&search_lock);
	return taken;
}

void search_turn_end(void)
{
	(void)pthread_mutex_lock(&search_lock);
	searches--;
	(void)pthread_cond_signal(&search_ended);
	(void)pthread_mutex_unlock(&search_lock);
}
