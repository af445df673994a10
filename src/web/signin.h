/*
 * signin.h - how a browser comes in: by a link, then by a cookie.
 *
 * A link is sealed with a key that comes from the owner's token, so whoever
 * knows that can make one. It is good for some minutes, once, and for a server
 * that was there when it was made: which ones were used is in its memory. The
 * cookie is sealed with a key of the process and good for some days, or until
 * that ends. All times are clock_unix_ms().
 */
#ifndef STET_SIGNIN_H
#define STET_SIGNIN_H

#include "rpc/state.h"

enum {
	SIGNIN_LINK_MS = 5 * 60 * 1000,
	SIGNIN_COOKIE_S = 7 * 24 * 60 * 60,
};

#define SIGNIN_COOKIE "stet"

struct signin {
	struct state_book links;
	struct seal_key key;
};

/* @s is all zero before. */
void signin_open(struct signin *s, struct str owner_token, uint64_t now);

/* The query of a link. */
struct str signin_link(struct str owner_token, uint64_t now, struct arena *mem);

/* Is it good? From then on it is used. */
must_check bool signin_take(struct signin *s, struct str query, uint64_t now,
			    struct arena *mem);

/* The value of a new cookie. */
struct str signin_cookie(const struct signin *s, uint64_t now,
			 struct arena *mem);

/* The one that is good among those that the browser sent, as it sent them. */
must_check bool signin_known(const struct signin *s, struct str cookies,
			     uint64_t now, struct arena *mem, struct str *ret);

/*
 * What a page proves by that it was loaded from here: only who could read it
 * knows. Made from the cookie, for the cookie.
 */
struct str signin_csrf(const struct signin *s, struct str cookie,
		       struct arena *mem);
must_check bool signin_csrf_ok(const struct signin *s, struct str cookie,
			       struct str csrf, struct arena *mem);

#endif
