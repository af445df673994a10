/*
 * line_client.c - messages of a client, one per line, into its call queue.
 *
 * The limits that make a transport stop reading are here: calls that wait, and
 * memory that they hold. For the loop's thread only.
 */
#include "io/line_client.h"

enum {
	MOST_FREE_JOBS = 4,  /* jobs kept for the next messages */
	MOST_WAITING = 1024, /* calls; then we stop reading */
};

void line_client_open(struct line_client *c, struct server *server,
		      size_t max_line, const struct call_queue_ops *ops)
{
	c->server = server;
	c->frame.max = max_line;
	c->queue.link.caches = server->caches;
	call_queue_open(&c->queue, ops);
}

void line_client_close(struct line_client *c)
{
	struct job *job;

	while ((job = c->free_jobs)) {
		c->free_jobs = job->next;
		job_free(job);
	}
	frame_free(&c->frame);
}

static struct job *line_client_get_job(struct line_client *c)
{
	struct job *job = c->free_jobs;

	if (!job)
		return job_new(c->server);
	c->free_jobs = job->next;
	c->n_free_jobs--;
	job->next = NULL;
	return job;
}

void line_client_put_job(struct line_client *c, struct job *job)
{
	if (c->n_free_jobs >= MOST_FREE_JOBS) {
		job_free(job);
		return;
	}
	job_clear(job);
	job->next = c->free_jobs;
	c->free_jobs = job;
	c->n_free_jobs++;
}

static bool is_blank_line(struct str line)
{
	for (size_t i = 0; i < line.len; i++)
		if (!strchr(" \t\r\n", line.ptr[i]) || !line.ptr[i])
			return false;
	return true;
}

static void line_client_finish(struct line_client *c, struct job *job)
{
	c->queue.ops->finish(&c->queue, job);
}

static void line_client_take(struct line_client *c, struct job *job)
{
	enum job_schedule schedule;

	if (is_blank_line(buf_str(&job->text))) {
		line_client_put_job(c, job);
		return;
	}
	schedule = job_read(job, &c->queue.link);
	if (schedule != JOB_DONE) {
		call_queue_add(&c->queue, job);
		return;
	}
	if (job->cancels.len)
		call_queue_cancel(&c->queue, job->cancels);
	line_client_finish(c, job);
	/* An answer lets a parked call go on. */
	call_queue_start_ready(&c->queue);
}

static void line_client_refuse(struct line_client *c, struct job *job)
{
	job_refuse_long(job, c->frame.max);
	line_client_finish(c, job);
}

/* Half of the memory is used: let waiting calls run before more are read. */
static bool is_short_of_memory(const struct line_client *c)
{
	const struct budget *b = c->server->budget;

	return c->queue.waiting && b && budget_left(b) < b->max / 2;
}

bool line_client_is_full(const struct line_client *c)
{
	return c->queue.waiting_count > MOST_WAITING || is_short_of_memory(c) ||
	       c->queue.ops->output_full(&c->queue);
}

void line_client_read(struct line_client *c)
{
	enum frame_got got = FRAME_LINE;
	struct job *job;

	while (got != FRAME_NONE && !line_client_is_full(c)) {
		job = line_client_get_job(c);
		got = frame_next(&c->frame, &job->text);
		if (got == FRAME_NONE && c->ended)
			got = frame_last(&c->frame, &job->text);
		if (got == FRAME_LINE)
			line_client_take(c, job);
		else if (got == FRAME_TOO_LONG)
			line_client_refuse(c, job);
		else
			line_client_put_job(c, job);
	}
	/* The input has ended: answers that have not come will not. */
	if (c->ended && got == FRAME_NONE && !c->queue.link.ended)
		call_queue_no_answers(&c->queue);
}
