/*
 * operations.h - operations of the history, as results and people see them.
 */
#ifndef STET_OPERATIONS_H
#define STET_OPERATIONS_H

#include "store/history.h"
#include "tools/tool.h"

/* One operation as a member of a result. */
struct op_row {
	struct str id, time, kind, state, path, tool, client, token;
	struct str session, call;
	struct str undoes, undone;
	struct str before, after; /* versions; "" = no file, or not known */
	struct str mode_before, mode_after;
	int64_t bytes_before, bytes_after;
	bool existed, exists;
	bool active; /* what it did is still done */
};

extern const struct field op_row_fields[];

/* The row of @op in @mem; @s tells whether it is still done. */
void op_row_fill(struct store *s, const struct op *op, struct arena *mem,
		 struct op_row *ret);

/* "create", "update" ... and "done", "failed", "unknown". */
const char *op_kind_name(enum op_kind kind);
const char *op_state_name(enum op_state state);

struct str op_id(struct uuid id, struct arena *mem); /* "" when zero */

/* 2026-01-15T10:30:00.123Z */
struct str op_time(uint64_t time_ms, struct arena *mem);

/*
 * How many bytes at the front of @there an append has put there whose content
 * is @added: with the end that a torn last line got first. 0 = they are not
 * there.
 */
size_t op_added(struct str there, struct str added);

/*
 * What an operation is to the ones it refers to: an ordinary change, the
 * undoing of one, or the undoing of an undoing.
 */
enum op_role { OP_DOES, OP_UNDOES, OP_REDOES };

enum op_role op_role(struct store *s, const struct op *op);

/* The change that an undo or a redo is of; zero for an ordinary change. */
struct uuid op_about(struct store *s, const struct op *op);

/* Is what it did still done: never undone, or its undoing was undone? */
bool op_active(struct store *s, const struct op *op);

/*
 * The newest finished one that fits @q, has @role and is active; those for
 * which @may says no are passed over. ERR_NO_UNDO when there is none.
 */
struct op_pick {
	struct history_query query; /* skip and limit are ours */
	enum op_role role;
	bool (*may)(void *ctx, const struct op *op); /* NULL = any */
	void *ctx;
};

must_check enum err op_pick_last(struct store *s, const struct op_pick *pick,
				 struct arena *mem, struct op *ret,
				 struct fault *f);

/* All of them, newest first. */
must_check enum err op_pick_all(struct store *s, const struct op_pick *pick,
				struct arena *mem, struct op **ret,
				size_t *ret_n, struct fault *f);

#endif
