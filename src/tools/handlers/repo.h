/*
 * repo.h - relative paths in the repository, without blocked names.
 */
#ifndef STET_REPO_H
#define STET_REPO_H

#include "tools/call/tool.h"

/*
 * @path, relative, without ".", double and trailing slashes; "." when nothing
 * is left. False when it is absolute or has a name that is blocked.
 */
bool repo_path(struct arena *mem, struct str path, struct str *ret);

/* Is one of the names in @path blocked, in whatever case? ".." always is. */
bool repo_blocks(struct str path);

/* The repository is the first root, without symlinks; "" = no roots. */
struct str repo_root(struct call *c);

#endif
