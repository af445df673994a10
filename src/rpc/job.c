#include "rpc/job.h"

#include "rpc/mcp.h"
#include "rpc/reply.h"

#include <stdlib.h>

/* What a job keeps for the next message: enough that steady work on files of
 * a few megabytes asks the kernel for nothing. */
enum { KEEP_ARENA = 4 << 20, KEEP_TEXT = 1 << 20, KEEP_REPLY = 4 << 20 };

enum {
	KEEP_PART = 256,      /* of the server's budget, at most, by each */
	MOST_NODES = 1 << 20, /* values in one message */
	MOST_BATCHED = 10000, /* messages in one batch */
	LONG_MESSAGE = 64 * 1024,
	COPIES = 2, /* of a long message, while it is worked on */
};

/* Whose memory it takes. */
static void count_for(struct job *job, struct budget *b)
{
	charge_move(&job->held, b);
	arena_charge(&job->mem, b);
}

struct job *job_new(struct server *s)
{
	struct job *job = calloc(1, sizeof(*job));

	if (!job)
		out_of_memory();
	job->server = s;
	count_for(job, s ? s->budget : NULL);
	return job;
}

static void count_held(struct job *job)
{
	charge_set(&job->held, job->text.cap + job->reply.cap);
}

void job_free(struct job *job)
{
	if (!job)
		return;
	arena_free(&job->mem);
	buf_free(&job->text);
	buf_free(&job->reply);
	charge_set(&job->held, 0);
	free(job);
}

static void next_message(struct job *job)
{
	job->message = (struct message){ 0 };
	job->modern = false;
	job->progress = job->cancels = STR("");
	job->started = job->told = 0;
	atomic_store(&job->cancelled, false);
	job->ran = JOB_RAN;
	job->ask = (struct ask){ 0 };
	job->round = (struct round){ 0 };
	job->status = 200;
}

/* How much of @most may be kept: with a small budget, less. */
static size_t keep(const struct job *job, size_t most)
{
	const struct budget *b = job->server ? job->server->budget : NULL;

	return b && b->max ? size_min(most, b->max / KEEP_PART) : most;
}

void job_answered(struct job *job)
{
	if (job->mem.charge.bytes > keep(job, KEEP_ARENA))
		arena_reset(&job->mem, keep(job, KEEP_ARENA));
	buf_clear(&job->text, keep(job, KEEP_TEXT));
	count_held(job);
}

void job_clear(struct job *job)
{
	arena_reset(&job->mem, keep(job, KEEP_ARENA));
	buf_clear(&job->text, keep(job, KEEP_TEXT));
	buf_clear(&job->reply, keep(job, KEEP_REPLY));
	count_held(job);
	count_for(job, job->server ? job->server->budget : NULL);
	next_message(job);
	job->next = NULL;
	job->link = NULL;
	job->peer = NULL;
	job->holder = NULL;
	job->headers = NULL;
	job->batched = false;
	job->answer_later = false;
}

static enum job_next handle(struct job *job, struct json v)
{
	struct fault f;

	next_message(job);
	if (message_read(v, &job->mem, &job->message, &f)) {
		job->status = 400;
		mcp_fail(job, &f);
		return JOB_DONE;
	}
	return mcp_handle(job);
}

/* Nobody was to be answered, or the last comma becomes the end. */
static enum job_next end_batch(struct job *job)
{
	if (job->reply.len == 1)
		job->reply.len = 0;
	else
		job->reply.ptr[job->reply.len - 1] = ']';
	next_message(job);
	job->batched = false;
	return JOB_DONE;
}

enum job_next job_more(struct job *job)
{
	enum job_next kind;

	for (;;) {
		if (job->reply.len > job->mark)
			buf_lit(&job->reply, ",");
		if (!json_step(&job->batch))
			return end_batch(job);
		job->mark = job->reply.len;
		kind = handle(job, job->batch.value);
		if (kind != JOB_DONE)
			return job->kind = kind;
	}
}

/* Several messages in one, for the one version that has it: in their order. */
static enum job_next handle_batch(struct job *job)
{
	if (json_count(job->root) > MOST_BATCHED) {
		reply_refuse(job, ERR_BAD_REQUEST,
			     "Too many messages in one batch");
		return job->kind = JOB_DONE;
	}
	job->batched = true;
	job->batch = json_walk(job->root);
	buf_lit(&job->reply, "[");
	job->mark = job->reply.len;
	return job_more(job);
}

static void not_json(struct job *job, const struct json_error *error)
{
	struct fault f = { .err = ERR_PARSE };

	f.text = arena_printf(&job->mem, "%s at byte %zu", error->why,
			      error->offset);
	mcp_fail(job, &f);
}

bool job_parse(struct job *job)
{
	static const struct json_limits limits = { .max_nodes = MOST_NODES };
	struct json_error error;

	job->status = 200;
	count_held(job);
	if (!json_parse(buf_str(&job->text), &limits, &job->mem, &job->root,
			&error))
		return true;
	job->status = 400;
	not_json(job, &error);
	return false;
}

enum err job_admit(struct job *job, struct fault *f)
{
	const size_t need = COPIES * job->text.len;

	if (job->text.len <= LONG_MESSAGE || arena_reserve(&job->mem, need))
		return ERR_OK;
	return fail_memory(f, STR("a message of this length"), need,
			   job->mem.charge.budget);
}

enum job_era job_era(const struct job *job)
{
	if (mcp_is_modern(job->root))
		return JOB_MODERN;
	return json_str_is(json_get(job->root, "method"), "initialize")
		       ? JOB_HELLO
		       : JOB_LEGACY;
}

enum job_next job_take(struct job *job, struct link *link)
{
	job->link = link;
	if (link->budget)
		count_for(job, link->budget);
	if (!job->peer && !job->headers)
		job->peer = link->peer;
	if (json_is(job->root, JSON_ARRAY) && link->dialect &&
	    link->dialect->batches && json_count(job->root))
		return handle_batch(job);
	return job->kind = handle(job, job->root);
}

enum job_next job_read(struct job *job, struct link *link)
{
	return job_parse(job) ? job_take(job, link) : JOB_DONE;
}

enum job_next job_call_kind(const struct job *job)
{
	if (job->round.run)
		return JOB_READS;
	return effects_change(job->dispatch.call.tool->effects) ? JOB_CHANGES
								: JOB_READS;
}

bool job_is_light(const struct job *job)
{
	return !job->round.run && job->server->light_changes &&
	       job->dispatch.call.tool->light;
}

void job_answer(struct job *job)
{
	job->answer_later = false;
	if (!job->round.run)
		mcp_answer_call(job, job->outcome);
}

enum job_ran job_run(struct job *job, uint64_t patience)
{
	enum err e = job->round.run ? round_run(job, patience)
				    : ask_run(job, patience);

	if (e == ERR_LATER)
		return job->ran = JOB_LATER;
	if (e == ERR_ASK)
		return job->ran = JOB_PARKED;
	job->outcome = e;
	if (!job->answer_later)
		job_answer(job);
	return job->ran = job->batched ? JOB_MORE : JOB_RAN;
}

void job_drop(struct job *job)
{
	if (job->reader.in)
		news_end(&job->reader);
	else if (!job->round.run)
		dispatch_drop(&job->dispatch);
}
