/*
 * base64.h - base64 with padding (RFC 4648).
 */
#ifndef STET_BASE64_H
#define STET_BASE64_H

#include "base/arena.h"
#include "base/buf.h"

/* False unless @text is base64 with padding. */
must_check bool base64_decode(struct str text, struct arena *mem,
			      struct str *ret);

/* Append @bytes to @out as base64 with padding. */
void base64_add(struct buf *out, struct str bytes);

#endif
