/*
 * listen.h - serving on a port: `stet serve --http`.
 */
#ifndef STET_LISTEN_H
#define STET_LISTEN_H

#include "app/config.h"

struct listener;

/*
 * Listen as @c says and tell the person where, on stderr. NULL with a fault.
 * @c and @mem must outlive it.
 */
struct listener *listen_open(const struct config *c, struct server *server,
			     struct arena *mem, struct fault *f);

/* Serve until a signal says to end, */
void listen_serve(struct listener *l);

/* or beside other work, on a thread, */
void listen_start(struct listener *l);

/* and no more. */
void listen_close(struct listener *l);

/*
 * "127.0.0.1:7717", "[::1]:7717", "localhost:7717", or a port alone; false
 * when it is none of these.
 */
must_check bool listen_address(struct str text, struct arena *mem,
			       const char **ret_host, unsigned *ret_port);

#endif
