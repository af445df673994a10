/*
 * cmd_token.c - the command `stet token`: tokens of HTTP clients.
 *
 * Adds, lists and revokes tokens (web/tokens.h). A revoked token takes its
 * grants with it.
 */
#include "app/command.h"
#include "app/human_time.h"
#include "app/screen.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/json.h"
#include "store/store.h"
#include "web/running.h"
#include "web/tokens.h"

#include <stdlib.h>
#include <unistd.h>

struct token_config {
	bool help, json;
	const char *state_dir;
};

static const struct option options[] = {
	{ "json", NULL, OPTION_FLAG, offsetof(struct token_config, json),
	  "Print JSON" },
	{ "state-dir", "DIR", OPTION_TEXT,
	  offsetof(struct token_config, state_dir),
	  "Directory of the tokens (default ~/.local/state/stet)" },
	OPTION_HELP,
	OPTIONS_END,
};

/* State of one run of the command. */
struct token_run {
	struct token_config config;
	struct str dir;
	struct tokens *tokens;
	struct arena mem;
	struct buf out;
	struct fault f;
};

static struct str server_url(struct token_run *o)
{
	struct running running;
	struct fault ignored;

	if (running_read(o->dir, &o->mem, &running, &ignored))
		return STR("http://127.0.0.1:7717");
	return running.url;
}

/* Token and address have no characters that JSON would escape. */
static enum err token_add(struct token_run *o, struct str name)
{
	struct str token, url = server_url(o);
	enum err e = tokens_add(o->tokens, name, &o->mem, &token, &o->f);

	if (e)
		return e;
	if (o->config.json) {
		buf_addf(&o->out,
			 "{\"name\":\"" STR_FMT "\",\"token\":\"" STR_FMT
			 "\",\"url\":\"" STR_FMT "/mcp\"}\n",
			 STR_ARG(name), STR_ARG(token), STR_ARG(url));
		return ERR_OK;
	}
	buf_addf(&o->out,
		 "The token for " STR_FMT ", shown only this once:\n"
		 "\n"
		 "  " STR_FMT "\n\n"
		 "For the configuration of an MCP client:\n\n"
		 "{\n"
		 "  \"mcpServers\": {\n"
		 "    \"stet\": {\n"
		 "      \"type\": \"http\",\n"
		 "      \"url\": \"" STR_FMT "/mcp\",\n"
		 "      \"headers\": {\n"
		 "        \"Authorization\": \"Bearer " STR_FMT "\"\n"
		 "      }\n"
		 "    }\n"
		 "  }\n"
		 "}\n\n"
		 "'stet token revoke " STR_FMT "' revokes it.\n",
		 STR_ARG(name), STR_ARG(token), STR_ARG(url), STR_ARG(token),
		 STR_ARG(name));
	return ERR_OK;
}

static void put_time(struct json_out *o, const char *key, uint64_t time)
{
	char stamp[CLOCK_STAMP];

	json_key(o, key);
	clock_stamp_of(time, stamp);
	if (time)
		json_put_str(o, str_of(stamp));
	else
		json_put_null(o);
}

static void list_json(struct token_run *o, const struct token *list, size_t n)
{
	struct json_out out = json_out(&o->out);

	json_open(&out, '{');
	json_key(&out, "tokens");
	json_open(&out, '[');
	for (size_t i = 0; i < n; i++) {
		json_open(&out, '{');
		json_key(&out, "name");
		json_put_str(&out, list[i].name);
		put_time(&out, "made", list[i].made_ms);
		put_time(&out, "seen", list[i].seen_ms);
		json_close(&out, '}');
	}
	json_close(&out, ']');
	json_close(&out, '}');
	buf_lit(&o->out, "\n");
}

static struct str shown_time(struct token_run *o, uint64_t time,
			     struct str none)
{
	return time ? human_time_short(time, clock_unix_ms(), &o->mem) : none;
}

static enum err token_list(struct token_run *o, struct str name)
{
	struct token *list;
	size_t n, width = sizeof("NAME") - 1;
	enum err e = tokens_list(o->tokens, &o->mem, &list, &n, &o->f);

	if (e)
		return e;
	if (o->config.json) {
		list_json(o, list, n);
		return ERR_OK;
	}
	for (size_t i = 0; i < n; i++)
		width = size_max(width, list[i].name.len);
	buf_addf(&o->out, "%-*s  %-18s  %s\n", (int)width, "NAME", "MADE",
		 "LAST SEEN");
	for (size_t i = 0; i < n; i++) {
		struct str made = shown_time(o, list[i].made_ms, STR("-"));
		struct str seen = shown_time(o, list[i].seen_ms, STR("never"));

		buf_addf(&o->out, "%-*.*s  %-18.*s  " STR_FMT "\n", (int)width,
			 STR_ARG(list[i].name), STR_ARG(made), STR_ARG(seen));
	}
	return ERR_OK;
}

static enum err token_revoke(struct token_run *o, struct str name)
{
	size_t grants;
	enum err e = tokens_revoke(o->tokens, name, &o->mem, &o->f);

	if (!e)
		e = tokens_take_grants(NULL, o->dir, name, &o->mem, &grants,
				       &o->f);
	if (e)
		return e;
	if (o->config.json) {
		buf_addf(&o->out,
			 "{\"revoked\":\"" STR_FMT "\",\"grants\":%zu}\n",
			 STR_ARG(name), grants);
		return ERR_OK;
	}
	buf_addf(&o->out,
		 STR_FMT " is revoked: its next request will be refused.\n",
		 STR_ARG(name));
	if (grants)
		buf_addf(&o->out, "%zu grant%s of the token %s revoked too.\n",
			 grants, grants == 1 ? "" : "s",
			 grants == 1 ? "was" : "were");
	return ERR_OK;
}

static const struct verb {
	const char *name;
	bool takes_name;
	enum err (*run)(struct token_run *, struct str name);
} verbs[] = {
	{ "add", true, token_add },
	{ "list", false, token_list },
	{ "revoke", true, token_revoke },
};

static enum err token_misused(struct token_run *o, const char *words)
{
	return fail(&o->f, ERR_BAD_ARGS, .text = str_of(words));
}

static enum err run_verb(struct token_run *o, const struct verb *verb,
			 struct str name)
{
	struct tokens_options want = { .given = str_of(getenv("STET_TOKEN")) };
	auto_screen s = screen_begin(SCREEN_TEXT);
	enum err e;

	o->dir = o->config.state_dir ? str_of(o->config.state_dir)
				     : store_default_dir(&o->mem);
	want.dir = o->dir;
	o->tokens = tokens_open(&want, &o->mem, &o->f);
	if (!o->tokens)
		return o->f.err;
	e = verb->run(o, name);
	if (e)
		return e;
	if (!o->config.json)
		screen_text(&s, INK_PLAIN, buf_str(&o->out));
	if (o->config.json ? screen_json(buf_str(&o->out)) : screen_end(&s))
		e = fail(&o->f, ERR_IO, .path = STR("standard output"));
	return e;
}

static enum err choose_verb(struct token_run *o, struct command_line *line)
{
	char *const *words = line->argv + line->at;
	int n = line->argc - line->at;
	struct str word = str_of(n ? words[0] : "list");

	for (size_t i = 0; i < COUNT_OF(verbs); i++) {
		if (!str_is(word, verbs[i].name))
			continue;
		if (n > 1 + verbs[i].takes_name)
			return fail(&o->f, ERR_BAD_ARGS,
				    .text = arena_printf(
					    &o->mem, "unexpected argument '%s'",
					    words[1 + verbs[i].takes_name]));
		if (verbs[i].takes_name && n < 2)
			return token_misused(o, "a NAME is required");
		return run_verb(o, &verbs[i], str_of(n > 1 ? words[1] : NULL));
	}
	return fail(&o->f, ERR_BAD_ARGS,
		    .text = arena_printf(&o->mem,
					 "'" STR_FMT
					 "' is none of add, list and revoke",
					 STR_ARG(word)));
}

static int token(const struct command *command, struct command_line *line)
{
	struct token_run o = { .config = { 0 } };
	int status = 0;

	if (command_options(command, line, &o.config, &o.mem, &status) &&
	    choose_verb(&o, line))
		status = command_misused(command, &o.f);
	tokens_free(o.tokens);
	buf_free(&o.out);
	arena_free(&o.mem);
	return status;
}

const struct command command_token = {
	.name = "token",
	.usage = "[list | add NAME | revoke NAME] [OPTION...]",
	.summary = "Manage the access tokens of HTTP clients",
	.about =
		"A client of 'stet serve --http' sends a token with each request. add creates a\n"
		"token for NAME and prints it once: only its hash is stored. Read state, questions\n"
		"and grants belong to the name. list shows all tokens and when each was last used;\n"
		"revoke ends one at once, with its grants (see 'stet grants').\n"
		"NAME consists of letters, digits, '.', '_' and '-'; 'owner' is your own token.",
	.options = options,
	.run = token,
};
