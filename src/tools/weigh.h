/*
 * weigh.h - what the rules say of a path, without a call: for people who ask.
 *
 * `stet rules check` and the page's box both come here. It looks at the file
 * (links, ignore files of the project) and changes nothing.
 */
#ifndef STET_WEIGH_H
#define STET_WEIGH_H

#include "tools/rules.h"

struct weigh_want {
	const struct tool *tool;
	struct str path;               /* absolute */
	uint64_t bytes, lines_removed; /* of the change; both 0 = not known */
};

struct weighed {
	struct deed deed; /* its effort is over */
	struct decision decision;
};

void weigh(struct workspace *ws, const struct rules *r,
	   const struct weigh_want *want, struct arena *mem,
	   struct weighed *ret);

/* {"verdict","reason","why","rule","mode","hidden","tool","path","key"} */
void weigh_put(struct json_out *o, const struct weighed *w,
	       const struct rules *r);

#endif
