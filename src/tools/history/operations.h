/*
 * operations.h - operations of the history as rows of results, and their
 * relations: which one undoes which.
 */
#ifndef STET_OPERATIONS_H
#define STET_OPERATIONS_H

#include "store/history.h"
#include "tools/call/tool.h"

/* One operation as a member of a result. */
struct op_row {
	struct str id, time, kind, state, path, tool, client, token;
	struct str session, call, group, from;
	int64_t group_size; /* 0 = it is the only one */
	struct str undoes, undone;
	struct str before, after; /* versions; "" = no file, or not known */
	struct str mode_before, mode_after;
	int64_t bytes_before, bytes_after;
	bool existed, exists;
	bool active; /* done, and not undone */
};

extern const struct field op_row_fields[];

/* The row of @op, in @mem. */
void op_row_fill(struct store *s, const struct op *op, struct arena *mem,
		 struct op_row *ret);

/* "done", "failed", "unknown". */
const char *op_state_name(enum op_state state);

struct str op_id(struct uuid id, struct arena *mem); /* "" when zero */

/* 2026-01-15T10:30:00.123Z */
struct str op_time(uint64_t time_ms, struct arena *mem);

/*
 * The length of an append of @added at the start of @there, with the newline
 * that completed a last line before it. 0 = it is not there.
 */
size_t op_added(struct str there, struct str added);

/*
 * An ordinary change, the undo of one, or the redo (undo of an undo).
 */
enum op_role { OP_DOES, OP_UNDOES, OP_REDOES };

enum op_role op_role(struct store *s, const struct op *op);

/* The change that an undo or redo refers to; zero for an ordinary change. */
struct uuid op_about(struct store *s, const struct op *op);

/* Is it in effect: never undone, or redone? */
bool op_active(struct store *s, const struct op *op);

/*
 * A selection: finished operations that match @query, have @role and are active,
 * except those for which @may returns false.
 */
struct op_pick {
	struct history_query query; /* skip and limit are not used */
	enum op_role role;
	bool (*may)(void *ctx, const struct op *op); /* NULL = any */
	void *ctx;
};

/* The newest one; ERR_NO_UNDO when there is none. */
must_check enum err op_pick_last(struct store *s, const struct op_pick *pick,
				 struct arena *mem, struct op *ret,
				 struct fault *f);

/* All of them, newest first. */
must_check enum err op_pick_all(struct store *s, const struct op_pick *pick,
				struct arena *mem, struct op **ret,
				size_t *ret_n, struct fault *f);

#endif
