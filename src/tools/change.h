/*
 * change.h - the one way in which tools change files.
 *
 * A handler has worked out what a file is to become, and everything that can
 * be wrong with the call itself has been said. From here on it is the same
 * for all of them: what the rules say, what the person says (ERR_ASK, and the
 * handler runs again), the hook before, the history, the file, the hook
 * after, and what the caller is now known to have read.
 */
#ifndef STET_CHANGE_H
#define STET_CHANGE_H

#include "base/splice.h"
#include "base/uuid.h"
#include "text/encoding.h"
#include "tools/tool.h"

struct change {
	struct str path;               /* as it was given */
	const struct snapshot *before; /* as it was loaded; NULL = no file */
	struct str key;   /* without @before: where change_load() has not found
			   one; "" = it is looked up */
	struct str after; /* all of its bytes */
	const struct encoding *encoding; /* of @after; NULL = not known */
	const struct splice *splices;    /* that make it of @before; or NULL */
	size_t splice_count;
	bool remove;      /* rather than write @after */
	bool whole;       /* @after is what the caller gave */
	bool parents;     /* make directories */
	uint64_t made_ms; /* with @remove: when the file was made; see
			   * store_want */
	bool divisible;   /* the caller is told when only some hunks are made */
	bool set_mode;
	unsigned mode;
	struct uuid undoes; /* of undo: what it takes back */
};

/* Which hunks of a change the person took: of is 0 when it is all of it. */
struct taken {
	struct list hunks; /* of int64_t, ascending, from 1 */
	int64_t of;
};

struct changed {
	struct stored stored;
	struct taken taken;
	size_t wrote;        /* bytes, before any hook */
	struct uuid op;      /* of the history; zero when it is not kept */
	struct str op_text;  /* the same for results; "" */
	struct str not_kept; /* why the history does not have it; "" */
	struct str hook;     /* what went wrong with one after it; "" */
	/*
	 * The file is not @after: only some hunks of it were made, or a hook
	 * or the editor has rewritten it. This is what it is now.
	 */
	bool rewritten;
	struct snapshot now;
};

/*
 * Make it. ERR_CHANGED when the file is not as @before any more, or is there
 * though there was none; then nothing was written.
 */
must_check enum err change_file(struct call *c, const struct change *change,
				struct changed *ret);

/* The same for what is added at the end. */
struct addition {
	struct str path;
	const struct look *look; /* of @path; NULL = it is looked up */
	struct append_want want;
	struct str summary; /* for the question; @want.bytes is its content */
};

must_check enum err change_append(struct call *c, const struct addition *a,
				  struct appended *ret);

/*
 * May the caller see the file at all? Asked before anything of it is used:
 * ERR_DENIED with reason "rule" when a rule hides it. @key is "" while it is
 * not known yet.
 */
must_check enum err change_may_see(struct call *c, struct str path,
				   struct str key);

/*
 * Load a file for the caller. It is judged by the key of the very descriptor
 * that it was loaded from, before anything of it is used; a failure to load
 * it, too, as even that says something of the file. With ERR_NOT_FOUND
 * ret->key is where it would be.
 */
must_check enum err change_load(struct call *c, struct str path, uint64_t max,
				struct snapshot *ret);

/* The same after a load or page that has returned @e, and *@key. */
must_check enum err change_judge(struct call *c, struct str path, enum err e,
				 struct str *key);

/* Does the project want this file left alone (errorCode 1)? */
bool change_is_ignored(struct call *c, struct str path, struct str key);

/* After a change: what the caller now knows of the file. */
void change_remember(struct call *c, const struct change *change,
		     const struct changed *changed);

/* The caller has now read this: all of it, or some lines. */
void change_has_read(struct call *c, const struct snapshot *snap);
void change_has_read_page(struct call *c, const struct page *page);

/*
 * Has the caller read the file as @now shows it? ERR_UNREAD when it never
 * did, ERR_STALE when it has changed since; then c->seen is what was read, if
 * that is still held, so that it can be told what changed. An if_version that
 * the caller gave stands for all of this.
 */
must_check enum err change_check_read(struct call *c, struct str path,
				      const struct snapshot *now);

#endif
