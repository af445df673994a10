/*
 * configfile.h - the settings in a file: .stet/config.json of a project, and
 * config.json of the person.
 *
 * Keys are rows of a table; from the same rows come the reading and the JSON
 * schema. An unknown key or value is an error with its line and column: settings
 * about safety are never ignored silently.
 */
#ifndef STET_CONFIGFILE_H
#define STET_CONFIGFILE_H

#include "tools/call/selection.h"
#include "tools/permissions/rules.h"

enum {
	CONFIG_MOST_BYTES =
		1024 * 1024, /* read of any settings or trust file */
	/*
	 * Limit for settings: every call matches every pattern, and a
	 * project's settings may come from an untrusted author.
	 */
	CONFIGFILE_MAX_BYTES = 64 * 1024,
	/* Limit for each of rules, ignore patterns, encodings and hooks. */
	CONFIGFILE_MAX_ENTRIES = 1000,
};

/* A command that runs before or after a file is changed. */
struct config_hook {
	struct str command;  /* for /bin/sh */
	struct str match;    /* as with --encoding; "" = every file */
	uint64_t timeout_ms; /* 0 = the default */
	bool after;
	struct str origin; /* "FILE:LINE:COLUMN" */
};

struct config_ignore {
	struct str pattern, origin;
};

struct config_encoding {
	struct encoding_rule rule;
	struct str origin;
};

struct config_history {
	bool has_off, off;
	uint64_t max_age_days, max_bytes; /* 0 = not set */
};

/* Who may answer for the person; read from the person's own settings only. */
struct config_approvals {
	bool has_person, yes_i_am_the_person;
	bool has_last, dialogs_may_last;
};

struct config_file {
	struct str path;
	struct str
		digest; /* digest of the text, as stored by 'stet trust'; may be "" */
	bool has_mode, has_gitignore, gitignore;
	bool has_find_ignored, find_ignored;
	enum mode mode;
	struct rule *rules; /* allow, ask and deny, in file order */
	size_t rule_count;
	struct config_ignore *ignore;
	size_t ignore_count;
	struct config_hook *hooks;
	size_t hook_count;
	struct config_encoding *encodings;
	size_t encoding_count;
	struct config_history history;
	struct config_approvals approvals;
	struct selection_item *tools; /* NULL = not set */
	size_t tool_count;
	struct str tools_origin;
	/* Keys in this file that count only when the project is trusted. */
	struct str widening; /* "mode, allow"; "" = none is there */
};

/*
 * Parses @text; @path is its name in messages. ERR_BAD_CONFIG with
 * "FILE:LINE:COLUMN: what is wrong". Appends to the rules, ignore patterns and
 * encodings that @ret already has.
 */
must_check enum err configfile_read(struct str path, struct str text,
				    struct arena *mem, struct config_file *ret,
				    struct fault *f);

/* Writes the JSON schema of settings files. */
void configfile_schema(struct buf *out);

#endif
