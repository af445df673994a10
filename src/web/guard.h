/*
 * guard.h - authenticate a request: may it be served, and for whom?
 *
 * Host and Origin first, so that no page of another site reaches us by a name
 * it controls (DNS rebinding); then the bearer token: a client's token is valid
 * for /mcp only, a session of the page for the page only. There is no cookie: a
 * browser sends cookies to every port of a host, and with requests that another
 * site has made it send (CSRF).
 */
#ifndef STET_GUARD_H
#define STET_GUARD_H

#include "io/http.h"
#include "web/tokens.h"

struct guard;

/* What a request must prove before it reaches its route. */
enum auth {
	AUTH_NONE,    /* /healthz, the page's own files: Host and Origin only */
	AUTH_SIGN_IN, /* the same, and Sec-Fetch-Site is same-origin or absent */
	AUTH_CLIENT,  /* any token */
	AUTH_OWNER,   /* the same, and the owner's token or a session */
};

struct guard_options {
	unsigned port;
	struct str page; /* see struct hosts; must last */
	struct str address;
	struct tokens *tokens;   /* NULL = no authentication */
	const struct str *hosts; /* --allow-host: beside the loopback names */
	size_t host_count;
	const struct str *origins; /* --allow-origin: whole origins */
	size_t origin_count;
	unsigned rate; /* requests a second of one client; 0 = any */
};

/* The identity of an authenticated request. */
struct principal {
	struct str name; /* of the token; "owner" with a session */
	bool owner;
};

/* The tokens and the lists of @options must outlive it. */
struct guard *guard_new(const struct guard_options *options);
void guard_free(struct guard *g);

/*
 * 0 and @ret; or the HTTP status to refuse the request with, and in *@why a
 * sentence that says what is wrong:
 *
 *	400  a header that identifies the client is repeated: a proxy may
 *	     have acted on the other copy
 *	401  missing or unknown token: see guard_header()
 *	403  Host, Origin or token not allowed
 *	429  rate limit exceeded
 *
 * Without tokens every client is "anyone", who is not the owner. The name in
 * @ret lives as long as the tokens. Requests that fail share one rate limit, 20
 * a second, which does not slow down requests with a valid token. To be called
 * once for each request, because it counts them.
 */
must_check unsigned guard_check(struct guard *g, struct http_exchange *x,
				enum auth auth, struct principal *ret,
				struct str *why);

/* Lines that the answer must have beside its status; "" for most. */
struct str guard_header(unsigned status);

/* The headers that guard_decide() uses; .ptr NULL = missing. */
struct guard_asked {
	struct str host, origin, authorization;
	struct str fetch_site; /* Sec-Fetch-Site */
	uint64_t turn; /* http_turn(): tokens are reloaded once per turn */
};

/* guard_check() for these headers, at @now_ms of unix time. */
must_check unsigned guard_decide(struct guard *g, const struct guard_asked *a,
				 enum auth auth, uint64_t now_ms,
				 struct arena *mem, struct principal *ret,
				 struct str *why);

/* A random id of this process, which sign-in links are bound to. */
struct str guard_server_id(const struct guard *g);

/*
 * The path and fragment of a sign-in URL, valid once, for some minutes. Any
 * process that knows the owner's token and the server's id can make one. The
 * key is in the fragment, which browsers do not send.
 */
struct str guard_link(struct str owner_token, struct str server_id,
		      struct arena *mem);

/*
 * The key of such a link to this server, for another device of a signed-in
 * person.
 */
struct str guard_new_key(struct guard *g, struct arena *mem);

/*
 * The page shows the key of a link: true, and a session, when it is good;
 * else @why it is not, and what to do.
 */
must_check bool guard_sign_in(struct guard *g, struct str key,
			      struct arena *mem, struct str *ret_session,
			      struct str *why);

#endif
