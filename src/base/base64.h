/*
 * base64.h - bytes as text that goes through anything (RFC 4648).
 */
#ifndef STET_BASE64_H
#define STET_BASE64_H

#include "base/arena.h"
#include "base/buf.h"

/* With its padding; false when it is anything else. */
must_check bool base64_decode(struct str text, struct arena *mem,
			      struct str *ret);

/* Add @bytes to @out as base64, with its padding. */
void base64_add(struct buf *out, struct str bytes);

#endif
