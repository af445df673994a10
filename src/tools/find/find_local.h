/*
 * find_local.h - the state of a running search, shared by the files of find.
 */
#ifndef STET_FIND_LOCAL_H
#define STET_FIND_LOCAL_H

#include "base/buf.h"
#include "tools/find/find.h"
#include "tools/find/skip.h"
#include "tools/find/visible.h"

struct find_state {
	struct find *find;
	const struct find_sink *sink;
	const struct find_start *start;
	struct tree_dir *dir; /* directory of the current entry */
	struct buf path;      /* key of the current entry */
	size_t dir_len;       /* bytes of @path up to the last slash */
	/* offsets in @path from which globs are matched (find_anchor) */
	size_t origin[2];
	size_t origins; /* 1 or 2 */
	const struct str *roots;
	size_t root_count;
	struct skip skip;
	struct visible visible;
	unsigned entries; /* visited since find_stop() was polled */
};

#endif
