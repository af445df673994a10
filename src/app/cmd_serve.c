/* stet serve - the MCP server, on stdin and stdout or on a port. */

#include "acp/bridge.h"
#include "app/config.h"
#include "app/confinement.h"
#include "app/listen.h"
#include "app/screen.h"
#include "io/stdio.h"

#include <stdlib.h>
#include <unistd.h>

static const struct option options[] = {
	{ "tools", "NAME,...", OPTION_TEXT, offsetof(struct config, tools),
	  "Offer only these tools or families (contract, claude, repo)" },
	{ "tool-errors", "auto|jsonrpc|result", OPTION_CHOICE,
	  offsetof(struct config, tool_errors),
	  "How a tool's failure is told: as a JSON-RPC error, or as a result with the hint in its text (default auto: a result to known clients and newer ones, an error as the contracts have it to others that came by initialize)",
	  tool_errors_choices },
	CONFIG_OPTIONS,
	BESIDE_OPTIONS,
	{ "max-message", "BYTES", OPTION_SIZE,
	  offsetof(struct config, max_message),
	  "Longest message that is read (default 128m)" },
	{ "max-memory", "BYTES", OPTION_SIZE,
	  offsetof(struct config, max_memory),
	  "What clients may make the server hold at a time: messages, work, replies not yet read; more is refused (default 2g, at most half of what the process may have)" },
	{ "max-reply", "BYTES", OPTION_SIZE, offsetof(struct config, max_reply),
	  "Longest reply; reads are cut at a line (default 10000000)" },
	{ "ask-by", "auto|client|page|both", OPTION_CHOICE,
	  offsetof(struct config, ask_by),
	  "Who asks you: the client, the page and 'stet approvals', or both at once, and the first answer counts (default auto: the client if it can, else or if it declines by itself the page)",
	  ask_by_choices },
	{ "ask-timeout", "SECONDS", OPTION_SECONDS,
	  offsetof(struct config, ask_timeout),
	  "How long a question that the client puts to you stays open (default 600)" },
	{ "approval-wait", "SECONDS", OPTION_SECONDS,
	  offsetof(struct config, approval_wait),
	  "How long a call waits for your answer on the page or by 'stet approvals' when the client cannot ask (default 45 with --http, else 0: it fails at once and can be made again)" },
	{ "stop-timeout", "MS", OPTION_SIZE, offsetof(struct config, stop_ms),
	  "How long calls may take to finish after SIGTERM, and replies to be read after the input has ended (default 5000)" },
	{ "http", "ADDRESS:PORT", OPTION_TEXT, offsetof(struct config, http),
	  "Serve any number of clients over HTTP there, and your page (127.0.0.1:7717; port 0: a free one)" },
	{ "stdio", NULL, OPTION_FLAG, offsetof(struct config, stdio),
	  "With --http: serve stdin and stdout as well" },
	{ "token-file", "FILE", OPTION_TEXT,
	  offsetof(struct config, token_file),
	  "Where your own token for --http is (default: made in the state directory; STET_TOKEN overrides it)" },
	{ "allow-host", "NAME", OPTION_LIST,
	  offsetof(struct config, allow_hosts),
	  "A name that clients may call this server by, beside those of this machine; may be given again" },
	{ "allow-origin", "ORIGIN", OPTION_LIST,
	  offsetof(struct config, allow_origins),
	  "A web page's origin (https://example.org) that may be a client; may be given again" },
	{ "rate", "N", OPTION_SIZE, offsetof(struct config, rate),
	  "Most requests a second of one client over HTTP (default 0: any)" },
	{ "confine", "on|syscalls|off", OPTION_CHOICE,
	  offsetof(struct config, confine),
	  "What the kernel enforces: on: only these roots and stet's own state can be reached, and only the system calls that are needed; syscalls: only the latter, so that roots may change later (default on; docs/confinement.md)",
	  confinement_choices },
	{ "bridge", NULL, OPTION_FLAG, offsetof(struct config, bridge),
	  "For 'stet acp', which starts it so: carry messages to the process that STET_BRIDGE names; without that process serve as usual" },
	OPTION_HELP,
	OPTIONS_END,
};

/*
 * Somebody has started it by hand: without a word it would seem to hang. On
 * stderr, as stdout is the protocol's.
 */
static void explain(void)
{
	static const char words[] =
		"This is an MCP server on standard input and output: a client\n"
		"starts it. To add it to a client, with the directory that it\n"
		"may work in:\n"
		"\n"
		"  claude mcp add stet -- stet serve ~/project\n"
		"  codex mcp add stet -- stet serve ~/project\n"
		"\n"
		"'stet serve --http 127.0.0.1:7717 ~/project' serves several\n"
		"clients, and a page for you. Waiting for messages now; Ctrl-D\n"
		"ends it.";
	auto_buf out = BUF_INIT;

	if (!isatty(STDIN_FILENO))
		return;
	options_reflow(&out, str_of(words), screen_width());
	screen_warn_text(buf_str(&out));
}

static void serve_stdio(struct server *server, const struct config *config)
{
	stdio_serve(server,
		    &(struct stdio_options){
			    .in = STDIN_FILENO,
			    .out = STDOUT_FILENO,
			    .max_message = config_max_message(config, server),
			    .stop_ms = config->stop_ms });
}

static enum err serve_http(struct server *server, const struct config *config,
			   struct arena *mem, struct fault *f)
{
	struct listener *l = listen_open(config, server, mem, f);

	if (!l)
		return f->err;
	confinement_enter(server, config);
	if (config->stdio) {
		listen_start(l);
		serve_stdio(server, config);
	} else {
		listen_serve(l);
	}
	listen_close(l);
	return ERR_OK;
}

/* Is there somebody who serves in our place? Then that is all there is. */
static bool carried(const struct config *config)
{
	const struct bridge_call to = { getenv("STET_BRIDGE"),
					getenv("STET_BRIDGE_PID"),
					getenv("STET_BRIDGE_WORD") };

	return config->bridge && to.socket && to.agent && to.word &&
	       bridge_carry(&to, config->confine != CONFINEMENT_OFF);
}

/* What makes sense only together. */
static enum err check_together(const struct config *config, struct fault *f)
{
	if (config->http)
		return ERR_OK;
	if (config->stdio || config->token_file || config->rate ||
	    config->allow_hosts.count || config->allow_origins.count)
		return fail(
			f, ERR_BAD_ARGS,
			.text = STR(
				"--stdio, --token-file, --rate, --allow-host and --allow-origin go with --http"));
	return ERR_OK;
}

static int serve(const struct command *command, struct command_line *line)
{
	struct config config = config_default;
	auto_arena mem = ARENA_INIT;
	struct server *server;
	struct fault f;
	int status;

	if (!command_options(command, line, &config, &mem, &status))
		return status;
	if (check_together(&config, &f))
		return command_misused(command, &f);
	if (carried(&config))
		return 0;
	server = config_server(&config, &f, &mem);
	if (!server)
		return command_misused(command, &f);
	if (line->at == line->argc)
		config_roots_here(server, NULL);
	if ((line->at < line->argc &&
	     config_roots(server, line->argv + line->at, line->argc - line->at,
			  &mem, &f)) ||
	    config_projects(server, &f)) {
		status = command_misused(command, &f);
		config_free(server);
		return status;
	}
	status = 0;
	/* What the client declares is known when it first calls a tool. */
	if (!config.http && server->take_roots)
		confinement_later(server, &config);
	else if (!config.http)
		confinement_enter(server, &config);
	if (!config.http) {
		explain();
		serve_stdio(server, &config);
	} else if (serve_http(server, &config, &mem, &f)) {
		status = command_misused(command, &f);
	}
	config_free(server);
	return status;
}

const struct command command_serve = {
	.name = "serve",
	.usage = "[OPTION...] [DIR...]",
	.summary =
		"Serve files to MCP clients, on stdin and stdout or over HTTP",
	.about =
		"Serve the files beneath each DIR to the MCP client at the other end of\n"
		"stdin and stdout. Without a DIR: the roots that the client declares, else\n"
		"the current directory (but /, the home directory, sensitive directories and\n"
		"those of stet itself only when named).\n"
		"With --http: serve any number of clients on that port, each with a token,\n"
		"and your page with questions, activity and history ('stet open').",
	.options = options,
	.run = serve,
};
