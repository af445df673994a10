/*
 * mutex.h - a mutex that is valid when zero-initialised. Hold it for memory
 * work only, never across I/O.
 */
#ifndef STET_MUTEX_H
#define STET_MUTEX_H

#include "base/base.h"

#include <pthread.h>

struct mutex {
	pthread_mutex_t mutex;
};

static inline void mutex_lock(struct mutex *l)
{
	(void)pthread_mutex_lock(&l->mutex);
}

static inline void mutex_unlock(struct mutex *l)
{
	(void)pthread_mutex_unlock(&l->mutex);
}

#endif
