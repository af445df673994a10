#include "io/lane.h"

#include "base/clock.h"

enum {
	PATIENCE = 1024 * 1024,    /* bytes that the loop may work on */
	ALONE = 2 * PATIENCE,      /* the same, with one client: a large page */
	LIGHT = 64 * 1024,         /* the same, of a change */
	MOST_READS = LANE_THREADS, /* on the pool at a time */
};

void lane_open(struct lane *l, const struct lane_host *host)
{
	l->host = host;
	l->waiting_end = &l->waiting;
}

static unsigned *running_of(struct lane *l, const struct job *job)
{
	return job->kind == JOB_CHANGES ? &l->changes : &l->reads;
}

static void run_on_pool(struct lane *l, struct job *job)
{
	++*running_of(l, job);
	job->running = true;
	job->run_next = l->running;
	l->running = job;
	l->host->to_pool(l, job);
}

static void not_running(struct lane *l, struct job *job)
{
	struct job **link = &l->running;

	while (*link != job)
		link = &(*link)->run_next;
	*link = job->run_next;
	job->run_next = NULL;
	job->running = false;
	--*running_of(l, job);
}

static bool may_start(const struct lane *l, const struct job *job)
{
	if (l->link.roots == ROOTS_ASKED && clock_ms() < l->link.roots_until)
		return false;
	if (l->halted || l->host->clogged(l))
		return false;
	if (job->kind == JOB_CHANGES)
		return !l->changes && !l->reads;
	return !l->changes && l->reads < MOST_READS;
}

static void drop(struct lane *l, struct job *job)
{
	job_drop(job);
	l->host->drop(l, job);
}

static void put_last(struct lane *l, struct job *job)
{
	job->next = NULL;
	*l->waiting_end = job;
	l->waiting_end = &job->next;
	l->waiting_count++;
}

static void put_first(struct lane *l, struct job *job)
{
	job->next = l->waiting;
	if (!l->waiting)
		l->waiting_end = &job->next;
	l->waiting = job;
	l->waiting_count++;
}

static struct job *take_waiting(struct lane *l, struct job **at)
{
	struct job *job = *at;

	*at = job->next;
	if (l->waiting_end == &job->next)
		l->waiting_end = at;
	l->waiting_count--;
	job->next = NULL;
	return job;
}

/* The rest of a batch comes before all that came after it. */
static void go_on(struct lane *l, struct job *job)
{
	if (job_more(job) == JOB_DONE)
		l->host->finish(l, job);
	else
		put_first(l, job);
}

static struct json_flow *flow_of(struct lane *l)
{
	return l->host->flow ? l->host->flow(l) : NULL;
}

/* Run it here, if it does not take longer than @patience bytes allow. */
static enum job_ran run_here(struct lane *l, struct job *job, uint64_t patience)
{
	enum job_ran ran;

	job->flow = flow_of(l);
	ran = job_run(job, patience);
	job->flow = NULL;
	return ran;
}

/* It has run elsewhere, and what it is to say is left to us. */
static void answer(struct lane *l, struct job *job)
{
	job->flow = flow_of(l);
	job_answer(job);
	job->flow = NULL;
}

/* The roots are settled by now, and nothing has been done with them yet. */
static void prepare(struct server *s)
{
	void (*prepare_once)(struct server *) = s->before_work;

	if (!prepare_once)
		return;
	s->before_work = NULL;
	prepare_once(s);
}

static void start(struct lane *l, struct job *job)
{
	enum job_ran ran = JOB_LATER;

	prepare(job->server);
	if (atomic_load(&job->cancelled)) {
		drop(l, job);
		return;
	}
	if (job->kind == JOB_READS)
		ran = run_here(l, job, l->host->alone ? ALONE : PATIENCE);
	else if (l->host->alone && job_is_light(job) && job->text.len <= LIGHT)
		ran = run_here(l, job, LIGHT);
	if (ran == JOB_RAN)
		l->host->finish(l, job);
	else if (ran == JOB_MORE)
		go_on(l, job);
	else
		run_on_pool(l, job);
}

void lane_pump(struct lane *l)
{
	struct job *job;

	while ((job = ask_next(&l->link)))
		put_last(l, job);
	while (l->waiting && may_start(l, l->waiting))
		start(l, take_waiting(l, &l->waiting));
}

void lane_add(struct lane *l, struct job *job, enum job_next kind)
{
	if (kind == JOB_LISTENS) {
		job->next = l->listening;
		l->listening = job;
		return;
	}
	put_last(l, job);
	lane_pump(l);
}

void lane_back(struct lane *l, struct job *job)
{
	not_running(l, job);
	if (job->answer_later && job->ran != JOB_PARKED)
		answer(l, job);
	if (job->ran == JOB_MORE && !l->halted)
		go_on(l, job);
	else if (job->ran != JOB_PARKED)
		l->host->finish(l, job);
	else if (l->halted || atomic_load(&job->cancelled))
		drop(l, job);
	else
		ask_park(job);
	lane_pump(l);
}

static bool cancel_if(struct job *job, struct str id)
{
	if (!str_eq(job->message.id, id))
		return false;
	atomic_store(&job->cancelled, true);
	return true;
}

static bool stop_listening(struct lane *l, const struct job *job, struct str id)
{
	struct job **at = &l->listening, *found;

	while (*at && *at != job && !(id.len && str_eq((*at)->message.id, id)))
		at = &(*at)->next;
	found = *at;
	if (!found)
		return false;
	*at = found->next;
	found->next = NULL;
	drop(l, found);
	return true;
}

void lane_cancel(struct lane *l, struct str id)
{
	struct job *parked = ask_cancel(&l->link, id);

	if (parked) {
		drop(l, parked);
		return;
	}
	if (stop_listening(l, NULL, id))
		return;
	for (struct job *job = l->waiting; job; job = job->next)
		if (cancel_if(job, id))
			return;
	for (struct job *job = l->running; job; job = job->run_next)
		if (cancel_if(job, id))
			return;
}

void lane_give_up(struct lane *l, struct job *job)
{
	if (job->running) {
		atomic_store(&job->cancelled, true);
		return;
	}
	if (stop_listening(l, job, STR("")))
		return;
	for (struct job **at = &l->waiting; *at; at = &(*at)->next)
		if (*at == job) {
			drop(l, take_waiting(l, at));
			return;
		}
	if (ask_give_up(job))
		drop(l, job);
}

bool lane_listens(const struct lane *l, const struct job *job)
{
	const struct job *at = l->listening;

	while (at && at != job)
		at = at->next;
	return at;
}

void lane_unasked(struct lane *l)
{
	l->link.roots = ROOTS_SETTLED;
	ask_end(&l->link);
	lane_pump(l);
}

uint64_t lane_until(const struct lane *l)
{
	uint64_t until = ask_until(&l->link);

	if (l->waiting && l->link.roots == ROOTS_ASKED &&
	    l->link.roots_until < until)
		until = l->link.roots_until;
	return until;
}

bool lane_is_idle(const struct lane *l)
{
	return !l->waiting && !l->running && !l->link.parked;
}

void lane_halt(struct lane *l)
{
	l->halted = true;
	for (struct job *job = l->running; job; job = job->run_next)
		atomic_store(&job->cancelled, true);
}

void lane_close(struct lane *l)
{
	struct job *job;

	while ((job = l->running)) { /* the pool has not begun it */
		not_running(l, job);
		drop(l, job);
	}
	ask_end(&l->link);
	while ((job = ask_next(&l->link)))
		drop(l, job);
	while (l->waiting)
		drop(l, take_waiting(l, &l->waiting));
	while (l->listening)
		(void)stop_listening(l, l->listening, STR(""));
	link_free(&l->link);
}
