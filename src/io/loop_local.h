/*
 * loop_local.h - struct loop, for the files of the loop and the HTTP server.
 */
#ifndef STET_LOOP_LOCAL_H
#define STET_LOOP_LOCAL_H

#include "io/loop.h"

#include <stdatomic.h>
#include <uv.h>

struct loop {
	uv_loop_t uv;
	uv_async_t wake;
	uv_signal_t signals[3];
	void (*signalled)(void *ctx);
	void *signal_ctx;
	atomic_bool stop_requested;
	/* After loop_stop(); has to call uv_stop(). NULL = stop at once. */
	void (*on_stop)(void *ctx);
	void *stop_ctx;
	struct mailbox mailbox;
};

#endif
