/*
 * own_files.h - which files are stet's own: see files/own.h.
 *
 * Settings, state, locks, the files of --config, --token-file, --audit,
 * --events and --trace, the program itself, and of each hook every file that
 * its command names (hook_words.h).
 */
#ifndef STET_OWN_FILES_H
#define STET_OWN_FILES_H

#include "app/config.h"
#include "files/own.h"
#include "tools/hooks.h"

/* All of them, in @mem, for the hooks that count now; @hooks may be NULL. */
struct own_items own_files(const struct config *c, const struct hooks *hooks,
			   struct arena *mem);

#endif
