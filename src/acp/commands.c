/*
 * commands.c - slash commands at the start of a prompt, such as "/status".
 *
 * A table. Each command answers the running prompt, at once or by a turn.
 */
#include "acp/agent_local.h"

static void command_reply(struct session *s, struct str text)
{
	agent_chunk(s, "agent_message_chunk", STR(""), text);
	turn_end(s, "end_turn");
}

/* On an error of Codex the prompt fails with its message. */
static bool command_check(struct session *s,
			  const struct jsonrpc_response *answer)
{
	if (answer->end == JSONRPC_RESULT)
		return true;
	turn_fail(s, AGENT_REFUSED,
		  answer->end == JSONRPC_ERROR
			  ? answer->message
			  : buf_str(&s->agent->codex_gone));
	return false;
}

static void put_thread(struct json_out *o, const struct session *s)
{
	json_open(o, '{');
	json_text_member(o, "threadId", s->id);
}

/* /status */

static struct str account_of(struct json result, struct arena *mem)
{
	struct json account = json_get(result, "account");
	struct str email = text_at(account, "email", mem),
		   type = text_at(account, "type", mem);

	if (email.len)
		return arena_printf(mem, "ChatGPT, " STR_FMT, STR_ARG(email));
	if (str_is(type, "apiKey"))
		return STR("API key");
	return type.len ? type : STR("none");
}

static void on_status(struct session *s, const struct jsonrpc_response *answer)
{
	auto_buf text = BUF_INIT;
	struct str account = account_of(answer->result, answer->mem);

	if (!command_check(s, answer))
		return;
	buf_addf(&text, "- Session: " STR_FMT "\n", STR_ARG(s->id));
	buf_addf(&text, "- Directory: " STR_FMT "\n", STR_ARG(s->cwd));
	buf_addf(&text, "- Model: " STR_FMT, STR_ARG(buf_str(&s->model)));
	if (s->effort.len)
		buf_addf(&text, ", effort " STR_FMT,
			 STR_ARG(buf_str(&s->effort)));
	buf_addf(&text, "\n- Mode: %s\n", s->mode->name);
	buf_addf(&text, "- Account: " STR_FMT "\n", STR_ARG(account));
	if (s->tokens_room)
		buf_addf(&text, "- Context: %llu of %llu tokens\n",
			 (unsigned long long)s->tokens_used,
			 (unsigned long long)s->tokens_room);
	buf_addf(&text, "- Files: %s, else the disk\n",
		 s->agent->reads && s->agent->writes ? "through the editor"
		 : s->agent->reads                   ? "read through the editor"
		 : s->agent->writes ? "written through the editor"
				    : "not through the editor");
	buf_addf(&text, "- stet %s\n", s->agent->options.version);
	command_reply(s, buf_str(&text));
}

static void run_status(struct session *s, struct str args)
{
	session_ask(s, "account/read", STR("{}"), on_status);
}

/* /compact, /review ...: turns of Codex. */

static void run_compact(struct session *s, struct str args)
{
	auto_buf params = BUF_INIT;
	struct json_out o = json_out(&params);

	put_thread(&o, s);
	json_close(&o, '}');
	turn_begin(s, "thread/compact/start", buf_str(&params));
}

static void begin_review(struct session *s, const char *type, const char *key,
			 struct str value)
{
	auto_buf params = BUF_INIT;
	struct json_out o = json_out(&params);

	put_thread(&o, s);
	json_key(&o, "target");
	json_open(&o, '{');
	json_text_member(&o, "type", str_of(type));
	if (key)
		json_text_member(&o, key, value);
	json_close(&o, '}');
	json_close(&o, '}');
	turn_begin(s, "review/start", buf_str(&params));
}

static void run_review(struct session *s, struct str args)
{
	if (args.len)
		begin_review(s, "custom", "instructions", args);
	else
		begin_review(s, "uncommittedChanges", NULL, args);
}

static void run_review_branch(struct session *s, struct str args)
{
	begin_review(s, "baseBranch", "branch", args);
}

static void run_review_commit(struct session *s, struct str args)
{
	begin_review(s, "commit", "sha", args);
}

static void run_init(struct session *s, struct str args)
{
	static const struct str wish = STR_INIT(
		"Write a file AGENTS.md at the top of this project, for coding "
		"agents that will work here. Look at the project first. Say in "
		"at most 60 lines: what it is, how it is laid out, how to build "
		"it, how to run all tests and one of them, the style of code "
		"and commits that is kept here, and what to beware of. Only "
		"what you found, no generalities. If there is an AGENTS.md "
		"already, do not replace it: say what you would add.");
	auto_buf input = BUF_INIT;
	struct json_out o = json_out(&input);

	json_open(&o, '[');
	json_open(&o, '{');
	json_text_member(&o, "type", STR("text"));
	json_text_member(&o, "text", wish);
	json_key(&o, "text_elements");
	json_put_raw(&o, STR("[]"));
	json_close(&o, '}');
	json_close(&o, ']');
	turn_input(s, buf_str(&input));
}

/* /undo */

static void run_undo(struct session *s, struct str args)
{
	undo_run(s, args);
}

/* /approvals */

static void run_approvals(struct session *s, struct str args)
{
	auto_buf text = BUF_INIT;

	if (args.len && !session_options_set_mode(s, args))
		buf_addf(&text, "Unknown mode '" STR_FMT "'.\n", STR_ARG(args));
	else if (args.len)
		session_options_notify(s);
	for (size_t i = 0; i < agent_mode_count; i++)
		buf_addf(&text, "- %s`%s`: %s\n",
			 s->mode == &agent_modes[i] ? "**now** " : "",
			 agent_modes[i].id, agent_modes[i].description);
	command_reply(s, buf_str(&text));
}

/* /mcp */

static void on_servers(struct session *s, const struct jsonrpc_response *answer)
{
	struct json_walk w = json_walk(json_get(answer->result, "data"));
	auto_buf text = BUF_INIT;

	if (!command_check(s, answer))
		return;
	while (json_step(&w)) {
		struct json tools = json_get(w.value, "tools");
		struct json_walk t = json_walk(tools);
		struct str name = text_at(w.value, "name", answer->mem),
			   error = text_at(w.value, "toolsError", answer->mem);

		buf_addf(&text, "- **" STR_FMT "**, %zu tools: ", STR_ARG(name),
			 json_count(tools));
		for (bool first = true; json_step(&t); first = false) {
			struct str tool;

			if (json_text(t.key, answer->mem, &tool))
				buf_addf(&text, "%s" STR_FMT, first ? "" : ", ",
					 STR_ARG(tool));
		}
		buf_addf(&text, "%s" STR_FMT "\n", error.len ? " " : "",
			 STR_ARG(error));
	}
	command_reply(s, text.len ? buf_str(&text)
				  : STR("There are no MCP servers.\n"));
}

static void run_mcp(struct session *s, struct str args)
{
	auto_buf params = BUF_INIT;
	struct json_out o = json_out(&params);

	put_thread(&o, s);
	json_text_member(&o, "detail", STR("toolsAndAuthOnly"));
	json_close(&o, '}');
	session_ask(s, "mcpServerStatus/list", buf_str(&params), on_servers);
}

/* /logout */

static void on_logout(struct session *s, const struct jsonrpc_response *answer)
{
	if (command_check(s, answer))
		command_reply(s, STR("Codex is logged out.\n"));
}

static void run_logout(struct session *s, struct str args)
{
	session_ask(s, "account/logout", STR("null"), on_logout);
}

static const struct {
	const char *name, *about, *hint;
	void (*run)(struct session *s, struct str args);
	bool needs; /* the argument is required */
} commands[] = {
	{ "status", "Session, model, mode, account, context", NULL, run_status,
	  false },
	{ "compact", "Summarize the conversation to make room", NULL,
	  run_compact, false },
	{ "review", "Review changes that are not committed",
	  "what to review instead", run_review, false },
	{ "review-branch", "Review this branch against another",
	  "the other branch", run_review_branch, true },
	{ "review-commit", "Review a commit", "its hash", run_review_commit,
	  true },
	{ "init", "Write an AGENTS.md for this project", NULL, run_init,
	  false },
	{ "undo", "Undo the latest change of a file by stet's tools",
	  "the file; else the latest of this session", run_undo, false },
	{ "approvals", "Show or choose what Codex may do without asking",
	  "read-only, auto or full-access", run_approvals, false },
	{ "mcp", "List MCP servers and their tools", NULL, run_mcp, false },
	{ "logout", "Log Codex out", NULL, run_logout, false },
};

static struct str trim_blanks(struct str s)
{
	while (s.len && strchr(" \t\r\n", s.ptr[0]))
		s = str_skip(s, 1);
	while (s.len && strchr(" \t\r\n", s.ptr[s.len - 1]))
		s.len--;
	return s;
}

static size_t word_end(struct str s)
{
	size_t n = 0;

	while (n < s.len && !strchr(" \t\r\n", s.ptr[n]))
		n++;
	return n;
}

bool commands_run(struct session *s, struct str text)
{
	struct str line = str_skip(trim_blanks(text), 1);
	struct str name = str_head(line, word_end(line));
	struct str args = trim_blanks(str_skip(line, name.len));
	auto_arena mem = ARENA_INIT;

	for (size_t i = 0; i < COUNT_OF(commands); i++) {
		if (!str_is(name, commands[i].name))
			continue;
		if (commands[i].needs && !args.len)
			command_reply(s, arena_printf(&mem, "/%s needs %s.\n",
						      commands[i].name,
						      commands[i].hint));
		else
			commands[i].run(s, args);
		return true;
	}
	return false;
}

void commands_update(struct session *s)
{
	auto_buf update = BUF_INIT;
	struct json_out o = json_out(&update);

	json_open(&o, '{');
	json_text_member(&o, "sessionUpdate", STR("available_commands_update"));
	json_key(&o, "availableCommands");
	json_open(&o, '[');
	for (size_t i = 0; i < COUNT_OF(commands); i++) {
		json_open(&o, '{');
		json_text_member(&o, "name", str_of(commands[i].name));
		json_text_member(&o, "description", str_of(commands[i].about));
		if (commands[i].hint) {
			json_key(&o, "input");
			json_open(&o, '{');
			json_text_member(&o, "hint", str_of(commands[i].hint));
			json_close(&o, '}');
		}
		json_close(&o, '}');
	}
	json_close(&o, ']');
	json_close(&o, '}');
	agent_update(s, buf_str(&update));
}
