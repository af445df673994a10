/*
 * result.h - from a tool's own struct to what the client gets.
 */
#ifndef STET_RESULT_H
#define STET_RESULT_H

#include "tools/tool.h"

/* The contract's object: the members of c->out, made by the row. */
void result_payload(const struct call *c, struct buf *out);

/*
 * The members of a tools/call result (without its braces): content,
 * structuredContent and isError, as --results says.
 */
void result_put(struct json_out *o, const struct call *c);

/*
 * The same for a failure told as a result. @data is an object for programs,
 * or "". The message stays as it is; a hint comes on a line of its own.
 */
void result_put_fault(struct json_out *o, const struct fault *f,
		      struct str data, enum results results);

/*
 * What a text costs in a reply, in bytes, at the most: it is escaped, and
 * with both forms it is there twice, the second time escaped twice. Additive
 * over pieces.
 */
uint64_t result_cost(enum results results, struct str text);

/* How much cost one reply has room for. */
uint64_t result_room(const struct call *c);

#endif
