/*
 * meta.h - the _meta of results of a search, which Grep and Glob share.
 */
#ifndef STET_FIND_META_H
#define STET_FIND_META_H

#include "tools/find/find.h"

/* struct find_counts as members of a result. */
struct find_skipped {
	int64_t ignored_files, ignored_directories, binary, too_large;
	int64_t unreadable, need_approval, special;
};

struct find_meta {
	struct find_skipped skipped;
	struct str root; /* relative names begin here; "" = all are absolute */
	struct str source;
};

extern const struct field find_meta_fields[];

void find_meta_fill(const struct find *find, struct find_meta *ret);

#endif
