/*
 * settle.h - operations that began, and whose process is no more.
 *
 * They are compared with their files: what took place is done, what did not
 * has failed, and what cannot be told stays an intent, which people see as
 * "unknown".
 */
#ifndef STET_SETTLE_H
#define STET_SETTLE_H

#include "files/workspace.h"
#include "store/history.h"

/* All of those whose files @ws reaches; failures leave them as they are. */
void history_settle(struct workspace *ws, struct store *s);

/* The same, but only the first time in this process; @s may be NULL. */
void history_settle_once(struct workspace *ws, struct store *s);

/* One of them; false when it stays unknown. */
bool history_settle_one(struct workspace *ws, struct store *s,
			const struct op *op, struct arena *mem);

#endif
