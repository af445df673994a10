/*
 * recovery.h - crash recovery of the history.
 *
 * Changes of several files that were interrupted are completed or undone first
 * (ws_recover()).
 *
 * A process that dies between the intent of an operation and its end leaves
 * the operation open. Recovery compares the file with what the operation
 * expected before and after it: the operation is then recorded as done or as
 * failed. When the file matches neither, the operation stays open, and people
 * see its state as "unknown".
 */
#ifndef STET_RECOVERY_H
#define STET_RECOVERY_H

#include "store/history.h"
#include "tools/call/tool.h"

enum { RECOVERY_BATCH = 64 }; /* open operations held in memory at once */

/*
 * Recover the operations on files that the workspace of the call reaches: the
 * first time that it is used, and again after its roots have changed. Later
 * calls return at once, and so does a call that comes while another one
 * recovers. Failures leave operations open and are not reported.
 *
 * ERR_LATER when there may be something to do and the call must not block;
 * nothing was done then.
 */
must_check enum err recovery_run_once(struct call *c);

/* Which operations are recovered, and how. */
struct recovery {
	struct workspace *ws;
	struct store *store;   /* NULL = only groups of files */
	uint64_t max_file;     /* longer files are not loaded, in bytes */
	struct budget *budget; /* of the memory; NULL = none */
	const struct progress *progress; /* cancels waiting; may be NULL */
	/* Called before each operation, with its path; may be NULL. */
	void (*reach)(void *ctx, struct str path);
	void *ctx;
};

/* Recover all groups, then all operations, RECOVERY_BATCH at a time. */
void recovery_run(const struct recovery *r);

#endif
