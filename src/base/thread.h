/*
 * thread.h - threads beside the program's own.
 */
#ifndef STET_THREAD_H
#define STET_THREAD_H

#include "base/base.h"

#include <pthread.h>

/*
 * Start one with @stack bytes of stack; false = there is none to be had. It
 * gets no signals: those are for the program's own threads.
 */
must_check bool thread_start(pthread_t *ret, size_t stack, void *(*run)(void *),
			     void *arg);

#endif
