/*
 * told.h - which encoding a file is said to be in.
 *
 * By the person, with --encoding or in the settings; else by the nearest .editorconfig that
 * says so (charset), else by the nearest .gitattributes
 * (working-tree-encoding), from the file's directory up to its root. A file
 * that is over a budget of patterns.h does not count, and c->note says so.
 */
#ifndef STET_TOLD_H
#define STET_TOLD_H

#include "text/encoding.h"
#include "tools/tool.h"

/* NULL when nobody says anything, or nothing that we know. */
const struct encoding *told_encoding(struct call *c, struct str path);

/*
 * How a person is shown what is in @written, which may be NULL: has the person
 * named that encoding for @path, with --encoding or in settings of their own?
 */
struct display told_display(struct call *c, struct str path,
			    const struct encoding *written);

/*
 * Does a person's pattern fit an absolute path? It is for the end of the
 * path, from any directory on; for all of it when it begins with a slash.
 * @effort, if it is not NULL, says what that may cost: see glob.h.
 */
bool told_fits(struct str glob, struct str path, struct glob_effort *effort);

/*
 * Does it matter? In a file that holds ASCII alone all encodings but UTF-16
 * and the like agree, and nobody needs to be asked.
 */
bool told_matters(struct str bytes);

#endif
