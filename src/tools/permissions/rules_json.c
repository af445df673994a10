/*
 * rules_json.c - rules and the table of sensitive paths as JSON.
 */
#include "tools/permissions/rules_json.h"

#include "tools/permissions/sensitive.h"

#include <stdio.h>

static void put_rule(struct json_out *o, const struct rule *rule)
{
	json_text_member(o, "verdict", str_of(verdict_name(rule->verdict)));
	json_text_member(o, "rule", rule->text);
	json_text_member(o, "origin", rule->origin);
	if (rule->root.len)
		json_text_member(o, "root", rule->root);
}

void rules_put_one(struct json_out *o, const struct rule *rule)
{
	json_open(o, '{');
	put_rule(o, rule);
	json_close(o, '}');
}

/* Patterns of files that the row does not keep from being read. */
static void put_open(struct json_out *o, const char *const *endings)
{
	char pattern[32];

	json_key(o, "read_but");
	json_open(o, '[');
	for (; *endings; endings++) {
		(void)snprintf(pattern, sizeof(pattern), "*%s", *endings);
		json_put_str(o, str_of(pattern));
	}
	json_close(o, ']');
}

static void rules_put_sensitive(struct json_out *o, const struct sensitive *row)
{
	json_open(o, '{');
	put_rule(o, &row->rule);
	json_text_member(o, "kind", str_of(sensitive_kind_name(row->kind)));
	json_text_member(o, "where", str_of(sensitive_scope_name(row->scope)));
	json_text_member(o, "read",
			 str_of(verdict_name(row->reads ? VERDICT_ASK
							: VERDICT_ALLOW)));
	if (row->open)
		put_open(o, row->open);
	json_text_member(o, "why", str_of(row->reason));
	json_close(o, '}');
}

void rules_put_list(struct json_out *o, const struct rules *r)
{
	json_open(o, '[');
	for (size_t i = 0; i < r->count; i++)
		rules_put_one(o, &r->rule[i]);
	for (size_t i = 0; i < sensitive_count; i++)
		rules_put_sensitive(o, &sensitive_rows[i]);
	json_close(o, ']');
}
