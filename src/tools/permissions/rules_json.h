/*
 * rules_json.h - rules as programs read them.
 */
#ifndef STET_RULES_JSON_H
#define STET_RULES_JSON_H

#include "tools/permissions/rules.h"

void rules_put_one(struct json_out *o, const struct rule *rule);

/* All of them, those that are built in at the end: an array. */
void rules_put_list(struct json_out *o, const struct rules *r);

#endif
