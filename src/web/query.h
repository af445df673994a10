/*
 * query.h - the query string of a URL.
 */
#ifndef STET_QUERY_H
#define STET_QUERY_H

#include "base/arena.h"

/* The first value of that name, decoded; "" when there is none. */
struct str query_text(struct str query, const char *name, struct arena *mem);

/*
 * A number of at most @most; @standard when there is none. False when it is
 * something else.
 */
must_check bool query_number(struct str query, const char *name,
			     uint64_t standard, uint64_t most, uint64_t *ret);

/* All digits, at most 18: a number. */
must_check bool query_digits(struct str text, uint64_t *ret);

#endif
