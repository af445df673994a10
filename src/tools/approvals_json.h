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
void approvals_put_grant(struct json_out *o, const struct grant *g,
			 struct arena *mem);

#endif
