/*
 * changeset.h - the format of apply_patch: changes of several files as a text.
 *
 *	*** Begin Patch
 *	*** Add File: new.txt
 *	+its only line
 *	*** Delete File: old.txt
 *	*** Update File: src/a.c
 *	*** Move to: src/b.c
 *	@@ int main(void)
 *	 	stays
 *	-	goes
 *	+	comes
 *	*** End of File
 *	*** End Patch
 *
 * That is Codex's grammar. Beyond it these are understood: blanks around a
 * marker, empty lines between sections, a here-document or a code fence around
 * the whole, several "@@" lines in a row, a move without a hunk, a new file
 * without lines, and the header of a unified diff for "@@". Lines end in LF or
 * CRLF, and count from 1.
 */
#ifndef STET_CHANGESET_H
#define STET_CHANGESET_H

#include "base/err.h"

struct changeset_line {
	char sign; /* ' ', '-', '+' */
	struct str text;
};

enum { CHANGESET_MOST_AT = 16 }; /* "@@" lines of a hunk */

struct changeset_hunk {
	size_t line;    /* of the patch */
	struct str *at; /* the texts of its "@@" lines */
	size_t at_count;
	size_t old_line; /* from "@@ -N,M +N,M @@"; 0 = not given */
	struct changeset_line *lines; /* not empty */
	size_t count;
	bool at_end; /* "*** End of File" */
};

enum changeset_kind { CHANGESET_ADD, CHANGESET_DELETE, CHANGESET_UPDATE };

struct changeset_section {
	enum changeset_kind kind;
	size_t line; /* of the patch */
	struct str path;
	struct str to; /* "*** Move to:"; "" = none */
	struct changeset_hunk *hunks;
	size_t hunk_count;
	struct str content; /* CHANGESET_ADD: its lines, each with an LF */
};

struct changeset {
	struct changeset_section *sections; /* not empty */
	size_t count;
};

/*
 * ERR_BAD_PATCH, with the line in number and what is wrong in text. Views into
 * @text.
 */
must_check enum err changeset_parse(struct str text, struct arena *mem,
				    struct changeset *ret, struct fault *f);

/* The text that changeset_parse() reads as @c. */
void changeset_print(const struct changeset *c, struct buf *out);

#endif
