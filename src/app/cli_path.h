/*
 * cli_path.h - paths as a person types them on the command line.
 */
#ifndef STET_CLI_PATH_H
#define STET_CLI_PATH_H

#include "base/arena.h"

/*
 * The path @word, absolute, with symlinks and ".." resolved as the kernel does.
 * What does not exist yet is appended as it is.
 */
struct str cli_path(const char *word, struct arena *mem);

#endif
