/*
 * settings.h - what .editorconfig and .gitattributes say of a file.
 *
 * Pure readers of the two formats: the text of one such file and the path,
 * from the directory it is in, of the file in question.
 */
#ifndef STET_SETTINGS_H
#define STET_SETTINGS_H

#include "text/glob.h"

/* "" = nothing is said. Views into the text. */
struct settings {
	struct str charset;     /* "latin1", "UTF-16LE-BOM" ... */
	struct str end_of_line; /* "lf", "crlf", "cr" */
	bool root;              /* no file further up counts */
};

/*
 * Add what @text, an .editorconfig, says of @path to @s: later sections win
 * over earlier ones and over what is in @s already. "unset" is nothing. Each
 * line and each pattern is on account of @effort; when that is exhausted, what
 * is in @s does not count.
 */
void settings_editorconfig(struct str text, struct str path,
			   struct glob_effort *effort, struct settings *s);

/*
 * The same for a .gitattributes: working-tree-encoding, and eol where it is
 * set.
 */
void settings_gitattributes(struct str text, struct str path,
			    struct glob_effort *effort, struct settings *s);

#endif
