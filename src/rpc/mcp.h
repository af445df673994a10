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
 * Handle job->message. JOB_DONE: the reply is in job->reply. JOB_READS or
 * JOB_CHANGES: job_run() is to be called.
 */
enum job_schedule mcp_handle(struct job *job);

/*
 * Does a message with these params belong to the newer era? @initializes: its
 * method is `initialize`.
 */
bool mcp_is_modern(struct json params, bool initializes);

/* Add the reply to a tool call whose outcome is @e to job->reply. */
void mcp_answer_call(struct job *job, enum err e);

/* tools/call. JOB_DONE: an error reply, for example an unknown tool. */
enum job_schedule mcp_call_tool(struct job *job);

/* Add an error reply to job->reply. */
void mcp_fail(struct job *job, const struct fault *f);

#endif
