/*
 * mcp.h - the methods of MCP, in both eras at once.
 *
 * Which era a message belongs to is decided by the message alone: one that
 * names a protocol version in params._meta is modern (2026-07-28), all others
 * are of the era of `initialize`.
 */
#ifndef STET_MCP_H
#define STET_MCP_H

#include "rpc/job.h"

/*
 * Handle job->message. A tool call is made ready and its kind returned; for
 * everything else the reply has been added to job->reply.
 */
enum job_next mcp_handle(struct job *job);

/* Does this message, as it came in, belong to the newer era? */
bool mcp_is_modern(struct json message);

/* Put the outcome of the call into job->reply. */
void mcp_answer_call(struct job *job, enum err e);

/* Add an error reply to job->reply. */
void mcp_fail(struct job *job, const struct fault *f);

#endif
