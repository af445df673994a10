/*
 * guard.h - may this request come in, and whose is it?
 *
 * Host and Origin first, so that no page of another site reaches us by a name
 * it controls; then who it is. A bearer token lets a client in at /mcp; the
 * person's browser comes by a cookie, which is good for the page alone, so
 * that no request a browser can be tricked into reaches the tools.
 */
#ifndef STET_GUARD_H
#define STET_GUARD_H

#include "io/http.h"
#include "web/tokens.h"

struct guard;

enum door {
	DOOR_OPEN,  /* /healthz, the sign-in text: Host and Origin only */
	DOOR_MCP,   /* any token */
	DOOR_PAGE,  /* the owner's token, or the cookie */
	DOOR_MOVES, /* the same; with the cookie also its CSRF token */
};

struct guard_options {
	unsigned port;
	struct tokens *tokens;   /* NULL: nobody is asked who they are */
	const struct str *hosts; /* --allow-host: beside the loopback names */
	size_t host_count;
	const struct str *origins; /* --allow-origin: whole origins */
	size_t origin_count;
	unsigned rate; /* requests a second of one client; 0 = any */
};

struct visitor {
	struct str name; /* of the token; "owner" by the cookie */
	bool owner;
};

/* The tokens and the lists of @options must outlive it. */
struct guard *guard_new(const struct guard_options *options);
void guard_free(struct guard *g);

/*
 * 0 and @ret, or the status to refuse it with and a sentence for the person
 * who reads it:
 *
 *	400  a header is there twice that says who is asking
 *	401  nobody we know: see guard_header()
 *	403  not by that name, not from that page, not with that token
 *	429  too often
 *
 * Without tokens everybody is "anyone", who is not the owner. A name lasts as
 * long as the tokens. Those that fail are slowed down together, at 20 a
 * second, which keeps out nobody with a good token. To be called once for each
 * request: it counts them.
 */
must_check unsigned guard_check(struct guard *g, struct http_exchange *x,
				enum door door, struct visitor *ret,
				struct str *why);

/* Lines that the answer must have beside its status; "" for most. */
struct str guard_header(unsigned status);

/* The headers that count; those that are not there have .ptr NULL. */
struct guard_asked {
	struct str host, origin, authorization, cookie, csrf;
	uint64_t turn; /* http_turn(): one look at the tokens for each */
};

/* guard_check() of them, at @now_ms of unix time. */
must_check unsigned guard_judge(struct guard *g, const struct guard_asked *a,
				enum door door, uint64_t now_ms,
				struct arena *mem, struct visitor *ret,
				struct str *why);

/*
 * A link that signs a browser in, once, within some minutes: its query. Any
 * process that knows the owner's token can make one, while the server runs.
 */
struct str guard_link(struct str owner_token, struct arena *mem);

/*
 * The browser followed one: true, and the Set-Cookie line (whole, with its
 * end), when it is good and was not used.
 */
must_check bool guard_sign_in(struct guard *g, struct str query,
			      struct arena *mem, struct str *ret_header);

/* Of the cookie that this request has, "" without a good one: goes into X-Stet-CSRF of mutations. */
struct str guard_csrf(struct guard *g, struct http_exchange *x,
		      struct arena *mem);

#endif
