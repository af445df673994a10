/*
 * hosts.h - the allowed values of Host and Origin.
 *
 * Against DNS rebinding: a page of another site can make its own name resolve
 * to our address, but the browser then sends that name in Host, and the page's
 * origin in Origin. Functions of text alone.
 */
#ifndef STET_HOSTS_H
#define STET_HOSTS_H

#include "base/str.h"

struct hosts {
	unsigned port;
	struct str page;    /* the name of the page's own origin; "" = none */
	struct str address; /* listening address as in a URL; "" = loopback */
	/* beside the loopback names, on any port or the one they have */
	const struct str *hosts;
	size_t host_count;
	const struct str *origins; /* beside our own: whole, "https://a.b" */
	size_t origin_count;
};

/*
 * Is the value of Host allowed? With any port, because a tunnel has another:
 * only the name is compared.
 */
bool hosts_has(const struct hosts *h, struct str host);

/* May a page of that origin send requests? */
bool hosts_admits(const struct hosts *h, struct str origin);

/* Is the syntax valid? For --allow-host and --allow-origin. */
bool hosts_host_ok(struct str host);
bool hosts_origin_ok(struct str origin);

#endif
