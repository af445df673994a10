/*
 * reply.h - parts that replies of several methods share, in both eras.
 */
#ifndef STET_REPLY_H
#define STET_REPLY_H

#include "rpc/job.h"

/*
 * Begin the result of job->message; message_result_end() ends it. A result of
 * 2026-07-28 has the resultType @type and serverInfo.
 */
struct json_out reply_open_as(struct job *job, const char *type);
struct json_out reply_open(struct job *job); /* "complete" */

/* ttlMs and cacheScope: lists do not change while the process runs. */
void reply_put_cache(const struct job *job, struct json_out *o);

/* An empty result. */
enum job_schedule reply_empty(struct job *job);

enum job_schedule reply_bad_params(struct job *job, const char *text);

/* An error about the message itself: HTTP status 400. */
void reply_refuse(struct job *job, enum err e, const char *text);

#endif
