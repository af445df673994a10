/*
 * patch.h - a unified diff taken apart again, for those who show it.
 *
 * What unified_print() makes is read as it was meant: the head of a hunk says
 * how many lines it has, so that nothing a file holds is taken for a head.
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
	struct str header; /* "@@ -3,4 +3,5 @@" */
	size_t old_start, old_lines, new_start, new_lines;
	struct patch_line *lines;
	size_t count;
};

struct patch {
	struct patch_hunk *hunks;
	size_t count;
	size_t added, removed; /* lines that are shown */
	bool cut;              /* it ends in the middle of a hunk */
};

/* Of a text that is no diff: no hunks. Views into @diff. */
void patch_parse(struct str diff, struct arena *mem, struct patch *ret);

/* The hunks as an array; the texts as they are. */
void patch_put(struct json_out *o, const struct patch *p);

#endif
