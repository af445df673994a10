/*
 * stdio.h - serving one client on a pair of descriptors, a line a message.
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

/* Returns when there is nobody to serve any more. */
void stdio_serve(struct server *s, const struct stdio_options *options);

#endif
