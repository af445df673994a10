/*
 * mac.h - text that a peer carries for us and cannot change.
 *
 * mac_sign() makes base64url text of the bytes, which anybody can read, and
 * a message authentication code (HMAC-SHA-512-256), which only the holder of
 * the key can make. The text is bound to a context that is not part of it:
 * mac_verify() succeeds only with the same key and the same context.
 */
#ifndef STET_MAC_H
#define STET_MAC_H

#include "base/secret.h"

#include <stdatomic.h>

enum { MAC_KEY_BYTES = 32 };

/*
 * Initialise to zero: then a random key is made when mac_sign() first needs
 * one. The bytes are in guarded memory (secret_guard()).
 */
struct mac_key {
	_Atomic(const uint8_t *) bytes;
};

/* Set a zero @key to @bytes, and wipe @bytes. */
void mac_key_set(struct mac_key *key, uint8_t bytes[MAC_KEY_BYTES]);

/* Wipe the key; it is zero again. */
void mac_key_free(struct mac_key *key);

/* Any thread. */
struct str mac_sign(struct mac_key *key, struct str bytes, struct str context,
		    struct arena *mem);

/* False: signed with another key or for another context, or changed. */
must_check bool mac_verify(const struct mac_key *key, struct str text,
			   struct str context, struct arena *mem,
			   struct str *ret);

#endif
