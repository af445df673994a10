/* stet serve - the MCP server on stdin and stdout. */

#include "app/config.h"
#include "io/stdio.h"

#include <unistd.h>

static const struct option options[] = {
	{ "tools", "NAME,...", OPTION_TEXT, offsetof(struct config, tools),
	  "Offer only these tools or families (contract, claude, repo)" },
	{ "tool-errors", "auto|jsonrpc|result", OPTION_CHOICE,
	  offsetof(struct config, tool_errors),
	  "How a tool's failure is told (default auto: as the contracts say to clients that came by initialize, as a result to newer ones)",
	  tool_errors_choices },
	CONFIG_OPTIONS,
	BESIDE_OPTIONS,
	{ "max-message", "BYTES", OPTION_SIZE,
	  offsetof(struct config, max_message),
	  "Longest message that is read (default 128m)" },
	{ "max-reply", "BYTES", OPTION_SIZE, offsetof(struct config, max_reply),
	  "Longest reply; reads are cut at a line (default 10000000)" },
	{ "ask-timeout", "SECONDS", OPTION_SECONDS,
	  offsetof(struct config, ask_timeout),
	  "How long a question that the client puts to you stays open (default 600)" },
	{ "approval-wait", "SECONDS", OPTION_SECONDS,
	  offsetof(struct config, approval_wait),
	  "How long a call waits for 'stet approvals allow' when the client cannot ask (default 0: it fails at once and can be made again)" },
	OPTION_HELP,
	OPTIONS_END,
};

static int serve(const struct command *command, struct command_line *line)
{
	struct config config = config_default;
	auto_arena mem = ARENA_INIT;
	struct server *server;
	struct fault f;
	int status;

	if (!command_options(command, line, &config, &mem, &status))
		return status;
	server = config_server(&config, &f, &mem);
	if (!server)
		return command_misused(command, &f);
	if (line->at < line->argc)
		config_roots(server, line->argv + line->at,
			     line->argc - line->at);
	else
		config_roots_here(server);
	if (config_projects(server, &f)) {
		status = command_misused(command, &f);
		config_free(server);
		return status;
	}
	stdio_serve(server, &(struct stdio_options){
				    .in = STDIN_FILENO,
				    .out = STDOUT_FILENO,
				    .max_message = config.max_message });
	config_free(server);
	return 0;
}

const struct command command_serve = {
	.name = "serve",
	.usage = "[OPTION...] [DIR...]",
	.summary = "Serve files to an MCP client on stdin and stdout",
	.about =
		"Serve the files beneath each DIR to the MCP client at the other end of\n"
		"stdin and stdout. Without a DIR: the roots that the client declares, else\n"
		"the current directory (but / and the home directory only when named).",
	.options = options,
	.run = serve,
};
