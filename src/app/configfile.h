/*
 * configfile.h - the settings in a file: .stet/config.json of a project, and
 * config.json of the person.
 *
 * Keys are rows of a table; from the same rows come the reading and the JSON
 * schema. Whatever is not understood is an error with its line and column:
 * settings that are about safety are never passed over.
 */
#ifndef STET_CONFIGFILE_H
#define STET_CONFIGFILE_H

#include "tools/rules.h"

enum {
	CONFIG_MOST_BYTES = 1024 * 1024, /* that are read of any such file */
	/*
	 * Of settings: every pattern in them is matched by every call, and a
	 * project's own come from whoever wrote it.
	 */
	CONFIGFILE_MAX_BYTES = 64 * 1024,
	/* Rules, patterns to ignore, encodings, hooks: of each. */
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
	uint64_t max_age_days, max_bytes; /* 0 = not said */
};

/* Who may answer for the person. Of their own settings alone. */
struct config_approvals {
	bool has_person, yes_i_am_the_person;
	bool has_last, dialogs_may_last;
};

struct config_file {
	struct str path;
	struct str digest; /* of the text, as 'stet trust' notes it; "" */
	bool has_mode, has_gitignore, gitignore;
	enum mode mode;
	struct rule *rules; /* allow, ask and deny as they stand */
	size_t rule_count;
	struct config_ignore *ignore;
	size_t ignore_count;
	struct config_hook *hooks;
	size_t hook_count;
	struct config_encoding *encodings;
	size_t encoding_count;
	struct config_history history;
	struct config_approvals approvals;
	/* The keys that a project may have only when it is trusted. */
	struct str widening; /* "mode, allow"; "" = none is there */
};

/*
 * Read @text; @path is its name in messages. ERR_BAD_CONFIG with
 * "FILE:LINE:COLUMN: what is wrong". Rules, ignore and encodings of @ret are
 * added to.
 */
must_check enum err configfile_read(struct str path, struct str text,
				    struct arena *mem, struct config_file *ret,
				    struct fault *f);

/* The JSON schema of such a file. */
void configfile_schema(struct buf *out);

#endif
