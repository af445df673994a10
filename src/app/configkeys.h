/*
 * configkeys.h - the keys of the settings, a row for each.
 */
#ifndef STET_CONFIGKEYS_H
#define STET_CONFIGKEYS_H

#include "app/configfile.h"

enum key_type {
	KEY_ANY, /* not for us */
	KEY_MODE,
	KEY_RULES,
	KEY_IGNORE,
	KEY_BOOL,
	KEY_COUNT,
	KEY_TEXT,
	KEY_HOOKS,
	KEY_ENCODINGS,
	KEY_OBJECT,
};

struct key {
	const char *name;
	enum key_type type;
	bool widens; /* in a project's file: only when it is trusted */
	const char *doc;
	size_t offset;          /* BOOL, COUNT, TEXT, OBJECT */
	size_t given;           /* BOOL: where it is noted that it was said */
	const struct key *keys; /* HOOKS, OBJECT */
	int what;               /* RULES: verdict; HOOKS: after? */
};

/* Ends with a row without a name. */
extern const struct key config_keys[];

#endif
