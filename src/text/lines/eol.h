/*
 * eol.h - detect and convert line endings. A CR without an LF is data.
 */
#ifndef STET_EOL_H
#define STET_EOL_H

#include "base/arena.h"

enum eol {
	EOL_NONE,  /* no line ending */
	EOL_LF,    /* only LF */
	EOL_CRLF,  /* only CRLF */
	EOL_MIXED, /* both */
};

enum eol eol_of(struct str text);

/* The line endings of two texts together. */
enum eol eol_join(enum eol a, enum eol b);

/* "lf", "crlf", "mixed", "none" */
const char *eol_name(enum eol e);

/* @text with every LF that has no CR before it made CRLF. */
struct str eol_to_crlf(struct str text, struct arena *mem);

/* @text with every CRLF made LF. */
struct str eol_to_lf(struct str text, struct arena *mem);

/*
 * The same, written to @ret, which has room for all of @text; returns the
 * length.
 */
size_t eol_copy_lf(struct str text, char *ret);

/* The number of CRLFs in @text. */
size_t eol_crlfs(struct str text);

#endif
