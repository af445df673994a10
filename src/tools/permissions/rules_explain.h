/*
 * rules_explain.h - explains what the rules decide for a path, without a call.
 *
 * For `stet rules check` and the form on the page. Resolves symlinks and reads
 * ignore files of the project; changes nothing.
 */
#ifndef STET_RULES_EXPLAIN_H
#define STET_RULES_EXPLAIN_H

#include "tools/permissions/rules.h"

struct rules_explain_want {
	const struct tool *tool;
	struct str path;               /* absolute */
	uint64_t bytes, lines_removed; /* of the change; both 0 = unknown */
};

struct rules_explained {
	struct action action; /* without effort */
	struct decision decision;
};

void rules_explain(struct workspace *ws, const struct rules *r,
		   const struct rules_explain_want *want, struct arena *mem,
		   struct rules_explained *ret);

/* {"verdict","reason","why","rule","mode","hidden","tool","path","key"} */
void rules_explained_put(struct json_out *o, const struct rules_explained *w,
			 const struct rules *r);

#endif
