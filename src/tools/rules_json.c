#include "tools/rules_json.h"

#include "tools/sensitive.h"

static void put(struct json_out *o, const char *key, struct str text)
{
	json_key(o, key);
	json_put_str(o, text);
}

static void put_rule(struct json_out *o, const struct rule *rule)
{
	put(o, "verdict", str_of(verdict_name(rule->verdict)));
	put(o, "rule", rule->text);
	put(o, "origin", rule->origin);
	if (rule->root.len)
		put(o, "root", rule->root);
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
	put(o, "kind", str_of(sensitive_kind_name(row->kind)));
	put(o, "where", str_of(sensitive_scope_name(row->scope)));
	put(o, "read",
	    str_of(verdict_name(row->reads ? VERDICT_ASK : VERDICT_ALLOW)));
	if (row->open)
		put_open(o, row->open);
	put(o, "why", str_of(row->reason));
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
