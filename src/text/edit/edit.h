/*
 * edit.h - apply a sequence of string replacements to a text.
 *
 * Each edit sees the text as the edits before it left it, and its old string
 * must occur exactly once. If one fails, nothing is changed.
 *
 * A string that does not occur byte for byte may occur with other line endings:
 * LF and CRLF are then equal, and again it must occur once. The replacement
 * takes the line endings of its place (edit_eol.h), unless the caller meant
 * others: a CRLF in the new string stays when the old string was found byte for
 * byte, and an edit of line endings only is made as written. A CR that is not
 * before an LF is data.
 *
 * The result names the bytes of the original that were replaced, so that the
 * caller can splice them and keep every other byte.
 */
#ifndef STET_EDIT_H
#define STET_EDIT_H

#include "base/err.h"
#include "base/splice.h"
#include "text/lines/eol.h"

struct edit {
	struct str old, with;
};

/* Lines, from 1, in the text just before the edit. */
struct edit_range {
	size_t start, end;
	size_t anchor; /* offset in the original where the range began */
};

struct edit_done {
	struct str text;           /* the text after all edits */
	struct edit_range *ranges; /* one per edit, in order */
	struct splice *splices; /* of the original; ascending, not adjacent */
	size_t splice_count;
	enum eol given; /* line endings that replaced those of new strings */
};

/*
 * Apply @n edits to @text. On failure the fault has index (of the edit that
 * failed), prior (ERR_EDITS_CONFLICT), count (ERR_MANY_MATCHES_AT) and text
 * (its old string):
 *
 *	ERR_EMPTY_OLD_AT     the old string is empty
 *	ERR_NO_MATCH_AT      it does not occur
 *	ERR_EDITS_CONFLICT   it occurred in the original, and an earlier edit
 *	                     with another old string removed the last one
 *	ERR_MANY_MATCHES_AT  it occurs several times
 */
must_check enum err edit_apply(struct str text, const struct edit *edits,
			       size_t n, struct arena *mem,
			       struct edit_done *ret, struct fault *f);

/*
 * Reserve memory in @mem for a text of @from bytes that becomes one of @to
 * bytes by @n edits. ERR_NO_MEMORY. Called before any of it is allocated.
 */
must_check enum err edit_check_memory(size_t from, size_t to, size_t n,
				      struct arena *mem, struct fault *f);

/* @bytes after the @n splices. */
struct str edit_splice(struct str bytes, const struct splice *splices, size_t n,
		       struct arena *mem);

#endif
