/*
 * hook_files.h - the files that a hook's command names.
 */
#ifndef STET_HOOK_FILES_H
#define STET_HOOK_FILES_H

#include "base/arena.h"

/*
 * Reports every regular file that a word of @command names: relative to @here,
 * to the home directory, to any directory that another word names (for "cd"),
 * or on the PATH. Words are separated by blanks, quotes, variables and other
 * special characters of the shell. A word with a slash need not exist yet;
 * one that is looked up on the PATH must. Directories are not reported.
 */
void hook_words(struct str command, struct str here, struct arena *mem,
		void (*tell)(void *ctx, struct str path), void *ctx);

#endif
