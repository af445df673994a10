/*
 * config.h - what serve and call have in common: a server with its roots.
 */
#ifndef STET_CONFIG_H
#define STET_CONFIG_H

#include "app/command.h"
#include "app/policy.h"
#include "rpc/server.h"

/* The options that both take; a config of a command starts with these. */
struct config {
	bool help, refuse_secrets, stdio, bridge;
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
	uint64_t ask_timeout, approval_wait; /* seconds */
	uint64_t stop_ms;
	uint64_t rate; /* calls a second; 0 = any */
};

/* Of the choices of --results the first is auto. */
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

/* Rows for the options above, to be put into a command's table. */
#define CONFIG_OPTIONS                                                                                                 \
	{ "results",                                                                                                   \
	  "auto|both|plain|text|structured",                                                                           \
	  OPTION_CHOICE,                                                                                               \
	  offsetof(struct config, results),                                                                            \
	  "How results are put (default auto: what the model of a known client reads best, else both)",                \
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
		{ "overwrite",                                                                                         \
		  "seen|always",                                                                                       \
		  OPTION_CHOICE,                                                                                       \
		  offsetof(struct config, overwrite),                                                                  \
		  "write_text_file over a change since the caller's own read: refuse, or always (default seen)",       \
		  overwrite_choices },                                                                                 \
		{ "stale-check",                                                                                       \
		  "content|mtime",                                                                                     \
		  OPTION_CHOICE,                                                                                       \
		  offsetof(struct config, stale_check),                                                                \
		  "What makes a file changed since it was read: its content, or a later time (default content)",       \
		  stale_check_choices },                                                                               \
		{ "default-eol",                                                                                       \
		  "lf|crlf",                                                                                           \
		  OPTION_CHOICE,                                                                                       \
		  offsetof(struct config, default_eol),                                                                \
		  "Line endings of files that Write and Edit create (default lf)",                                     \
		  default_eol_choices },                                                                               \
		{ "snippet-lines", "N", OPTION_SIZE,                                                                   \
		  offsetof(struct config, snippet_lines),                                                              \
		  "Lines of a changed file that Write and Edit show (default 50)" },                                   \
		{ "encoding", "GLOB=NAME", OPTION_LIST,                                                                \
		  offsetof(struct config, encodings),                                                                  \
		  "Files that fit GLOB are in encoding NAME; may be given again" },                                    \
		POLICY_OPTIONS(offsetof(struct config, policy)),                                                       \
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
		{ "refuse-secrets", NULL, OPTION_FLAG,                                                                 \
		  offsetof(struct config, refuse_secrets),                                                             \
		  "Refuse memory entries that seem to hold a key or a token" },                                        \
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

/* Nobody said how long: as long as fits clients, where there is the page. */
#define APPROVAL_WAIT_UNSET UINT64_MAX
enum { PAGE_WAIT_S = 45 };

extern const struct config config_default;

/* A server by this config, without roots; @mem and @c must outlive it. */
struct server *config_server(const struct config *c, struct fault *f,
			     struct arena *mem);
void config_free(struct server *s);

/* The hooks of the command line; NULL: none. */
const struct hooks *config_hooks(const struct config *c, struct arena *mem);

/*
 * Serve these directories, as the person named them. ERR_BAD_ARGS when one of
 * them is no directory: the person would wonder where it is.
 */
must_check enum err config_roots(struct server *s, char *const *dirs, int n,
				 struct arena *mem, struct fault *f);

/* The same for what an editor has open: not / or the home directory. */
void config_roots_of_editor(struct server *s, char *const *dirs, int n);

/*
 * Serve where we are, unless that is / or the home directory; see vet.h. Then
 * calls fail, and @remedy tells how to name another; NULL = as of stet serve.
 */
void config_roots_here(struct server *s, const char *remedy);

/* The remedy of commands that take --root. */
#define NAME_A_ROOT "Name the directory to serve with --root DIR"

/*
 * The roots are known: read the projects' settings, once before serving, and
 * keep all tools off stet's own files.
 * ERR_BAD_CONFIG for a mistake in them. What is not taken of them is told on
 * stderr.
 */
must_check enum err config_projects(struct server *s, struct fault *f);

/*
 * The person's settings are @text from now on; any thread. *@ret_restart: some
 * of it counts only after a restart. ERR_BAD_CONFIG: all is as it was, unless
 * the mistake is in a project's own file (see config_projects).
 */
must_check enum err config_renew(struct server *s, struct str text,
				 bool *ret_restart, struct arena *mem,
				 struct fault *f);

/* "command line", "declared by the client", ...: where the roots come from. */
const char *config_roots_origin(const struct server *s);

struct str config_mode_origin(struct server *s);

/* Another mode for the calls from now on; NULL = what was configured. */
must_check enum err config_mode(struct server *s, const char *mode,
				struct fault *f);

/* --max-message, or what the memory for clients has room for. */
size_t config_max_message(const struct config *c, const struct server *s);

const struct policy *config_policy(const struct server *s);

#endif
