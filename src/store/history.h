/*
 * history.h - what every change was, and what was there before.
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
 * intent without an end: history_open_intents() lists those, and whoever can
 * see the files says how they ended.
 */
#ifndef STET_HISTORY_H
#define STET_HISTORY_H

#include "base/hash.h"
#include "base/splice.h"
#include "store/store.h"

enum op_kind { OP_CREATE, OP_UPDATE, OP_APPEND, OP_DELETE, OP_MODE };

enum op_state {
	OP_INTENT, /* begun */
	OP_DONE,
	OP_FAILED, /* the file was not changed */
};

/* The root that a file was changed in; path "" = it was not kept. */
struct op_root {
	struct str path; /* without links */
	uint64_t dev, ino;
};

struct op {
	struct uuid id;   /* version 7: made by history_begin() when zero */
	uint64_t time_ms; /* since 1970; likewise */
	enum op_kind kind;
	enum op_state state;
	struct str path; /* resolved */
	struct str tool, client, session, scope;
	struct str call;           /* what belongs together: one tool call */
	struct uuid undoes;        /* the operation that this one takes back */
	struct uuid undone;        /* the latest one that took this one back */
	bool existed;              /* before; else there is no old content */
	bool exists;               /* after; else there is no new content */
	struct hash before, after; /* versions, as reads return them */
	uint64_t bytes_before, bytes_after;
	unsigned mode_before, mode_after; /* 07777; 0 = unknown */
	struct op_root root;
};

struct history_ticket {
	uint64_t number;
};

/*
 * Write down the intent, and the contents (@before is looked at only when
 * op->existed, @after only when op->exists). The views must stay until
 * history_wait() has returned. @after may be (struct str){ 0 } when it comes
 * with the end: what is about to be in the file need not be kept before it
 * is. For OP_APPEND @after is what is appended, and @before is not kept.
 */
void history_begin(struct store *s, struct op *op, struct str before,
		   struct str after, struct history_ticket *ret);

/* Until the intent is kept as store_options say. ERR_STORE: it is not. */
must_check enum err history_wait(struct store *s, struct history_ticket ticket,
				 struct fault *f);

/*
 * The operation ended so; @op->after, exists, bytes_after and mode_after may
 * have changed since (an editor, a formatter), @after then has the bytes that
 * are in the file now (copied; NULL = as they were announced).
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

/* Which operations: those that fit all that is set, newest first. */
struct history_query {
	struct str path;    /* that file, or all beneath that directory */
	struct str session; /* "" = any */
	struct str call;
	struct str client;      /* the name of its token, or what it declared */
	struct str client_part; /* of either, in any case of letters */
	struct str token;       /* the name of its token */
	struct str text;        /* part of the path, the tool or the client */
	uint64_t since_ms, until_ms; /* 0 = any */
	bool intents; /* also those without an end, and those that failed */
	size_t skip, limit; /* limit 0 = 100 */
};

must_check enum err history_list(struct store *s, const struct history_query *q,
				 struct arena *mem, struct op **ret,
				 size_t *ret_n, struct fault *f);

/* How many of each kind were done in a span of time. */
struct history_bucket {
	uint64_t kinds[OP_MODE + 1];
};

/* @n spans of the same length from @since_ms up to, not with, @until_ms. */
must_check enum err history_count(struct store *s, uint64_t since_ms,
				  uint64_t until_ms, size_t n,
				  struct history_bucket *ret, struct fault *f);

/*
 * One operation by its id or by a part of it (at least 4 digits), if that is
 * enough to tell; see ids.h. ERR_NO_OP, ERR_MANY_OPS.
 */
must_check enum err history_find(struct store *s, struct str id,
				 struct arena *mem, struct op *ret,
				 struct fault *f);

/* The same for a session that has operations: the whole of its id. */
must_check enum err history_session(struct store *s, struct str part,
				    struct arena *mem, struct str *ret,
				    struct fault *f);

/* How many last digits tell all operations apart, at least @least. */
size_t history_id_digits(struct store *s, size_t least);

/* The newest finished operation on exactly that file; ERR_NO_OP. */
must_check enum err history_last(struct store *s, struct str path,
				 struct arena *mem, struct op *ret,
				 struct fault *f);

enum history_side { HISTORY_BEFORE, HISTORY_AFTER };

/* The content on one side; ERR_NO_CONTENT when it was not kept, or gc. */
must_check enum err history_content(struct store *s, const struct op *op,
				    enum history_side side, struct arena *mem,
				    struct str *ret, struct fault *f);

/* Intents of processes that are no more, oldest first. */
must_check enum err history_open_intents(struct store *s, struct arena *mem,
					 struct op **ret, size_t *ret_n,
					 struct fault *f);

/*
 * Is another process, which is there, in the middle of an operation that it
 * began before @before_ms? A client has its reply a moment before the end of
 * the operation can be seen by other processes.
 */
bool history_under_way(struct store *s, uint64_t before_ms);

struct history_gc {
	uint64_t older_ms;  /* drop operations before this; 0 = none */
	uint64_t max_bytes; /* then the oldest until it takes no more; 0 */
	bool plan; /* only tell how many operations and bytes would go */
	/* now and then, for a progress bar; it must not use the store */
	void (*moved)(void *ctx, uint64_t done, uint64_t total);
	void *ctx;
	size_t ops, blobs; /* out: how many went */
	uint64_t bytes;    /* out: and what they took */
};

must_check enum err history_gc(struct store *s, struct history_gc *gc,
			       struct fault *f);

#endif
