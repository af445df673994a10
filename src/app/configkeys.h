/*
 * configkeys.h - the keys of the settings, a row for each.
 */
#ifndef STET_CONFIGKEYS_H
#define STET_CONFIGKEYS_H

#include "app/configfile.h"

enum key_type {
	KEY_ANY, /* any value; ignored ("$schema") */
	KEY_MODE,
	KEY_RULES,
	KEY_IGNORE,
	KEY_TOOLS,
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
	bool widens; /* counts in a project's file only when that is trusted */
	const char *doc;
	size_t offset; /* BOOL, COUNT, TEXT, OBJECT */
	size_t given;  /* BOOL: offset of the flag "this key was set" */
	const struct key *keys; /* HOOKS, OBJECT */
	int what;               /* RULES: verdict; HOOKS: after? */
};

/* Terminated by a row without a name. */
extern const struct key config_keys[];

#endif
