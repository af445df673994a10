/*
 * hosts.h - the names that we go by: what Host and Origin may say.
 *
 * A page of another site can have its own name lead to our address, and send
 * us what it likes: but the browser then says that name in Host, and says in
 * Origin where the page is from. Functions of text alone.
 */
#ifndef STET_HOSTS_H
#define STET_HOSTS_H

#include "base/str.h"

struct hosts {
	unsigned port;
	struct str page;    /* the name of the page's own origin; "" = none */
	struct str address; /* that we listen on, as in a URL; "" = loopback */
	/* beside the loopback names, on any port or the one they have */
	const struct str *hosts;
	size_t host_count;
	const struct str *origins; /* beside our own: whole, "https://a.b" */
	size_t origin_count;
};

/*
 * Is the value of Host ours? With any port: behind a tunnel it is another,
 * and it is the name that tells.
 */
bool hosts_has(const struct hosts *h, struct str host);

/* May a page of that origin ask us? */
bool hosts_admits(const struct hosts *h, struct str origin);

/* Could it be one? For --allow-host and --allow-origin. */
bool hosts_host_ok(struct str host);
bool hosts_origin_ok(struct str origin);

#endif
