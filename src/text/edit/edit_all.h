/*
 * edit_all.h - replace every occurrence of a string.
 *
 * Byte for byte or, when there is no such occurrence, with LF and CRLF equal.
 * Each replacement takes the line endings of its place, as in edit.h.
 * Occurrences do not overlap and are taken from left to right.
 */
#ifndef STET_EDIT_ALL_H
#define STET_EDIT_ALL_H

#include "text/edit/edit.h"

/*
 * ERR_NO_MATCH; ERR_TOO_LARGE when the result would exceed @most bytes, which
 * is checked before memory is allocated; ERR_NO_MEMORY. On success ret->ranges
 * has all @ret_count occurrences, in the text before.
 */
must_check enum err edit_apply_all(struct str text, const struct edit *edit,
				   size_t most, struct arena *mem,
				   struct edit_done *ret, size_t *ret_count,
				   struct fault *f);

#endif
