/*
 * tokens.h - the tokens of HTTP clients.
 *
 * The owner's token is made at the first start and lies, readable by its user
 * alone (0600), in the state directory's file `token`; STET_TOKEN or a file
 * that the person names takes its place. The tokens of other clients have names;
 * only their digests are stored, in `tokens`, so each is shown once, when it is
 * made. A revoked token is refused from the next request on. The time of a
 * token's last use is stored about once a minute, in `tokens.seen`.
 *
 * A file that other users may read is refused. If `tokens` is refused or cannot
 * be parsed while a server runs, only the owner's token is accepted.
 */
#ifndef STET_TOKENS_H
#define STET_TOKENS_H

#include "base/arena.h"
#include "base/err.h"

enum {
	TOKENS_MOST = 256,
	TOKEN_NAME_MOST = 64,
	TOKEN_GIVEN_LEAST = 16, /* characters of one that the person chose */
};

struct store;
struct tokens;

struct tokens_options {
	struct str dir;   /* the state directory; created if missing */
	struct str given; /* STET_TOKEN; "" = none */
	struct str file;  /* --token-file; "" = the state directory's */
};

struct token {
	struct str name; /* "owner" is the owner's own */
	uint64_t made_ms;
	uint64_t seen_ms; /* time of the last use; 0 = never */
};

/*
 * Creates the owner's token if there is none. NULL with a fault, whose text is
 * in @mem.
 */
struct tokens *tokens_open(const struct tokens_options *options,
			   struct arena *mem, struct fault *f);
void tokens_free(struct tokens *t);

/*
 * The owner's token, in guarded memory until it is released. A server keeps
 * only its digest.
 */
struct str tokens_owner(const struct tokens *t);
void tokens_forget_owner(struct tokens *t);

/* See whether tokens were added or revoked: the next two go by that. */
void tokens_refresh(struct tokens *t);

/*
 * The name of @token; "" = unknown. The name lives as long as @t.
 * Constant time, against timing attacks. One thread.
 */
struct str tokens_identify(struct tokens *t, struct str token);

/* Is there (still) a token of that name? One thread. */
bool tokens_has(const struct tokens *t, struct str name);

/*
 * For `stet token` and the page: each works on the files, whether or not a
 * server runs. tokens_add() and tokens_revoke() may be called by any thread.
 * Names are of letters, digits, ".", "_" and "-". The list begins with the
 * owner's.
 */
must_check enum err tokens_add(struct tokens *t, struct str name,
			       struct arena *mem, struct str *ret_token,
			       struct fault *f);
/* Can the list in the state directory @dir be read? None is fine. */
must_check enum err tokens_check(struct str dir, struct arena *mem,
				 struct fault *f);
must_check enum err tokens_list(struct tokens *t, struct arena *mem,
				struct token **ret, size_t *ret_n,
				struct fault *f);
must_check enum err tokens_revoke(struct tokens *t, struct str name,
				  struct arena *mem, struct fault *f);

/*
 * Delete the grants of the token @name; returns their number. From @s or, when
 * that is NULL, from the store in the state directory @dir.
 */
must_check enum err tokens_take_grants(struct store *s, struct str dir,
				       struct str name, struct arena *mem,
				       size_t *ret, struct fault *f);

#endif
