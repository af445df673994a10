/*
 * cmd_serve.c - the command `stet serve`: the MCP server.
 *
 * Builds the server (config.h), confines the process (confinement.h) and runs
 * one of the transports: stdio, HTTP (listen.h), or both.
 */
#include "acp/bridge.h"
#include "app/config.h"
#include "app/confinement.h"
#include "app/listen.h"
#include "app/screen.h"
#include "io/stdio.h"

#include <stdlib.h>
#include <unistd.h>

static const struct option options[] = {
	{ "tools", "ITEM,...", OPTION_TEXT, offsetof(struct config, tools),
	  TOOLS_HELP },
	{ "tool-errors", "auto|jsonrpc|result", OPTION_CHOICE,
	  offsetof(struct config, tool_errors),
	  "Report failures of tools as JSON-RPC errors, or as results with the hint in their text (default auto: results for known and for stateless clients, JSON-RPC errors as in the contracts for others)",
	  tool_errors_choices },
	CONFIG_OPTIONS,
	BESIDE_OPTIONS,
	{ "max-message", "BYTES", OPTION_SIZE,
	  offsetof(struct config, max_message),
	  "Maximum size of a message from a client (default 128m)" },
	{ "max-memory", "BYTES", OPTION_SIZE,
	  offsetof(struct config, max_memory),
	  "Memory limit for what clients cause: messages, running calls, unread replies; more is refused (default 2g, at most half of the memory limit of the process)" },
	{ "max-reply", "BYTES", OPTION_SIZE, offsetof(struct config, max_reply),
	  "Maximum size of a reply; reads are truncated at the end of a line (default 10000000)" },
	{ "ask-by", "auto|client|page|both", OPTION_CHOICE,
	  offsetof(struct config, ask_by),
	  "How you are asked: by the client, by the page and 'stet approvals', or both at once, where the first answer counts (default auto: by the client if it can, otherwise or if it declines by itself by the page)",
	  ask_by_choices },
	{ "ask-timeout", "SECONDS", OPTION_SECONDS,
	  offsetof(struct config, ask_timeout),
	  "How long to wait for an answer in the client's dialog (default 600)" },
	{ "approval-wait", "SECONDS", OPTION_SECONDS,
	  offsetof(struct config, approval_wait),
	  "How long a call waits for your answer on the page or by 'stet approvals' if the client cannot ask (default 45 with --http, else 0: the call fails at once and can be repeated)" },
	{ "stop-timeout", "MS", OPTION_SIZE, offsetof(struct config, stop_ms),
	  "Time limit for running calls after SIGTERM, and for unread replies after the end of input (default 5000)" },
	{ "http", "ADDRESS:PORT", OPTION_TEXT, offsetof(struct config, http),
	  "Serve clients over HTTP at this address, and your page (127.0.0.1:7717; port 0: any free port)" },
	{ "stdio", NULL, OPTION_FLAG, offsetof(struct config, stdio),
	  "With --http: serve stdin and stdout as well" },
	{ "token-file", "FILE", OPTION_TEXT,
	  offsetof(struct config, token_file),
	  "File with the owner's token for --http (default: created in the state directory; STET_TOKEN overrides it)" },
	{ "allow-host", "NAME", OPTION_LIST,
	  offsetof(struct config, allow_hosts),
	  "Another host name of this server that clients may use; repeatable" },
	{ "allow-origin", "ORIGIN", OPTION_LIST,
	  offsetof(struct config, allow_origins),
	  "Origin of a web page (https://example.org) that may be a client; repeatable" },
	{ "rate", "N", OPTION_SIZE, offsetof(struct config, rate),
	  "Maximum number of requests per second from one client over HTTP (default 0: no limit)" },
	{ "confine", "on|syscalls|off", OPTION_CHOICE,
	  offsetof(struct config, confine),
	  "Confinement by the kernel. on: only the roots and stet's own state are accessible, and only the needed system calls; syscalls: only the latter, so that roots can change later; off: none (default on; docs/confinement.md)",
	  confinement_choices },
	{ "bridge", NULL, OPTION_FLAG, offsetof(struct config, bridge),
	  "Internal, for 'stet acp': forward messages to the process that STET_BRIDGE names; without that process serve as usual" },
	OPTION_HELP,
	OPTIONS_END,
};

/*
 * On a terminal a stdio server would seem to hang: say what it is. Printed to
 * stderr, because stdout carries the protocol.
 */
static void explain_on_terminal(void)
{
	static const char words[] =
		"This is an MCP server on standard input and output; MCP clients\n"
		"start it. To add it to a client, with the directory to serve:\n"
		"\n"
		"  claude mcp add stet -- stet serve ~/project\n"
		"  codex mcp add stet -- stet serve ~/project\n"
		"\n"
		"'stet serve --http 127.0.0.1:7717 ~/project' serves several\n"
		"clients, and a page for you. Waiting for messages now; Ctrl-D\n"
		"stops it.";
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
	struct http_listener *l = listen_open(config, server, mem, f);

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

/* Inside `stet acp` this process only relays to it (acp/bridge.h). */
static bool is_carried_by_bridge(const struct config *config)
{
	const struct bridge_env to = { getenv("STET_BRIDGE"),
				       getenv("STET_BRIDGE_PID"),
				       getenv("STET_BRIDGE_WORD") };

	return config->bridge && to.socket && to.agent && to.secret &&
	       bridge_proxy_run(&to, config->confine != CONFINEMENT_OFF);
}

/* Checks combinations of options. */
static enum err check_together(const struct config *config, struct fault *f)
{
	if (config->http)
		return ERR_OK;
	if (config->stdio || config->token_file || config->rate ||
	    config->allow_hosts.count || config->allow_origins.count)
		return fail(
			f, ERR_BAD_ARGS,
			.text = STR(
				"--stdio, --token-file, --rate, --allow-host and --allow-origin need --http"));
	return ERR_OK;
}

static int serve_run(const struct command *command, struct command_line *line)
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
	if (is_carried_by_bridge(&config))
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
	/* Declared roots are known only at the first tool call. */
	if (!config.http && server->take_roots)
		confinement_later(server, &config);
	else if (!config.http)
		confinement_enter(server, &config);
	if (!config.http) {
		explain_on_terminal();
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
		"Serve the files beneath each DIR to the MCP client that is connected to stdin and\n"
		"stdout. Without a DIR: the roots that the client declares, else the current\n"
		"directory. The directories /, your home, sensitive ones and stet's own are served\n"
		"only if you name them.\n"
		"With --http: serve any number of clients on that port, each with a token, and\n"
		"your page with approvals, activity and history ('stet open').",
	.options = options,
	.run = serve_run,
};
