/*
 * result.h - the result struct or the fault of a call as JSON for the client.
 */
#ifndef STET_RESULT_H
#define STET_RESULT_H

#include "tools/call/tool.h"

/*
 * The object of the contract: the members of c->out, by the field table; of a
 * tool without a structured result {"content":[...]}.
 */
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
 * The members of a tools/call result for a failure (isError). The message is
 * the first line; a diff of what changed, a hint, and candidates of a failed
 * match follow on lines of their own.
 */
void result_put_fault(struct json_out *o, const struct fault *f,
		      enum results results);

/*
 * Upper bound of the bytes that a text takes in a reply: it is escaped, and
 * with RESULTS_BOTH it is there twice, the second time escaped twice. Additive
 * over pieces of a text.
 */
uint64_t result_cost(enum results results, struct str text);

/* The largest cost of a single byte. */
unsigned result_worst(enum results results);

/* The largest cost that one reply can carry. */
uint64_t result_room(const struct call *c);

#endif
