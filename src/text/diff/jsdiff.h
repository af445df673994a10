/*
 * jsdiff.h - a diff as the npm package "diff" prints it, byte for byte: what
 * the reference filesystem server puts into a reply.
 *
 *	Index: NAME
 *	===================================================================
 *	--- NAME	original
 *	+++ NAME	modified
 *	@@ -1,5 +1,5 @@
 *
 * Four lines of context. Where lines repeat, unified.h may choose other lines
 * as the changed ones. After JSDIFF_MOST_EDITS added and removed lines the
 * result is still a correct diff, but the choice is that of diff.h.
 */
#ifndef STET_JSDIFF_H
#define STET_JSDIFF_H

#include "base/arena.h"
#include "base/buf.h"

enum { JSDIFF_MOST_EDITS = 1000 };

void jsdiff_print(struct str name, struct str old_text, struct str new_text,
		  struct arena *mem, struct buf *out);

#endif
