#include "rpc/ask.h"

#include "base/clock.h"
#include "rpc/ask_form.h"
#include "rpc/ask_queue.h"
#include "rpc/job.h"
#include "rpc/mcp.h"
#include "tools/gate.h"

enum { LOOK_MS = 300 }; /* how often the queue is looked at */

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
	job->ask.answer = ask_form_read(json_get(responses, form_key));
	return true;
}

bool ask_begin(struct job *job, struct str tool)
{
	struct json state = json_get(job->message.params, "requestState");
	enum ask_channel by = job->modern ? ASK_RESULT : ASK_REQUEST;

	job->ask.channel = input_can(job, INPUT_ELICIT) ? by : ASK_QUEUE;
	return !job->modern || json_is(state, JSON_NONE) ||
	       take_state(job, tool, state);
}

static enum err refuse(struct job *job)
{
	struct fault f = { .err = ERR_REFUSED,
			   .text = job->ask.summary,
			   .reason = "denied" };

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
						     : ASK_KEEPS_SESSION);
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
			       .summary = job->ask.summary };
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
		return ask_queue_refuse(&job->dispatch);
	ask->looking = true;
	ask->look = now + LOOK_MS;
	return ERR_ASK;
}

static enum err put_question(struct job *job)
{
	const struct question *q = &job->dispatch.call.question;

	job->ask.answer =
		job->ask.answer == ASK_NOBODY ? ASK_NOBODY : ASK_NOTHING;
	job->ask.shown = question_digest(q);
	job->ask.summary = q->summary;
	if (job->link->ask && !job->batched && job->ask.answer == ASK_NOTHING)
		job->ask.channel = ASK_DIRECT;
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
	return ask_by_queue(job);
}

/* Only to see whether the person has decided by now. */
static enum err look(struct job *job)
{
	struct ask *ask = &job->ask;
	uint64_t now = clock_ms();

	ask->looking =
		now < ask->until && ask_queue_waits(job->server->tools.store,
						    ask->approval, &job->mem);
	ask->look = now + LOOK_MS;
	return ERR_ASK;
}

static bool is_yes(enum ask_answer answer)
{
	return answer >= ASK_ONCE && answer <= ASK_ALWAYS;
}

enum err ask_run(struct job *job, uint64_t patience)
{
	struct dispatch *d = &job->dispatch;
	enum err e;

	if (job->ask.answer == ASK_DENY)
		return refuse(job);
	if (job->ask.looking)
		return patience ? ERR_LATER : look(job);
	d->granted = is_yes(job->ask.answer);
	d->shown = job->ask.shown;
	e = dispatch_run(d, patience);
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
