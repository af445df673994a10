#include "rpc/ask.h"

#include "base/clock.h"
#include "rpc/ask_form.h"
#include "rpc/ask_queue.h"
#include "rpc/job.h"
#include "rpc/mcp.h"
#include "tools/gate.h"
#include "tools/grant_words.h"

enum { READING_MS = 1500 }; /* nobody has read a question any faster */

static const char form_key[] = "approval"; /* of the one input request */

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

void ask_fall_back(struct job *job)
{
	struct ask *ask = &job->ask;

	ask->declined = true;
	ask->queued = false; /* the row is found again by what it asks */
	ask->looking = false;
	ask->inputs.count = 0;
	ask->until = 0; /* that was the client's time */
	ask->answer = ASK_NOTHING;
	ask->channel = ASK_QUEUE;
}

static bool take_state(struct job *job, struct str tool, struct json given)
{
	struct json responses = json_get(job->message.params, "inputResponses");
	const char *wrong = "requestState must be a string";
	auto_buf context = BUF_INIT;
	struct state state;
	struct str text;

	if (json_text(given, &job->mem, &text)) {
		ask_put_context(&context, job, tool);
		wrong = state_take(&job->server->states, text,
				   buf_str(&context), clock_ms(), &job->mem,
				   &state);
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

/* By the person, or by their client in their place: it says which. */
static enum err refuse(struct job *job)
{
	struct fault f = { .err = ERR_REFUSED,
			   .text = job->ask.summary,
			   .reason = "denied" };

	if (job->ask.answer == ASK_DECLINED) {
		f.err = ERR_DECLINED;
		f.reason = "declined";
		f.hint = STR(
			"The client answered at once, before anybody could have read the question, and --ask-by=client leaves no other way to ask");
	}
	return dispatch_refuse(&job->dispatch, &f);
}

/* --ask-by=client, and the client cannot ask, or did not. */
static enum err refuse_unasked(struct job *job)
{
	struct fault f = {
		.err = ERR_APPROVAL,
		.text = job->ask.summary,
		.path = job->dispatch.call.question.path,
		.hint = STR(
			"There is no way to ask: the client did not put the question to the user, and --ask-by=client leaves no other way")
	};

	return dispatch_refuse(&job->dispatch, &f);
}

/* The question as the one thing that the client is asked for. */
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

/* The call ends here; the next one brings the answer. */
static enum err ask_by_result(struct job *job)
{
	struct call *c = &job->dispatch.call;
	struct state state = { .shown = job->ask.shown,
			       .confirm = job->ask.confirm,
			       .summary = job->ask.summary,
			       .queued = job->ask.queued,
			       .approval = job->ask.approval };
	struct fault f = { .err = ERR_APPROVAL, .text = job->ask.summary };
	auto_buf context = BUF_INIT;

	ask_for_form(job);
	ask_put_context(&context, job, str_of(c->tool->name));
	job->ask.state = state_make(&job->server->states, &state,
				    buf_str(&context), clock_ms(), &job->mem);
	return dispatch_refuse(&job->dispatch, &f);
}

static enum err ask_by_queue(struct job *job)
{
	struct ask *ask = &job->ask;
	uint64_t now = clock_ms(), wait = job->server->approval_ms;

	if (!ask->until)
		ask->until = now + (job->batched ? 0 : wait);
	ask->waits = clock_unix_ms() + ask->until - now;
	if (ask->answer == ASK_NOBODY || now >= ask->until ||
	    !ask_queue_add(&job->dispatch, ask->waits, &ask->approval))
		return ask->declined ? ask_queue_refuse_declined(&job->dispatch)
				     : ask_queue_refuse(&job->dispatch);
	ask->looking = true;
	ask->look = now + ASK_LOOK_MS;
	return ERR_ASK;
}

static bool is_yes(enum ask_answer answer)
{
	return answer >= ASK_ONCE && answer <= ASK_ALWAYS;
}

/* May it be one that has to be confirmed? Until then it is no yes at all. */
static bool may_need_second(const struct job *job)
{
	enum ask_answer answer = job->ask.answer;

	return answer > ASK_FILE && answer <= ASK_ALWAYS &&
	       answer != job->ask.confirm;
}

/* The question is there now: is it a wide answer to this one, and how wide? */
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
	job->ask.summary = q->summary;
	if (job->link->ask && !job->batched && by != ASK_BY_PAGE &&
	    job->ask.answer == ASK_NOTHING)
		job->ask.channel = ASK_DIRECT;
	job->ask.waits = clock_unix_ms() + job->server->ask_ms;
	job->ask.queued = by == ASK_BY_BOTH && job->ask.channel != ASK_QUEUE &&
			  ask_queue_add(&job->dispatch, job->ask.waits,
					&job->ask.approval);
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

/* Only to see whether the person has decided by now. */
static enum err look(struct job *job)
{
	struct ask *ask = &job->ask;
	uint64_t now = clock_ms();

	ask->looking =
		now < ask->until && ask_queue_waits(job->server->tools.store,
						    ask->approval, &job->mem);
	ask->look = now + ASK_LOOK_MS;
	return ERR_ASK;
}

/* The client has answered: the queue need not, unless it was the first. */
static void withdraw_queued(struct job *job)
{
	struct ask *ask = &job->ask;

	ask->queued = false;
	if (!ask_queue_withdraw(job->server->tools.store, ask->approval,
				&job->mem))
		ask->answer = ASK_NOTHING; /* the gate finds the answer there */
}

enum err ask_run(struct job *job, uint64_t patience)
{
	struct dispatch *d = &job->dispatch;
	enum err e;

	if (job->ask.queued && job->ask.answer >= ASK_ONCE &&
	    job->ask.answer <= ASK_DENY) {
		if (patience)
			return ERR_LATER;
		withdraw_queued(job);
	}
	if (job->ask.answer == ASK_DENY || job->ask.answer == ASK_DECLINED)
		return refuse(job);
	if (job->ask.looking)
		return patience ? ERR_LATER : look(job);
	if (job->ask.answer == ASK_ALWAYS && !job->server->dialogs_may_last)
		job->ask.answer = ASK_SESSION;
	d->granted = is_yes(job->ask.answer) && !may_need_second(job);
	d->shown = job->ask.shown;
	e = dispatch_run(d, patience);
	if (e == ERR_ASK && !patience && may_need_second(job) &&
	    !needs_second(job)) { /* it is narrow, and so it counts */
		d->granted = true;
		e = dispatch_run(d, patience);
	}
	if (e == ERR_ASK)
		return patience ? ERR_LATER : put_question(job);
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
