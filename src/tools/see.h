/*
 * see.h - how much of the history a caller may see: what is beneath its
 * roots, and not hidden by a rule. Anything else is as if it were not there.
 */
#ifndef STET_SEE_H
#define STET_SEE_H

#include "tools/operations.h"

/* ERR_STORE unless there is a history that can be used. Settles it once. */
must_check enum err see_history(struct call *c);

/* The resolved name of @path, by which the history knows it. */
must_check enum err see_key(struct call *c, struct str path, struct str *ret);

bool see_operation(struct call *c, const struct op *op);

/* Rows as lines of text, for a model. */
struct str see_say(struct call *c, const struct op_row *rows, size_t n);

#endif
