/*
 * scope.h - the base directory of a call, and names of results.
 */
#ifndef STET_SCOPE_H
#define STET_SCOPE_H

#include "tools/find/find.h"

/*
 * The directory that relative paths begin in: the one that stet was started in
 * if a root contains it, else the first root; "" without roots.
 */
struct str find_base(struct call *c, size_t *ret_roots);
struct str find_base_of(struct workspace *ws, const struct find_options *o,
			struct arena *mem, size_t *ret_roots);

/*
 * The absolute path of the file that a relative path names from the base
 * directory, for a tool that takes absolute paths only; "" if there is none
 * that the caller may know of.
 */
struct str find_relative_hint(struct call *c, struct str path);

#endif
