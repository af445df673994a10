/*
 * args.h - from JSON arguments to a tool's own struct.
 */
#ifndef STET_ARGS_H
#define STET_ARGS_H

#include "tools/call/tool.h"

/*
 * Fill c->args and c->guard from @arguments (JSON_NONE = {}). ERR_BAD_ARGS
 * says which argument is missing, of the wrong type, given twice, or unknown
 * (with the nearest known one). An unknown `description` is accepted and
 * ignored, because models like to add it.
 */
must_check enum err args_decode(struct call *c, struct json arguments);

/*
 * Constraints of the contracts beyond types: absolute paths, lines from 1, at
 * least one edit; in the order of the fields.
 */
must_check enum err args_check(struct call *c);

/* The value of an argument, by its name or an alias; JSON_NONE = left out. */
struct json args_value(const struct field *field, struct json arguments);

/* The name in @names that @name may be a misspelling of, or NULL. */
const char *args_nearest(struct str name, const char *const *names, size_t n);

#endif
