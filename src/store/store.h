/*
 * store.h - what stet keeps for the person: history, approvals, grants.
 *
 * One SQLite database in the user's state directory, never in the project.
 * Several processes may have it open; one that only looks takes no lock, and
 * one that never asks for anything never opens it: store_new() touches no
 * file, the first use does.
 *
 * A store that cannot be used (no directory, read-only, full, corrupt, of a
 * newer stet) answers ERR_STORE with the reason, and never loses what is in
 * it: a corrupt database is put aside, not overwritten.
 *
 * Safe for several threads at once. Writes go through one thread of its own,
 * which gathers what comes in at the same time into one transaction.
 */
#ifndef STET_STORE_H
#define STET_STORE_H

#include "base/err.h"
#include "base/uuid.h"

struct store;

struct store_options {
	struct str dir; /* absolute; "" = the default of this user */
	/*
	 * What was waited for survives a loss of power; but for the intent
	 * to make a file where there was none, which takes nothing away.
	 */
	bool durable;
	bool read_only; /* for looking only: never writes, never creates */
	/*
	 * What the contents may take, in bytes: beyond it the oldest
	 * operations go, now and then; 0 = no limit.
	 */
	uint64_t max_bytes;
};

/* What the history may take, unless the person says otherwise. */
#define STORE_MAX_BYTES ((uint64_t)1 << 30)

struct store *store_new(const struct store_options *options);

/* Waits for what is under way. NULL is fine. */
void store_free(struct store *s);

/* $XDG_STATE_HOME/stet, ~/.local/state/stet, or /var/tmp/stet-UID. */
struct str store_default_dir(struct arena *mem);

/* Open it if need be: ERR_STORE says why it cannot be used. */
must_check enum err store_usable(struct store *s, struct fault *f);

/*
 * Where this store has put a damaged database, for the person to know; ""
 * while it has found none. A new one was begun, with what could be read.
 */
struct str store_put_aside(struct store *s);

#endif
