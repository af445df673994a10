/*
 * lock.h - one at a time; all zero is an open lock. For memory work only.
 */
#ifndef STET_LOCK_H
#define STET_LOCK_H

#include "base/base.h"

#include <pthread.h>

struct lock {
	pthread_mutex_t mutex;
};

static inline void lock_take(struct lock *l)
{
	(void)pthread_mutex_lock(&l->mutex);
}

static inline void lock_give(struct lock *l)
{
	(void)pthread_mutex_unlock(&l->mutex);
}

#endif
