/*
 * configschema.c - writes the JSON schema of settings files.
 *
 * Made from the same rows as the parser (configkeys.h), so that
 * docs/config.schema.json cannot disagree with it.
 */
#include "app/configkeys.h"

static void put_object(struct json_out *o, const struct key *table);

static void put_type(struct json_out *o, const char *type)
{
	json_key(o, "type");
	json_put_str(o, str_of(type));
}

static void schema_put_list(struct json_out *o, const char *pattern)
{
	put_type(o, "array");
	json_key(o, "items");
	json_open(o, '{');
	put_type(o, "string");
	if (pattern) {
		json_key(o, "pattern");
		json_put_str(o, str_of(pattern));
	}
	json_close(o, '}');
}

static void put_modes(struct json_out *o)
{
	static const char *const spellings[] = {
		"default",
		"plan",
		"acceptEdits",
		"accept-edits",
		"accept_edits",
		"bypassPermissions",
		"bypass-permissions",
		"bypass_permissions",
		"yolo",
	};

	json_key(o, "enum");
	json_open(o, '[');
	for (size_t i = 0; i < COUNT_OF(spellings); i++)
		json_put_str(o, str_of(spellings[i]));
	json_close(o, ']');
}

static void put_value(struct json_out *o, const struct key *key)
{
	switch (key->type) {
	case KEY_ANY:
	case KEY_TEXT:
		put_type(o, "string");
		return;
	case KEY_MODE:
		put_modes(o);
		return;
	case KEY_RULES:
		schema_put_list(o, "^(\\*|[A-Za-z_]+)(\\(.+\\))?"
				   "( +(lines_removed|bytes|files)>[0-9]+)*$");
		return;
	case KEY_TOOLS:
		schema_put_list(o, "^[+-]?[A-Za-z_]+$");
		json_key(o, "minItems");
		json_put_int(o, 1);
		return;
	case KEY_IGNORE:
		schema_put_list(o, NULL);
		return;
	case KEY_BOOL:
		put_type(o, "boolean");
		return;
	case KEY_COUNT:
		put_type(o, "integer");
		json_key(o, "minimum");
		json_put_int(o, 1);
		return;
	case KEY_HOOKS:
		put_type(o, "array");
		json_key(o, "items");
		json_open(o, '{');
		put_object(o, key->keys);
		json_key(o, "required");
		json_put_raw(o, STR("[\"command\"]"));
		json_close(o, '}');
		return;
	case KEY_ENCODINGS:
		put_type(o, "object");
		json_key(o, "additionalProperties");
		json_put_raw(o, STR("{\"type\":\"string\"}"));
		return;
	case KEY_OBJECT:
		put_object(o, key->keys);
		return;
	}
}

static void put_object(struct json_out *o, const struct key *table)
{
	put_type(o, "object");
	json_key(o, "additionalProperties");
	json_put_bool(o, false);
	json_key(o, "properties");
	json_open(o, '{');
	for (; table->name; table++) {
		json_key(o, table->name);
		json_open(o, '{');
		json_key(o, "description");
		json_put_str(o, str_of(table->doc));
		put_value(o, table);
		json_close(o, '}');
	}
	json_close(o, '}');
}

void configfile_schema(struct buf *out)
{
	struct json_out o = json_out(out);

	json_open(&o, '{');
	json_key(&o, "$schema");
	json_put_str(&o, STR("https://json-schema.org/draft/2020-12/schema"));
	json_key(&o, "title");
	json_put_str(&o, STR("Settings of stet"));
	put_object(&o, config_keys);
	json_close(&o, '}');
}
