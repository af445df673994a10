/*
 * readstate.h - which files a caller has read, and in which version.
 *
 * A bounded table per scope: the key of a file with its version and stat data when
 * the caller last read or wrote it. Reading a part counts. When the table is
 * full the least recently used entry goes: its file then counts as not read,
 * which costs one more read and never loses anything.
 *
 * A small cache keeps the content that was read, so that an error can show what
 * changed since.
 *
 * Safe for several threads at once.
 */
#ifndef STET_READSTATE_H
#define STET_READSTATE_H

#include "base/arena.h"
#include "base/hash.h"
#include "files/stat_data.h"

struct readstate;

struct readstate_limits {
	size_t files; /* 0 = 100,000: under 32 MB */
	size_t cache; /* bytes of content; 0 = 4 MiB */
	/* When it is exhausted: no content is cached, old entries go. */
	struct budget *budget; /* NULL = no limit */
};

/* The record of a file. */
struct read_entry {
	struct hash version;
	struct stat_data stat;
	struct str bytes; /* content, in the arena; .ptr NULL = not cached */
};

struct readstate *readstate_new(const struct readstate_limits *limits);
void readstate_free(struct readstate *r); /* NULL is fine */

/* Record that the caller has seen this version; @bytes may be NULL. */
void readstate_put(struct readstate *r, struct str key, struct hash version,
		   const struct stat_data *stat, const struct str *bytes);

/* False when the caller has not read the file. */
bool readstate_get(struct readstate *r, struct str key, struct arena *mem,
		   struct read_entry *ret);

void readstate_forget(struct readstate *r, struct str key);

/* Memory in use, in bytes. */
size_t readstate_size(struct readstate *r);

#endif
