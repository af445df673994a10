/* consent_own.c - what stet's own tools ask: the same question as Codex's. */

#include "acp/calls_local.h"
#include "acp/consent_local.h"

#include "rpc/ask_queue.h"
#include "rpc/job.h"
#include "text/visible.h"
#include "tools/shown.h"

static void answer_job(struct permission *p, enum consent consent)
{
	static const enum ask_answer answers[] = {
		[CONSENT_ONCE] = ASK_ONCE,
		[CONSENT_ALWAYS] = ASK_SESSION,
		[CONSENT_REJECT] = ASK_DENY,
		[CONSENT_CANCEL] = ASK_DENY,
	};

	bridge_answer(p->ctx, answers[consent]);
}

static void put_content(struct json_out *o, const struct question *q,
			struct str reach, struct arena *mem)
{
	struct str facts = shown_facts(q, mem), line;
	auto_buf diff = BUF_INIT;

	visible_diff(&diff, q->diff);
	json_key(o, "content");
	json_open(o, '[');
	if (q->reason.len)
		call_put_words(o, arena_printf(mem, "Asked because of " STR_FMT,
					       STR_ARG(consent_line(q->reason,
								    mem))));
	while (facts.len && str_split(&facts, '\n', &line))
		if (line.len)
			call_put_words(o, consent_line(line, mem));
	if (str_starts(q->diff, STR("--- ")) || str_starts(q->diff, STR("@@")))
		changes_put_hunks(o, q->path, buf_str(&diff));
	else if (diff.len)
		call_put_output(o, buf_str(&diff), mem);
	if (q->diff.len < q->whole.bytes && q->kept == KEPT_WHOLE)
		call_put_words(
			o,
			arena_printf(
				mem,
				"... (%zu more lines, %zu bytes: they do not fit here)",
				extent_lines_left(&q->whole, q->diff),
				q->whole.bytes - q->diff.len));
	if (reach.len)
		call_put_words(o, arena_printf(mem, "\"Always\" is: " STR_FMT,
					       STR_ARG(reach)));
	json_close(o, ']');
}

/* What "always" covers, as it would be kept. */
static struct str reach_of(const struct job *job, struct arena *mem)
{
	const struct call *c = &job->dispatch.call;
	struct grant g;

	if (!c->options->store ||
	    !ask_queue_grant(c, ASK_SESSION, job->server->dialogs_may_last, &g))
		return STR("");
	return consent_line(ask_queue_words(c, &g), mem);
}

/* The second question names the reach, where the first names the call. */
static struct str title_of(const struct job *job, struct str reach,
			   struct arena *mem)
{
	const struct call *c = &job->dispatch.call;

	if (job->ask.confirm)
		return arena_printf(mem,
				    "From now on, without asking: " STR_FMT,
				    STR_ARG(reach));
	return c->question.summary.len ? consent_line(c->question.summary, mem)
				       : str_of(c->tool->title);
}

void consent_job(void *session, struct job *job)
{
	const struct question *q = &job->dispatch.call.question;
	struct permission *p = consent_new(session, STR(""), STR(""));
	auto_arena mem = ARENA_INIT;
	auto_buf call = BUF_INIT;
	struct json_out o = json_out(&call);
	struct str reach = reach_of(job, &mem);

	p->answer = answer_job;
	p->ctx = job;
	json_open(&o, '{');
	json_text_member(&o, "toolCallId", job->dispatch.id);
	json_text_member(&o, "title", title_of(job, reach, &mem));
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
	put_content(&o, q, reach, &mem);
	json_close(&o, '}');
	consent_ask(p, buf_str(&call), true);
}

void consent_unask(void *session, struct job *job)
{
	const struct session *s = session;
	struct permission *p = s->asking;

	while (p && p->ctx != job)
		p = p->next;
	if (p)
		consent_withdraw(p);
}
