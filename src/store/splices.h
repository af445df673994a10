/*
 * splices.h - a content as what was done to the one before it.
 *
 * In bytes: how long it is, then for each splice how many bytes stay, how many
 * go, how many come, and those. Numbers are in sevens of bits, lowest first.
 */
#ifndef STET_SPLICES_H
#define STET_SPLICES_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/digest.h"
#include "base/splice.h"

/* @splices ascend; what they make is @len bytes. */
void splices_put(struct buf *out, size_t len, const struct splice *splices,
		 size_t n);

/* What they make of @from; false when they are not for it. */
must_check bool splices_make(struct str put, struct str from, struct arena *mem,
			     struct str *ret);

/* Their name; never that of a content with the same bytes. */
struct digest splices_digest(struct str put);

#endif
