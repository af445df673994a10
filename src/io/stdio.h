/*
 * stdio.h - serve one client on stdin and stdout, one message per line.
 *
 * One thread owns the descriptors, reads messages and answers what is quick;
 * the rest goes to a pool. Calls of the client take effect in the order they
 * came in: one that changes files waits for those before it and is waited for
 * by those after it, while calls that only read run side by side.
 *
 * It ends when the input ends, the output breaks, the parent dies, or one of
 * SIGTERM, SIGINT and SIGHUP arrives: at once when idle, else when the calls
 * in flight are done and their replies are taken. At the end of the input
 * calls have the time that they need, and stop_ms are for replies that nobody
 * takes; in all other cases stop_ms are for everything.
 */
#ifndef STET_STDIO_H
#define STET_STDIO_H

#include "rpc/server.h"

struct stdio_options {
	int in, out;
	size_t max_message; /* bytes of one line */
	uint64_t stop_ms;
};

/*
 * Catch the signals from now on: one that arrives before stdio_serve() ends it
 * as soon as it runs. For a server that says where it is before it serves.
 */
void stdio_catch_signals(void);

/* Returns when the client is gone and its calls are done: see above. */
void stdio_serve(struct server *s, const struct stdio_options *options);

#endif
