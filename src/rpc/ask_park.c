/*
 * ask_park.c - the list of parked calls of a link: jobs that wait for an
 * answer of the client, of an editor, or of the approval queue.
 *
 * Loop thread only, but for server->decisions. A parked job is in no other
 * list; ask_next() hands it back when it can go on.
 */
#include "base/clock.h"
#include "rpc/ask_form.h"
#include "rpc/ask_queue.h"
#include "rpc/job.h"
#include "store/approvals.h"

enum { MOST_PARKED = 64 };

/* Is a poll of the queue due, or was a question decided in this process? */
static bool poll_is_due(const struct job *job, uint64_t now)
{
	return now >= job->ask.poll_at ||
	       atomic_load(&job->server->decisions.count) != job->ask.decisions;
}

static bool is_ready(const struct job *job, uint64_t now)
{
	const struct ask *ask = &job->ask;

	if (ask->answer != ASK_NOTHING)
		return true;
	if (ask->channel == ASK_QUEUE)
		return !ask->polling || poll_is_due(job, now);
	return now >= ask->until;
}

/* Does another parked job share the request to the client? */
static bool is_shared(const struct link *l, const struct job *job)
{
	const struct inputs *in;

	for (const struct job *p = l->parked; p; p = p->next) {
		in = &p->ask.inputs;
		if (p != job && in->count &&
		    !strcmp(in->items[0].id, job->ask.inputs.items[0].id))
			return true;
	}
	return false;
}

static void cancel_direct(struct link *l, struct job *job)
{
	if (l->unask)
		l->unask(l->ask_ctx, job);
}

static void withdraw_question(struct link *l, struct job *job)
{
	const struct inputs *in = &job->ask.inputs;

	if (job->ask.queued ||
	    (job->ask.channel == ASK_QUEUE && job->ask.polling))
		approval_leave(job->server->tools.store, job->ask.approval,
			       job->ask.waits);
	if (job->ask.channel == ASK_DIRECT) {
		cancel_direct(l, job);
		return;
	}
	if (!in->count || is_shared(l, job))
		return;
	for (size_t i = 0; i < in->count; i++)
		input_withdraw(&in->items[i], job->peer);
}

/* A parked job with the same open question, of an equal call. */
static const struct job *same_question(const struct link *l,
				       const struct job *job)
{
	if (!job->ask.digest.len)
		return NULL;
	for (const struct job *p = l->parked; p; p = p->next)
		if (p->ask.inputs.count && p->ask.answer == ASK_NOTHING &&
		    p->ask.confirm == job->ask.confirm &&
		    str_eq(p->ask.digest, job->ask.digest) &&
		    digest_eq(p->ask.shown, job->ask.shown))
			return p;
	return NULL;
}

/* Set the deadline of the client, and of polling if it is queued, too. */
static void begin_wait(struct job *job)
{
	job->ask.asked = clock_ms();
	job->ask.until = job->ask.asked + job->ask.wait_ms;
	job->ask.poll_at = ask_queue_next_poll(job, job->ask.asked);
}

/* Ask the client, unless an equal call has asked the same. */
static void ask_client(struct link *l, struct job *job)
{
	const struct job *same = same_question(l, job);
	struct inputs *in = &job->ask.inputs;

	begin_wait(job);
	if (same)
		memcpy(in->items[0].id, same->ask.inputs.items[0].id,
		       sizeof(in->items[0].id));
	else
		inputs_send(in, job->peer);
}

/* The job goes on without an answer: it ends with an approval's id. */
static void give_up(struct job *job)
{
	job->ask.answer = ASK_NOBODY;
	job->ask.channel = ASK_QUEUE;
	job->ask.polling = false;
	job->ask.queued = false;
	job->ask.inputs.count = 0;
}

/* Is the question open at the client and in the queue? */
static bool polls_beside_client(const struct job *job)
{
	return job->ask.queued && job->ask.channel != ASK_QUEUE &&
	       job->ask.answer == ASK_NOTHING;
}

/*
 * Poll the queue for a question that is also open at the client. Once it is
 * decided, it is withdrawn from the client, and the gate reads the decision.
 * This reads one row on the loop thread: the job stays parked, so that a
 * response of the client finds it.
 */
static void poll_beside_client(struct link *l, struct job *job, uint64_t now)
{
	if (!polls_beside_client(job) || !poll_is_due(job, now))
		return;
	job->ask.poll_at = ask_queue_next_poll(job, now);
	if (!ask_queue_decided(job))
		return;
	job->ask.queued = false;
	withdraw_question(l, job);
	job->ask.channel = ASK_QUEUE;
	job->ask.until = 0;
	job->ask.inputs.count = 0;
}

static void ask_directly(struct link *l, struct job *job)
{
	begin_wait(job);
	l->ask(l->ask_ctx, job);
}

void ask_answer(struct job *job, enum ask_answer answer)
{
	job->ask.answer = answer;
	if (answer == ASK_NOBODY)
		give_up(job);
}

void ask_park(struct job *job)
{
	struct link *l = job->link;
	struct job **end = &l->parked;

	if (l->ended || l->parked_count >= MOST_PARKED)
		give_up(job);
	else if (job->ask.channel == ASK_REQUEST)
		ask_client(l, job);
	else if (job->ask.channel == ASK_DIRECT)
		ask_directly(l, job);
	while (*end)
		end = &(*end)->next;
	job->next = NULL;
	*end = job;
	l->parked_count++;
}

static struct job *unpark(struct link *l, struct job **at)
{
	struct job *job = *at;

	*at = job->next;
	job->next = NULL;
	l->parked_count--;
	return job;
}

struct job *ask_next(struct link *l)
{
	struct job **at = &l->parked, *job;
	uint64_t now;

	if (!*at)
		return NULL;
	now = clock_ms();
	for (job = l->parked; job; job = job->next)
		poll_beside_client(l, job, now);
	while (*at && !is_ready(*at, now))
		at = &(*at)->next;
	if (!*at)
		return NULL;
	job = unpark(l, at);
	if (job->ask.channel != ASK_QUEUE &&
	    job->ask.answer == ASK_NOTHING) { /* past the deadline */
		withdraw_question(l, job);
		give_up(job);
	}
	job->schedule = job->ask.polling ? JOB_READS : job->call_schedule;
	return job;
}

uint64_t ask_until(const struct link *l)
{
	uint64_t until = UINT64_MAX, at;

	for (const struct job *job = l->parked; job; job = job->next) {
		at = job->ask.channel == ASK_QUEUE || polls_beside_client(job)
			     ? job->ask.poll_at
			     : job->ask.until;
		if (at < until)
			until = at;
	}
	return until;
}

static struct job *cancel_parked(struct link *l, struct job **at)
{
	struct job *job = unpark(l, at);

	if (job->ask.answer == ASK_NOTHING)
		withdraw_question(l, job);
	return job;
}

struct job *ask_cancel(struct link *l, struct str request)
{
	struct job **at = &l->parked;

	while (*at && !str_eq((*at)->message.id, request))
		at = &(*at)->next;
	return *at ? cancel_parked(l, at) : NULL;
}

bool ask_give_up(struct job *job)
{
	struct job **at = &job->link->parked;

	while (*at && *at != job)
		at = &(*at)->next;
	return *at && cancel_parked(job->link, at);
}

void ask_end(struct link *l)
{
	l->ended = true;
	for (struct job *job = l->parked; job; job = job->next) {
		if (job->ask.answer != ASK_NOTHING)
			continue;
		if (job->ask.channel == ASK_DIRECT)
			cancel_direct(l, job);
		give_up(job);
	}
}

/* The answer, once all responses have arrived. */
static enum ask_answer answer_of(struct job *job)
{
	const struct inputs *in = &job->ask.inputs;

	for (size_t i = 0; i < in->count; i++)
		if (!input_is_right(in->items[i].kind, in->items[i].result))
			return ASK_NOBODY;
	return job->handler->read_answer(job);
}

static void take_answer(struct job *job, bool shared)
{
	enum ask_answer answer = answer_of(job);

	if (answer == ASK_NOBODY)
		give_up(job);
	else if (answer == ASK_DECLINED && job->server->ask_by != ASK_BY_CLIENT)
		ask_fall_back(job);
	else if (shared && answer < ASK_DENY) /* the first job keeps a grant */
		job->ask.answer = ASK_ONCE;
	else
		job->ask.answer = answer;
}

void ask_take_response(struct job *response)
{
	struct job *job = response->link->parked;
	struct input *in;
	bool shared = false;

	for (; job; job = job->next) {
		in = job->ask.answer == ASK_NOTHING
			     ? inputs_find(&job->ask.inputs,
					   response->message.id)
			     : NULL;
		if (!in || in->settled)
			continue;
		input_settle(in, response->message.result, &job->mem);
		if (inputs_are_settled(&job->ask.inputs))
			take_answer(job, shared);
		shared = true;
	}
}
