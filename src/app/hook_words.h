/*
 * hook_words.h - the files that a hook's command names.
 */
#ifndef STET_HOOK_WORDS_H
#define STET_HOOK_WORDS_H

#include "base/arena.h"

/*
 * Tell every regular file that a word of @command names: from @here, from the
 * home directory, from any directory that another word names (for "cd"), or on
 * the PATH. A word is what stands between blanks, quotes, variables and other
 * special characters of the shell, wherever it stands. A word with a slash need
 * not be there yet, but on the PATH. Directories are not told.
 */
void hook_words(struct str command, struct str here, struct arena *mem,
		void (*tell)(void *ctx, struct str path), void *ctx);

#endif
