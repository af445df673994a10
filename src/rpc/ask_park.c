/* ask_park.c - calls of a link that wait for the person. */

#include "base/clock.h"
#include "rpc/ask_form.h"
#include "rpc/ask_queue.h"
#include "rpc/job.h"
#include "store/approvals.h"

enum { MOST_PARKED = 64 };

static bool is_ready(const struct job *job, uint64_t now)
{
	const struct ask *ask = &job->ask;

	if (ask->answer != ASK_NOTHING)
		return true;
	if (ask->channel == ASK_QUEUE)
		return !ask->looking || now >= ask->look;
	return now >= ask->until;
}

/* Has another call asked the same, and waits? */
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

static void unask(struct link *l, struct job *job)
{
	if (l->unask)
		l->unask(l->ask_ctx, job);
}

static void withdraw(struct link *l, struct job *job)
{
	const struct inputs *in = &job->ask.inputs;

	if (job->ask.queued ||
	    (job->ask.channel == ASK_QUEUE && job->ask.looking))
		approval_leave(job->server->tools.store, job->ask.approval,
			       job->ask.waits);
	if (job->ask.channel == ASK_DIRECT) {
		unask(l, job);
		return;
	}
	if (!in->count || is_shared(l, job))
		return;
	for (size_t i = 0; i < in->count; i++)
		input_withdraw(&in->items[i], job->peer);
}

/* The same question of an equal call, if it is open. */
static const struct job *same_question(const struct link *l,
				       const struct job *job)
{
	const struct question *q = &job->dispatch.call.question;

	if (job->round.run)
		return NULL;
	for (const struct job *p = l->parked; p; p = p->next)
		if (!p->round.run && p->ask.inputs.count &&
		    p->ask.answer == ASK_NOTHING &&
		    p->ask.confirm == job->ask.confirm &&
		    str_eq(p->dispatch.call.question.digest, q->digest) &&
		    digest_eq(p->ask.shown, job->ask.shown))
			return p;
	return NULL;
}

/* The client is being asked; the queue may have the question as well. */
static void begin_wait(struct job *job)
{
	job->ask.asked = clock_ms();
	job->ask.until = job->ask.asked + job->server->ask_ms;
	job->ask.look = job->ask.asked + ASK_LOOK_MS;
}

/* Ask the client, if it was not asked the same just now. */
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

/* It has nobody to ask: what is left is the queue, without waiting. */
static void give_up(struct job *job)
{
	job->ask.answer = ASK_NOBODY;
	job->ask.channel = ASK_QUEUE;
	job->ask.looking = false;
	job->ask.queued = false;
	job->ask.inputs.count = 0;
}

/* Is there a row of the queue to look at beside the client's answer? */
static bool looks_aside(const struct job *job)
{
	return job->ask.queued && job->ask.channel != ASK_QUEUE &&
	       job->ask.answer == ASK_NOTHING;
}

/*
 * The question is open in two places. Once the queue has an answer, it is
 * withdrawn from the client, and the gate finds that answer. One row is read,
 * on the loop thread, so that a response of the client finds its job parked.
 */
static void look_aside(struct link *l, struct job *job, uint64_t now)
{
	auto_arena mem = ARENA_INIT;

	if (!looks_aside(job) || now < job->ask.look)
		return;
	job->ask.look = now + ASK_LOOK_MS;
	if (ask_queue_waits(job->server->tools.store, job->ask.approval, &mem))
		return;
	job->ask.queued = false;
	withdraw(l, job);
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
		look_aside(l, job, now);
	while (*at && !is_ready(*at, now))
		at = &(*at)->next;
	if (!*at)
		return NULL;
	job = unpark(l, at);
	if (job->ask.channel != ASK_QUEUE &&
	    job->ask.answer == ASK_NOTHING) { /* too late */
		withdraw(l, job);
		give_up(job);
	}
	job->kind = job->ask.looking ? JOB_READS : job_call_kind(job);
	return job;
}

uint64_t ask_until(const struct link *l)
{
	uint64_t until = UINT64_MAX, at;

	for (const struct job *job = l->parked; job; job = job->next) {
		at = job->ask.channel == ASK_QUEUE || looks_aside(job)
			     ? job->ask.look
			     : job->ask.until;
		if (at < until)
			until = at;
	}
	return until;
}

static struct job *take_back(struct link *l, struct job **at)
{
	struct job *job = unpark(l, at);

	if (job->ask.answer == ASK_NOTHING)
		withdraw(l, job);
	return job;
}

struct job *ask_cancel(struct link *l, struct str request)
{
	struct job **at = &l->parked;

	while (*at && !str_eq((*at)->message.id, request))
		at = &(*at)->next;
	return *at ? take_back(l, at) : NULL;
}

bool ask_give_up(struct job *job)
{
	struct job **at = &job->link->parked;

	while (*at && *at != job)
		at = &(*at)->next;
	return *at && take_back(job->link, at);
}

void ask_end(struct link *l)
{
	l->ended = true;
	for (struct job *job = l->parked; job; job = job->next) {
		if (job->ask.answer != ASK_NOTHING)
			continue;
		if (job->ask.channel == ASK_DIRECT)
			unask(l, job);
		give_up(job);
	}
}

/* What the responses say, now that they are all in. */
static enum ask_answer answer_of(const struct job *job)
{
	const struct inputs *in = &job->ask.inputs;
	enum ask_answer answer = ASK_ONCE;

	if (!job->round.run)
		answer = ask_form_read(in->items[0].result);
	for (size_t i = 0; i < in->count; i++)
		if (!input_is_right(in->items[i].kind, in->items[i].result))
			answer = ASK_NOTHING;
	/* An error, or no answer to the question: they were not asked. */
	return answer == ASK_NOTHING ? ASK_NOBODY : answer;
}

static void settle(struct job *job, bool shared)
{
	enum ask_answer answer = answer_of(job);

	if (!job->round.run)
		answer = ask_judge(job->link, answer,
				   clock_ms() - job->ask.asked);
	if (answer == ASK_NOBODY)
		give_up(job);
	else if (answer == ASK_DECLINED && job->server->ask_by != ASK_BY_CLIENT)
		ask_fall_back(job);
	else if (shared && answer < ASK_DENY) /* one is enough to keep it */
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
			settle(job, shared);
		shared = true;
	}
}
