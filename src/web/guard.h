/*
 * guard.h - may this request come in, and whose is it?
 *
 * Host and Origin first, so that no page of another site reaches us by a name
 * it controls; then who it is: a bearer token. A client's lets it in at /mcp.
 * The page has a session of its own, which is good for the page alone. There
 * is no cookie: a browser sends those to every port of a host, and with
 * requests that another site has made it send.
 */
#ifndef STET_GUARD_H
#define STET_GUARD_H

#include "io/http.h"
#include "web/tokens.h"

struct guard;

enum door {
	DOOR_OPEN,    /* /healthz, the page's own files: Host and Origin only */
	DOOR_SIGN_IN, /* the same, from our own page */
	DOOR_MCP,     /* any token */
	DOOR_PAGE,    /* from our own page: the owner's token, or a session */
};

struct guard_options {
	unsigned port;
	struct str page; /* see struct hosts; must last */
	struct str address;
	struct tokens *tokens;   /* NULL: nobody is asked who they are */
	const struct str *hosts; /* --allow-host: beside the loopback names */
	size_t host_count;
	const struct str *origins; /* --allow-origin: whole origins */
	size_t origin_count;
	unsigned rate; /* requests a second of one client; 0 = any */
};

struct visitor {
	struct str name; /* of the token; "owner" with a session */
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
	struct str host, origin, authorization;
	struct str
		fetch_site; /* Sec-Fetch-Site: how the asking page is related */
	uint64_t turn;      /* http_turn(): one look at the tokens for each */
};

/* guard_check() of them, at @now_ms of unix time. */
must_check unsigned guard_judge(struct guard *g, const struct guard_asked *a,
				enum door door, uint64_t now_ms,
				struct arena *mem, struct visitor *ret,
				struct str *why);

/* Random, of this process: links are made for it. */
struct str guard_server_id(const struct guard *g);

/*
 * What comes behind a server's address to sign a browser in, once, within some
 * minutes. Any process that knows the owner's token and the server's id can
 * make one. The key is in the fragment, which browsers send to nobody.
 */
struct str guard_link(struct str owner_token, struct str server_id,
		      struct arena *mem);

/* The key of such a link to this server, for somebody who has a session. */
struct str guard_new_key(struct guard *g, struct arena *mem);

/*
 * The page shows the key of a link: true, and a session, when it is good;
 * else @why it is not, and what to do.
 */
must_check bool guard_sign_in(struct guard *g, struct str key,
			      struct arena *mem, struct str *ret_session,
			      struct str *why);

#endif
