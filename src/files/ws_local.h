/*
 * ws_local.h - the workspace of the local disk, confined to some roots.
 *
 * Thread-safe. The roots can be replaced while calls run; each call sees one
 * set or the other.
 */
#ifndef STET_WS_LOCAL_H
#define STET_WS_LOCAL_H

#include "files/own.h"
#include "files/workspace.h"

enum durability {
	DURABLE_POWER, /* survives a power failure: fsync before the call returns */
	DURABLE_PROCESS, /* survives a crash of stet: atomic, without fsync */
};

struct ws_local_options {
	enum durability durability;
	uint64_t lock_wait_ms; /* timeout; 0 = 10,000 */
};

struct workspace *ws_local_new(const struct ws_local_options *options);
void ws_local_free(struct workspace *ws);

/*
 * Make these directories (absolute paths) the roots. One that cannot be opened
 * is left out; *@usable (may be NULL) is the number of the others. Without a
 * root every path is refused, with @advice as the hint of the fault.
 */
void ws_local_roots(struct workspace *ws, const struct str *dirs, size_t n,
		    struct str advice, size_t *usable);

/*
 * Declare stet's own files, for the current and all later roots: every access
 * to them is ERR_DENIED with reason "config".
 */
void ws_local_own(struct workspace *ws, const struct own_item *item, size_t n);

/* The paths of the current roots, without symlinks, in @mem. */
const struct str *ws_local_root_list(struct workspace *ws, struct arena *mem,
				     size_t *ret_n);

#endif
