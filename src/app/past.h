/*
 * past.h - what the commands on the history have in common: see owner.h for
 * what a person may do.
 */
#ifndef STET_PAST_H
#define STET_PAST_H

#include "app/command.h"
#include "tools/owner.h"

/* All options of all of them; each command's table has its own choice. */
struct past_config {
	bool help, json, all, last, recreated, dry_run, yes;
	const char *state_dir, *session, *since, *until, *client;
	const char *at, *onto, *older, *output;
	bool force;
	int conflicts, side;
	uint64_t limit, max_size;
};

extern const char *const conflicts_choices[];

#define PAST_OPTIONS                                                                      \
	{ "json", NULL, OPTION_FLAG, offsetof(struct past_config, json),                  \
	  "Print JSON, for programs" },                                                   \
		{ "state-dir", "DIR", OPTION_TEXT,                                        \
		  offsetof(struct past_config, state_dir),                                \
		  "Where stet keeps its history (default: the user's state directory)" }, \
		OPTION_HELP, OPTIONS_END

#define CLIENT_OPTION                                                                     \
	{                                                                                 \
		"client", "NAME", OPTION_TEXT,                                            \
			offsetof(struct past_config, client),                             \
			"Only what that client did: its name, or a part of it as 'codex'" \
	}

#define YES_OPTION                                                           \
	{                                                                    \
		"yes", NULL, OPTION_FLAG, offsetof(struct past_config, yes), \
			"Do not ask, for scripts"                            \
	}

#define RECREATED_OPTION                                                                                         \
	{                                                                                                        \
		"recreated", NULL, OPTION_FLAG,                                                                  \
			offsetof(struct past_config, recreated),                                                 \
			"Also where the project's directory was removed and made again, or replaced, since then" \
	}

#define CONFLICTS_OPTION                                                                                                                                                                       \
	{                                                                                                                                                                                      \
		"conflicts", "abort|markers|ours|theirs", OPTION_CHOICE,                                                                                                                       \
			offsetof(struct past_config, conflicts),                                                                                                                               \
			"Places that both have changed: leave the file alone (abort, the default), put both there between markers, keep what is there now (ours), or take the other (theirs)", \
			conflicts_choices                                                                                                                                                      \
	}

struct past {
	const struct command *command;
	struct past_config config;
	struct arena mem;
	struct fault fault;
	struct store *store;
	struct owner owner;
	struct str here; /* the current directory */
	uint64_t now_ms;
	size_t digits; /* of an id that are shown, from its end; 0 = not known */
};

#define auto_past cleanup(past_end) struct past

/*
 * Read the options into @p->config, which has the defaults, and open the history; @writes when it will be changed.
 * False: *@status is the exit status.
 */
must_check bool past_begin(struct past *p, const struct command *command,
			   struct command_line *line, bool writes, int *status);
void past_end(struct past *p);

/* Say what went wrong, as --json wants it; the exit status. */
int past_failed(struct past *p);
int past_misused(struct past *p, const char *words);

/* What the person calls @word, absolute and without links. */
struct str past_path(struct past *p, const char *word);

/* A path as it is shown: from here on if it is beneath. */
struct str past_shown(struct past *p, struct str path);

/*
 * An id as it is shown: its last digits, enough to tell it from all others.
 * The first ones are the time, and the same for what was done together.
 */
struct str past_id(struct past *p, struct uuid id);

/* The same of a session. */
struct str past_session(struct str session);

/* "stet NAME", and --state-dir if this command has it: to show a command. */
struct str past_command(struct past *p, const char *name);

/* Could the word be the id of an operation, or a part of it? */
bool past_is_id(const char *word);

must_check enum err past_find(struct past *p, const char *word, struct op *ret);

/* --since, --until, and which files: @word, or all beneath the directory. */
must_check enum err past_query(struct past *p, const char *word,
			       struct history_query *ret);

/* What became of @n conflicts, by --conflicts: " (2 conflicts: ...)". */
struct str past_settled(struct past *p, size_t n);

/* Members of an operation, as an object. */
void past_put_op(struct past *p, struct json_out *o, const struct op *op);

#endif
