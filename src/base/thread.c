/*
 * thread.c - start a thread without signals.
 *
 * A thread inherits the signal mask, so signals are blocked while it is
 * created.
 */
#include "base/thread.h"

#include <signal.h>

bool thread_start(pthread_t *ret, size_t stack, void *(*run)(void *), void *arg)
{
	sigset_t all, old;
	pthread_attr_t attr;
	int error;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &old);
	(void)pthread_attr_init(&attr);
	(void)pthread_attr_setstacksize(&attr, stack);
	error = pthread_create(ret, &attr, run, arg);
	(void)pthread_attr_destroy(&attr);
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	return !error;
}
