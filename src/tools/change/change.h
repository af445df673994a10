/*
 * change.h - the one way in which tools change files.
 *
 * A handler has computed the new content and reported every error of the call
 * itself. The rest is the same for all tools: rules, approval (ERR_ASK, then the
 * handler runs again), before_edit hooks, history, file, after_edit hooks, and
 * the read state of the caller.
 */
#ifndef STET_CHANGE_H
#define STET_CHANGE_H

#include "base/splice.h"
#include "base/uuid.h"
#include "text/encoding/encoding.h"
#include "tools/call/tool.h"

struct change {
	struct str path;               /* as the caller gave it */
	const struct snapshot *before; /* the loaded file; NULL = no file */
	struct str key;   /* without @before: the key that file_read_load()
			   * returned with ERR_NOT_FOUND; "" = look it up */
	struct str after; /* the new content */
	const struct encoding *encoding; /* of @after; NULL = not known */
	const struct splice *splices;    /* from @before to @after; or NULL */
	size_t splice_count;
	bool remove;      /* delete the file */
	bool whole;       /* the caller gave all of @after */
	bool parents;     /* create missing directories */
	uint64_t made_ms; /* with @remove: creation of the file; see
			   * store_want */
	bool divisible;   /* the person may approve some hunks only */
	bool set_mode;
	unsigned mode;
	struct uuid undoes; /* the operation that this change undoes */
	/*
	 * Key of the file that this one was, usually with a removal of that in
	 * the same group: the history, hooks and the question tell it; ""
	 */
	struct str from;
	bool copies;     /* @from stays: the new file is a copy of it */
	struct str like; /* a new file: as in struct group_item; "" */
};

/* The hunks that the person approved; @of is 0 when it was all of them. */
struct accepted_hunks {
	struct item_list hunks; /* of int64_t, ascending, from 1 */
	int64_t of;             /* hunks that there were */
};

struct changed {
	struct stored stored;
	struct accepted_hunks taken;
	size_t wrote;        /* bytes, before after_edit hooks */
	struct uuid op;      /* the operation; zero = not in the history */
	struct str op_text;  /* the same as text; "" */
	struct str not_kept; /* why it is not in the history; "" */
	struct str hook;     /* failure of an after_edit hook; "" */
	/*
	 * The file differs from change.after, because only some hunks were
	 * approved or a hook or the editor has rewritten it; @now is its state.
	 */
	bool rewritten;
	struct snapshot now;
};

/*
 * Make the change. ERR_CHANGED when the file is not as @before any more, or
 * exists although there was none; nothing was written then.
 */
must_check enum err change_file(struct call *c, const struct change *change,
				struct changed *ret);

enum { CHANGE_MOST_FILES = 200 };

/*
 * Make the @n changes of a call, at most CHANGE_MOST_FILES: all of them or none.
 * A rule, the person or a before_edit hook that refuses one refuses all; there
 * is one question; after_edit hooks run when all files are changed. @ret has @n
 * results. No two changes are of the same file. On failure c->fault names the
 * file that it is about; ERR_CHANGED as above.
 */
must_check enum err change_group(struct call *c, const struct change *changes,
				 size_t n, struct changed *ret);

/* Bytes to be appended to a file. */
struct addition {
	struct str path;
	const struct file_info *info; /* of @path; NULL = look it up */
	struct append_want want;
	struct str summary; /* of the question, which shows @want.bytes */
	const struct encoding *encoding; /* of @want.bytes; NULL = UTF-8 */
	const struct snapshot *before;   /* the loaded file; NULL = none */
};

/*
 * @changed has what is known of the operation; its version is that of the whole
 * file if a->before is what was extended, else zero.
 */
must_check enum err change_append(struct call *c, const struct addition *a,
				  struct appended *ret,
				  struct changed *changed);

/* Do ignore files or settings exclude this file from changes (errorCode 1)? */
bool change_is_ignored(struct call *c, struct str path, struct str key);

#endif
