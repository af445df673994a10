/*
 * ask.c - runs a tool call, and turns ERR_ASK of its handler into a question
 * to the person by one of the channels of ask.h.
 *
 * ask_run() is called on the loop thread with a byte limit, or on a worker
 * without one; everything that touches the store is left to workers
 * (ask_waits()). Parked calls are kept by ask_park.c.
 */
#include "rpc/ask.h"

#include "base/clock.h"
#include "rpc/ask_form.h"
#include "rpc/ask_queue.h"
#include "rpc/job.h"
#include "rpc/mcp.h"
#include "tools/permissions/gate.h"
#include "tools/permissions/grant_words.h"

enum { READING_MS = 1500 }; /* the least time to read a question */

static const char form_key[] = "approval"; /* key of the input request */

void ask_put_context(struct buf *out, const struct job *job, struct str name)
{
	struct json_out o = json_out(out);

	json_open(&o, '[');
	json_put_str(&o, job->caller.scope);
	json_put_str(&o, job->message.method);
	json_put_str(&o, name);
	json_put(&o, json_get(job->message.params, "arguments"));
	json_close(&o, ']');
}

enum ask_answer ask_judge(struct link *l, enum ask_answer answer, uint64_t took)
{
	bool at_once = took < READING_MS;

	if (answer == ASK_NOTHING || answer == ASK_NOBODY)
		return answer;
	if (answer == ASK_DECLINED && at_once && !l->has_person)
		return ASK_DECLINED;
	l->has_person = true;
	return answer == ASK_DECLINED ? ASK_DENY : answer;
}

enum ask_answer ask_read_answer(struct job *job)
{
	enum ask_answer answer = ask_form_read(job->ask.inputs.items[0].result);

	if (answer == ASK_NOTHING) /* not an answer to our form */
		return ASK_NOBODY;
	return ask_judge(job->link, answer, clock_ms() - job->ask.asked);
}

void ask_fall_back(struct job *job)
{
	struct ask *ask = &job->ask;

	ask->declined = true;
	ask->queued = false; /* ask_queue_add() finds the same row again */
	ask->polling = false;
	ask->inputs.count = 0;
	ask->until = 0; /* the deadline was the client's */
	ask->answer = ASK_NOTHING;
	ask->channel = ASK_QUEUE;
}

static bool take_state(struct job *job, struct str tool, struct json given)
{
	struct json responses = json_get(job->message.params, "inputResponses");
	const char *wrong = "requestState must be a string";
	auto_buf context = BUF_INIT;
	struct request_state state;
	struct str text;

	if (json_text(given, &job->mem, &text)) {
		ask_put_context(&context, job, tool);
		wrong = request_state_check(&job->server->request_states, text,
					    buf_str(&context), clock_ms(),
					    &job->mem, &state);
	}
	if (wrong) {
		mcp_fail(job, &(struct fault){ .err = ERR_BAD_ARGS,
					       .text = str_of(wrong) });
		return false;
	}
	job->ask.shown = state.shown;
	job->ask.summary = state.summary;
	job->ask.confirm = (enum ask_answer)state.confirm;
	job->ask.queued = state.queued;
	job->ask.approval = state.approval;
	job->ask.answer =
		ask_judge(job->link,
			  ask_form_read(json_get(responses, form_key)),
			  clock_ms() - state.made);
	if (job->ask.answer == ASK_DECLINED &&
	    job->server->ask_by != ASK_BY_CLIENT)
		ask_fall_back(job);
	return true;
}

bool ask_begin(struct job *job, struct str tool)
{
	struct json state = json_get(job->message.params, "requestState");
	enum ask_channel by = job->modern ? ASK_RESULT : ASK_REQUEST;

	job->ask.channel = ASK_QUEUE;
	if (job->server->ask_by != ASK_BY_PAGE && input_can(job, INPUT_ELICIT))
		job->ask.channel = by;
	return !job->modern || json_is(state, JSON_NONE) ||
	       take_state(job, tool, state);
}

/* End the call: the person denied it, or the client declined by itself. */
static enum err refuse_denied(struct job *job)
{
	struct fault f = { .err = ERR_REFUSED,
			   .text = job->ask.summary,
			   .reason = "denied" };

	if (job->ask.answer == ASK_DECLINED) {
		f.err = ERR_DECLINED;
		f.reason = "declined";
		f.hint = STR(
			"The client answered faster than anybody could have read the question, and --ask-by=client allows no other way to ask");
	}
	return dispatch_refuse(&job->dispatch, &f);
}

/* End the call: --ask-by=client, and the client cannot or did not ask. */
static enum err refuse_unasked(struct job *job)
{
	struct fault f = {
		.err = ERR_APPROVAL,
		.text = job->ask.summary,
		.path = job->dispatch.call.question.path,
		.hint = STR(
			"The user cannot be asked: the client did not show the question, and --ask-by=client allows no other way")
	};

	return dispatch_refuse(&job->dispatch, &f);
}

/* Make the question the only input request of the job. */
static void ask_for_form(struct job *job)
{
	const struct call *c = &job->dispatch.call;
	auto_buf params = BUF_INIT;
	struct json_out o = json_out(&params);

	json_open(&o, '{');
	if (job->modern) {
		json_key(&o, "mode");
		json_put_str(&o, STR("form"));
	}
	ask_form_put(&o, c,
		     !c->options->store              ? ASK_KEEPS_NOTHING
		     : job->server->dialogs_may_last ? ASK_KEEPS_LASTING
						     : ASK_KEEPS_SESSION,
		     job->ask.confirm);
	json_close(&o, '}');
	job->ask.inputs = (struct inputs){ 0 };
	inputs_add(&job->ask.inputs, str_of(form_key), INPUT_ELICIT,
		   arena_copy(&job->mem, buf_str(&params)), &job->mem);
}

/* End the call with input_required; the client repeats it with an answer. */
static enum err ask_by_result(struct job *job)
{
	struct call *c = &job->dispatch.call;
	struct request_state state = { .shown = job->ask.shown,
				       .confirm = job->ask.confirm,
				       .summary = job->ask.summary,
				       .queued = job->ask.queued,
				       .approval = job->ask.approval };
	struct fault f = { .err = ERR_APPROVAL, .text = job->ask.summary };
	auto_buf context = BUF_INIT;

	ask_for_form(job);
	ask_put_context(&context, job, str_of(c->tool->name));
	job->ask.state =
		request_state_make(&job->server->request_states, &state,
				   buf_str(&context), clock_ms(), &job->mem);
	return dispatch_refuse(&job->dispatch, &f);
}

static enum err ask_by_queue(struct job *job)
{
	struct ask *ask = &job->ask;
	uint64_t now = clock_ms(), wait = job->server->approval_ms;

	if (!ask->until) {
		ask->until = now + (job->batched ? 0 : wait);
		ask->asked = now;
	}
	ask->waits = clock_unix_ms() + ask->until - now;
	if (ask->answer == ASK_NOBODY || now >= ask->until ||
	    !ask_queue_add(job))
		return ask->declined ? ask_queue_refuse_declined(&job->dispatch)
				     : ask_queue_refuse(&job->dispatch);
	ask->polling = true;
	ask->poll_at = ask_queue_next_poll(job, now);
	return ERR_ASK;
}

static bool is_yes(enum ask_answer answer)
{
	return answer >= ASK_ONCE && answer <= ASK_ALWAYS;
}

/* A wide answer that no second form has confirmed yet is not a yes. */
static bool may_need_second(const struct job *job)
{
	enum ask_answer answer = job->ask.answer;

	return answer > ASK_FILE && answer <= ASK_ALWAYS &&
	       answer != job->ask.confirm;
}

/* Now that the question is known: does the answer cover a whole root? */
static bool needs_second(const struct job *job)
{
	const struct call *c = &job->dispatch.call;
	struct grant g;

	return c->options->store &&
	       digest_eq(question_digest(&c->question), job->ask.shown) &&
	       ask_queue_grant(c, job->ask.answer,
			       job->server->dialogs_may_last, &g) &&
	       grant_is_widest(&g);
}

static enum err put_question(struct job *job)
{
	const struct question *q = &job->dispatch.call.question;
	enum ask_by by = job->server->ask_by;

	job->ask.confirm = may_need_second(job) && needs_second(job)
				   ? job->ask.answer
				   : ASK_NOTHING;
	job->ask.answer =
		job->ask.answer == ASK_NOBODY ? ASK_NOBODY : ASK_NOTHING;
	job->ask.shown = question_digest(q);
	job->ask.digest = q->digest;
	job->ask.wait_ms = job->server->ask_ms;
	job->ask.summary = q->summary;
	if (job->link->ask && !job->batched && by != ASK_BY_PAGE &&
	    job->ask.answer == ASK_NOTHING)
		job->ask.channel = ASK_DIRECT;
	job->ask.waits = clock_unix_ms() + job->server->ask_ms;
	job->ask.queued = by == ASK_BY_BOTH && job->ask.channel != ASK_QUEUE &&
			  ask_queue_add(job);
	switch (job->ask.channel) {
	case ASK_RESULT:
		return ask_by_result(job);
	case ASK_REQUEST:
		ask_for_form(job);
		return ERR_ASK;
	case ASK_DIRECT:
		return ERR_ASK;
	case ASK_QUEUE:
		break;
	}
	return by == ASK_BY_CLIENT ? refuse_unasked(job) : ask_by_queue(job);
}

/*
 * One poll of the queue. Always ERR_ASK: the job is parked again. If it was
 * decided (!polling), ask_next() returns the job at once.
 */
static enum err poll_queue(struct job *job)
{
	struct ask *ask = &job->ask;
	uint64_t now = clock_ms();

	ask->polling = now < ask->until && !ask_queue_decided(job);
	ask->poll_at = ask_queue_next_poll(job, now);
	return ERR_ASK;
}

/* The client has answered: withdraw the queue's row, or use its answer. */
static void withdraw_queued(struct job *job)
{
	struct ask *ask = &job->ask;

	ask->queued = false;
	if (!ask_queue_withdraw(job->server, ask->approval))
		ask->answer = ASK_NOTHING; /* decided: the gate reads the row */
}

/* The client has answered a question that is also in the queue. */
static bool is_answered_aside(const struct ask *ask)
{
	return ask->queued && ask->answer >= ASK_ONCE &&
	       ask->answer <= ASK_DENY;
}

bool ask_waits(const struct job *job)
{
	return job->ask.polling || is_answered_aside(&job->ask) ||
	       (job->dispatch.ws && ws_waits(job->dispatch.ws));
}

enum err ask_run(struct job *job, uint64_t byte_limit)
{
	struct dispatch *d = &job->dispatch;
	enum err e;

	if (is_answered_aside(&job->ask))
		withdraw_queued(job);
	if (job->ask.answer == ASK_DENY || job->ask.answer == ASK_DECLINED)
		return refuse_denied(job);
	if (job->ask.polling)
		return poll_queue(job);
	if (job->ask.answer == ASK_ALWAYS && !job->server->dialogs_may_last)
		job->ask.answer = ASK_SESSION;
	d->granted = is_yes(job->ask.answer) && !may_need_second(job);
	d->shown = job->ask.shown;
	e = dispatch_run(d, byte_limit);
	if (e == ERR_ASK && !byte_limit && may_need_second(job) &&
	    !needs_second(job)) { /* narrow: no second form is needed */
		d->granted = true;
		e = dispatch_run(d, byte_limit);
	}
	if (e == ERR_ASK)
		return byte_limit ? ERR_LATER : put_question(job);
	if (e != ERR_LATER && d->granted)
		ask_queue_keep(&d->call, job->ask.answer,
			       job->server->dialogs_may_last);
	return e;
}

void ask_put_result(struct json_out *o, const struct job *job)
{
	json_key(o, "inputRequests");
	inputs_put(o, &job->ask.inputs);
	json_key(o, "requestState");
	json_put_str(o, job->ask.state);
}
