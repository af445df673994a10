/*
 * call_queue.c - which call of a client runs when, and on which thread.
 *
 * A call waits, then runs on the loop's thread or on the pool, and may be
 * parked in the link (rpc/ask) until the person has answered. Everything here
 * belongs to the loop's thread; only call_run() is called by the pool.
 */
#include "io/call_queue.h"

#include "base/clock.h"

enum {
	/* bytes that a call may work on before it has to leave the loop */
	READ_BYTES = 1024 * 1024,
	READ_BYTES_SINGLE = 2 * READ_BYTES, /* of a transport with one client */
	CHANGE_BYTES = 64 * 1024,
	MAX_READS = CALL_THREADS, /* on the pool at a time */
};

void call_queue_open(struct call_queue *q, const struct call_queue_ops *ops)
{
	q->ops = ops;
	q->waiting_end = &q->waiting;
}

static unsigned *call_queue_running(struct call_queue *q, const struct job *job)
{
	return job->schedule == JOB_CHANGES ? &q->changes : &q->reads;
}

/* On a thread of the pool. */
static void call_run(void *ctx)
{
	(void)job_run(ctx, 0);
}

static void call_returned(void *ctx)
{
	struct call_queue *q = call_queue_of(ctx);

	q->ops->returned(q, ctx);
}

/* The reply is left to the loop if the transport sends it while it is made. */
static void call_run_on_pool(struct call_queue *q, struct job *job)
{
	++*call_queue_running(q, job);
	job->running = true;
	job->run_next = q->running;
	q->running = job;
	job->answer_later = q->ops->flush;
	if (job->slow)
		pool_run_slow(q->ops->pool(q), call_run, call_returned, job);
	else
		pool_run(q->ops->pool(q), call_run, call_returned, job);
}

static void call_queue_remove_running(struct call_queue *q, struct job *job)
{
	struct job **link = &q->running;

	while (*link != job)
		link = &(*link)->run_next;
	*link = job->run_next;
	job->run_next = NULL;
	job->running = false;
	--*call_queue_running(q, job);
}

static bool call_may_start(const struct call_queue *q, const struct job *job)
{
	if (q->link.roots == ROOTS_ASKED && clock_ms() < q->link.roots_until)
		return false;
	if (q->halted || q->ops->output_full(q))
		return false;
	if (job->schedule == JOB_CHANGES)
		return !q->changes && !q->reads;
	return !q->changes && q->reads < MAX_READS;
}

static void call_drop(struct call_queue *q, struct job *job)
{
	job_drop(job);
	q->ops->drop(q, job);
}

static void call_queue_append(struct call_queue *q, struct job *job)
{
	job->next = NULL;
	*q->waiting_end = job;
	q->waiting_end = &job->next;
	q->waiting_count++;
}

static void call_queue_prepend(struct call_queue *q, struct job *job)
{
	job->next = q->waiting;
	if (!q->waiting)
		q->waiting_end = &job->next;
	q->waiting = job;
	q->waiting_count++;
}

static struct job *call_queue_take(struct call_queue *q, struct job **at)
{
	struct job *job = *at;

	*at = job->next;
	if (q->waiting_end == &job->next)
		q->waiting_end = at;
	q->waiting_count--;
	job->next = NULL;
	return job;
}

/* The rest of a batch goes before the messages that came after it. */
static void call_continue_batch(struct call_queue *q, struct job *job)
{
	if (job_more(job) == JOB_DONE)
		q->ops->finish(q, job);
	else
		call_queue_prepend(q, job);
}

static struct json_flush *call_queue_flush(struct call_queue *q)
{
	return q->ops->flush ? q->ops->flush(q) : NULL;
}

/* Run a call here; JOB_LATER if it would work on more than @byte_limit. */
static enum job_ran call_run_on_loop(struct call_queue *q, struct job *job,
				     uint64_t byte_limit)
{
	enum job_ran ran;

	job->flush = call_queue_flush(q);
	ran = job_run(job, byte_limit);
	job->flush = NULL;
	return ran;
}

/* Write the reply of a call that ran on the pool, so that it can be sent. */
static void call_answer(struct call_queue *q, struct job *job)
{
	job->flush = call_queue_flush(q);
	job_answer(job);
	job->flush = NULL;
}

/* Before the first call of a server, when its roots are known. */
static void server_prepare(struct server *s)
{
	void (*prepare_once)(struct server *) = s->before_work;

	if (!prepare_once)
		return;
	s->before_work = NULL;
	prepare_once(s);
}

static void call_start(struct call_queue *q, struct job *job)
{
	enum job_ran ran = JOB_LATER;

	server_prepare(job->server);
	if (atomic_load(&job->cancelled)) {
		call_drop(q, job);
		return;
	}
	if (job->schedule == JOB_READS)
		ran = call_run_on_loop(q, job,
				       q->ops->single_client ? READ_BYTES_SINGLE
							     : READ_BYTES);
	else if (q->ops->single_client && job->light &&
		 job->text.len <= CHANGE_BYTES)
		ran = call_run_on_loop(q, job, CHANGE_BYTES);
	if (ran == JOB_RAN)
		q->ops->finish(q, job);
	else if (ran == JOB_MORE)
		call_continue_batch(q, job);
	else
		call_run_on_pool(q, job);
}

void call_queue_start_ready(struct call_queue *q)
{
	struct job *job;

	while ((job = ask_next(&q->link)))
		call_queue_append(q, job);
	while (q->waiting && call_may_start(q, q->waiting))
		call_start(q, call_queue_take(q, &q->waiting));
}

void call_queue_add(struct call_queue *q, struct job *job)
{
	call_queue_append(q, job);
	call_queue_start_ready(q);
}

void call_queue_returned(struct call_queue *q, struct job *job)
{
	call_queue_remove_running(q, job);
	if (job->answer_later && job->ran != JOB_PARKED)
		call_answer(q, job);
	if (job->ran == JOB_MORE && !q->halted)
		call_continue_batch(q, job);
	else if (job->ran != JOB_PARKED)
		q->ops->finish(q, job);
	else if (q->halted || atomic_load(&job->cancelled))
		call_drop(q, job);
	else
		ask_park(job);
	call_queue_start_ready(q);
}

static bool call_cancel_if(struct job *job, struct str id)
{
	if (!str_eq(job->message.id, id))
		return false;
	atomic_store(&job->cancelled, true);
	return true;
}

void call_queue_cancel(struct call_queue *q, struct str id)
{
	struct job *parked = ask_cancel(&q->link, id);

	if (parked) {
		call_drop(q, parked);
		return;
	}
	for (struct job *job = q->waiting; job; job = job->next)
		if (call_cancel_if(job, id))
			return;
	for (struct job *job = q->running; job; job = job->run_next)
		if (call_cancel_if(job, id))
			return;
}

void call_queue_abandon(struct call_queue *q, struct job *job)
{
	if (job->running) {
		atomic_store(&job->cancelled, true);
		return;
	}
	for (struct job **at = &q->waiting; *at; at = &(*at)->next)
		if (*at == job) {
			call_drop(q, call_queue_take(q, at));
			return;
		}
	if (ask_give_up(job))
		call_drop(q, job);
}

void call_queue_no_answers(struct call_queue *q)
{
	q->link.roots = ROOTS_SETTLED;
	ask_end(&q->link);
	call_queue_start_ready(q);
}

uint64_t call_queue_deadline(const struct call_queue *q)
{
	uint64_t until = ask_until(&q->link);

	if (q->waiting && q->link.roots == ROOTS_ASKED &&
	    q->link.roots_until < until)
		until = q->link.roots_until;
	return until;
}

bool call_queue_is_idle(const struct call_queue *q)
{
	return !q->waiting && !q->running && !q->link.parked;
}

void call_queue_halt(struct call_queue *q)
{
	q->halted = true;
	for (struct job *job = q->running; job; job = job->run_next)
		atomic_store(&job->cancelled, true);
}

void call_queue_close(struct call_queue *q)
{
	struct job *job;

	while ((job = q->running)) { /* queued in the pool, which dropped it */
		call_queue_remove_running(q, job);
		call_drop(q, job);
	}
	ask_end(&q->link);
	while ((job = ask_next(&q->link)))
		call_drop(q, job);
	while (q->waiting)
		call_drop(q, call_queue_take(q, &q->waiting));
	link_free(&q->link);
}
