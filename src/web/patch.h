/*
 * patch.h - parses a unified diff, of one or several files, for display.
 *
 * Reads the output of unified_print(): the header of a hunk has its number of
 * lines, so that no content of a file is taken for a header.
 */
#ifndef STET_PATCH_H
#define STET_PATCH_H

#include "base/json.h"

struct patch_line {
	char kind; /* ' ', '-', '+'; '\\': the one before has no newline */
	struct str text;           /* without its newline; a CR stays */
	size_t old_line, new_line; /* from 1; 0 = it is not on that side */
};

struct patch_hunk {
	struct str file;   /* as in the line "--- file" */
	struct str header; /* "@@ -3,4 +3,5 @@" */
	size_t old_start, old_lines, new_start, new_lines;
	struct patch_line *lines;
	size_t count;
};

struct patch {
	struct patch_hunk *hunks;
	size_t count;
	size_t files;
	size_t added, removed; /* lines that are shown */
	bool cut;              /* the text ends in the middle of a hunk */
};

/* Of a text that is no diff: no hunks. Views into @diff. */
void patch_parse(struct str diff, struct arena *mem, struct patch *ret);

/* The hunks as a JSON array; texts are not escaped for display. */
void patch_put(struct json_out *o, const struct patch *p);

#endif
