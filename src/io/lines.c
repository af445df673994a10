#include "io/lines.h"

enum {
	MOST_SPARE = 4,      /* jobs kept for the next messages */
	MOST_WAITING = 1024, /* calls; then we stop reading */
};

void lines_open(struct lines *l, struct server *server, size_t max_line,
		const struct lane_host *host)
{
	l->server = server;
	l->frame.max = max_line;
	l->lane.link.caches = server->caches;
	lane_open(&l->lane, host);
}

void lines_close(struct lines *l)
{
	struct job *job;

	while ((job = l->spare)) {
		l->spare = job->next;
		job_free(job);
	}
	frame_free(&l->frame);
}

static struct job *get_job(struct lines *l)
{
	struct job *job = l->spare;

	if (!job)
		return job_new(l->server);
	l->spare = job->next;
	l->spares--;
	job->next = NULL;
	return job;
}

void lines_put_job(struct lines *l, struct job *job)
{
	if (l->spares >= MOST_SPARE) {
		job_free(job);
		return;
	}
	job_clear(job);
	job->next = l->spare;
	l->spare = job;
	l->spares++;
}

static bool is_blank(struct str line)
{
	for (size_t i = 0; i < line.len; i++)
		if (!strchr(" \t\r\n", line.ptr[i]) || !line.ptr[i])
			return false;
	return true;
}

static void finish(struct lines *l, struct job *job)
{
	l->lane.host->finish(&l->lane, job);
}

static void take_line(struct lines *l, struct job *job)
{
	enum job_next kind;

	if (is_blank(buf_str(&job->text))) {
		lines_put_job(l, job);
		return;
	}
	kind = job_read(job, &l->lane.link);
	if (kind != JOB_DONE) {
		lane_add(&l->lane, job, kind);
		return;
	}
	if (job->cancels.len)
		lane_cancel(&l->lane, job->cancels);
	finish(l, job);
	lane_pump(&l->lane); /* it may have been what others waited for */
}

static void refuse_line(struct lines *l, struct job *job)
{
	buf_addf(
		&job->reply,
		"{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"Message too long: more than %zu bytes (see --max-message)\"}}",
		l->frame.max);
	finish(l, job);
}

/* Calls that wait hold much: let them run before there are more. */
static bool is_heavy(const struct lines *l)
{
	const struct budget *b = l->server->budget;

	return l->lane.waiting && b && budget_left(b) < b->max / 2;
}

bool lines_full(const struct lines *l)
{
	return l->lane.waiting_count > MOST_WAITING || is_heavy(l) ||
	       l->lane.host->clogged(&l->lane);
}

void lines_take(struct lines *l)
{
	enum frame_got got = FRAME_LINE;
	struct job *job;

	while (got != FRAME_NONE && !lines_full(l)) {
		job = get_job(l);
		got = frame_next(&l->frame, &job->text);
		if (got == FRAME_NONE && l->ended)
			got = frame_last(&l->frame, &job->text);
		if (got == FRAME_LINE)
			take_line(l, job);
		else if (got == FRAME_TOO_LONG)
			refuse_line(l, job);
		else
			lines_put_job(l, job);
	}
	/* An answer that has not come by now will not. */
	if (l->ended && got == FRAME_NONE && !l->lane.link.ended)
		lane_unasked(&l->lane);
}
