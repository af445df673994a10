/*
 * config.h - what serve and call have in common: a server with its roots.
 */
#ifndef STET_CONFIG_H
#define STET_CONFIG_H

#include "app/command.h"
#include "rpc/server.h"

/* The options that both take; a config of a command starts with these. */
struct config {
	bool help;
	int log, results, tool_errors, durability, write_eol, history;
	const char *tools, *state_dir, *audit, *events, *memory_dir;
	struct option_list encodings, before_edit, after_edit, approve;
	uint64_t max_message, max_reply, max_file, hook_timeout;
	uint64_t ask_timeout, approval_wait; /* seconds */
};

extern const char *const log_choices[],
	*const results_choices[],
		*const tool_errors_choices[],
			*const durability_choices[],
				*const write_eol_choices[],
					*const history_choices[];

/* Rows for the options above, to be put into a command's table. */
#define CONFIG_OPTIONS                                                                                                 \
	{ "results",                                                                                                   \
	  "both|text|structured",                                                                                      \
	  OPTION_CHOICE,                                                                                               \
	  offsetof(struct config, results),                                                                            \
	  "How results are put (default both)",                                                                        \
	  results_choices },                                                                                           \
		{ "durability",                                                                                        \
		  "power|process",                                                                                     \
		  OPTION_CHOICE,                                                                                       \
		  offsetof(struct config, durability),                                                                 \
		  "What a finished write survives (default power)",                                                    \
		  durability_choices },                                                                                \
		{ "write-eol",                                                                                         \
		  "keep|exact",                                                                                        \
		  OPTION_CHOICE,                                                                                       \
		  offsetof(struct config, write_eol),                                                                  \
		  "LF content over a CRLF file: keep CRLF, or exact (default keep)",                                   \
		  write_eol_choices },                                                                                 \
		{ "encoding", "GLOB=NAME", OPTION_LIST,                                                                \
		  offsetof(struct config, encodings),                                                                  \
		  "Files that fit GLOB are in encoding NAME; may be given again" },                                    \
		{ "history",                                                                                           \
		  "on|off|required",                                                                                   \
		  OPTION_CHOICE,                                                                                       \
		  offsetof(struct config, history),                                                                    \
		  "Keep what was there before each change; required: change nothing that cannot be kept (default on)", \
		  history_choices },                                                                                   \
		{ "state-dir", "DIR", OPTION_TEXT,                                                                     \
		  offsetof(struct config, state_dir),                                                                  \
		  "Where history and approvals are kept (default ~/.local/state/stet)" },                              \
		{ "memory-dir", "DIR", OPTION_TEXT,                                                                    \
		  offsetof(struct config, memory_dir),                                                                 \
		  "Where write_memory_entry writes, beneath a root (default .claude/memory beneath the first)" },      \
		{ "approve", "TOOL", OPTION_LIST,                                                                      \
		  offsetof(struct config, approve),                                                                    \
		  "Let TOOL work without asking: write_memory_entry; may be given again" },                            \
		{ "max-file", "BYTES", OPTION_SIZE,                                                                    \
		  offsetof(struct config, max_file),                                                                   \
		  "Largest file that is edited or replaced (default 256m)" },                                          \
	{                                                                                                              \
		"log", "off|error|info|debug", OPTION_CHOICE,                                                          \
			offsetof(struct config, log),                                                                  \
			"What to say on stderr (default off)", log_choices                                             \
	}

/* The same for what is run and written beside the work. */
#define BESIDE_OPTIONS                                                                                                         \
	{                                                                                                                      \
		"before-edit", "COMMAND", OPTION_LIST,                                                                         \
		offsetof(struct config, before_edit),                                                                          \
		"Run before a file is changed; unless it exits with 0 the file is not (see docs/hooks.md); may be given again" \
	},                                                                                                                     \
		{ "after-edit", "COMMAND", OPTION_LIST,                                                                        \
		  offsetof(struct config, after_edit),                                                                         \
		  "Run after a file was changed, a formatter for example; may be given again" },                               \
		{ "hook-timeout", "MS", OPTION_SIZE,                                                                           \
		  offsetof(struct config, hook_timeout),                                                                       \
		  "How long each of these may take (default 10000)" },                                                         \
		{ "audit", "FILE", OPTION_TEXT,                                                                                \
		  offsetof(struct config, audit),                                                                              \
		  "Add a line of JSON to FILE for each call; never what files hold" },                                         \
	{                                                                                                                      \
		"events", "FILE", OPTION_TEXT,                                                                                 \
			offsetof(struct config, events),                                                                       \
			"Add lines of JSON to FILE that tell of changes in numbers"                                            \
	}

extern const struct config config_default;

/* A server by this config, without roots; @mem must outlive it. */
struct server *config_server(const struct config *c, struct fault *f,
			     struct arena *mem);
void config_free(struct server *s);

/* Serve these directories, as the person named them; complain of others. */
void config_roots(struct server *s, char *const *dirs, int n);

/* Serve where we are, unless that is / or the home directory. */
void config_roots_here(struct server *s);

#endif
