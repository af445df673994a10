/*
 * history_cli.h - shared by the history commands.
 *
 * What they may do to files is in tools/history/owner.h.
 */
#ifndef STET_HISTORY_CLI_H
#define STET_HISTORY_CLI_H

#include "app/command.h"
#include "tools/history/owner.h"

/* The options of all history commands; each command's table lists its own. */
struct history_cli_config {
	bool help, json, all, last, recreated, dry_run, yes;
	const char *state_dir, *session, *since, *until, *client;
	const char *at, *onto, *older, *output, *only;
	bool force, files;
	int conflicts, side;
	uint64_t limit, max_size;
};

extern const char *const conflicts_choices[];

#define PAST_OPTIONS                                                          \
	{ "json", NULL, OPTION_FLAG,                                          \
	  offsetof(struct history_cli_config, json), "Print JSON" },          \
		{ "state-dir", "DIR", OPTION_TEXT,                            \
		  offsetof(struct history_cli_config, state_dir),             \
		  "Directory of the history (default ~/.local/state/stet)" }, \
		OPTION_HELP, OPTIONS_END

#define CLIENT_OPTION                                                                               \
	{                                                                                           \
		"client", "NAME", OPTION_TEXT,                                                      \
			offsetof(struct history_cli_config, client),                                \
			"Only operations of that client: its name or a part of it, such as 'codex'" \
	}

#define YES_OPTION                                                \
	{                                                         \
		"yes", NULL, OPTION_FLAG,                         \
			offsetof(struct history_cli_config, yes), \
			"Do not ask for confirmation"             \
	}

#define RECREATED_OPTION                                                                           \
	{                                                                                          \
		"recreated", NULL, OPTION_FLAG,                                                    \
			offsetof(struct history_cli_config, recreated),                            \
			"Also if the project's directory was replaced or created again since then" \
	}

#define CONFLICTS_OPTION                                                                                                                                                                       \
	{                                                                                                                                                                                      \
		"conflicts", "abort|markers|ours|theirs", OPTION_CHOICE,                                                                                                                       \
			offsetof(struct history_cli_config, conflicts),                                                                                                                        \
			"On conflicts: leave the file unchanged (abort, the default), write both versions with conflict markers, keep the present content (ours), or take the other (theirs)", \
			conflicts_choices                                                                                                                                                      \
	}

struct history_cli {
	const struct command *command;
	struct history_cli_config config;
	struct arena mem;
	struct fault fault;
	struct store *store;
	struct owner owner;
	struct str here;   /* the current directory */
	const char *where; /* the path that was asked for; NULL = none */
	uint64_t now_ms;
	size_t digits; /* of an id to print, from its end; 0 = not computed yet */
};

#define auto_history_cli cleanup(history_cli_end) struct history_cli

/*
 * Reads the options into @p->config, which holds the defaults, and opens the
 * history, for writing if @writes. At most @most_words may follow. False = the
 * command is done with exit status *@status.
 */
must_check bool history_cli_begin(struct history_cli *p,
				  const struct command *command,
				  struct command_line *line, bool writes,
				  int most_words, int *status);
void history_cli_end(struct history_cli *p);

/* Prints the fault, as JSON with --json; returns the exit status. */
int history_cli_failed(struct history_cli *p);
int history_cli_misused(struct history_cli *p, const char *words);

/* The path @word, made absolute and with symlinks resolved. */
struct str history_cli_path(struct history_cli *p, const char *word);

/* A path for output: relative if it is in the current directory. */
struct str history_cli_shown(struct history_cli *p, struct str path);

/*
 * An id for output: as many of its last digits as make it unique. The first
 * digits are the time, which operations made together share.
 */
struct str history_cli_id(struct history_cli *p, struct uuid id);

/* The same for a session id. */
struct str history_cli_session(struct str session);

/* "stet NAME", with --state-dir if this command was given it, for hints. */
struct str history_cli_command(struct history_cli *p, const char *name);

/* Can @word be an operation id or a part of one? */
bool history_cli_is_id(const char *word);

must_check enum err history_cli_find(struct history_cli *p, const char *word,
				     struct op *ret);

/* The query for --since, --until and @word, or the current directory. */
must_check enum err history_cli_query(struct history_cli *p, const char *word,
				      struct history_query *ret);

/* How --conflicts resolved @n conflicts: " (2 conflicts: ...)". */
struct str history_cli_settled(struct history_cli *p, size_t n);

/* Writes an operation as a JSON object. */
void history_cli_put_op(struct history_cli *p, struct json_out *o,
			const struct op *op);

#endif
