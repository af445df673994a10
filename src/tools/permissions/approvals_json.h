/*
 * approvals_json.h - approvals and grants as programs read them.
 */
#ifndef STET_APPROVALS_JSON_H
#define STET_APPROVALS_JSON_H

#include "base/json.h"
#include "store/approvals.h"

const char *approvals_state(enum approval_state state);
const char *approvals_reach(enum grant_reach reach);

void approvals_put(struct json_out *o, const struct approval *a);

/* The members that describe a change beside its diff. */
void approvals_put_facts(struct json_out *o, const struct approval *a);

/*
 * Member "lookalikes": characters of @path that look like ASCII characters.
 * Left out when there are none.
 */
void approvals_put_lookalikes(struct json_out *o, struct str path,
			      struct arena *mem);

/* The lines of a text as an array. */
void approvals_put_lines(struct json_out *o, const char *key, struct str lines);

void approvals_put_grant(struct json_out *o, const struct grant *g,
			 struct arena *mem);

#endif
