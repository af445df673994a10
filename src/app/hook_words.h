/*
 * hook_words.h - the files that a hook's command runs, as far as it says.
 */
#ifndef STET_HOOK_WORDS_H
#define STET_HOOK_WORDS_H

#include "base/arena.h"

/*
 * Tell of each simple command in @command (a line of the shell): the program,
 * and the first other word that is a file to be run: the script of an
 * interpreter, or one that is executable.
 * Relative names are from @here, or where "cd" has gone. Programs that have a
 * name with a slash need not be there yet.
 */
void hook_words(struct str command, struct str here, struct arena *mem,
		void (*tell)(void *ctx, struct str path), void *ctx);

#endif
