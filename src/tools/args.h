/*
 * args.h - from JSON arguments to a tool's own struct.
 */
#ifndef STET_ARGS_H
#define STET_ARGS_H

#include "tools/tool.h"

/*
 * Fill c->args and c->guard from @arguments (JSON_NONE = {}). ERR_BAD_ARGS
 * says which argument is missing, of the wrong type, given twice, or unknown
 * (with the nearest known one); `description` alone may be there though no
 * tool has it, because models like to add it.
 */
must_check enum err args_decode(struct call *c, struct json arguments);

/*
 * What the contracts demand of arguments that have the right type: absolute
 * paths, lines from 1, at least one edit; in the order of the fields.
 */
must_check enum err args_check(struct call *c);

/* The name in @names nearest to @name, or NULL when none is near. */
const char *args_nearest(struct str name, const char *const *names, size_t n);

#endif
