/*
 * state.h - a state directory for one test, and a store in it.
 */
#ifndef STET_TEST_STATE_H
#define STET_TEST_STATE_H

#include "../unit.h"

#include "store/approvals.h"
#include "store/history.h"

#include <sqlite3.h>

struct state {
	char *base;
	struct str dir; /* base/stet; the store creates it */
	struct store *store;
	struct arena mem;
	struct fault f;
	struct store_options options;
};

#define auto_state cleanup(state_end) struct state

struct state state_make(void);
void state_end(struct state *s);

/* Close the store, and open another on the same directory. */
void state_again(struct state *s);

/* The path of @name beneath the store's directory. */
const char *state_path(struct state *s, const char *name);

/* A second connection to the database, to inspect and to change it. */
sqlite3 *state_open_db(struct state *s);
int64_t state_number(struct state *s, const char *sql);
void state_run(struct state *s, const char *sql);

/* A complete operation: intent, wait, end. @before NULL = a new file. */
struct op state_op(struct state *s, const char *path, const char *before,
		   const char *after);
enum err state_try_op(struct state *s, const char *path, struct str before,
		      struct str after, struct op *ret);

/* Write until the store has a write-ahead log: its path. */
const char *state_wal(struct state *s);

/* Did @side of the operation hold exactly @want? */
bool state_holds(struct state *s, const struct op *op, enum history_side side,
		 struct str want);

/*
 * Run @fn in a child that is not root (when we are), in a directory that it
 * owns. It answers 0, or the line of what went wrong.
 */
int state_as_nobody(struct state *s, int (*fn)(struct state *s));

/* Run @fn in a child; its exit status. */
int state_in_child(struct state *s, int (*fn)(struct state *s));

#define need(claim)                      \
	do {                             \
		if (!(claim))            \
			return __LINE__; \
	} while (0)

#endif
