/*
 * job.c - the life of a message: parsed, handed to its method, run, answered.
 *
 * A job belongs to one thread at a time: to the loop thread, or between
 * job_run() on a worker and its return to that worker. Its memory is charged
 * to the budget of its client as soon as the client is known.
 */
#include "rpc/job.h"

#include "rpc/mcp.h"
#include "rpc/reply.h"

#include <stdlib.h>

/*
 * Memory that job_clear() keeps: enough that steady work on files of a few
 * megabytes needs no mmap().
 */
enum { KEEP_ARENA = 4 << 20, KEEP_TEXT = 1 << 20, KEEP_REPLY = 4 << 20 };

enum {
	KEEP_PART = 256,          /* a job keeps at most 1/256 of the budget */
	MOST_NODES = 1 << 20,     /* values in one message */
	MOST_BATCHED = 10000,     /* messages in one batch */
	LONG_MESSAGE = 64 * 1024, /* bytes; longer ones are admitted first */
	COPIES = 2, /* memory that a long message needs, in its lengths */
};

static void charge_to(struct job *job, struct budget *b)
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
	charge_to(job, s ? s->budget : NULL);
	return job;
}

static void charge_buffers(struct job *job)
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

static void reset_message(struct job *job)
{
	job->message = (struct message){ 0 };
	job->modern = false;
	job->progress = job->cancels = STR("");
	job->started = job->reported = 0;
	atomic_store(&job->cancelled, false);
	job->ran = JOB_RAN;
	job->ask = (struct ask){ 0 };
	job->handler = NULL;
	job->handler_data = NULL;
	job->light = job->slow = false;
	job->status = 200;
}

/* @most, or less with a small budget. */
static size_t keep_limit(const struct job *job, size_t most)
{
	const struct budget *b = job->server ? job->server->budget : NULL;

	return b && b->max ? size_min(most, b->max / KEEP_PART) : most;
}

void job_answered(struct job *job)
{
	if (job->mem.charge.bytes > keep_limit(job, KEEP_ARENA))
		arena_reset(&job->mem, keep_limit(job, KEEP_ARENA));
	buf_clear(&job->text, keep_limit(job, KEEP_TEXT));
	charge_buffers(job);
}

void job_clear(struct job *job)
{
	arena_reset(&job->mem, keep_limit(job, KEEP_ARENA));
	buf_clear(&job->text, keep_limit(job, KEEP_TEXT));
	buf_clear(&job->reply, keep_limit(job, KEEP_REPLY));
	charge_buffers(job);
	charge_to(job, job->server ? job->server->budget : NULL);
	reset_message(job);
	job->next = NULL;
	job->link = NULL;
	job->peer = NULL;
	job->holder = NULL;
	job->headers = NULL;
	job->batched = false;
	job->answer_later = false;
}

static enum job_schedule handle_message(struct job *job, struct json v)
{
	struct fault f;

	reset_message(job);
	if (message_read(v, &job->mem, &job->message, &f)) {
		job->status = 400;
		mcp_fail(job, &f);
		return JOB_DONE;
	}
	return mcp_handle(job);
}

/* Close the array of replies; without any (only notifications), no reply. */
static enum job_schedule end_batch(struct job *job)
{
	if (job->reply.len == 1)
		job->reply.len = 0;
	else
		job->reply.ptr[job->reply.len - 1] = ']';
	reset_message(job);
	job->batched = false;
	return JOB_DONE;
}

enum job_schedule job_more(struct job *job)
{
	enum job_schedule schedule;

	for (;;) {
		if (job->reply.len > job->mark)
			buf_lit(&job->reply, ",");
		if (!json_step(&job->batch))
			return end_batch(job);
		job->mark = job->reply.len;
		schedule = handle_message(job, job->batch.value);
		if (schedule != JOB_DONE)
			return job->schedule = job->call_schedule = schedule;
	}
}

/* A batch, which only 2025-03-26 has; its messages are handled in order. */
static enum job_schedule handle_batch(struct job *job)
{
	if (json_count(job->root) > MOST_BATCHED) {
		reply_refuse(job, ERR_BAD_REQUEST,
			     "Too many messages in one batch");
		return job->schedule = JOB_DONE;
	}
	job->batched = true;
	job->batch = json_walk(job->root);
	buf_lit(&job->reply, "[");
	job->mark = job->reply.len;
	return job_more(job);
}

static void fail_parse(struct job *job, const struct json_error *error)
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
	charge_buffers(job);
	if (!json_parse(buf_str(&job->text), &limits, &job->mem, &job->root,
			&error))
		return true;
	job->status = 400;
	fail_parse(job, &error);
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
	const bool initializes =
		json_str_is(json_get(job->root, "method"), "initialize");

	if (mcp_is_modern(json_get(job->root, "params"), initializes))
		return JOB_MODERN;
	return initializes ? JOB_HELLO : JOB_LEGACY;
}

static struct json client_info(const struct job *job)
{
	return json_get(json_get(json_get(job->root, "params"), "_meta"),
			"io.modelcontextprotocol/clientInfo");
}

struct str job_client_name(struct job *job)
{
	struct str name;

	return json_text(json_get(client_info(job), "name"), &job->mem, &name)
		       ? name
		       : STR("");
}

void job_introduce(const struct job *job, struct link *link)
{
	link_set_client(link, client_info(job));
}

void job_refuse_long(struct job *job, size_t max)
{
	struct fault f = {
		.err = ERR_BAD_REQUEST,
		.text = arena_printf(
			&job->mem,
			"Message too long: more than %zu bytes (see --max-message)",
			max),
	};

	message_error(&job->reply, STR(""), &f);
}

enum job_schedule job_take(struct job *job, struct link *link)
{
	job->link = link;
	if (link->budget)
		charge_to(job, link->budget);
	if (!job->peer && !job->headers)
		job->peer = link->peer;
	if (json_is(job->root, JSON_ARRAY) && link->dialect &&
	    link->dialect->batches && json_count(job->root))
		return handle_batch(job);
	return job->schedule = job->call_schedule =
		       handle_message(job, job->root);
}

enum job_schedule job_read(struct job *job, struct link *link)
{
	return job_parse(job) ? job_take(job, link) : JOB_DONE;
}

/* A bug of a handler: ERR_LATER on a worker, where no rerun is possible. */
static void fail_leaked(struct job *job)
{
	mcp_fail(job, &(struct fault){ .err = ERR_INTERNAL,
				       .text = STR("A call did not finish") });
}

void job_answer(struct job *job)
{
	job->answer_later = false;
	if (job->outcome == ERR_LATER)
		fail_leaked(job);
	else
		job->handler->answer(job, job->outcome);
}

enum job_ran job_run(struct job *job, uint64_t byte_limit)
{
	const struct job_handler *handler = job->handler;
	enum err e;

	if (byte_limit && handler->waits && handler->waits(job))
		return job->ran = JOB_LATER;
	e = handler->run(job, byte_limit);
	if (e == ERR_LATER && byte_limit)
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
	job->handler->drop(job);
}
