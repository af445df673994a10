/*
 * config.h - a server and its roots, built from command-line options.
 */
#ifndef STET_CONFIG_H
#define STET_CONFIG_H

#include "app/command.h"
#include "app/policy.h"
#include "rpc/server.h"

/* Options that `serve`, `call` and `acp` share; first member of their configs. */
struct config {
	bool help, refuse_secrets, stdio, bridge, find_ignored;
	int confine; /* enum confinement_choice */
	int log, results, tool_errors, durability, write_eol, history;
	int overwrite, stale_check, default_eol, ask_by;
	const char *tools, *state_dir, *audit, *events, *memory_dir;
	const char *http, *token_file, *trace;
	struct option_list encodings, before_edit, after_edit, approve;
	struct option_list allow_hosts, allow_origins;
	struct policy_flags policy;
	uint64_t max_message, max_reply, max_file, hook_timeout, snippet_lines;
	uint64_t max_memory;
	uint64_t find_timeout, find_chars, find_threads;
	uint64_t ask_timeout, approval_wait; /* seconds */
	uint64_t stop_ms;
	uint64_t rate; /* calls per second; 0 = no limit */
};

/* --results has "auto" before the values of enum results. */
#define RESULTS_CHOICE(results) ((int)(results) + 1)
#define RESULTS_CHOSEN(choice)  ((enum results)((choice)-1))

extern const char *const log_choices[];
extern const char *const results_choices[];
extern const char *const tool_errors_choices[];
extern const char *const ask_by_choices[];
extern const char *const durability_choices[];
extern const char *const write_eol_choices[];
extern const char *const history_choices[];
extern const char *const overwrite_choices[];
extern const char *const stale_check_choices[];
extern const char *const default_eol_choices[];

#define TOOLS_HELP \
	"Offer these tools and families ('stet tools' lists both), all, or auto: what suits the client; +NAME adds, -NAME takes away (default auto)"

/* Option rows for struct config, for a command's table. */
#define CONFIG_OPTIONS                                                                                                                           \
	{ "results",                                                                                                                             \
	  "auto|both|plain|text|structured",                                                                                                     \
	  OPTION_CHOICE,                                                                                                                         \
	  offsetof(struct config, results),                                                                                                      \
	  "Form of results (default auto: what a known client shows to its model, else both)",                                                   \
	  results_choices },                                                                                                                     \
		{ "durability",                                                                                                                  \
		  "power|process",                                                                                                               \
		  OPTION_CHOICE,                                                                                                                 \
		  offsetof(struct config, durability),                                                                                           \
		  "What a finished write survives: a power failure (fsync) or a crash of the process (default power)",                           \
		  durability_choices },                                                                                                          \
		{ "write-eol",                                                                                                                   \
		  "keep|exact",                                                                                                                  \
		  OPTION_CHOICE,                                                                                                                 \
		  offsetof(struct config, write_eol),                                                                                            \
		  "If LF content replaces a CRLF file: keep CRLF, or write the content exactly (default keep)",                                  \
		  write_eol_choices },                                                                                                           \
		{ "overwrite",                                                                                                                   \
		  "seen|always",                                                                                                                 \
		  OPTION_CHOICE,                                                                                                                 \
		  offsetof(struct config, overwrite),                                                                                            \
		  "Whether write_text_file overwrites a file that has changed since the client read it: refuse (seen) or always (default seen)", \
		  overwrite_choices },                                                                                                           \
		{ "stale-check",                                                                                                                 \
		  "content|mtime",                                                                                                               \
		  OPTION_CHOICE,                                                                                                                 \
		  offsetof(struct config, stale_check),                                                                                          \
		  "How to detect that a file has changed since it was read: by content or by mtime (default content)",                           \
		  stale_check_choices },                                                                                                         \
		{ "default-eol",                                                                                                                 \
		  "lf|crlf",                                                                                                                     \
		  OPTION_CHOICE,                                                                                                                 \
		  offsetof(struct config, default_eol),                                                                                          \
		  "Line endings of new files of Write and Edit (default lf)",                                                                    \
		  default_eol_choices },                                                                                                         \
		{ "snippet-lines", "N", OPTION_SIZE,                                                                                             \
		  offsetof(struct config, snippet_lines),                                                                                        \
		  "Maximum number of lines in the snippets of Write and Edit (default 50)" },                                                    \
		{ "find-ignored", NULL, OPTION_FLAG,                                                                                             \
		  offsetof(struct config, find_ignored),                                                                                         \
		  "Also search files that .gitignore, .ignore and .rgignore exclude" },                                                          \
		{ "find-timeout", "SECONDS", OPTION_SIZE,                                                                                        \
		  offsetof(struct config, find_timeout),                                                                                         \
		  "Time limit of a search; after that its result is partial (default 20)" },                                                     \
		{ "find-chars", "N", OPTION_SIZE,                                                                                                \
		  offsetof(struct config, find_chars),                                                                                           \
		  "Maximum number of characters in one result of Grep (default 20000)" },                                                        \
		{ "find-threads", "N", OPTION_SIZE,                                                                                              \
		  offsetof(struct config, find_threads),                                                                                         \
		  "Threads of one Grep (default: the number of processors, at most 8)" },                                                        \
		{ "encoding", "GLOB=NAME", OPTION_LIST,                                                                                          \
		  offsetof(struct config, encodings),                                                                                            \
		  "Encoding of the files that match GLOB; repeatable" },                                                                         \
		POLICY_OPTIONS(offsetof(struct config, policy)),                                                                                 \
		{ "history",                                                                                                                     \
		  "on|off|required",                                                                                                             \
		  OPTION_CHOICE,                                                                                                                 \
		  offsetof(struct config, history),                                                                                              \
		  "Record each change so that it can be undone; required: refuse changes that cannot be recorded (default on)",                  \
		  history_choices },                                                                                                             \
		{ "state-dir", "DIR", OPTION_TEXT,                                                                                               \
		  offsetof(struct config, state_dir),                                                                                            \
		  "Directory of history and approvals (default ~/.local/state/stet)" },                                                          \
		{ "memory-dir", "DIR", OPTION_TEXT,                                                                                              \
		  offsetof(struct config, memory_dir),                                                                                           \
		  "Directory of write_memory_entry, beneath a root (default .claude/memory beneath the first root)" },                           \
		{ "refuse-secrets", NULL, OPTION_FLAG,                                                                                           \
		  offsetof(struct config, refuse_secrets),                                                                                       \
		  "Refuse memory entries that seem to contain a key or token" },                                                                 \
		{ "approve", "TOOL", OPTION_LIST,                                                                                                \
		  offsetof(struct config, approve),                                                                                              \
		  "Run TOOL without asking (write_memory_entry); repeatable" },                                                                  \
		{ "max-file", "BYTES", OPTION_SIZE,                                                                                              \
		  offsetof(struct config, max_file),                                                                                             \
		  "Largest file that is edited or replaced (default 256m)" },                                                                    \
	{                                                                                                                                        \
		"log", "off|error|info|debug", OPTION_CHOICE,                                                                                    \
			offsetof(struct config, log),                                                                                            \
			"Log level on stderr (default off)", log_choices                                                                         \
	}

/* Option rows for hooks, audit, events and trace. */
#define BESIDE_OPTIONS                                                                                                         \
	{                                                                                                                      \
		"before-edit", "COMMAND", OPTION_LIST,                                                                         \
		offsetof(struct config, before_edit),                                                                          \
		"Run before a file is changed; an exit status other than 0 refuses the change (see docs/hooks.md); repeatable" \
	},                                                                                                                     \
		{ "after-edit", "COMMAND", OPTION_LIST,                                                                        \
		  offsetof(struct config, after_edit),                                                                         \
		  "Run after a file was changed, for example a formatter; repeatable" },                                       \
		{ "hook-timeout", "MS", OPTION_SIZE,                                                                           \
		  offsetof(struct config, hook_timeout),                                                                       \
		  "Time limit of each hook (default 10000)" },                                                                 \
		{ "audit", "FILE", OPTION_TEXT,                                                                                \
		  offsetof(struct config, audit),                                                                              \
		  "Append a line of JSON for each call to FILE, without contents of files" },                                  \
	{                                                                                                                      \
		"events", "FILE", OPTION_TEXT,                                                                                 \
			offsetof(struct config, events),                                                                       \
			"Append lines of JSON with statistics of changes to FILE"                                              \
	}

/* --approval-wait was not given: the default depends on whether there is a page. */
#define APPROVAL_WAIT_UNSET UINT64_MAX
enum { PAGE_WAIT_S = 45 };

extern const struct config config_default;

/* Makes a server without roots; @mem and @c must outlive it. */
struct server *config_server(const struct config *c, struct fault *f,
			     struct arena *mem);
void config_free(struct server *s);

/* The hooks of the command line, or NULL. */
const struct hooks *config_hooks(const struct config *c, struct arena *mem);

/*
 * Serves the directories that the person named. ERR_BAD_ARGS when one of them
 * is not a directory, rather than a server that silently lacks it.
 */
must_check enum err config_roots(struct server *s, char *const *dirs, int n,
				 struct arena *mem, struct fault *f);

/* Serves what an editor has open, except / and the home directory. */
void config_roots_of_editor(struct server *s, char *const *dirs, int n);

/*
 * Serves the current directory, unless it is / or the home directory
 * (root_check.h). Then every call fails with @remedy, which says how to name
 * another directory; NULL = the advice for `stet serve`.
 */
void config_roots_here(struct server *s, const char *remedy);

/* The remedy of commands that take --root. */
#define NAME_A_ROOT "Name the directory to serve with --root DIR"

/*
 * Reads the settings of the projects at the roots and protects stet's own files.
 * Call it once, after the roots are set and before serving. ERR_BAD_CONFIG for a
 * mistake in the settings. Settings of untrusted projects that do not count are
 * reported on stderr.
 */
must_check enum err config_projects(struct server *s, struct fault *f);

/*
 * Replaces the person's settings by @text; any thread. *@ret_restart = some of
 * the change takes effect only after a restart. ERR_BAD_CONFIG changes nothing,
 * unless the mistake is in a project's own file (see config_projects).
 */
must_check enum err config_reload(struct server *s, struct str text,
				  bool *ret_restart, struct arena *mem,
				  struct fault *f);

/* Where the roots come from: "command line", "declared by the client" ... */
const char *config_roots_origin(const struct server *s);

struct str config_mode_origin(struct server *s);

/* Sets the permission mode of later calls; NULL = the configured mode. */
must_check enum err config_mode(struct server *s, const char *mode,
				struct fault *f);

/* --max-message, limited by the memory budget of clients. */
size_t config_max_message(const struct config *c, const struct server *s);

const struct policy *config_policy(const struct server *s);

#endif
