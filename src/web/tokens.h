/*
 * tokens.h - who may come in over HTTP.
 *
 * The owner's token is made at the first start and lies, readable by its user
 * alone (0600), in the state directory's file `token`; STET_TOKEN or a file
 * that the person names takes its place. Others have names: of theirs only
 * digests are kept, in `tokens`, so each is shown once, when it is made. One
 * that is revoked is refused from the next request on. When they last came in
 * is noted about once a minute, in `tokens.seen`.
 *
 * A file that others may read is refused. When that is `tokens`, or it is
 * broken, while a server runs, nobody but the owner comes in.
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
	struct str dir;   /* the state directory; made when it is not there */
	struct str given; /* STET_TOKEN; "" = none */
	struct str file;  /* --token-file; "" = the state directory's */
};

struct token {
	struct str name; /* "owner" is the owner's own */
	uint64_t made_ms;
	uint64_t seen_ms; /* when it last came in; 0 = never */
};

/*
 * Makes the owner's token when there is none. NULL with a fault, whose words
 * are in @mem.
 */
struct tokens *tokens_open(const struct tokens_options *options,
			   struct arena *mem, struct fault *f);
void tokens_free(struct tokens *t);

/*
 * The owner's own, for those who may read its file: in guarded memory, until
 * it is forgotten. A server needs no more than its digest.
 */
struct str tokens_owner(const struct tokens *t);
void tokens_forget_owner(struct tokens *t);

/* See whether tokens were added or revoked: the next two go by that. */
void tokens_look(struct tokens *t);

/*
 * Whose token is that? "" = nobody's. The name lasts as long as @t. Takes the
 * same time whatever is wrong with it. One thread.
 */
struct str tokens_whose(struct tokens *t, struct str token);

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
 * What was granted to the token @name goes with it; how many grants that were.
 * From @s or, when that is NULL, from the store in the state directory @dir.
 */
must_check enum err tokens_take_grants(struct store *s, struct str dir,
				       struct str name, struct arena *mem,
				       size_t *ret, struct fault *f);

#endif
