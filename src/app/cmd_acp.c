/* stet acp - the Codex CLI as an agent of an editor. */

#include "acp/agent.h"
#include "app/config.h"
#include "app/confinement.h"
#include "app/screen.h"
#include "base/log.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct acp_config {
	struct config config; /* first */
	const char *codex;
	int events;
};

static const char *const events_choices[] = { "acp", "contract", NULL };

static const struct option options[] = {
	{ "codex", "PATH", OPTION_TEXT, offsetof(struct acp_config, codex),
	  "The Codex CLI (default: the one on PATH, or of the npm package)" },
	{ "acp-events", "acp|contract", OPTION_CHOICE,
	  offsetof(struct acp_config, events),
	  "How the editor is told of stet's own calls: as ACP v1 has it, or to the letter of the contracts (default acp)",
	  events_choices },
	{ "trace", "FILE", OPTION_TEXT, offsetof(struct config, trace),
	  "Add every message of the editor and of Codex to FILE; with what files hold" },
	{ "tools", "NAME,...", OPTION_TEXT, offsetof(struct config, tools),
	  "Offer Codex only these tools or families (default contract,history)" },
	{ "confine", "on|syscalls|off", OPTION_CHOICE,
	  offsetof(struct config, confine),
	  "What the kernel enforces: on, syscalls: only the system calls that are needed, and no program but Codex and your hooks; off: nothing (default on; docs/confinement.md)",
	  confinement_choices },
	CONFIG_OPTIONS,
	BESIDE_OPTIONS,
	OPTION_HELP,
	OPTIONS_END,
};

/* What Codex shows a model is cut in the middle past about 40 KB. */
enum { MOST_REPLY = 38 * 1000 };

/* One server for each session, by a config of its own that outlives it. */
static struct server *open_files(void *ctx, const struct str *dirs, size_t n,
				 struct arena *mem, struct fault *f)
{
	const struct acp_config *acp = ctx;
	struct config *config = arena_new(mem, struct config);
	char **names = arena_array(mem, char *, n);
	struct server *server;

	*config = acp->config;
	if (!config->tools)
		config->tools = "contract,history";
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

	/* "default" is what the person has configured as such */
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

/* The mode of the editor that --mode means. */
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

static int explain(void)
{
	screen_warn(
		"stet acp is started by an editor that speaks the Agent Client Protocol:\n"
		"Zed, JetBrains, Neovim and others. Set the command of an agent there to\n"
		"'stet acp'; docs/acp.md says how. It talks on stdin and stdout.\n");
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
	if (isatty(STDIN_FILENO))
		return explain();
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
	.summary = "Be the Codex CLI for an editor that speaks ACP",
	.about =
		"Run the Codex CLI for the editor at the other end of stdin and stdout, by\n"
		"the Agent Client Protocol. Codex reads and changes files through the\n"
		"editor, which has text that is not saved yet, and else on the disk.\n"
		"docs/acp.md says how to set up Zed, JetBrains and Neovim.",
	.options = options,
	.run = acp,
};
