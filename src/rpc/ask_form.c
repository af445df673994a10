/*
 * ask_form.c - one question as a form: its words, and the answers that are
 * offered, which are those that can be kept.
 */
#include "rpc/ask_form.h"

#include "rpc/ask_queue.h"
#include "text/utf8.h"
#include "text/visible.h"
#include "tools/shown.h"

/* Of the diff; the longest entry of a memory (10 KiB) is shown whole. */
enum { MOST_SHOWN = 12 * 1024 };

/* The words that a person chooses from; plain, as not all clients show titles. */
static const struct {
	const char *word;
	enum ask_answer answer;
	enum ask_keeps needs;
} words[] = {
	{ "allow once", ASK_ONCE, ASK_KEEPS_NOTHING },
	{ "allow for this file", ASK_FILE, ASK_KEEPS_SESSION },
	{ "allow for this directory", ASK_DIRECTORY, ASK_KEEPS_SESSION },
	{ "allow for this session", ASK_SESSION, ASK_KEEPS_SESSION },
	{ "allow always", ASK_ALWAYS, ASK_KEEPS_LASTING },
	{ "deny", ASK_DENY, ASK_KEEPS_NOTHING },
};

/* At most so much of the diff, in whole lines, and how much is missing. */
static void add_some(struct buf *out, const struct question *q)
{
	struct str head = utf8_head(q->diff, MOST_SHOWN);
	size_t end = str_rfind(head, '\n'), left;

	if (head.len == q->diff.len) {
		visible_diff(out, q->diff);
		return;
	}
	/* Of one long line rather the beginning than nothing. */
	if (end < head.len && end >= MOST_SHOWN / 2)
		head.len = end + 1;
	left = extent_lines_left(&q->whole, head);
	visible_diff(out, head);
	buf_addf(out,
		 "%s... (%zu more lines, %zu bytes: they do not fit here)\n",
		 str_ends(head, STR("\n")) ? "" : "\n", left,
		 q->whole.bytes - head.len);
}

static void put_message(struct json_out *o, const struct question *q)
{
	auto_buf text = BUF_INIT;
	auto_arena mem = ARENA_INIT;
	struct str facts = shown_facts(q, &mem);

	visible_line(&text, q->summary);
	buf_lit(&text, "\n");
	visible_add(&text, facts);
	text.len--; /* the last end of a line: what follows begins with one */
	if (q->reason.len) {
		buf_lit(&text, "\nWhy you are asked: ");
		visible_line(&text, q->reason);
	}
	if (q->diff.len) {
		buf_lit(&text, "\n\n");
		add_some(&text, q);
	}
	json_key(o, "message");
	json_put_str(o, buf_str(&text));
}

static struct str reach_of(const struct call *c, enum ask_answer answer,
			   enum ask_keeps keeps)
{
	struct grant g;

	if (!keeps ||
	    !ask_queue_grant(c, answer, keeps == ASK_KEEPS_LASTING, &g))
		return STR("");
	return ask_queue_words(c, &g);
}

/* "You chose ...": all that it would cover, and what the question was. */
static void put_second_message(struct json_out *o, const struct call *c,
			       enum ask_keeps keeps, enum ask_answer confirm)
{
	auto_buf text = BUF_INIT;

	buf_lit(&text, "From now on, without asking you:\n");
	visible_line(&text, reach_of(c, confirm, keeps));
	buf_lit(&text, "\n\nYou were asked for one call: ");
	visible_line(&text, c->question.summary);
	json_key(o, "message");
	json_put_str(o, buf_str(&text));
}

/* How far each wide answer reaches. */
static void put_help(struct buf *out, const struct call *c,
		     enum ask_keeps keeps)
{
	struct str reach;

	for (size_t i = 0; i < COUNT_OF(words); i++) {
		if (keeps < words[i].needs)
			continue;
		reach = reach_of(c, words[i].answer, keeps);
		if (!reach.len)
			continue;
		buf_addf(out, "%s%s: ", out->len ? "\n" : "", words[i].word);
		visible_line(out, reach);
	}
}

/* In the second form there is the answer that was given, or a smaller one. */
static bool is_offered(size_t i, enum ask_keeps keeps, enum ask_answer confirm)
{
	if (keeps < words[i].needs)
		return false;
	return !confirm || words[i].answer == confirm ||
	       words[i].needs == ASK_KEEPS_NOTHING;
}

static void put_decision(struct json_out *o, const struct call *c,
			 enum ask_keeps keeps, enum ask_answer confirm)
{
	auto_buf help = BUF_INIT;

	if (!confirm)
		put_help(&help, c, keeps);
	json_open(o, '{');
	json_text_member(o, "type", STR("string"));
	json_text_member(o, "title", STR("Decision"));
	if (help.len)
		json_text_member(o, "description", buf_str(&help));
	json_key(o, "enum");
	json_open(o, '[');
	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (is_offered(i, keeps, confirm))
			json_put_str(o, str_of(words[i].word));
	json_close(o, ']');
	json_close(o, '}');
}

void ask_form_put(struct json_out *o, const struct call *c,
		  enum ask_keeps keeps, enum ask_answer confirm)
{
	if (confirm)
		put_second_message(o, c, keeps, confirm);
	else
		put_message(o, &c->question);
	json_key(o, "requestedSchema");
	json_open(o, '{');
	json_text_member(o, "type", STR("object"));
	json_key(o, "properties");
	json_open(o, '{');
	json_key(o, "decision");
	put_decision(o, c, keeps, confirm);
	json_close(o, '}');
	json_key(o, "required");
	json_put_raw(o, STR("[\"decision\"]"));
	json_close(o, '}');
}

enum ask_answer ask_form_read(struct json result)
{
	struct json action = json_get(result, "action");
	struct json said = json_get(json_get(result, "content"), "decision");

	if (json_str_is(action, "decline") || json_str_is(action, "cancel"))
		return ASK_DECLINED;
	if (!json_str_is(action, "accept"))
		return ASK_NOTHING;
	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (json_str_is(said, words[i].word))
			return words[i].answer;
	return ASK_NOTHING;
}
