/*
 * walk.h - every regular file beneath a directory.
 *
 * Links are not followed, other filesystems not entered, and what cannot be
 * opened is passed over. Names come in the order of their bytes.
 */
#ifndef STET_WALK_H
#define STET_WALK_H

#include "base/arena.h"

struct walk {
	/* For each file; false ends the walk. @path starts with the root. */
	bool (*file)(void *ctx, struct str path, uint64_t size);
	/* May a directory of that name be entered? NULL = any. */
	bool (*enter)(void *ctx, const char *name);
	void *ctx;
	unsigned max_depth; /* 0 = 64 */
};

/* 0, or -1 with errno when @root itself cannot be opened. */
must_check int walk_files(const char *root, const struct walk *w);

#endif
