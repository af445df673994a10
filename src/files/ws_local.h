/*
 * ws_local.h - the disk, beneath some roots.
 *
 * Safe for several threads at once. The roots can be replaced while calls
 * run; a call sees one set or the other.
 */
#ifndef STET_WS_LOCAL_H
#define STET_WS_LOCAL_H

#include "files/own.h"
#include "files/workspace.h"

enum durability {
	DURABLE_POWER,   /* on disk when the call returns: fsync */
	DURABLE_PROCESS, /* atomic, but left to the kernel to write out */
};

struct ws_local_options {
	enum durability durability;
	uint64_t lock_wait_ms; /* 0 = 10,000 */
};

struct workspace *ws_local_new(const struct ws_local_options *options);
void ws_local_free(struct workspace *ws);

/*
 * Make these directories (absolute paths) the roots. One that cannot be
 * opened is left out; @usable (may be NULL) says how many were not. With
 * none, every path is refused, and the fault's hint is @advice.
 */
void ws_local_roots(struct workspace *ws, const struct str *dirs, size_t n,
		    struct str advice, size_t *usable);

/*
 * These files are stet's own from now on, for these roots and those to come:
 * every access to them is ERR_DENIED with reason "config".
 */
void ws_local_own(struct workspace *ws, const struct own_item *item, size_t n);

/* The roots that are in use, without links, in @mem. */
const struct str *ws_local_root_list(struct workspace *ws, struct arena *mem,
				     size_t *ret_n);

#endif
