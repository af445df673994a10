/*
 * stet approvals - what agents wait for, and what the person says to it.
 *
 * Works on the store alone, beside any number of servers. What an agent has
 * written goes through app/screen.h, so that nothing in it can pretend to be
 * something else on a terminal.
 */

#include "app/answer_many.h"
#include "app/command.h"
#include "app/grants.h"
#include "app/person.h"
#include "app/prompt.h"
#include "app/screen.h"
#include "app/seen.h"
#include "app/waiting.h"
#include "app/when.h"
#include "base/clock.h"
#include "rpc/ask_queue.h"
#include "store/client_name.h"
#include "tools/approvals_json.h"
#include "tools/grant_words.h"
#include "tools/shown.h"

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
	  "list: also those that were decided, used, or came too late; allow and deny: all that wait" },
	{ "client", "NAME", OPTION_TEXT,
	  offsetof(struct approvals_config, client),
	  "allow and deny: all that wait of this client: its token, or what it calls itself (allow with --yes: its token only)" },
	{ "once", NULL, OPTION_FLAG, offsetof(struct approvals_config, once),
	  "allow: this call, one time (what happens without any of these)" },
	{ "file", NULL, OPTION_FLAG, offsetof(struct approvals_config, file),
	  "allow: this client, every tool of that kind, this file" },
	{ "directory", NULL, OPTION_FLAG,
	  offsetof(struct approvals_config, directory),
	  "allow: this client, every tool of that kind, beneath the file's directory" },
	{ "session", NULL, OPTION_FLAG,
	  offsetof(struct approvals_config, session),
	  "allow: this client, this tool, any file of the root, while it stays connected" },
	{ "always", NULL, OPTION_FLAG,
	  offsetof(struct approvals_config, always),
	  "allow: this client, this tool, any file of the root, until you revoke it" },
	{ "for", "TIME", OPTION_TEXT, offsetof(struct approvals_config, span),
	  "allow: with one of the four above, for so long only: 1h, today, 7d" },
	{ "yes", NULL, OPTION_FLAG, offsetof(struct approvals_config, yes),
	  "allow: do not ask again before something covers a whole root; with several: nor before they are answered" },
	{ "hunks", "LIST", OPTION_TEXT,
	  offsetof(struct approvals_config, hunks),
	  "allow: of this call only these hunks, as show numbers them: 1,3" },
	{ "note", "TEXT", OPTION_TEXT, offsetof(struct approvals_config, note),
	  "deny: what to tell the agent" },
	{ "content", "before|after", OPTION_CHOICE,
	  offsetof(struct approvals_config, content),
	  "show: of a change too large for a diff, the whole file before, or as it would be",
	  content_choices },
	{ "json", NULL, OPTION_FLAG, offsetof(struct approvals_config, json),
	  "JSON, for programs" },
	{ "state-dir", "DIR", OPTION_TEXT,
	  offsetof(struct approvals_config, state_dir),
	  "Where approvals are kept (default ~/.local/state/stet)" },
	OPTION_HELP,
	OPTIONS_END,
};

/* One run of the command. */
struct desk {
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

/* A name, or whatever else others wrote, on its line. */
static void say(struct desk *d, enum ink which, struct str text)
{
	screen_name(&d->screen, which, text);
}

static int failed(struct desk *d, const struct fault *f)
{
	auto_buf out = BUF_INIT;

	fault_say(f, &out);
	screen_warn("stet approvals: " STR_FMT "\n", STR_ARG(buf_str(&out)));
	return err_exit(f->err);
}

static int misused(struct desk *d, struct str text)
{
	return command_misused(d->command, &(struct fault){ .err = ERR_BAD_ARGS,
							    .text = text });
}

static int finish(struct desk *d)
{
	d->screen.kind = d->config.json ? SCREEN_JSON : SCREEN_TEXT;
	return screen_end(&d->screen);
}

static struct str id_text(struct desk *d, struct uuid id)
{
	char text[UUID_TEXT + 1];

	uuid_text(id, text);
	return arena_copy(&d->mem, str_of(text));
}

/* Enough of it to tell two apart that were not made in the same instant. */
static struct str short_id(struct desk *d, struct uuid id)
{
	return str_head(id_text(d, id), sizeof("01234567-89ab") - 1);
}

static struct str age(struct desk *d, uint64_t since)
{
	return when_lasts(d->now > since ? d->now - since : 0, &d->mem);
}

/* An entry: its id and how long ago, then what the caller adds. */
static void begin_row(struct desk *d, struct uuid id, uint64_t time)
{
	struct str since = age(d, time);

	say(d, INK_CYAN, short_id(d, id));
	buf_addf(&d->screen.out, "  %7.*s  ", (int)since.len, since.ptr);
}

static struct str client_of(struct desk *d, const struct approval *a)
{
	return client_words(a->scope, a->client, &d->mem);
}

static int list_json(struct desk *d, const struct approval *list, size_t n)
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
	return finish(d);
}

static int list(struct desk *d, struct str id)
{
	struct approval *list;
	struct fault f;
	size_t n;

	if (approval_list(d->store, d->config.all, &d->mem, &list, &n, &f))
		return failed(d, &f);
	if (d->config.json)
		return list_json(d, list, n);
	for (size_t i = 0; i < n; i++) {
		begin_row(d, list[i].id, list[i].time_ms);
		if (d->config.all)
			buf_addf(&d->screen.out, "%-7s  ",
				 approvals_state(list[i].state));
		say(d, INK_PLAIN, list[i].summary);
		if (list[i].added || list[i].removed)
			screen_print(&d->screen, INK_PLAIN, "  " STR_FMT,
				     STR_ARG(shown_counts(list[i].added,
							  list[i].removed,
							  &d->mem)));
		buf_lit(&d->screen.out, "  ");
		say(d, INK_DIM, client_of(d, &list[i]));
		buf_lit(&d->screen.out, "\n");
	}
	if (!n)
		buf_lit(&d->screen.out, "Nothing waits for you.\n");
	else if (!d->config.all)
		buf_lit(&d->screen.out,
			"\nstet approvals show ID, allow ID or deny ID\n");
	return finish(d);
}

/* --content: the file before, or as it would be. */
static int show_side(struct desk *d, const struct approval *a)
{
	enum approval_text which =
		d->config.content == 1 ? APPROVAL_BEFORE : APPROVAL_AFTER;
	struct fault f;

	if (a->kept != KEPT_SIDES)
		return misused(
			d,
			STR("--content is for a change that is too large to be shown as a diff"));
	if (seen_text(d->store, a->id, which, &d->screen.out, &f))
		return failed(d, &f);
	return finish(d);
}

static int show(struct desk *d, struct str id)
{
	struct json_out o = json_out(&d->screen.out);
	auto_buf whole = BUF_INIT;
	struct approval a;
	struct fault f;
	bool cut;

	if (approval_find(d->store, id, &d->mem, &a, &f))
		return failed(d, &f);
	if (d->config.content)
		return show_side(d, &a);
	cut = a.more && seen_text(d->store, a.id, APPROVAL_DIFF, &whole, &f);
	if (a.more && !cut)
		a.diff = buf_str(&whole);
	if (d->config.json) {
		approvals_put(&o, &a);
		buf_lit(&d->screen.out, "\n");
		return finish(d);
	}
	say(d, INK_BOLD, a.summary);
	buf_lit(&d->screen.out, "\n\n");
	seen_row(&d->screen, "id", id_text(d, a.id));
	seen_row(&d->screen, "state", str_of(approvals_state(a.state)));
	seen_row(&d->screen, "asked",
		 arena_printf(&d->mem, STR_FMT " ago",
			      STR_ARG(age(d, a.time_ms))));
	seen_row(&d->screen, "tool", a.tool);
	seen_row(&d->screen, "file", a.path);
	seen_row(&d->screen, "client", client_of(d, &a));
	seen_row(&d->screen, "session", a.session);
	if (a.state == APPROVAL_PENDING)
		seen_row(&d->screen, "waiting",
			 waiting_words(&a, d->now, &d->mem));
	if (a.used_ms)
		seen_row(&d->screen, a.state == APPROVAL_TOLD ? "told" : "used",
			 arena_printf(&d->mem, STR_FMT " ago",
				      STR_ARG(age(d, a.used_ms))));
	seen_row(&d->screen, "because", a.reason);
	seen_row(&d->screen, "note", a.note);
	seen_row(&d->screen, "hunks", a.hunks);
	seen_facts(&d->screen, &a, &d->mem);
	buf_lit(&d->screen.out, "\n");
	seen_change(&d->screen, &a, cut, &d->mem);
	return finish(d);
}

/* Which of the flags of allow: false when there are several. */
static bool choose(const struct approvals_config *c, enum ask_answer *ret)
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

static int told(struct desk *d, const struct approval *a, const char *what,
		const struct grant *g)
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
		return finish(d);
	}
	buf_addf(&d->screen.out, "%s: ", what);
	say(d, INK_PLAIN, a->summary);
	if (a->added || a->removed)
		screen_print(&d->screen, INK_PLAIN, " (" STR_FMT ")",
			     STR_ARG(shown_counts(a->added, a->removed,
						  &d->mem)));
	if (a->hunks.len)
		buf_addf(&d->screen.out, "\nof it only these hunks: " STR_FMT,
			 STR_ARG(a->hunks));
	buf_lit(&d->screen.out, "\n");
	say(d, INK_PLAIN, waiting_outcome(a, clock_unix_ms(), &d->mem));
	if (g) {
		buf_lit(&d->screen.out, "\nand from now on: ");
		say(d, INK_PLAIN, grants_sentence(g, d->now, &d->mem));
		buf_addf(&d->screen.out,
			 "\n(stet grants revoke " STR_FMT " takes it back)",
			 STR_ARG(short_id(d, g->id)));
	}
	buf_lit(&d->screen.out, "\n");
	return finish(d);
}

/* Whatever covers a root is spelled out, and asked for again. */
static enum err agree(void *ctx, const struct approval *a,
		      const struct grant *g, struct fault *f)
{
	struct desk *d = ctx;
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
			      .text = STR("you did not allow that"));
}

static int decide(struct desk *d, struct str id, enum ask_answer answer)
{
	struct ask_decision decision = { .answer = answer,
					 .agree = agree,
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
		return misused(d, f.text);
	if (e)
		return failed(d, &f);
	return told(d, &a,
		    a.withdrawn          ? "withdrawn"
		    : answer == ASK_DENY ? "denied"
					 : "allowed",
		    a.state == APPROVAL_GRANTED ? &g : NULL);
}

/* --for: a span, or what is left of today. */
static bool read_span(struct desk *d)
{
	struct str span = str_of(d->config.span);
	uint64_t midnight;

	if (!str_is(span, "today"))
		return when_span(span, &d->for_ms) && d->for_ms;
	if (!when_midnight(d->now, &midnight))
		return false;
	d->for_ms = midnight - d->now;
	return true;
}

static bool is_many(const struct desk *d)
{
	return d->id_count > 1 || d->config.all || d->config.client;
}

/* Once each: what lasts, or is part of a change, is said of one alone. */
static int answer_several(struct desk *d, bool deny)
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

static int allow(struct desk *d, struct str id)
{
	enum ask_answer answer;
	struct fault f;

	if (!choose(&d->config, &answer))
		return misused(
			d,
			STR("only one of --once, --file, --directory, --session and --always"));
	if (d->config.hunks && answer != ASK_ONCE)
		return misused(
			d,
			STR("--hunks are of one call: what is allowed beyond it is all of it"));
	if (d->config.span && answer == ASK_ONCE)
		return misused(
			d,
			STR("--for goes with --file, --directory, --session or --always"));
	if (d->config.span && !read_span(d))
		return misused(d,
			       STR("--for takes a time: 30min, 1h, today, 7d"));
	if (is_many(d) && (answer != ASK_ONCE || d->config.hunks))
		return misused(
			d,
			STR("several are allowed once each: a grant or hunks are for one"));
	if (person_check_here("approvals allow", &d->mem, &f))
		return failed(d, &f);
	return is_many(d) ? answer_several(d, /* deny= */ false)
			  : decide(d, id, answer);
}

static int deny(struct desk *d, struct str id)
{
	if (d->config.hunks)
		return misused(d, STR("allow the hunks that are to stay"));
	return is_many(d) ? answer_several(d, /* deny= */ true)
			  : decide(d, id, ASK_DENY);
}

/* The same as `stet grants`, where they were before. */
static int grants(struct desk *d, struct str id)
{
	return grants_list(d->store,
			   &(struct grants_want){ .json = d->config.json });
}

static int take_back(struct desk *d, struct str id)
{
	return grants_revoke(d->store,
			     &(struct grants_want){ .json = d->config.json,
						    .id = &id,
						    .id_count = 1 });
}

static const struct {
	const char *name;
	int (*run)(struct desk *, struct str id);
	bool takes_id, changes, takes_many;
} verbs[] = {
	{ .name = "list", .run = list },
	{ .name = "show", .run = show, .takes_id = true },
	{ "allow", allow, true, true, .takes_many = true },
	{ "deny", deny, true, true, .takes_many = true },
	{ .name = "grants", .run = grants },
	{ "revoke", take_back, .takes_id = true, .changes = true },
};

static int run_verb(struct desk *d, size_t verb, struct str id)
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

static int choose_verb(struct desk *d, struct command_line *line)
{
	char *const *words = line->argv + line->at;
	int n = line->argc - line->at;
	const char *name = n ? words[0] : "list";

	for (size_t i = 0; i < COUNT_OF(verbs); i++) {
		if (strcmp(name, verbs[i].name) != 0)
			continue;
		if (n > 1 + verbs[i].takes_id && !verbs[i].takes_many)
			return misused(d, STR("one at a time"));
		d->ids = words + 1;
		d->id_count = n ? (size_t)n - 1 : 0;
		if (n > 1 && verbs[i].takes_many && d->config.all)
			return misused(d, STR("--all, or which ones"));
		if (verbs[i].takes_id && n < 2 &&
		    !(verbs[i].takes_many && is_many(d)))
			return misused(
				d,
				arena_printf(
					&d->mem,
					"%s which one? 'stet approvals' lists them",
					name));
		return run_verb(d, i, str_of(n > 1 ? words[1] : ""));
	}
	return misused(
		d, arena_printf(&d->mem,
				"'%s' is none of list, show, allow and deny",
				name));
}

static int approvals(const struct command *command, struct command_line *line)
{
	struct desk d = { .command = command,
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
	.summary = "Answer what agents ask to be allowed",
	.about =
		"Calls that a rule wants you to be asked about, from clients that cannot ask\n"
		"you themselves, wait here. show tells what one would do, with the diff; once\n"
		"you allow it, the same call passes one time when the agent makes it again.\n"
		"Of a change of a file you may allow some hunks only, as show numbers them.\n"
		"ID is what list shows, or any first digits of it that are enough.\n"
		"Several ids, --client or --all answer several at once: they are listed first,\n"
		"and each is allowed once if it still asks for what was listed.\n"
		"deny also takes back what you allowed once, as long as it was not used.\n"
		"What you allow beyond one call is a grant: see 'stet grants'.\n"
		"allow is for a person at a terminal: see docs/approvals.md.",
	.options = options,
	.run = approvals,
};
