/*
 * history.h - every change of a file, with its content before and after.
 *
 * A change is an operation (struct op) with the bytes of the file before and
 * after it. Its intent is written down before the file changes, with both
 * contents, and its end afterwards:
 *
 *	history_begin(store, &op, before, {0}, &ticket)     returns at once
 *	... make the neighbour, write, fsync ...
 *	history_wait(store, ticket, f)                      it is on disk
 *	... put the neighbour in place of the file ...
 *	history_end(store, &op, OP_DONE, &after)            returns at once
 *
 * so that the two fsyncs overlap. A process that dies in between leaves an
 * intent without an end: history_open_intents() lists those, and
 * tools/change/recovery.h compares them with the files.
 */
#ifndef STET_HISTORY_H
#define STET_HISTORY_H

#include "base/hash.h"
#include "base/splice.h"
#include "store/store.h"

/* Stored as numbers: a new kind is added at the end. */
enum op_kind {
	OP_CREATE,
	OP_UPDATE,
	OP_APPEND,
	OP_DELETE,
	OP_MODE,
	OP_MOVE,  /* of a file or directory, from op.from; both sides exist */
	OP_MKDIR, /* a directory was made ... */
	OP_RMDIR, /* ... or removed; neither has a content */
	OP_COPY,  /* like OP_CREATE, as a copy of op.from */
	OP_LINK,  /* a symlink was made or removed; content: its target */
};

enum { OP_KINDS = OP_LINK + 1 };

/* "create", "update" ... */
const char *op_kind_name(enum op_kind kind);

enum op_state {
	OP_INTENT, /* begun */
	OP_DONE,
	OP_FAILED, /* the file was not changed */
};

/* The root that a file was changed in; path "" = not known. */
struct op_root {
	struct str path; /* without symlinks */
	uint64_t dev, ino;
};

struct op {
	struct uuid id;   /* version 7: made by history_begin() when zero */
	uint64_t time_ms; /* since 1970; likewise */
	enum op_kind kind;
	enum op_state state;
	struct str path; /* resolved */
	struct str from; /* of a move or copy: where from, resolved; else "" */
	struct str tool, client, session, scope;
	struct str call; /* id of the tool call */
	/*
	 * Id of the first operation of the group, which are the changes that
	 * one call made together; zero when there was only this one.
	 */
	struct uuid group;
	struct uuid undoes;        /* the operation that this one takes back */
	struct uuid undone;        /* the latest one that took this one back */
	bool existed;              /* before; else there is no old content */
	bool exists;               /* after; else there is no new content */
	struct hash before, after; /* versions, as reads return them */
	uint64_t bytes_before, bytes_after;
	unsigned mode_before, mode_after; /* 07777; 0 = unknown */
	struct op_root root;
	struct uuid granted_by; /* grant that allowed it; zero = none */
};

/*
 * Does the history keep contents of @op? A rename changes none, and a directory
 * has none; a move that also changed the file is recorded as a new file.
 */
static inline bool op_has_content(const struct op *op)
{
	if (op->kind == OP_MOVE)
		return !op->existed;
	return op->kind != OP_MKDIR && op->kind != OP_RMDIR;
}

struct history_ticket {
	uint64_t number;
};

/*
 * Record the intent and, if op_has_content(), the contents (@before only if
 * op->existed, @after only if op->exists). The views must stay until
 * history_wait() has returned. @after may be (struct str){ 0 } when it comes
 * with the end: what is about to be in the file need not be kept before it
 * is. For OP_APPEND @after is what is appended, and @before is not kept.
 */
void history_begin(struct store *s, struct op *op, struct str before,
		   struct str after, struct history_ticket *ret);

/* Wait until the intent is as durable as store_options say, or ERR_STORE. */
must_check enum err history_wait(struct store *s, struct history_ticket ticket,
				 struct fault *f);

/*
 * Record the end of the operation; @op->after, exists, bytes_after and
 * mode_after may have changed since (an editor, a formatter), @after then has
 * the bytes that are in the file now (copied; NULL = as they were announced).
 */
void history_end(struct store *s, const struct op *op, enum op_state state,
		 const struct str *after);

/*
 * The same for OP_DONE, where @after is what was there before with @n splices
 * made. Where that takes far less room, they are kept instead of it: as the
 * operation has the old content as well, they last as long as that.
 */
void history_end_spliced(struct store *s, const struct op *op, struct str after,
			 const struct splice *splices, size_t n);

/* Selects the operations that match everything that is set, newest first. */
struct history_query {
	struct str path;    /* a file, or a directory with all files below */
	struct str session; /* "" = any */
	struct str call;
	struct str client; /* the name of its token, or its declared name */
	struct str client_part;      /* substring of either, ignoring case */
	struct str token;            /* the name of its token */
	struct str text;             /* substring of path, tool or client */
	uint64_t since_ms, until_ms; /* 0 = any */
	struct uuid group;           /* as of op_group(); zero = any */
	unsigned kinds;              /* bit 1 << OP_CREATE ...; 0 = any */
	bool intents; /* also those without an end, and those that failed */
	size_t skip, limit; /* limit 0 = 100 */
};

must_check enum err history_list(struct store *s, const struct history_query *q,
				 struct arena *mem, struct op **ret,
				 size_t *ret_n, struct fault *f);

/* Number of operations of each kind in a span of time. */
struct history_bucket {
	uint64_t kinds[OP_KINDS];
};

/*
 * Count those that match @q in @n spans of equal length from q->since_ms up to,
 * but excluding, q->until_ms. Intents, skip and limit are ignored.
 */
must_check enum err history_count(struct store *s,
				  const struct history_query *q, size_t n,
				  struct arena *mem, struct history_bucket *ret,
				  struct fault *f);

/* The id that names the group of @op, of which it may be the only one. */
static inline struct uuid op_group(const struct op *op)
{
	return uuid_is_zero(op->group) ? op->id : op->group;
}

/*
 * All operations of the group that op_group() names, in the order in which
 * they were begun, also those without an end, and those that failed.
 */
must_check enum err history_group(struct store *s, struct uuid group,
				  struct arena *mem, struct op **ret,
				  size_t *ret_n, struct fault *f);

/* How many operations are in the group of @op. */
size_t history_group_size(struct store *s, const struct op *op);

/*
 * The moves that were done after @op was begun, oldest first, without those of
 * its own group.
 */
must_check enum err history_moves(struct store *s, const struct op *op,
				  struct arena *mem, struct op **ret,
				  size_t *ret_n, struct fault *f);

/*
 * One operation by its id or a part of it (at least 4 digits) that is unique;
 * see ids.h. ERR_NO_OP, ERR_MANY_OPS.
 */
must_check enum err history_find(struct store *s, struct str id,
				 struct arena *mem, struct op *ret,
				 struct fault *f);

/* The same for a session that has operations: the whole of its id. */
must_check enum err history_session(struct store *s, struct str part,
				    struct arena *mem, struct str *ret,
				    struct fault *f);

/* How many last digits make all ids unique, at least @least. */
size_t history_id_digits(struct store *s, size_t least);

/* The newest finished operation on exactly that file; ERR_NO_OP. */
must_check enum err history_last(struct store *s, struct str path,
				 struct arena *mem, struct op *ret,
				 struct fault *f);

enum history_side { HISTORY_BEFORE, HISTORY_AFTER };

/* The content on one side; ERR_NO_CONTENT when it is not stored (any more). */
must_check enum err history_content(struct store *s, const struct op *op,
				    enum history_side side, struct arena *mem,
				    struct str *ret, struct fault *f);

/*
 * Intents without an end of processes that have died, oldest first: at most
 * @limit of those behind @after (zero = from the oldest).
 */
must_check enum err history_open_intents(struct store *s, struct uuid after,
					 size_t limit, struct arena *mem,
					 struct op **ret, size_t *ret_n,
					 struct fault *f);

/*
 * Is another process, which is alive, in the middle of an operation that it
 * began before @before_ms? A client has its reply a moment before the end of
 * the operation can be seen by other processes.
 */
bool history_under_way(struct store *s, uint64_t before_ms);

struct history_gc {
	uint64_t older_ms;  /* drop operations before this; 0 = none */
	uint64_t max_bytes; /* limit; the oldest are removed; 0 = none */
	bool plan; /* only count the operations and bytes to be removed */
	/* now and then, for a progress bar; it must not use the store */
	void (*moved)(void *ctx, uint64_t done, uint64_t total);
	void *ctx;
	size_t ops, blobs; /* out: how many went */
	uint64_t bytes;    /* out: bytes of the removed operations */
};

must_check enum err history_gc(struct store *s, struct history_gc *gc,
			       struct fault *f);

#endif
