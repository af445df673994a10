/*
 * patterns.h - a cache of the pattern files of projects.
 *
 * .stetignore, .gitignore, .editorconfig, .gitattributes: every call may need
 * some of them, and their authors are not trusted. They are compiled once and
 * cached by identity (device, inode, size, times) if that is old enough to be
 * trusted (files/stat_data.h), else by content. So a change takes effect at once,
 * and an unchanged file costs one stat().
 *
 * A file over a budget is never used in part: patterns_get() says what is wrong,
 * and the caller decides what follows. An unusable ignore file ignores
 * everything beneath it; an unusable .editorconfig or .gitattributes is skipped.
 */
#ifndef STET_PATTERNS_H
#define STET_PATTERNS_H

#include "files/tree.h"
#include "text/pattern/ignore.h"

/* Documented in docs/permissions.md; limits of one list: ignore.h. */
enum pattern_budgets {
	PATTERNS_MAX_LEVELS = 64,           /* directories, root to file */
	PATTERNS_MAX_FILE_BYTES = 1 << 20,  /* of one file */
	PATTERNS_MAX_CALL_BYTES = 4 << 20,  /* of all files of one call */
	PATTERNS_MAX_KEPT_BYTES = 16 << 20, /* of the cache, rules included */
	PATTERNS_MAX_KEPT_FILES = 512,
};

/* A compiled file, immutable; released with patterns_drop(). */
struct patterns {
	_Atomic unsigned refs;
	struct str text;
	struct ignore_list
		list; /* of PATTERNS_IGNORE: without dir and source */
	enum ignore_fault fault; /* reason why there are no rules */

	/* used by the cache only, under patterns_lock */
	int kind;
	struct stat_data stat; /* of the file it was last read from ... */
	bool settled;          /* ... which was old enough to be trusted */
	struct hash version;
	size_t cost; /* bytes of memory */
	struct arena mem;
};

enum patterns_kind {
	PATTERNS_IGNORE, /* lines as in .gitignore: text/pattern/ignore.h */
	PATTERNS_TEXT,   /* text/pattern/file_attributes.h */
};

/* The remaining budget of one call. */
struct patterns_budget {
	size_t bytes, rules;
	const struct progress *progress; /* can cancel reading; or NULL */
};

#define PATTERNS_BUDGET(e)                                     \
	{                                                      \
		.bytes = PATTERNS_MAX_CALL_BYTES,              \
		.rules = IGNORE_MAX_PATTERNS, .progress = (e), \
	}

enum patterns_got {
	PATTERNS_HERE,
	PATTERNS_ABSENT, /* there is no such file */
	PATTERNS_UNUSABLE,
};

/*
 * The current file at @path. With PATTERNS_HERE the caller must drop *@ret. With
 * PATTERNS_UNUSABLE *@why, in @mem, says why: " is too large (limit 1048576
 * bytes)"; it is "" for a file outside the roots.
 */
must_check enum patterns_got patterns_get(struct workspace *ws, struct str path,
					  enum patterns_kind kind,
					  struct patterns_budget *left,
					  struct arena *mem,
					  struct patterns **ret,
					  struct str *why);

/*
 * The ignore file @name in an open directory, without a budget for the call.
 * With PATTERNS_HERE the caller must drop *@ret.
 */
must_check enum patterns_got patterns_in(struct tree_dir *dir, const char *name,
					 struct patterns **ret);

void patterns_drop(struct patterns *p);

/* Counters since the start, for tests. */
struct patterns_work {
	size_t loads, compiles;
	size_t kept_bytes, kept_files;
};

struct patterns_work patterns_work(void);

#endif
