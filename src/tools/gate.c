#include "tools/gate.h"

#include "base/digest.h"
#include "store/approvals.h"
#include "text/encoding.h"
#include "text/unified.h"
#include "text/utf8.h"

enum { MOST_SHOWN = 16 * 1024 }; /* of a diff, to a person */

/* "The same call": who, which tool, with which arguments. */
static struct str digest(struct call *c)
{
	char hex[DIGEST_HEX + 1];
	auto_buf what = BUF_INIT;

	buf_add(&what, c->caller->scope);
	buf_addc(&what, '\0');
	buf_add(&what, str_of(c->tool->name));
	buf_addc(&what, '\0');
	buf_add(&what, json_raw(c->arguments));
	digest_hex(digest_of(buf_str(&what)), hex);
	return arena_copy(c->mem, str_of(hex));
}

static struct str text_of(struct call *c, struct str bytes)
{
	struct detected in;
	struct shown shown;

	if (encoding_detect(bytes, NULL, &in) ||
	    encoding_show(in.encoding, bytes, c->mem, &shown))
		return STR("(not text)\n");
	return shown.text;
}

static struct str shorten(struct call *c, struct str text)
{
	struct str head = utf8_head(text, MOST_SHOWN);

	if (head.len == text.len)
		return arena_copy(c->mem, text);
	return arena_printf(c->mem, "%.*s\n... (%zu bytes more)\n",
			    (int)head.len, head.ptr, text.len - head.len);
}

/* What the person is shown. */
static struct str shown_change(struct call *c, const struct deed_facts *facts)
{
	struct str before = STR(""), after = STR("");
	auto_buf out = BUF_INIT;
	struct diff diff;

	if (facts->as_is)
		return shorten(c, facts->after);
	if (facts->before)
		before = text_of(c, facts->before->bytes);
	if (!facts->remove)
		after = text_of(c, facts->after);
	diff_texts(before, after, c->mem, &diff);
	unified_print(&diff, facts->key, UNIFIED_CONTEXT, &out);
	return shorten(c, buf_str(&out));
}

static struct str summary_of(struct call *c, const struct deed_facts *facts)
{
	const char *verb = facts->remove   ? "delete"
			   : facts->before ? "change"
					   : "create";

	if (facts->summary.len)
		return facts->summary;
	return arena_printf(c->mem, "%s wants to %s " STR_FMT, c->tool->name,
			    verb, STR_ARG(facts->key));
}

/* Has the person said before that this may be done without asking? */
static bool may_already(struct call *c, const struct deed_facts *facts)
{
	struct fault ignored;
	bool covered;

	return !grant_covers(c->options->store, str_of(c->tool->name),
			     facts->key, c->caller->session, &covered,
			     &ignored) &&
	       covered;
}

/* The question that was asked earlier, in the queue, and answered since. */
static enum err decided(struct call *c, bool *ret)
{
	struct approval approval;
	struct fault ignored;

	*ret = false;
	if (approval_take(c->options->store, c->question.digest, c->mem,
			  &approval, &ignored))
		return ERR_OK;
	if (approval.state == APPROVAL_ALLOWED) {
		*ret = true;
		return ERR_OK;
	}
	if (approval.state != APPROVAL_DENIED)
		return ERR_OK;
	return fail(c->fault, ERR_REFUSED, .path = approval.path,
		    .text = approval.summary, .reason = "denied",
		    .hint = approval.note);
}

static enum err ask(struct call *c, const struct deed_facts *facts,
		    struct str reason)
{
	bool allowed = false;
	enum err e = ERR_OK;

	if (c->granted)
		return ERR_OK;
	c->question = (struct question){ .path = facts->key,
					 .summary = summary_of(c, facts),
					 .reason = reason,
					 .digest = digest(c) };
	if (c->options->store) {
		allowed = may_already(c, facts);
		if (!allowed)
			e = decided(c, &allowed);
	}
	if (e || allowed) {
		c->granted = allowed;
		return e;
	}
	c->question.diff = shown_change(c, facts);
	return fail(c->fault, ERR_ASK, .path = facts->key,
		    .text = c->question.summary);
}
