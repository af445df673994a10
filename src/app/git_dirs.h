/*
 * git_dirs.h - where git keeps a repository whose ".git" is not a directory.
 */
#ifndef STET_GIT_DIRS_H
#define STET_GIT_DIRS_H

#include "base/str.h"

/*
 * Marks the git directory of each root whose ".git" is a symlink or a "gitdir:"
 * file as sensitive, like a directory ".git" (sensitive_add_git).
 */
void git_dirs_note(const struct str *roots, size_t n);

#endif
