/*
 * answer_many.c - one answer to several questions (`stet approvals`).
 *
 * Relies on rpc/ask_queue.h for each answer: a question whose call would do
 * something else than what was shown has another id by then.
 */
#include "app/answer_many.h"

#include "app/prompt.h"
#include "app/screen.h"
#include "app/waiting.h"
#include "base/clock.h"
#include "rpc/ask_queue.h"
#include "store/client_name.h"
#include "tools/change/preview.h"

struct batch {
	const struct many_answer *want;
	struct arena mem;
	struct approval *list;
	size_t count;
	size_t left_out; /* questions skipped: the client's name is only declared */
};

static struct str asker_name(struct batch *b, const struct approval *a)
{
	return client_words(a->scope, a->client, &b->mem);
}

static bool is_of(struct batch *b, const struct approval *a)
{
	const struct str name = b->want->client;

	return !name.len || str_eq(a->owner, name) ||
	       str_eq(asker_name(b, a), name);
}

/*
 * Any program can declare the name of another. A person who is shown the list
 * sees that a name is only declared; with --yes nobody sees the list.
 */
static bool is_trusted(const struct batch *b, const struct approval *a)
{
	const struct many_answer *w = b->want;

	return w->deny || !w->yes || !w->client.len || !a->declared;
}

static void batch_add(struct batch *b, const struct approval *a)
{
	if (is_trusted(b, a))
		b->list[b->count++] = *a;
	else
		b->left_out++;
}

static bool batch_has(const struct batch *b, struct uuid id)
{
	for (size_t i = 0; i < b->count; i++)
		if (uuid_eq(b->list[i].id, id))
			return true;
	return false;
}

/* Every id must name an open question, so that a typo answers nothing. */
static enum err gather_named(struct batch *b, struct fault *f)
{
	const struct many_answer *w = b->want;
	struct approval a;
	enum err e;

	b->list = arena_alloc(&b->mem, w->id_count * sizeof(*b->list));
	for (size_t i = 0; i < w->id_count; i++) {
		e = approval_find(w->store, str_of(w->ids[i]), &b->mem, &a, f);
		if (e)
			return e;
		if (a.state != APPROVAL_PENDING)
			return fail(f, ERR_NO_APPROVAL, .reason = "decided",
				    .text = arena_printf(
					    &b->mem, "%s is no longer waiting",
					    w->ids[i]));
		if (is_of(b, &a) && !batch_has(b, a.id))
			batch_add(b, &a);
	}
	return ERR_OK;
}

static enum err gather_waiting(struct batch *b, struct fault *f)
{
	struct approval *all;
	size_t n;
	enum err e = approval_list(b->want->store, /* all= */ false, &b->mem,
				   &all, &n, f);

	if (e)
		return e;
	b->list = arena_alloc(&b->mem, (n + 1) * sizeof(*b->list));
	for (size_t i = 0; i < n; i++)
		if (is_of(b, &all[i]))
			batch_add(b, &all[i]);
	return ERR_OK;
}

/* Has no question before @i the same of()? */
static bool is_first(struct batch *b, size_t i,
		     struct str (*of)(struct batch *, const struct approval *))
{
	for (size_t j = 0; j < i; j++)
		if (str_eq(of(b, &b->list[j]), of(b, &b->list[i])))
			return false;
	return true;
}

static struct str approval_path(struct batch *b, const struct approval *a)
{
	return a->path;
}

/* "Allow 7 questions: 3 files, +120 −44, of ci · calls itself codex 1" */
static struct str batch_summary(struct batch *b)
{
	uint64_t added = 0, removed = 0;
	size_t files = 0;
	auto_buf who = BUF_INIT;

	for (size_t i = 0; i < b->count; i++) {
		added += b->list[i].added;
		removed += b->list[i].removed;
		files += is_first(b, i, approval_path);
		if (!is_first(b, i, asker_name))
			continue;
		buf_addf(&who, "%s" STR_FMT, who.len ? " and " : "",
			 STR_ARG(asker_name(b, &b->list[i])));
	}
	return arena_printf(&b->mem,
			    "%s %zu question%s: %zu file%s, " STR_FMT
			    ", of " STR_FMT,
			    b->want->deny ? "Deny" : "Allow", b->count,
			    b->count == 1 ? "" : "s", files,
			    files == 1 ? "" : "s",
			    STR_ARG(preview_counts(added, removed, &b->mem)),
			    STR_ARG(buf_str(&who)));
}

static enum err batch_confirm(struct batch *b, struct fault *f)
{
	for (size_t i = 0; !b->want->yes && i < b->count; i++) {
		const struct approval *a = &b->list[i];

		screen_warn("  " STR_FMT "  " STR_FMT "  " STR_FMT ", " STR_FMT
			    "\n",
			    STR_ARG(a->path),
			    STR_ARG(preview_counts(a->added, a->removed,
						   &b->mem)),
			    STR_ARG(a->tool), STR_ARG(asker_name(b, a)));
	}
	return prompt_agree(batch_summary(b), b->want->yes, &b->mem, f);
}

static enum err batch_answer_one(struct batch *b, const struct approval *shown,
				 struct approval *ret, struct fault *f)
{
	const struct many_answer *w = b->want;
	const struct ask_decision decision = {
		.answer = w->deny ? ASK_DENY : ASK_ONCE,
		.note = w->note,
		.channel = "terminal",
	};
	char id[UUID_TEXT + 1];
	struct grant none;

	uuid_text(shown->id, id);
	/* The fault may have the id in it. */
	return ask_queue_decide(w->store, arena_copy(&b->mem, str_of(id)),
				&decision, &b->mem, ret, &none, f);
}

/* The result of one answer: a line of text, or a JSON object. */
static void put_result(struct batch *b, struct screen *s, struct json_out *o,
		       const struct approval *a, const struct fault *f)
{
	const char *state = b->want->deny ? "denied" : "allowed";
	auto_buf why = BUF_INIT;
	char id[UUID_TEXT + 1];

	if (f)
		fault_add_message(f, &why);
	if (b->want->json) {
		uuid_text(a->id, id);
		json_open(o, '{');
		json_text_member(o, "id", str_of(id));
		json_text_member(o, "path", a->path);
		json_text_member(o, "state", str_of(f ? "unanswered" : state));
		if (f)
			json_text_member(o, "why", buf_str(&why));
		json_close(o, '}');
		return;
	}
	screen_print(s, f ? INK_RED : INK_PLAIN,
		     "%s: ", f ? "not answered" : state);
	screen_name(s, INK_BOLD, a->path);
	screen_print(s, INK_PLAIN, ": " STR_FMT "\n",
		     STR_ARG(f ? buf_str(&why)
			       : waiting_outcome(a, clock_unix_ms(), &b->mem)));
}

static int answer_all(struct batch *b)
{
	auto_screen s = screen_begin(b->want->json ? SCREEN_JSON : SCREEN_TEXT);
	struct json_out o = json_out(&s.out);
	struct approval a;
	struct fault f;
	int status = 0, shown;
	enum err e;

	if (b->want->json) {
		json_open(&o, '{');
		json_key(&o, "answers");
		json_open(&o, '[');
	}
	for (size_t i = 0; i < b->count; i++) {
		e = batch_answer_one(b, &b->list[i], &a, &f);
		put_result(b, &s, &o, e ? &b->list[i] : &a, e ? &f : NULL);
		if (e && !status)
			status = err_exit(e);
	}
	if (b->want->json) {
		json_close(&o, ']');
		json_key(&o, "left_out");
		json_put_int(&o, (int64_t)b->left_out);
		json_close(&o, '}');
		buf_lit(&s.out, "\n");
	} else if (!b->count && !b->left_out) {
		buf_lit(&s.out, "Nothing is waiting for you.\n");
	}
	shown = screen_end(&s);
	return status ? status : shown;
}

static void print_left_out(const struct batch *b)
{
	screen_warn(
		"%zu question%s skipped: the client has no token and only declares its name as " STR_FMT
		", which any program can do. Allow them by id, or without --yes.\n",
		b->left_out, b->left_out == 1 ? " is" : "s are",
		STR_ARG(b->want->client));
}

int answer_many(const struct many_answer *want)
{
	struct batch b = { .want = want };
	auto_buf why = BUF_INIT;
	struct fault f;
	int status;
	enum err e;

	e = want->id_count ? gather_named(&b, &f) : gather_waiting(&b, &f);
	if (!e && b.left_out)
		print_left_out(&b);
	if (!e && b.count)
		e = batch_confirm(&b, &f);
	if (e) {
		fault_add_message(&f, &why);
		screen_warn("stet approvals: " STR_FMT "\n",
			    STR_ARG(buf_str(&why)));
		status = err_exit(e);
	} else {
		status = answer_all(&b);
	}
	arena_free(&b.mem);
	return status;
}
