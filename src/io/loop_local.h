/*
 * loop_local.h - what the files of the loop share.
 */
#ifndef STET_LOOP_LOCAL_H
#define STET_LOOP_LOCAL_H

#include "io/loop.h"

#include <pthread.h>
#include <stdatomic.h>
#include <uv.h>

struct loop {
	uv_loop_t uv;
	uv_async_t wake;
	uv_signal_t signals[3];
	void (*signalled)(void *ctx);
	void *signal_ctx;
	atomic_bool told_to_stop;

	pthread_mutex_t lock; /* for what is below */
	struct loop_task *tasks, **tasks_end;
};

#endif
