/*
 * repo.h - paths of a repository: relative, and not to what is secret.
 */
#ifndef STET_REPO_H
#define STET_REPO_H

#include "tools/tool.h"

/*
 * @path, relative, without ".", double and trailing slashes; "." when nothing
 * is left. False when it is absolute or has a name that is blocked.
 */
bool repo_path(struct arena *mem, struct str path, struct str *ret);

/* Is one of the names in @path blocked, in whatever case? ".." always is. */
bool repo_blocks(struct str path);

/* The repository: the first root, without links; "" when there is none. */
struct str repo_root(struct call *c);

#endif
