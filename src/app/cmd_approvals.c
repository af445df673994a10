/*
 * cmd_approvals.c - the command `stet approvals`: list and answer questions.
 *
 * Works on the store alone, so it can be used beside any number of servers;
 * rpc/ask_queue.h applies an answer. Text that a client wrote is printed by
 * app/screen.h, which escapes control characters.
 */
#include "app/answer_many.h"
#include "app/command.h"
#include "app/grants.h"
#include "app/human_time.h"
#include "app/person.h"
#include "app/prompt.h"
#include "app/question_view.h"
#include "app/screen.h"
#include "app/waiting.h"
#include "base/clock.h"
#include "rpc/ask_queue.h"
#include "store/client_name.h"
#include "store/ids.h"
#include "tools/change/preview.h"
#include "tools/permissions/approvals_json.h"
#include "tools/permissions/grant_words.h"

#include <stdlib.h>
#include <unistd.h>

struct approvals_config {
	bool help, json, all;
	bool once, file, directory, session, always;
	bool yes;
	const char *hunks, *note, *span, *state_dir, *client;
	int content; /* 1 = before, 2 = after */
};

static const char *const content_choices[] = { "none", "before", "after",
					       NULL };

static const struct option options[] = {
	{ "all", NULL, OPTION_FLAG, offsetof(struct approvals_config, all),
	  "list: include decided, used and expired ones; allow, deny: all that are waiting" },
	{ "client", "NAME", OPTION_TEXT,
	  offsetof(struct approvals_config, client),
	  "allow, deny: all that are waiting from this client, by its token or declared name (allow with --yes: token only)" },
	{ "once", NULL, OPTION_FLAG, offsetof(struct approvals_config, once),
	  "allow: this call, one time (the default)" },
	{ "file", NULL, OPTION_FLAG, offsetof(struct approvals_config, file),
	  "allow: tools of the same kind, this client, this file" },
	{ "directory", NULL, OPTION_FLAG,
	  offsetof(struct approvals_config, directory),
	  "allow: tools of the same kind, this client, all files beneath the file's directory" },
	{ "session", NULL, OPTION_FLAG,
	  offsetof(struct approvals_config, session),
	  "allow: this tool, this client, any file of the root, until the session ends" },
	{ "always", NULL, OPTION_FLAG,
	  offsetof(struct approvals_config, always),
	  "allow: this tool, this client, any file of the root, until you revoke it" },
	{ "for", "TIME", OPTION_TEXT, offsetof(struct approvals_config, span),
	  "allow: limit one of the four above to a time: 1h, today, 7d" },
	{ "yes", NULL, OPTION_FLAG, offsetof(struct approvals_config, yes),
	  "allow: do not ask for confirmation (a grant for a whole root; several answers at once)" },
	{ "hunks", "LIST", OPTION_TEXT,
	  offsetof(struct approvals_config, hunks),
	  "allow: apply only these hunks, by the numbers that show prints: 1,3" },
	{ "note", "TEXT", OPTION_TEXT, offsetof(struct approvals_config, note),
	  "deny: a message to the agent" },
	{ "content", "before|after", OPTION_CHOICE,
	  offsetof(struct approvals_config, content),
	  "show: for a change too large for a diff, print the whole file before or after it",
	  content_choices },
	{ "json", NULL, OPTION_FLAG, offsetof(struct approvals_config, json),
	  "Print JSON" },
	{ "state-dir", "DIR", OPTION_TEXT,
	  offsetof(struct approvals_config, state_dir),
	  "Directory of the approvals (default ~/.local/state/stet)" },
	OPTION_HELP,
	OPTIONS_END,
};

/* State of one run of the command. */
struct approvals_run {
	const struct command *command;
	struct approvals_config config;
	struct store *store;
	struct arena mem;
	struct screen screen;
	uint64_t now;
	uint64_t for_ms; /* --for */
	char *const *ids;
	size_t id_count;
};

/* Prints text that a client wrote, on one line. */
static void print_text(struct approvals_run *d, enum ink which, struct str text)
{
	screen_name(&d->screen, which, text);
}

static int approvals_failed(struct approvals_run *d, const struct fault *f)
{
	auto_buf out = BUF_INIT;

	fault_add_message(f, &out);
	screen_warn("stet approvals: " STR_FMT "\n", STR_ARG(buf_str(&out)));
	if (f->hint.len)
		screen_warn(STR_FMT "\n", STR_ARG(f->hint));
	return err_exit(f->err);
}

static int approvals_misused(struct approvals_run *d, struct str text)
{
	return command_misused(d->command, &(struct fault){ .err = ERR_BAD_ARGS,
							    .text = text });
}

static int approvals_finish(struct approvals_run *d)
{
	d->screen.kind = d->config.json ? SCREEN_JSON : SCREEN_TEXT;
	return screen_end(&d->screen);
}

static struct str id_text(struct approvals_run *d, struct uuid id)
{
	char text[UUID_TEXT + 1];

	uuid_text(id, text);
	return arena_copy(&d->mem, str_of(text));
}

static struct str age(struct approvals_run *d, uint64_t since)
{
	return human_time_lasts(d->now > since ? d->now - since : 0, &d->mem);
}

/* Begins a row with the id and the age; the caller adds the rest. */
static void begin_row(struct approvals_run *d, struct uuid id, uint64_t time)
{
	struct str since = age(d, time);

	print_text(d, INK_CYAN, id_short(id, &d->mem));
	buf_addf(&d->screen.out, "  %7.*s  ", (int)since.len, since.ptr);
}

static struct str client_of(struct approvals_run *d, const struct approval *a)
{
	return client_words(a->scope, a->client, &d->mem);
}

static int list_json(struct approvals_run *d, const struct approval *list,
		     size_t n)
{
	struct json_out o = json_out(&d->screen.out);

	json_open(&o, '{');
	json_key(&o, "approvals");
	json_open(&o, '[');
	for (size_t i = 0; i < n; i++)
		approvals_put(&o, &list[i]);
	json_close(&o, ']');
	json_close(&o, '}');
	buf_lit(&d->screen.out, "\n");
	return approvals_finish(d);
}

static int approvals_list(struct approvals_run *d, struct str id)
{
	struct approval *list;
	struct fault f;
	size_t n;

	if (approval_list(d->store, d->config.all, &d->mem, &list, &n, &f))
		return approvals_failed(d, &f);
	if (d->config.json)
		return list_json(d, list, n);
	for (size_t i = 0; i < n; i++) {
		begin_row(d, list[i].id, list[i].time_ms);
		if (d->config.all)
			buf_addf(&d->screen.out, "%-7s  ",
				 approvals_state(list[i].state));
		print_text(d, INK_PLAIN, list[i].summary);
		if (list[i].added || list[i].removed)
			screen_print(&d->screen, INK_PLAIN, "  " STR_FMT,
				     STR_ARG(preview_counts(list[i].added,
							    list[i].removed,
							    &d->mem)));
		buf_lit(&d->screen.out, "  ");
		print_text(d, INK_DIM, client_of(d, &list[i]));
		buf_lit(&d->screen.out, "\n");
	}
	if (!n)
		buf_lit(&d->screen.out, "Nothing is waiting for you.\n");
	else if (!d->config.all)
		buf_lit(&d->screen.out,
			"\nstet approvals show ID, allow ID or deny ID\n");
	return approvals_finish(d);
}

/* --content: prints the file before or after the change. */
static int show_side(struct approvals_run *d, const struct approval *a)
{
	enum approval_text which =
		d->config.content == 1 ? APPROVAL_BEFORE : APPROVAL_AFTER;
	struct fault f;

	if (a->kept != KEPT_SIDES)
		return approvals_misused(
			d,
			STR("--content is only for changes that are too large to be shown as a diff"));
	if (question_view_text(d->store, a->id, which, &d->screen.out, &f))
		return approvals_failed(d, &f);
	return approvals_finish(d);
}

static int approvals_show(struct approvals_run *d, struct str id)
{
	struct json_out o = json_out(&d->screen.out);
	auto_buf whole = BUF_INIT;
	struct approval a;
	struct fault f;
	bool cut;

	if (approval_find(d->store, id, &d->mem, &a, &f))
		return approvals_failed(d, &f);
	if (d->config.content)
		return show_side(d, &a);
	cut = a.more &&
	      question_view_text(d->store, a.id, APPROVAL_DIFF, &whole, &f);
	if (a.more && !cut)
		a.diff = buf_str(&whole);
	if (d->config.json) {
		approvals_put(&o, &a);
		buf_lit(&d->screen.out, "\n");
		return approvals_finish(d);
	}
	print_text(d, INK_BOLD, a.summary);
	buf_lit(&d->screen.out, "\n\n");
	question_view_row(&d->screen, "id", id_text(d, a.id));
	question_view_row(&d->screen, "state",
			  str_of(approvals_state(a.state)));
	question_view_row(&d->screen, "asked",
			  arena_printf(&d->mem, STR_FMT " ago",
				       STR_ARG(age(d, a.time_ms))));
	question_view_row(&d->screen, "tool", a.tool);
	question_view_row(&d->screen, "file", a.path);
	question_view_row(&d->screen, "client", client_of(d, &a));
	question_view_row(&d->screen, "session", a.session);
	if (a.state == APPROVAL_PENDING)
		question_view_row(&d->screen, "waiting",
				  waiting_words(&a, d->now, &d->mem));
	if (a.used_ms)
		question_view_row(&d->screen,
				  a.state == APPROVAL_REPORTED ? "told"
							       : "used",
				  arena_printf(&d->mem, STR_FMT " ago",
					       STR_ARG(age(d, a.used_ms))));
	question_view_row(&d->screen, "because", a.reason);
	question_view_row(&d->screen, "note", a.note);
	question_view_row(&d->screen, "hunks", a.hunks);
	question_view_facts(&d->screen, &a, &d->mem);
	buf_lit(&d->screen.out, "\n");
	question_view_change(&d->screen, &a, cut, &d->mem);
	return approvals_finish(d);
}

/* The answer that the flags of `allow` mean; false for more than one flag. */
static bool choose_answer(const struct approvals_config *c,
			  enum ask_answer *ret)
{
	const struct {
		bool set;
		enum ask_answer answer;
	} flags[] = {
		{ c->once, ASK_ONCE },           { c->file, ASK_FILE },
		{ c->directory, ASK_DIRECTORY }, { c->session, ASK_SESSION },
		{ c->always, ASK_ALWAYS },
	};
	unsigned set = 0;

	*ret = ASK_ONCE;
	for (size_t i = 0; i < COUNT_OF(flags); i++)
		if (flags[i].set) {
			*ret = flags[i].answer;
			set++;
		}
	return set < 2;
}

static int answered(struct approvals_run *d, const struct approval *a,
		    const char *what, const struct grant *g)
{
	struct json_out o = json_out(&d->screen.out);

	if (d->config.json) {
		json_open(&o, '{');
		json_text_member(&o, "id", id_text(d, a->id));
		json_text_member(&o, "state", str_of(what));
		json_text_member(&o, "hunks", a->hunks);
		if (g) {
			json_key(&o, "grant");
			approvals_put_grant(&o, g, &d->mem);
		}
		json_close(&o, '}');
		buf_lit(&d->screen.out, "\n");
		return approvals_finish(d);
	}
	buf_addf(&d->screen.out, "%s: ", what);
	print_text(d, INK_PLAIN, a->summary);
	if (a->added || a->removed)
		screen_print(&d->screen, INK_PLAIN, " (" STR_FMT ")",
			     STR_ARG(preview_counts(a->added, a->removed,
						    &d->mem)));
	if (a->hunks.len)
		buf_addf(&d->screen.out, "\nonly these hunks: " STR_FMT,
			 STR_ARG(a->hunks));
	buf_lit(&d->screen.out, "\n");
	print_text(d, INK_PLAIN, waiting_outcome(a, clock_unix_ms(), &d->mem));
	if (g) {
		buf_lit(&d->screen.out, "\nand from now on: ");
		print_text(d, INK_PLAIN, grants_sentence(g, d->now, &d->mem));
		buf_addf(&d->screen.out,
			 "\n(stet grants revoke " STR_FMT " revokes it)",
			 STR_ARG(id_short(g->id, &d->mem)));
	}
	buf_lit(&d->screen.out, "\n");
	return approvals_finish(d);
}

/* An answer that covers a whole root is shown in words and confirmed. */
static enum err confirm_wide_answer(void *ctx, const struct approval *a,
				    const struct grant *g, struct fault *f)
{
	struct approvals_run *d = ctx;
	struct grant shown = *g;
	struct str words;

	if (!grant_is_widest(g) || d->config.yes)
		return ERR_OK;
	shown.until_ms = d->for_ms ? d->now + d->for_ms : 0;
	words = grants_sentence(&shown, d->now, &d->mem);
	screen_warn("From now on, without asking you:\n  " STR_FMT "\n",
		    STR_ARG(words));
	return prompt_yes("Allow that?")
		       ? ERR_OK
		       : fail(f, ERR_UNCONFIRMED,
			      .text = STR("you did not confirm it"));
}

static int answer_one(struct approvals_run *d, struct str id,
		      enum ask_answer answer)
{
	struct ask_decision decision = { .answer = answer,
					 .agree = confirm_wide_answer,
					 .ctx = d,
					 .hunks = str_of(d->config.hunks),
					 .for_ms = d->for_ms,
					 .channel = "terminal" };
	struct approval a;
	struct grant g;
	struct fault f;
	enum err e;

	decision.withdraws = answer == ASK_DENY;
	if (answer == ASK_DENY)
		decision.note = str_of(d->config.note);
	e = ask_queue_decide(d->store, id, &decision, &d->mem, &a, &g, &f);
	if (e == ERR_BAD_ARGS && !d->config.hunks)
		return approvals_misused(d, f.text);
	if (e)
		return approvals_failed(d, &f);
	return answered(d, &a,
			a.withdrawn          ? "withdrawn"
			: answer == ASK_DENY ? "denied"
					     : "allowed",
			a.state == APPROVAL_GRANTED ? &g : NULL);
}

/* --for: a duration, or "today" = until midnight. */
static bool read_span(struct approvals_run *d)
{
	struct str span = str_of(d->config.span);
	uint64_t midnight;

	if (!str_is(span, "today"))
		return human_time_span(span, &d->for_ms) && d->for_ms;
	if (!human_time_midnight(d->now, &midnight))
		return false;
	d->for_ms = midnight - d->now;
	return true;
}

static bool is_many(const struct approvals_run *d)
{
	return d->id_count > 1 || d->config.all || d->config.client;
}

/* Several ids: only "once" is allowed; grants and hunks need a single id. */
static int answer_several(struct approvals_run *d, bool deny)
{
	return answer_many(&(struct many_answer){
		.store = d->store,
		.ids = d->ids,
		.id_count = d->id_count,
		.client = str_of(d->config.client),
		.deny = deny,
		.note = deny ? str_of(d->config.note) : STR(""),
		.yes = d->config.yes,
		.json = d->config.json });
}

static int allow(struct approvals_run *d, struct str id)
{
	enum ask_answer answer;
	struct fault f;

	if (!choose_answer(&d->config, &answer))
		return approvals_misused(
			d,
			STR("give only one of --once, --file, --directory, --session and --always"));
	if (d->config.hunks && answer != ASK_ONCE)
		return approvals_misused(
			d,
			STR("--hunks cannot be combined with a grant: it selects parts of one call"));
	if (d->config.span && answer == ASK_ONCE)
		return approvals_misused(
			d,
			STR("--for needs --file, --directory, --session or --always"));
	if (d->config.span && !read_span(d))
		return approvals_misused(
			d, STR("--for takes a time: 30min, 1h, today, 7d"));
	if (is_many(d) && (answer != ASK_ONCE || d->config.hunks))
		return approvals_misused(
			d,
			STR("several questions can only be allowed once each: grants and --hunks need a single ID"));
	if (person_check_here("approvals allow", &d->mem, &f))
		return approvals_failed(d, &f);
	return is_many(d) ? answer_several(d, /* deny= */ false)
			  : answer_one(d, id, answer);
}

static int deny(struct approvals_run *d, struct str id)
{
	if (d->config.hunks)
		return approvals_misused(
			d,
			STR("--hunks is only for allow: name the hunks to apply"));
	return is_many(d) ? answer_several(d, /* deny= */ true)
			  : answer_one(d, id, ASK_DENY);
}

/* `stet approvals grants` is the older spelling of `stet grants`. */
static int grants(struct approvals_run *d, struct str id)
{
	return grants_list(d->store,
			   &(struct grants_want){ .json = d->config.json });
}

static int withdraw_answer(struct approvals_run *d, struct str id)
{
	return grants_revoke(d->store,
			     &(struct grants_want){ .json = d->config.json,
						    .id = &id,
						    .id_count = 1 });
}

static const struct {
	const char *name;
	int (*run)(struct approvals_run *, struct str id);
	bool takes_id, changes, takes_many;
} verbs[] = {
	{ .name = "list", .run = approvals_list },
	{ .name = "show", .run = approvals_show, .takes_id = true },
	{ "allow", allow, true, true, .takes_many = true },
	{ "deny", deny, true, true, .takes_many = true },
	{ .name = "grants", .run = grants },
	{ "revoke", withdraw_answer, .takes_id = true, .changes = true },
};

static int run_verb(struct approvals_run *d, size_t verb, struct str id)
{
	int status;

	d->now = clock_unix_ms();
	d->store = store_new(
		&(struct store_options){ .dir = str_of(d->config.state_dir),
					 .read_only = !verbs[verb].changes,
					 .durable = true });
	status = verbs[verb].run(d, id);
	store_free(d->store);
	return status;
}

static int choose_verb(struct approvals_run *d, struct command_line *line)
{
	char *const *words = line->argv + line->at;
	int n = line->argc - line->at;
	const char *name = n ? words[0] : "list";

	for (size_t i = 0; i < COUNT_OF(verbs); i++) {
		if (strcmp(name, verbs[i].name) != 0)
			continue;
		if (n > 1 + verbs[i].takes_id && !verbs[i].takes_many)
			return command_surplus(d->command,
					       words[1 + verbs[i].takes_id]);
		d->ids = words + 1;
		d->id_count = n ? (size_t)n - 1 : 0;
		if (n > 1 && verbs[i].takes_many && d->config.all)
			return approvals_misused(
				d, STR("give either ids or --all"));
		if (verbs[i].takes_id && n < 2 &&
		    !(verbs[i].takes_many && is_many(d)))
			return approvals_misused(
				d,
				arena_printf(
					&d->mem,
					"%s needs an ID ('stet approvals' lists them)",
					name));
		return run_verb(d, i, str_of(n > 1 ? words[1] : ""));
	}
	return approvals_misused(
		d, arena_printf(&d->mem,
				"'%s' is none of list, show, allow and deny",
				name));
}

static int approvals(const struct command *command, struct command_line *line)
{
	struct approvals_run d = { .command = command,
				   .screen = screen_begin(SCREEN_TEXT) };
	int status;

	if (command_options(command, line, &d.config, &d.mem, &status))
		status = choose_verb(&d, line);
	screen_free(&d.screen);
	arena_free(&d.mem);
	return status;
}

const struct command command_approvals = {
	.name = "approvals",
	.usage = "[list | show ID | allow ID... | deny ID...] [OPTION...]",
	.summary = "Answer requests of agents for approval",
	.about =
		"Calls that need your approval, from clients that cannot ask you themselves,\n"
		"wait here. show prints what the call would do, with its diff. Once you have\n"
		"allowed it, the same call succeeds one time when the agent repeats it.\n"
		"You can allow some hunks of a change only, by the numbers that show prints.\n"
		"ID is the id that list shows, or a part of it (at least 4 digits).\n"
		"Several ids, --client or --all answer several questions at once: they are listed\n"
		"first, and each is allowed once if it still asks for what was listed.\n"
		"deny also revokes what you allowed once, as long as it was not used.\n"
		"What you allow for more than one call is a grant: see 'stet grants'.\n"
		"allow needs a person at a terminal: see docs/approvals.md.",
	.options = options,
	.run = approvals,
};
