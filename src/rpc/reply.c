/*
 * reply.c - results and errors that several methods have in common, in the
 * form of the message's era. They are added to job->reply.
 */
#include "rpc/reply.h"

#include "rpc/mcp.h"

struct json_out reply_open_as(struct job *job, const char *type)
{
	struct json_out o = message_result(&job->reply, job->message.id);

	if (!job->modern)
		return o;
	json_key(&o, "resultType");
	json_put_str(&o, str_of(type));
	json_key(&o, "_meta");
	json_open(&o, '{');
	json_key(&o, MCP_META "serverInfo");
	server_put_info(job->server, &o);
	json_close(&o, '}');
	return o;
}

struct json_out reply_open(struct job *job)
{
	return reply_open_as(job, "complete");
}

void reply_put_cache(const struct job *job, struct json_out *o)
{
	if (!job->modern)
		return;
	json_key(o, "ttlMs");
	json_put_int(o, 3600 * 1000);
	json_key(o, "cacheScope");
	json_put_str(o, STR("private"));
}

enum job_schedule reply_empty(struct job *job)
{
	struct json_out o = reply_open(job);

	message_result_end(&o);
	return JOB_DONE;
}

enum job_schedule reply_bad_params(struct job *job, const char *text)
{
	mcp_fail(job,
		 &(struct fault){ .err = ERR_BAD_ARGS, .text = str_of(text) });
	return JOB_DONE;
}

void reply_refuse(struct job *job, enum err e, const char *text)
{
	job->status = 400;
	mcp_fail(job, &(struct fault){ .err = e, .text = str_of(text) });
}
