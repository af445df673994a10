/*
 * patterns.h - files of patterns that come with a project, read once.
 *
 * .stetignore, .gitignore, .editorconfig, .gitattributes: every call may have
 * to look at some of them, and whoever wrote the project wrote them. They are
 * compiled once and kept, found by identity (device, inode, size, times) if
 * that is old enough to be trusted (files/stamp.h), else by their content. So
 * a change counts at once, and a file that stays costs one look at it.
 *
 * What is over a budget is not taken in part: patterns_get() says what is
 * wrong, and the caller decides what follows. An ignore file that cannot be
 * taken in whole leaves everything beneath it alone; an .editorconfig or
 * .gitattributes does not count.
 */
#ifndef STET_PATTERNS_H
#define STET_PATTERNS_H

#include "files/workspace.h"
#include "text/ignore.h"

/* Told in docs/permissions.md; those of a single list are in text/ignore.h. */
enum pattern_budgets {
	PATTERNS_MAX_LEVELS = 64,           /* directories, root to file */
	PATTERNS_MAX_FILE_BYTES = 1 << 20,  /* one file */
	PATTERNS_MAX_CALL_BYTES = 4 << 20,  /* all that one call reads */
	PATTERNS_MAX_KEPT_BYTES = 16 << 20, /* the cache, rules included */
	PATTERNS_MAX_KEPT_FILES = 512,
};

/* A compiled file; nobody changes it. To be given back with patterns_drop(). */
struct patterns {
	_Atomic unsigned refs;
	struct str text;
	struct ignore_list
		list; /* of PATTERNS_IGNORE: without dir and source */
	enum ignore_fault fault; /* and why it has no rules */

	/* the cache's own, under patterns_lock */
	int kind;
	struct stamp stamp; /* of the file it was last read from ... */
	bool settled;       /* ... which was old enough to be trusted */
	struct hash version;
	size_t cost; /* bytes of memory */
	struct arena mem;
};

enum patterns_kind {
	PATTERNS_IGNORE, /* lines as in .gitignore: text/ignore.h */
	PATTERNS_TEXT,   /* text/settings.h */
};

/* What one call may still take in. */
struct patterns_budget {
	size_t bytes, rules;
	const struct errand *errand; /* may give up reading; NULL = nobody */
};

#define PATTERNS_BUDGET(e)                                   \
	{                                                    \
		.bytes = PATTERNS_MAX_CALL_BYTES,            \
		.rules = IGNORE_MAX_PATTERNS, .errand = (e), \
	}

enum patterns_got {
	PATTERNS_HERE,
	PATTERNS_ABSENT, /* nothing has that name */
	PATTERNS_UNUSABLE,
};

/*
 * The file at @path, as it is now; with PATTERNS_HERE *@ret is to be dropped.
 * With PATTERNS_UNUSABLE *@why, in @mem, says why: " is too large (limit
 * 1048576 bytes)"; what lies outside the roots has "" for it.
 */
must_check enum patterns_got patterns_get(struct workspace *ws, struct str path,
					  enum patterns_kind kind,
					  struct patterns_budget *left,
					  struct arena *mem,
					  struct patterns **ret,
					  struct str *why);

void patterns_drop(struct patterns *p);

/* What has been done since the start, for tests. */
struct patterns_work {
	size_t loads, compiles;
	size_t kept_bytes, kept_files;
};

struct patterns_work patterns_work(void);

#endif
