/*
 * file_attributes.h - attributes of a file from .editorconfig and
 * .gitattributes.
 *
 * Pure parsers of the two formats: they take the text of one such file, and the
 * path of the file in question relative to its directory.
 */
#ifndef STET_FILE_ATTRIBUTES_H
#define STET_FILE_ATTRIBUTES_H

#include "text/pattern/glob.h"

/* Empty = not set. The values are views into the parsed text. */
struct file_attributes {
	struct str charset;     /* "latin1", "UTF-16LE-BOM" ... */
	struct str end_of_line; /* "lf", "crlf", "cr" */
	bool root;              /* root = true: ignore files further up */
};

/*
 * Add to @s what @text, an .editorconfig, sets for @path: later sections
 * override earlier ones and what is in @s already; "unset" clears a value. Each
 * line and pattern takes steps from @budget; when that is exhausted, @s is not
 * valid.
 */
void file_attributes_editorconfig(struct str text, struct str path,
				  struct glob_budget *budget,
				  struct file_attributes *s);

/*
 * The same for a .gitattributes: working-tree-encoding, and eol where it is
 * set.
 */
void file_attributes_gitattributes(struct str text, struct str path,
				   struct glob_budget *budget,
				   struct file_attributes *s);

#endif
