/*
 * permission_own.c - session/request_permission for stet's own tools.
 *
 * The job waits (rpc/ask.h, ASK_DIRECT) until bridge_answer() is called.
 */
#include "acp/calls_local.h"
#include "acp/permission_local.h"

#include "rpc/ask_queue.h"
#include "rpc/job.h"
#include "text/display/visible.h"
#include "tools/change/preview.h"

static void answer_job(struct permission *p, enum permission_answer answer)
{
	static const enum ask_answer answers[] = {
		[PERMISSION_ONCE] = ASK_ONCE,
		[PERMISSION_ALWAYS] = ASK_SESSION,
		[PERMISSION_REJECT] = ASK_DENY,
		[PERMISSION_CANCEL] = ASK_DENY,
	};

	bridge_answer(p->ctx, answers[answer]);
}

static void put_question_content(struct json_out *o, const struct question *q,
				 struct str grant, struct arena *mem)
{
	struct str facts = preview_facts(q, mem), line;
	auto_buf diff = BUF_INIT;

	visible_diff(&diff, q->diff);
	json_key(o, "content");
	json_open(o, '[');
	if (q->reason.len)
		call_put_words(o,
			       arena_printf(mem, "Asked because of " STR_FMT,
					    STR_ARG(permission_line(q->reason,
								    mem))));
	while (facts.len && str_split(&facts, '\n', &line))
		if (line.len)
			call_put_words(o, permission_line(line, mem));
	if (str_starts(q->diff, STR("--- ")) || str_starts(q->diff, STR("@@")))
		changes_put_hunks(o, q->path, buf_str(&diff));
	else if (diff.len)
		call_put_output(o, buf_str(&diff), mem);
	if (q->diff.len < q->whole.bytes && q->kept == KEPT_WHOLE)
		call_put_words(
			o,
			arena_printf(
				mem,
				"... (%zu more lines, %zu bytes: too long to show here)",
				extent_lines_left(&q->whole, q->diff),
				q->whole.bytes - q->diff.len));
	if (grant.len)
		call_put_words(o,
			       arena_printf(mem, "\"Always\" means: " STR_FMT,
					    STR_ARG(grant)));
	json_close(o, ']');
}

/* What the grant of "always" would cover, in words. */
static struct str grant_words_of(const struct job *job, struct arena *mem)
{
	const struct call *c = &job->dispatch.call;
	struct grant g;

	if (!c->options->store ||
	    !ask_queue_grant(c, ASK_SESSION, job->server->dialogs_may_last, &g))
		return STR("");
	return permission_line(ask_queue_words(c, &g), mem);
}

/* The confirmation of a broad grant names the grant instead of the call. */
static struct str question_title(const struct job *job, struct str grant,
				 struct arena *mem)
{
	const struct call *c = &job->dispatch.call;

	if (job->ask.confirm)
		return arena_printf(mem,
				    "From now on, without asking: " STR_FMT,
				    STR_ARG(grant));
	return c->question.summary.len
		       ? permission_line(c->question.summary, mem)
		       : str_of(c->tool->title);
}

void permission_ask_for_job(void *session, struct job *job)
{
	const struct question *q = &job->dispatch.call.question;
	struct permission *p = permission_new(session, STR(""), STR(""));
	auto_arena mem = ARENA_INIT;
	auto_buf call = BUF_INIT;
	struct json_out o = json_out(&call);
	struct str grant = grant_words_of(job, &mem);

	p->on_answer = answer_job;
	p->ctx = job;
	json_open(&o, '{');
	json_text_member(&o, "toolCallId", job->dispatch.id);
	json_text_member(&o, "title", question_title(job, grant, &mem));
	json_text_member(&o, "kind", STR("edit"));
	json_text_member(&o, "status", STR("pending"));
	if (q->path.len) {
		json_key(&o, "locations");
		json_open(&o, '[');
		json_open(&o, '{');
		json_text_member(&o, "path", q->path);
		json_close(&o, '}');
		json_close(&o, ']');
	}
	put_question_content(&o, q, grant, &mem);
	json_close(&o, '}');
	permission_ask(p, buf_str(&call), true);
}

void permission_withdraw_job(void *session, struct job *job)
{
	const struct session *s = session;
	struct permission *p = s->permissions;

	while (p && p->ctx != job)
		p = p->next;
	if (p)
		permission_withdraw(p);
}
