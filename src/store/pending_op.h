/*
 * pending_op.h - operations on their way into the database (struct pending_op).
 *
 * They are written in one transaction. Under the lock of the connection.
 */
#ifndef STET_PENDING_OP_H
#define STET_PENDING_OP_H

#include "store/writer.h"

/* A new one with a copy of @op, and @room bytes at *@ret_room; free() it. */
struct pending_op *pending_op_new(const struct op *op, size_t room,
				  char **ret_room);

/*
 * Write all of @list; each has its result in @err and @fault. If one
 * transaction fails, each gets its own. Those up to the number @logged are in a
 * write-ahead log that is as durable as they have to be.
 */
void pending_ops_write(struct db *db, struct recent *recent,
		       struct pending_op *list, uint64_t logged);

/* Bytes of the contents of those that did not fail. */
uint64_t pending_ops_bytes(const struct pending_op *list);

void pending_ops_free(struct pending_op *list);

#endif
