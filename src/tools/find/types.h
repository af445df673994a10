/*
 * types.h - file types by name, as in ripgrep's --type: the table is types.def.
 */
#ifndef STET_TYPES_H
#define STET_TYPES_H

#include "base/err.h"

struct file_type {
	struct str name;
	struct str patterns; /* globs for file names, separated by blanks */
};

/* The type of that name; ERR_NO_TYPE with the nearest three names as a hint. */
must_check enum err file_type_named(struct str name, struct arena *mem,
				    const struct file_type **ret,
				    struct fault *f);

/* Is a file of this name of the type? */
bool file_type_fits(const struct file_type *type, struct str name);

#endif
