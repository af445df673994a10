/*
 * readstate.h - what a caller has read, and how it was then.
 *
 * A bounded table for each scope: the resolved path of a file, its version
 * and its stamp when the caller last saw all of its state, by reading it or
 * by writing it. Reading a part counts. When the table is full the entry that
 * was used longest ago goes: its file then counts as not read, which asks for
 * one more read and never loses anything.
 *
 * The bytes that were read are kept too while a small cache has room for
 * them, so that a caller can be told what changed since.
 *
 * Safe for several threads at once.
 */
#ifndef STET_READSTATE_H
#define STET_READSTATE_H

#include "base/arena.h"
#include "base/hash.h"
#include "files/stamp.h"

struct readstate;

struct readstate_limits {
	size_t files; /* 0 = 100,000: under 32 MB */
	size_t cache; /* bytes of content; 0 = 4 MiB */
	/* With none left, nothing is held, and old entries make room. */
	struct budget *budget; /* NULL = no limit */
};

/* What is known of a file. */
struct read_entry {
	struct hash version;
	struct stamp stamp;
	struct str bytes; /* what was read, in the arena; .ptr NULL = gone */
};

struct readstate *readstate_new(const struct readstate_limits *limits);
void readstate_free(struct readstate *r); /* NULL is fine */

/* The caller has seen @key so; @bytes may be NULL. */
void readstate_put(struct readstate *r, struct str key, struct hash version,
		   const struct stamp *stamp, const struct str *bytes);

/* False: it has not read it. */
bool readstate_get(struct readstate *r, struct str key, struct arena *mem,
		   struct read_entry *ret);

void readstate_forget(struct readstate *r, struct str key);

/* How much memory it takes, in bytes. */
size_t readstate_size(struct readstate *r);

#endif
