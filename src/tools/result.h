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
 * The same as a block of the Messages API: tool_use_id, type tool_result,
 * content, and is_error of a failure (f->err is ERR_OK when it is none).
 */
void result_put_block(struct json_out *o, const struct call *c,
		      const struct fault *f, struct str id);

/* A fault as one value: {"code":...,"message":...,"data":{...}}. */
void result_put_error(struct json_out *o, const struct fault *f);

/*
 * The object of a failure: {"error":...}, or Write's own
 * {"result":false,"message":...,"errorCode":...}.
 */
void result_put_failure(struct json_out *o, const struct fault *f);

/*
 * The members of a tools/call result for a failure told as a result. The
 * message stays as it is; what changed, a hint, and where a string nearly is
 * come on lines of their own.
 */
void result_put_fault(struct json_out *o, const struct fault *f,
		      enum results results);

/*
 * What a text costs in a reply, in bytes, at the most: it is escaped, and
 * with both forms it is there twice, the second time escaped twice. Additive
 * over pieces.
 */
uint64_t result_cost(enum results results, struct str text);

/* The most that a byte of it costs. */
unsigned result_worst(enum results results);

/* How much cost one reply has room for. */
uint64_t result_room(const struct call *c);

#endif
