/*
 * find.h - one search of a call: which files it sees, in which order, and what
 * it leaves out.
 *
 * find_begin() resolves the path and prepares everything; find_run() walks and
 * reports files in the order of their paths; find_drop() releases it. Between
 * them lie all decisions that finding tools share:
 *
 *	where     base directory, paths in and out (scope.c)
 *	hidden    what a rule hides is not reported and not counted; a file
 *	          whose reading is asked for is reported or counted (visible.c)
 *	ignored   what .gitignore and other ignore files exclude is skipped and
 *	          counted, unless the caller has named it (skip.c)
 *	named     the globs of the call (globs.h)
 *
 * The walk is files/tree.h: no path string is opened twice, no symlink on the
 * way is followed.
 */
#ifndef STET_FIND_H
#define STET_FIND_H

#include "files/tree.h"
#include "tools/call/tool.h"
#include "tools/find/globs.h"

/* What was left out, for the second text of the result. */
struct find_counts {
	size_t ignored_files, ignored_dirs;
	size_t binary, too_large; /* counted by the caller */
	size_t unreadable, need_approval, special;
};

/* Where globs with a slash are matched from. */
enum find_anchor {
	FIND_FROM_BASE, /* the base directory; with several roots, each root */
	FIND_FROM_PATH, /* find_want.path */
	FIND_FROM_EITHER, /* one match is enough */
};

/* What a search looks for. */
struct find_want {
	struct str path; /* as given; "" = all roots */
	/* Without @path: the directory in each root that is walked; "" = all. */
	struct str below;
	struct find_globs *globs; /* which files; NULL = all */
	unsigned kinds;           /* bits FIND_KIND(): what is reported */
	bool opens; /* reads contents: only counts files that need approval */
	bool everything;     /* obey no ignore file */
	bool only_directory; /* @path must be a directory */
	bool may_miss;       /* a missing @path is no failure: nothing there */
	enum find_anchor anchor;
};

enum { FIND_TIMEOUT_MS = 20000 };

#define FIND_KIND(kind) (1u << (kind))

/* One of the directories that are searched, or the file that was named. */
struct find_start {
	struct tree_place place;
	struct str path; /* of the place: absolute, as the caller spells it */
};

/* A file (or another kind that was asked for). */
struct find_file {
	struct tree_dir *dir; /* tree_dir_ref() keeps it open */
	struct str name;      /* NUL-terminated; valid during the callback */
	enum tree_kind kind;
	bool asks; /* reading needs approval; never set with find_want.opens */
	const struct find_start *start; /* for find_shown() */
};

/* How a search ended. */
enum find_end {
	FIND_COMPLETE,
	FIND_ENOUGH,    /* the caller stopped it */
	FIND_TIMED_OUT, /* --find-timeout */
	FIND_CANCELLED,
};

struct find {
	struct call *call;
	const struct find_want *want;
	struct str base; /* directory of relative paths; "" = no root */
	bool absolute;   /* several roots: results are absolute */
	bool one_file;   /* want->path names a file */
	struct find_start *start;
	size_t starts;
	struct find_counts counts;
	size_t seen; /* files reported so far */
	enum find_end ended;
	uint64_t deadline; /* of clock_ms() */
	struct find_state *state;
};

#define auto_find cleanup(find_drop) struct find

/*
 * Resolve want->path. ERR_DENIED outside the roots or for what a rule hides,
 * ERR_NOT_FOUND, ERR_ASK for a single file that needs approval to be read.
 * @find must be zero.
 */
must_check enum err find_begin(struct find *find, struct call *c,
			       const struct find_want *want);

/* Receives what a search finds, on the thread that runs it. */
struct find_sink {
	/*
	 * TREE_SKIP: do not enter this directory. TREE_STOP: end the search,
	 * which has found enough.
	 */
	enum tree_next (*file)(void *ctx, const struct find_file *file);
	void (*waits)(void *ctx); /* see tree.h; may be NULL */
	void *ctx;
};

/*
 * Report files in the order of their paths, root by root. A search that ends
 * early is no failure: see find->ended. ERR_CANCELLED if the call is.
 */
must_check enum err find_run(struct find *find, const struct find_sink *sink);

void find_drop(struct find *find);

/*
 * Has the search to end, by its deadline or cancelled? For loops over many
 * files or bytes; any thread.
 */
bool find_is_over(struct find *find);

/* The name of a file in results: relative or absolute, with \xNN escapes. */
struct str find_shown(const struct find *find, const struct find_start *start,
		      struct str dir_key, struct str name, struct arena *mem);

/* @path with control characters, and bytes that are not UTF-8, as \xNN. */
struct str find_escape(struct str path, struct arena *mem);

/* The absolute path for one that may be relative or start with "~/". */
must_check enum err find_absolute(struct call *c, struct str path,
				  struct str *ret);

/* The parts of the second text beside the counts. */
struct find_note {
	struct str partial;   /* why the result is partial; "" = it is not */
	uint64_t next_offset; /* 0 = nothing to go on with */
	struct str decoded;   /* "2 UTF-16LE, 1 GBK; 1 uncertain"; "" = none */
};

/* Why the search ended before its end, for find_note.partial. */
struct str find_why_partial(const struct find *find, struct arena *mem);

/* "Not searched: ..." and the rest; "" when there is nothing to tell. */
struct str find_note_text(const struct find_counts *counts,
			  const struct find_note *note, struct arena *mem);

#endif
