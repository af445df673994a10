/*
 * seal.h - bytes that somebody else carries for us, and cannot change.
 *
 * A seal is text (base64url) with the bytes, readable to anybody, and a mark
 * that only the holder of the key can make (HMAC-SHA-512-256). It is made for
 * a context, which is not in it, and opens only in the same one.
 */
#ifndef STET_SEAL_H
#define STET_SEAL_H

#include "base/arena.h"

enum { SEAL_KEY = 32 };

/*
 * All zero: a key that nobody can guess, made when something is first sealed.
 * It is guarded, as seal_guard() has it.
 */
struct seal_key {
	_Atomic(const uint8_t *) bytes;
};

/* Bytes that nobody can guess. */
void seal_random(void *to, size_t n);

/* The same as @digits hex digits (an even number), and the end. */
void seal_random_hex(char *to, size_t digits);
/* 32 of them as text (base64url): for tokens and ids. */
struct str seal_secret(struct arena *mem);

/*
 * A copy of a secret in memory of its own, which can only be read: between
 * pages that cannot be touched, never swapped out or dumped. seal_forget()
 * wipes and frees it, and is fine with "".
 */
struct str seal_guard(struct str secret);
void seal_forget(struct str *guarded);

/* Overwrite it: bytes that are no longer needed where they are. */
void seal_wipe(struct str bytes);

/* Make @key, all zero before, of these bytes and wipe them. */
void seal_key_set(struct seal_key *key, uint8_t bytes[SEAL_KEY]);
void seal_key_forget(struct seal_key *key); /* then it is all zero */

/* Any thread. */
struct str seal_make(struct seal_key *key, struct str bytes, struct str context,
		     struct arena *mem);

/* False: not ours, changed, or made for another context. */
must_check bool seal_open(const struct seal_key *key, struct str text,
			  struct str context, struct arena *mem,
			  struct str *ret);

#endif
