/*
 * grep_page.h - the result of Grep: texts, pages and structured members.
 */
#ifndef STET_GREP_PAGE_H
#define STET_GREP_PAGE_H

#include "tools/find/grep.h"
#include "tools/find/meta.h"

enum { GREP_CHARS = 20000 }; /* characters of one text */

struct grep_result {
	struct str mode, content;
	int64_t num_files, num_lines, num_matches, total_files, total_lines;
	int64_t applied_limit, applied_offset;
	struct item_list filenames; /* of struct str */
	bool timed_out;
	struct find_meta meta;
};

/*
 * Make the result of @out: c->say, c->also, and the members of @ret. Sorts the
 * entries.
 */
void grep_page(struct find *find, const struct grep_want *want,
	       struct grep_out *out, struct grep_result *ret);

#endif
