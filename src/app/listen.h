/*
 * listen.h - the HTTP listener of `stet serve --http`.
 */
#ifndef STET_LISTEN_H
#define STET_LISTEN_H

#include "app/config.h"

struct http_listener;

/*
 * Opens the port and prints the address to stderr. NULL on failure, with a
 * fault. @c and @mem must outlive the listener.
 */
struct http_listener *listen_open(const struct config *c, struct server *server,
				  struct arena *mem, struct fault *f);

/* Serves in this thread until SIGINT or SIGTERM. */
void listen_serve(struct http_listener *l);

/* Serves in a thread of its own, beside stdio. */
void listen_start(struct http_listener *l);

/* Stops serving and frees the listener. */
void listen_close(struct http_listener *l);

/*
 * Parses "127.0.0.1:7717", "[::1]:7717", "localhost:7717" or a port alone;
 * false for anything else.
 */
must_check bool listen_address(struct str text, struct arena *mem,
			       const char **ret_host, unsigned *ret_port);

#endif
