/*
 * ask_form.c - writes the form of a question and reads the answer.
 *
 * All text from files and clients passes text/display/visible. Only answers
 * that can be stored are offered.
 */
#include "rpc/ask_form.h"

#include "rpc/ask_queue.h"
#include "text/display/visible.h"
#include "text/encoding/utf8.h"
#include "tools/change/preview.h"

/* Bytes of the diff in a form; the longest memory entry (10 KiB) fits. */
enum { MOST_SHOWN = 12 * 1024 };

/* The choices of the form, self-explanatory: not all clients show titles. */
static const struct {
	const char *word;
	enum ask_answer answer;
	enum ask_keeps needs;
} choices[] = {
	{ "allow once", ASK_ONCE, ASK_KEEPS_NOTHING },
	{ "allow for this file", ASK_FILE, ASK_KEEPS_SESSION },
	{ "allow for this directory", ASK_DIRECTORY, ASK_KEEPS_SESSION },
	{ "allow for this session", ASK_SESSION, ASK_KEEPS_SESSION },
	{ "allow always", ASK_ALWAYS, ASK_KEEPS_LASTING },
	{ "deny", ASK_DENY, ASK_KEEPS_NOTHING },
};

/* Add the beginning of the diff, in whole lines, and how much is left. */
static void add_diff_head(struct buf *out, const struct question *q)
{
	struct str head = utf8_head(q->diff, MOST_SHOWN);
	size_t end = str_rfind(head, '\n'), left;

	if (head.len == q->diff.len) {
		visible_diff(out, q->diff);
		return;
	}
	/* A very long line is cut rather than left out. */
	if (end < head.len && end >= MOST_SHOWN / 2)
		head.len = end + 1;
	left = extent_lines_left(&q->whole, head);
	visible_diff(out, head);
	buf_addf(out,
		 "%s... (%zu more lines, %zu bytes: too long to show here)\n",
		 str_ends(head, STR("\n")) ? "" : "\n", left,
		 q->whole.bytes - head.len);
}

static void put_message(struct json_out *o, const struct question *q)
{
	auto_buf text = BUF_INIT;
	auto_arena mem = ARENA_INIT;
	struct str facts = preview_facts(q, &mem);

	visible_line(&text, q->summary);
	buf_lit(&text, "\n");
	visible_add(&text, facts);
	text.len--; /* the last newline: what follows begins with one */
	if (q->reason.len) {
		buf_lit(&text, "\nWhy you are asked: ");
		visible_line(&text, q->reason);
	}
	if (q->diff.len) {
		buf_lit(&text, "\n\n");
		add_diff_head(&text, q);
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

/* The second form: what the grant would cover, and the question again. */
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

/* The reach of each wide choice, as the description of the field. */
static void put_help(struct buf *out, const struct call *c,
		     enum ask_keeps keeps)
{
	struct str reach;

	for (size_t i = 0; i < COUNT_OF(choices); i++) {
		if (keeps < choices[i].needs)
			continue;
		reach = reach_of(c, choices[i].answer, keeps);
		if (!reach.len)
			continue;
		buf_addf(out, "%s%s: ", out->len ? "\n" : "", choices[i].word);
		visible_line(out, reach);
	}
}

/* The second form offers the answer that was given, once, and deny. */
static bool is_offered(size_t i, enum ask_keeps keeps, enum ask_answer confirm)
{
	if (keeps < choices[i].needs)
		return false;
	return !confirm || choices[i].answer == confirm ||
	       choices[i].needs == ASK_KEEPS_NOTHING;
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
	for (size_t i = 0; i < COUNT_OF(choices); i++)
		if (is_offered(i, keeps, confirm))
			json_put_str(o, str_of(choices[i].word));
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
	for (size_t i = 0; i < COUNT_OF(choices); i++)
		if (json_str_is(said, choices[i].word))
			return choices[i].answer;
	return ASK_NOTHING;
}
