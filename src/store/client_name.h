/*
 * client_name.h - the display name of a client.
 *
 * The name of the token comes first, as the person gave it; the declared name
 * second, because any program can claim any name. Everything that shows a
 * client to a person gets the text from here.
 */
#ifndef STET_CLIENT_NAME_H
#define STET_CLIENT_NAME_H

#include "base/json.h"

/* The token's name in a scope ("http:NAME:declared name"); "" = no token. */
struct str client_token(struct str scope);

/* The display name of a client without token and name; never "". */
struct str client_unnamed(void);

/*
 * A declared name for display: characters that look like the separating dot are
 * replaced.
 */
struct str client_name(struct str declared, struct arena *mem);

/*
 * "ci · calls itself codex 1.0", or without a token "codex 1.0 · only
 * declared". @declared alone when there is no scope: the person's own commands.
 */
struct str client_words(struct str scope, struct str declared,
			struct arena *mem);

/* client_words() for a token's name instead of a scope; "" = no token. */
struct str client_words_of(struct str token, struct str declared,
			   struct arena *mem);

/* Members of an object: "client" (declared), "token" if there is one, "who". */
void client_put(struct json_out *o, struct str scope, struct str declared);

#endif
