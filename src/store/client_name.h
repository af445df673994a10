/*
 * client_name.h - the words for the client that asks or has changed a file.
 *
 * The name of the token comes first, as the person gave it; what the client
 * calls itself comes second, as any program can say it. Whatever names a client
 * to a person has its words from here, so that they are the same everywhere.
 */
#ifndef STET_CLIENT_NAME_H
#define STET_CLIENT_NAME_H

#include "base/json.h"

/* The token's name in a scope ("http:NAME:declared name"); "" = no token. */
struct str client_token(struct str scope);

/* Words for one that has neither a token nor a name: never "". */
struct str client_unnamed(void);

/*
 * "ci · calls itself codex 1.0", or without a token "codex 1.0 · only
 * declared". @declared alone when there is no scope: the person's own commands.
 */
struct str client_words(struct str scope, struct str declared,
			struct arena *mem);

/* The same when the token is known; "" = none. */
struct str client_words_of(struct str token, struct str declared,
			   struct arena *mem);

/* Members of an object: "client" (declared), "token" if there is one, "who". */
void client_put(struct json_out *o, struct str scope, struct str declared);

#endif
