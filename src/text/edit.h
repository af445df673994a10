/*
 * edit.h - replacing strings in a text, one after the other.
 *
 * Each edit looks at the text as the edits before it left it, must find its
 * old string exactly once, and replaces that. Nothing happens when one fails.
 *
 * A string that is not there byte for byte may be there with other line
 * endings: LF and CRLF are then the same, and the string must be there once
 * so. What is put in takes the line endings of its place (edit_eol.h), unless
 * the caller meant others: a CRLF in the new string stays when the old one
 * was there byte for byte, and an edit of nothing but line endings is made
 * as it is written. A CR that is not before an LF is data.
 *
 * What comes back names the bytes of the original that were replaced, so that
 * the caller can splice them and leave every other byte alone.
 */
#ifndef STET_EDIT_H
#define STET_EDIT_H

#include "base/err.h"
#include "base/splice.h"
#include "text/eol.h"

struct edit {
	struct str old, with;
};

/* In the text just before this edit; lines count from 1. */
struct edit_range {
	size_t start, end;
	size_t anchor; /* where in the original that began, in bytes */
};

struct edit_done {
	struct str text;           /* the original with all edits in it */
	struct edit_range *ranges; /* one for each edit, in their order */
	struct splice *splices;    /* ascending, none touching the next */
	size_t splice_count;
	enum eol given; /* the endings new strings got instead of their own */
};

/*
 * Apply @n edits to @text. On failure the fault has index (of the edit that
 * failed), prior (ERR_EDITS_CONFLICT), count (ERR_MANY_MATCHES_AT) and text
 * (its old string):
 *
 *	ERR_EMPTY_OLD_AT     the old string is empty
 *	ERR_NO_MATCH_AT      it is not there
 *	ERR_EDITS_CONFLICT   it was there in the original, and an earlier edit
 *	                     with another old string took the last one away
 *	ERR_MANY_MATCHES_AT  it is there several times
 */
must_check enum err edit_apply(struct str text, const struct edit *edits,
			       size_t n, struct arena *mem,
			       struct edit_done *ret, struct fault *f);

/*
 * Is there memory in @mem for a text of @from bytes that becomes one of @to
 * by @n edits? ERR_NO_MEMORY. Called before any of that is taken.
 */
must_check enum err edit_affords(size_t from, size_t to, size_t n,
				 struct arena *mem, struct fault *f);

/* @bytes with the @n splices made. */
struct str edit_splice(struct str bytes, const struct splice *splices, size_t n,
		       struct arena *mem);

#endif
