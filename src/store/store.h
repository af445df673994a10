/*
 * store.h - the store: history, approvals and grants in one SQLite database.
 *
 * It is in the user's state directory, never in the project. Several processes
 * may have it open; one that is read-only takes no write lock. store_new()
 * touches no file, the first use does.
 *
 * A store that cannot be used (no directory, read-only, full, corrupt, written
 * by a newer stet) answers ERR_STORE with the reason. A corrupt database is
 * renamed, never overwritten.
 *
 * Safe for several threads at once. Operations are written by one thread of its
 * own, many in one transaction (writer.h).
 */
#ifndef STET_STORE_H
#define STET_STORE_H

#include "base/err.h"
#include "base/uuid.h"

struct store;

struct store_options {
	struct str dir; /* absolute; "" = the default of this user */
	/*
	 * What history_wait() has confirmed survives a loss of power, except
	 * for the intent to create a file, which destroys nothing.
	 */
	bool durable;
	bool read_only; /* never writes, never creates */
	/*
	 * Limit for the contents in bytes, above which the oldest operations
	 * are dropped in the background; 0 = no limit.
	 */
	uint64_t max_bytes;
};

/* The default of max_bytes. */
#define STORE_MAX_BYTES ((uint64_t)1 << 30)

struct store *store_new(const struct store_options *options);

/* Commits what was submitted. NULL is fine. */
void store_free(struct store *s);

/* $XDG_STATE_HOME/stet, ~/.local/state/stet, or /var/tmp/stet-UID. */
struct str store_default_dir(struct arena *mem);

/* Open it if need be; ERR_STORE with the reason when it cannot be used. */
must_check enum err store_usable(struct store *s, struct fault *f);

/*
 * The path that this store has renamed a damaged database to; "" = none was
 * damaged. A new database has the rows that could be read.
 */
struct str store_put_aside(struct store *s);

#endif
