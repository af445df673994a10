/*
 * reply.h - how replies begin and end, in both eras.
 */
#ifndef STET_REPLY_H
#define STET_REPLY_H

#include "rpc/job.h"

/*
 * Start the result of job->message, with what every one of 2026-07-28
 * carries; message_result_end() ends it. @type is the resultType.
 */
struct json_out reply_open_as(struct job *job, const char *type);
struct json_out reply_open(struct job *job); /* "complete" */

/* What we list stays as it is while the process runs: say so. */
void reply_put_cache(const struct job *job, struct json_out *o);

/* Results that have no members of their own. */
enum job_next reply_empty(struct job *job);

enum job_next reply_bad_params(struct job *job, const char *text);

/* The message is wrong as such, before anybody looked what it wants. */
void reply_refuse(struct job *job, enum err e, const char *text);

#endif
