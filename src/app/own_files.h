/*
 * own_files.h - the list of stet's own files (see files/own.h).
 *
 * Settings, state, locks, the files of --config, --token-file, --audit,
 * --events and --trace, the program itself, and of each hook every file that
 * its command names (hook_files.h).
 */
#ifndef STET_OWN_FILES_H
#define STET_OWN_FILES_H

#include "app/config.h"
#include "files/own.h"
#include "tools/change/hooks.h"

/* The whole list, in @mem, for the current hooks; @hooks may be NULL. */
struct own_items own_files(const struct config *c, const struct hooks *hooks,
			   struct arena *mem);

#endif
