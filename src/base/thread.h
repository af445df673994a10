/*
 * thread.h - start a thread without signals.
 */
#ifndef STET_THREAD_H
#define STET_THREAD_H

#include "base/base.h"

#include <pthread.h>

/*
 * Start a thread with @stack bytes of stack; false on failure. All signals are
 * blocked in it: the main thread handles them.
 */
must_check bool thread_start(pthread_t *ret, size_t stack, void *(*run)(void *),
			     void *arg);

#endif
