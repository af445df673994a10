/*
 * cmd_acp.c - the command `stet acp`: the Codex CLI as an agent of an editor.
 *
 * Reads the options and starts acp/agent.h. Every session gets a server of its
 * own, made by config.h for the directories that the editor names.
 */
#include "acp/agent.h"
#include "app/config.h"
#include "app/confinement.h"
#include "app/screen.h"
#include "base/log.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct acp_config {
	struct config config; /* first member: read by command_options() */
	const char *codex;
	int events;
};

static const char *const events_choices[] = { "acp", "contract", NULL };

static const struct option options[] = {
	{ "codex", "PATH", OPTION_TEXT, offsetof(struct acp_config, codex),
	  "Path of the Codex CLI (default: codex on PATH, or the npm package)" },
	{ "acp-events", "acp|contract", OPTION_CHOICE,
	  offsetof(struct acp_config, events),
	  "Format of the events about stet's own calls: ACP v1, or the literal form of the tool contracts (default acp)",
	  events_choices },
	{ "trace", "FILE", OPTION_TEXT, offsetof(struct config, trace),
	  "Append every message of the editor and of Codex to FILE, contents of files included" },
	{ "tools", "ITEM,...", OPTION_TEXT, offsetof(struct config, tools),
	  TOOLS_HELP },
	{ "confine", "on|syscalls|off", OPTION_CHOICE,
	  offsetof(struct config, confine),
	  "Confinement by the kernel. on, syscalls: only the needed system calls, and no programs but Codex and your hooks; off: none (default on; docs/confinement.md)",
	  confinement_choices },
	CONFIG_OPTIONS,
	BESIDE_OPTIONS,
	OPTION_HELP,
	OPTIONS_END,
};

/* Codex truncates tool output in the middle past about 40 KB. */
enum { MOST_REPLY = 38 * 1000 };

/* Makes a session's server, with a copy of the config that outlives it. */
static struct server *open_files(void *ctx, const struct str *dirs, size_t n,
				 struct arena *mem, struct fault *f)
{
	const struct acp_config *acp = ctx;
	struct config *config = arena_new(mem, struct config);
	char **names = arena_array(mem, char *, n);
	struct server *server;

	*config = acp->config;
	config->results = RESULTS_CHOICE(RESULTS_TEXT);
	config->max_reply = MOST_REPLY;
	server = config_server(config, f, mem);
	if (!server)
		return NULL;
	for (size_t i = 0; i < n; i++)
		names[i] = arena_cstr(mem, dirs[i]);
	config_roots_of_editor(server, names, (int)n);
	if (!config_projects(server, f))
		return server;
	f->text = arena_copy(mem, f->text);
	config_free(server);
	return NULL;
}

static void choose_mode(void *ctx, struct server *server, const char *mode)
{
	struct fault f;

	/* "default" means the mode that the person has configured */
	if (config_mode(server, strcmp(mode, "default") ? mode : NULL, &f))
		log_error(STR_FMT, STR_ARG(f.text));
}

static void confine_agent(void *ctx, const char *const *codex)
{
	const struct acp_config *acp = ctx;

	confinement_enter_agent(&acp->config, codex);
}

static void close_files(void *ctx, struct server *server)
{
	config_free(server);
}

/* The session mode that corresponds to --mode. */
static const char *first_mode(const char *mode)
{
	static const struct {
		const char *mode, *id;
	} rows[] = {
		{ "plan", "read-only" },
		{ "bypassPermissions", "full-access" },
		{ "yolo", "full-access" },
	};

	for (size_t i = 0; mode && i < COUNT_OF(rows); i++)
		if (!strcmp(mode, rows[i].mode))
			return rows[i].id;
	return "auto";
}

/* An editor connects a pipe or socket; a file cannot be polled. */
static bool editor_is_connected(void)
{
	struct stat st;

	return !fstat(STDIN_FILENO, &st) &&
	       (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

static int explain_acp(void)
{
	screen_warn(
		"stet acp: standard input must be a pipe or socket from an editor.\n"
		"The command is started by an editor that speaks the Agent Client Protocol\n"
		"(Zed, JetBrains, Neovim and others): configure 'stet acp' there as the\n"
		"command of an agent. docs/acp.md says how.\n");
	return EXIT_USAGE;
}

static int acp(const struct command *command, struct command_line *line)
{
	struct acp_config config = { .config = config_default };
	auto_arena mem = ARENA_INIT;
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int status;

	if (!command_options(command, line, &config, &mem, &status))
		return status;
	status = command_at_most(command, line, 0);
	if (status)
		return status;
	if (!editor_is_connected())
		return explain_acp();
	self[n > 0 ? n : 0] = 0;
	log_set((enum log_level)config.config.log);
	return agent_serve(&(struct agent_options){
		.in = STDIN_FILENO,
		.out = STDOUT_FILENO,
		.version = STET_VERSION,
		.codex = config.codex,
		.self = n > 0 ? self : "stet",
		.mode = first_mode(config.config.policy.mode),
		.trace = config.config.trace,
		.events = (enum events_dialect)config.events,
		.app = { confine_agent, open_files, choose_mode, close_files,
			 &config } });
}

const struct command command_acp = {
	.name = "acp",
	.usage = "[OPTION...]",
	.summary = "Run the Codex CLI as an agent in an editor (ACP)",
	.about =
		"Run the Codex CLI as an agent of the editor that is connected to stdin and\n"
		"stdout, over the Agent Client Protocol. Codex reads and changes files through\n"
		"the editor, unsaved text included, or on disk where the editor cannot.\n"
		"docs/acp.md says how to set up Zed, JetBrains and Neovim.",
	.options = options,
	.run = acp,
};
