/*
 * cmd_grants.c - the command `stet grants`: list and revoke grants.
 *
 * Works on the store alone. Running servers read the grants at every call, so
 * a revocation holds at once.
 */
#include "app/command.h"
#include "app/grants.h"
#include "app/human_time.h"
#include "app/screen.h"
#include "base/clock.h"
#include "store/ids.h"
#include "tools/permissions/approvals_json.h"
#include "tools/permissions/grant_words.h"

#include <string.h>

struct grants_config {
	bool help, json, all;
	const char *client, *state_dir;
};

static const struct option options[] = {
	{ "all", NULL, OPTION_FLAG, offsetof(struct grants_config, all),
	  "revoke: all grants" },
	{ "client", "NAME", OPTION_TEXT, offsetof(struct grants_config, client),
	  "Only grants of this client" },
	{ "json", NULL, OPTION_FLAG, offsetof(struct grants_config, json),
	  "Print JSON" },
	{ "state-dir", "DIR", OPTION_TEXT,
	  offsetof(struct grants_config, state_dir),
	  "Directory of the grants (default ~/.local/state/stet)" },
	OPTION_HELP,
	OPTIONS_END,
};

/* State of one run of the command. */
struct grants_run {
	struct store *store;
	const struct grants_want *want;
	struct arena mem;
	struct screen screen;
	uint64_t now;
	struct grant *list; /* every grant in the store */
	size_t count;
	bool *chosen; /* parallel to list */
	struct fault f;
};

struct str grants_sentence(const struct grant *g, uint64_t now_ms,
			   struct arena *mem)
{
	struct str until = g->until_ms
				   ? human_time_end(g->until_ms, now_ms, mem)
				   : STR("");
	struct grant_words w;

	grant_words(g, STR(""), until, mem, &w);
	return grant_sentence(&w, mem);
}

static struct str id_text(struct grants_run *r, const struct grant *g)
{
	char text[UUID_TEXT + 1];

	uuid_text(g->id, text);
	return arena_copy(&r->mem, str_of(text));
}

/* "ID  what it covers", then who granted it, when, last use. */
static void print_grant(struct grants_run *r, const struct grant *g)
{
	struct str given = human_time_short(g->time_ms, r->now, &r->mem);
	struct str used =
		g->used_ms ? human_time_short(g->used_ms, r->now, &r->mem)
			   : STR("never");

	screen_name(&r->screen, INK_CYAN, id_short(g->id, &r->mem));
	buf_lit(&r->screen.out, "  ");
	screen_name(&r->screen, INK_PLAIN, grants_sentence(g, r->now, &r->mem));
	screen_print(&r->screen, INK_DIM,
		     "\n%*s  given " STR_FMT " %s, last used " STR_FMT "\n",
		     ID_DIGITS_SHORT, "", STR_ARG(given), grant_given(g),
		     STR_ARG(used));
}

static int show_json(struct grants_run *r, const char *key)
{
	struct json_out o = json_out(&r->screen.out);

	json_open(&o, '{');
	json_key(&o, key);
	json_open(&o, '[');
	for (size_t i = 0; i < r->count; i++)
		if (r->chosen[i])
			approvals_put_grant(&o, &r->list[i], &r->mem);
	json_close(&o, ']');
	json_close(&o, '}');
	buf_lit(&r->screen.out, "\n");
	r->screen.kind = SCREEN_JSON;
	return screen_end(&r->screen);
}

static int grants_failed(struct grants_run *r)
{
	screen_warn("stet grants: " STR_FMT "\n",
		    STR_ARG(fault_text(&r->f, &r->mem)));
	return err_exit(r->f.err);
}

/* Selects the grant whose id is @id, or the only one that has it as a part. */
static enum err choose_id(struct grants_run *r, struct str id)
{
	char part[ID_DIGITS + 1], whole[ID_DIGITS + 1];
	size_t many = 0, found = 0;

	if (id.len < ID_DIGITS_MIN)
		return fail(&r->f, ERR_NO_APPROVAL,
			    .text = arena_printf(&r->mem,
						 STR_FMT ". " ID_TOO_SHORT,
						 STR_ARG(id)));
	for (size_t i = 0; id_digits(id, part) && i < r->count; i++)
		if (id_digits(id_text(r, &r->list[i]), whole) &&
		    strstr(whole, part)) {
			found = i;
			many++;
		}
	if (many > 1)
		return fail(&r->f, ERR_MANY_OPS, .text = id);
	if (!many)
		return fail(&r->f, ERR_NO_APPROVAL,
			    .text = arena_printf(&r->mem,
						 "no grant has the id " STR_FMT
						 " (see 'stet grants')",
						 STR_ARG(id)));
	r->chosen[found] = true;
	return ERR_OK;
}

static enum err choose_grants(struct grants_run *r)
{
	const struct grants_want *w = r->want;
	enum err e = ERR_OK;

	for (size_t i = 0; !e && i < w->id_count; i++)
		e = choose_id(r, w->id[i]);
	for (size_t i = 0; i < r->count; i++)
		if (w->all ||
		    (w->client.len && str_eq(r->list[i].client, w->client)))
			r->chosen[i] = true;
	return e;
}

static enum err grants_begin(struct grants_run *r)
{
	enum err e;

	r->now = clock_unix_ms();
	e = grant_list(r->store, &r->mem, &r->list, &r->count, &r->f);
	if (e)
		return e;
	r->chosen = arena_alloc(&r->mem, r->count + 1);
	memset(r->chosen, 0, r->count + 1);
	return choose_grants(r);
}

static int list_chosen(struct grants_run *r)
{
	size_t shown = 0;

	if (grants_begin(r))
		return grants_failed(r);
	if (r->want->json)
		return show_json(r, "grants");
	for (size_t i = 0; i < r->count; i++)
		if (r->chosen[i]) {
			print_grant(r, &r->list[i]);
			shown++;
		}
	buf_add(&r->screen.out,
		shown ? STR("\nstet grants revoke ID, --client NAME or --all\n")
		      : STR("There are no grants.\n"));
	return screen_end(&r->screen);
}

/* A grant that expired or was revoked meanwhile counts as revoked. */
static int revoke_chosen(struct grants_run *r)
{
	size_t n = 0;
	enum err e = grants_begin(r);

	for (size_t i = 0; !e && i < r->count; i++) {
		if (!r->chosen[i])
			continue;
		e = grant_remove(r->store, r->list[i].id, &r->f);
		e = e == ERR_NO_APPROVAL ? ERR_OK : e;
		n++;
	}
	if (e)
		return grants_failed(r);
	if (r->want->json)
		return show_json(r, "revoked");
	for (size_t i = 0; i < r->count; i++)
		if (r->chosen[i]) {
			buf_lit(&r->screen.out, "revoked: ");
			screen_name(&r->screen, INK_PLAIN,
				    grants_sentence(&r->list[i], r->now,
						    &r->mem));
			buf_lit(&r->screen.out, "\n");
		}
	if (!n)
		buf_lit(&r->screen.out, "There is nothing to revoke.\n");
	return screen_end(&r->screen);
}

static int grants_run_command(struct store *s, const struct grants_want *want,
			      int (*verb)(struct grants_run *))
{
	struct grants_run r = { .store = s,
				.want = want,
				.screen = screen_begin(SCREEN_TEXT) };
	int status = verb(&r);

	screen_free(&r.screen);
	arena_free(&r.mem);
	return status;
}

int grants_list(struct store *s, const struct grants_want *want)
{
	struct grants_want all = *want;

	all.all = !want->client.len;
	return grants_run_command(s, &all, list_chosen);
}

int grants_revoke(struct store *s, const struct grants_want *want)
{
	return grants_run_command(s, want, revoke_chosen);
}

static int grants_misused(const struct command *command, const char *words)
{
	return command_misused(command,
			       &(struct fault){ .err = ERR_BAD_ARGS,
						.text = str_of(words) });
}

/* The words after the options: "list", or "revoke" and the ids. */
static int choose_verb(const struct command *command,
		       const struct grants_config *config,
		       struct command_line *line, struct arena *mem)
{
	char *const *words = line->argv + line->at;
	size_t n = (size_t)(line->argc - line->at);
	bool revokes = n && !strcmp(words[0], "revoke");
	struct grants_want want = { .json = config->json,
				    .all = config->all,
				    .client = str_of(config->client) };
	struct str *ids;
	struct store *s;
	int status;

	if (n && !revokes && strcmp(words[0], "list") != 0)
		return grants_misused(command,
				      "the first word must be list or revoke");
	if (!revokes && n > 1)
		return command_surplus(command, words[1]);
	if (revokes && (n > 1) + want.all + (want.client.len > 0) != 1)
		return grants_misused(
			command,
			"revoke needs either ID..., --client NAME or --all");
	ids = arena_alloc(mem, (n + 1) * sizeof(*ids));
	for (size_t i = 1; i < n; i++)
		ids[want.id_count++] = str_of(words[i]);
	want.id = ids;
	s = store_new(&(struct store_options){ .dir = str_of(config->state_dir),
					       .read_only = !revokes,
					       .durable = true });
	status = revokes ? grants_revoke(s, &want) : grants_list(s, &want);
	store_free(s);
	return status;
}

static int grants(const struct command *command, struct command_line *line)
{
	struct grants_config config = { 0 };
	auto_arena mem = ARENA_INIT;
	int status;

	if (!command_options(command, line, &config, &mem, &status))
		return status;
	return choose_verb(command, &config, line, &mem);
}

const struct command command_grants = {
	.name = "grants",
	.usage =
		"[list | revoke ID... | revoke --client NAME | revoke --all] [OPTION...]",
	.summary =
		"List and revoke what you have allowed for more than one call",
	.about =
		"A grant is an answer that is valid for more than one call. list shows what each\n"
		"covers, for which client and until when; a client name that was declared and not\n"
		"verified is marked. It also shows when and where you gave it, and when it was\n"
		"last used (to the minute). revoke ends grants at once, also in running servers.\n"
		"ID is the id that list shows, or a part of it (at least 4 digits).",
	.options = options,
	.run = grants,
};
