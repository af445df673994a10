/*
 * splices.h - a content stored as the edits that made it of the old one.
 *
 * The format: the length of the result, then for each splice the number of
 * bytes to keep, to drop and to insert, and the inserted bytes. Numbers are
 * varints (7 bits per byte, lowest first).
 */
#ifndef STET_SPLICES_H
#define STET_SPLICES_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/digest.h"
#include "base/splice.h"

/* @splices are in ascending order; the result has @len bytes. */
void splices_put(struct buf *out, size_t len, const struct splice *splices,
		 size_t n);

/* Apply them to @from; false when they do not fit it. */
must_check bool splices_make(struct str put, struct str from, struct arena *mem,
			     struct str *ret);

/* Their digest, which differs from that of a content with the same bytes. */
struct digest splices_digest(struct str put);

#endif
