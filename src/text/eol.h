/*
 * eol.h - line endings of a text.
 */
#ifndef STET_EOL_H
#define STET_EOL_H

#include "base/arena.h"

enum eol {
	EOL_NONE,  /* no line ends at all */
	EOL_LF,    /* every line that ends, ends in LF */
	EOL_CRLF,  /* every one in CRLF */
	EOL_MIXED, /* both */
};

enum eol eol_of(struct str text);

/* Of two texts with these, together. */
enum eol eol_join(enum eol a, enum eol b);

/* "lf", "crlf", "mixed", "none" */
const char *eol_name(enum eol e);

/* @text with every LF that has no CR before it made CRLF. */
struct str eol_to_crlf(struct str text, struct arena *mem);

/* @text with every CRLF made LF. */
struct str eol_to_lf(struct str text, struct arena *mem);

/* The same into @ret, which has room for all of @text; returns its length. */
size_t eol_copy_lf(struct str text, char *ret);

/* How many CRLFs are in @text. */
size_t eol_crlfs(struct str text);

#endif
