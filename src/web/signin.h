/*
 * signin.h - how the person's browser signs in: a one-time link, then a session.
 *
 * The key of a link is sealed with the owner's token and the id of one server
 * process: a program that knows both can create a link, and no other server
 * accepts it. A link expires after SIGNIN_LINK_MS and is valid once; the server
 * remembers used ones. A session is a secret that the page keeps and sends as
 * its bearer token. It is sealed with a key of the process, so it is valid until
 * the process ends, for SIGNIN_SESSION_S at most. All times are clock_unix_ms().
 */
#ifndef STET_SIGNIN_H
#define STET_SIGNIN_H

#include "rpc/request_state.h"

enum {
	SIGNIN_LINK_MS = 5 * 60 * 1000,
	SIGNIN_SESSION_S = 7 * 24 * 60 * 60,
};

struct signin {
	struct request_state_issuer links;
	struct mac_key sessions;
};

/* @s is all zero before. @server_id is random, new for each process. */
void signin_open(struct signin *s, struct str owner_token,
		 struct str server_id);
void signin_close(struct signin *s);

/* The key of a new link to the server of that id. */
struct str signin_link(struct str owner_token, struct str server_id,
		       uint64_t now, struct arena *mem);

/* The same, made by that server itself. */
struct str signin_new_link(struct signin *s, uint64_t now, struct arena *mem);

enum signin_link { SIGNIN_GOOD, SIGNIN_USED, SIGNIN_EXPIRED, SIGNIN_UNKNOWN };

/* Is the key of a link good? From then on it is used. */
must_check enum signin_link signin_check(struct signin *s, struct str key,
					 uint64_t now, struct arena *mem);

/* A new session. */
struct str signin_session(struct signin *s, uint64_t now, struct arena *mem);

/* Is that a session of this server? */
must_check bool signin_session_ok(const struct signin *s, struct str session,
				  uint64_t now, struct arena *mem);

#endif
