/*
 * naming.h - shared by the tools that change names: create_directory, move_file,
 * copy_file and delete_file.
 *
 * Their result is one sentence, {content, _meta}.
 */
#ifndef STET_NAMING_H
#define STET_NAMING_H

#include "tools/change/tree_change.h"

struct naming_meta {
	struct str operation, history, hook;
};

struct naming_out {
	struct str content;
	struct naming_meta meta;
};

extern const struct field naming_out_fields[];

/* Fill in the result; @content names the paths as the caller gave them. */
void naming_report(struct call *c, const struct tree_changed *changed,
		   struct str content);

#endif
