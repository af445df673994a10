/* ask_park.c - calls of a link that wait for the person. */

#include "base/clock.h"
#include "rpc/ask_form.h"
#include "rpc/job.h"

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

static void send(const struct job *job, struct buf *out)
{
	if (job->peer)
		job->peer->send(job->peer, buf_str(out));
}

static void send_question(const struct job *job)
{
	const struct call *c = &job->dispatch.call;
	auto_buf out = BUF_INIT;
	struct json_out o = json_out(&out);

	json_open(&o, '{');
	json_key(&o, "jsonrpc");
	json_put_str(&o, STR("2.0"));
	json_key(&o, "id");
	json_put_str(&o, str_of(job->ask.id));
	json_key(&o, "method");
	json_put_str(&o, STR("elicitation/create"));
	json_key(&o, "params");
	json_open(&o, '{');
	ask_form_put(&o, c, c->options->store != NULL);
	json_close(&o, '}');
	json_close(&o, '}');
	send(job, &out);
}

static void unask(struct link *l, struct job *job)
{
	if (l->unask)
		l->unask(l->ask_ctx, job);
}

/* Nobody waits for the answer any more: the client may close its form. */
static void withdraw(struct link *l, struct job *job)
{
	auto_buf out = BUF_INIT;
	struct json_out o;

	if (job->ask.channel == ASK_DIRECT) {
		unask(l, job);
		return;
	}
	for (const struct job *p = l->parked; p; p = p->next)
		if (!strcmp(p->ask.id, job->ask.id))
			return; /* another call asked the same */
	o = message_notice(&out, "notifications/cancelled");
	json_key(&o, "requestId");
	json_put_str(&o, str_of(job->ask.id));
	message_notice_end(&o);
	send(job, &out);
}

/* The same question of an equal call, if it is open. */
static const struct job *same_question(const struct link *l,
				       const struct job *job)
{
	const struct question *q = &job->dispatch.call.question;

	for (const struct job *p = l->parked; p; p = p->next)
		if (p->ask.id[0] && p->ask.answer == ASK_NOTHING &&
		    str_eq(p->dispatch.call.question.digest, q->digest) &&
		    digest_eq(p->ask.shown, job->ask.shown))
			return p;
	return NULL;
}

/* Ask the client, if it was not asked the same just now. */
static void ask_client(struct link *l, struct job *job)
{
	const struct job *same = same_question(l, job);

	job->ask.until = clock_ms() + job->server->ask_ms;
	if (same) {
		memcpy(job->ask.id, same->ask.id, sizeof(job->ask.id));
		return;
	}
	seal_random_hex(job->ask.id, ASK_ID);
	send_question(job);
}

/* It has nobody to ask: what is left is the queue, without waiting. */
static void give_up(struct job *job)
{
	job->ask.answer = ASK_NOBODY;
	job->ask.channel = ASK_QUEUE;
	job->ask.looking = false;
}

static void ask_directly(struct link *l, struct job *job)
{
	job->ask.until = clock_ms() + job->server->ask_ms;
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

	job->ask.id[0] = '\0';
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
		at = job->ask.channel == ASK_QUEUE ? job->ask.look
						   : job->ask.until;
		if (at < until)
			until = at;
	}
	return until;
}

static struct job *take_back(struct link *l, struct job **at)
{
	struct job *job = unpark(l, at);

	if ((job->ask.id[0] || job->ask.channel == ASK_DIRECT) &&
	    job->ask.answer == ASK_NOTHING)
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

void ask_take_response(struct job *response)
{
	enum ask_answer answer = ask_form_read(response->message.result);
	struct job *job = response->link->parked;
	struct str id = response->message.id;

	/* An error, or no answer to the question: they were not asked. */
	if (answer == ASK_NOTHING)
		answer = ASK_NOBODY;
	for (; job; job = job->next) {
		if (!job->ask.id[0] || job->ask.answer != ASK_NOTHING ||
		    !str_eq(str_sub(id, 1, id.len - 1), str_of(job->ask.id)))
			continue;
		job->ask.answer = answer;
		if (answer == ASK_NOBODY)
			give_up(job);
		else if (answer != ASK_DENY) /* one is enough to keep it */
			answer = ASK_ONCE;
	}
}
