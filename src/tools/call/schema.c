/*
 * schema.c - writes the tools/list entry of a tool: both JSON Schemas and the
 * annotations, from its row.
 *
 * Pure; the bytes are part of the contract (golden tests compare them).
 */
#include "tools/call/schema.h"

static void put_keyword(struct json_out *o, const char *key, const char *text)
{
	if (!text)
		return;
	json_key(o, key);
	json_put_str(o, str_of(text));
}

static void put_flag(struct json_out *o, const char *key, bool flag)
{
	json_key(o, key);
	json_put_bool(o, flag);
}

static const char *type_name(enum field_type type)
{
	switch (type) {
	case FIELD_STR:
	case FIELD_PATH:
		return "string";
	case FIELD_INT:
		return "integer";
	case FIELD_BOOL:
		return "boolean";
	case FIELD_LIST:
	case FIELD_TEXTS:
	case FIELD_INTS:
		return "array";
	case FIELD_OBJECT:
		return "object";
	}
	return "";
}

static void put_choices(struct json_out *o, const char *const *choices)
{
	json_key(o, "enum");
	json_open(o, '[');
	for (; *choices; choices++)
		json_put_str(o, str_of(*choices));
	json_close(o, ']');
}

static void put_object_schema(struct json_out *o, const struct field *fields);

static void put_field(struct json_out *o, const struct field *f)
{
	json_open(o, '{');
	put_keyword(o, "type", type_name(f->type));
	if (f->below) {
		json_key(o, "minimum");
		json_put_int(o, f->min);
	}
	put_keyword(o, "format", f->format);
	if (f->choices)
		put_choices(o, f->choices);
	put_keyword(o, "description", f->doc);
	put_keyword(o, "pattern", f->pattern);
	if (f->max_length) {
		json_key(o, "maxLength");
		json_put_int(o, (int64_t)f->max_length);
	}
	if (f->standard) {
		json_key(o, "default");
		json_put_raw(o, str_of(f->standard));
	}
	if (f->type == FIELD_LIST) {
		json_key(o, "items");
		json_open(o, '{');
		put_keyword(o, "type", "object");
		put_object_schema(o, f->fields);
		json_close(o, '}');
	}
	if (f->type == FIELD_TEXTS) {
		json_key(o, "items");
		json_put_raw(o, STR("{\"type\":\"string\"}"));
		if (f->empty) {
			json_key(o, "minItems");
			json_put_int(o, 1);
		}
	}
	if (f->type == FIELD_INTS) {
		json_key(o, "items");
		json_put_raw(o, STR("{\"type\":\"integer\"}"));
	}
	if (f->type == FIELD_OBJECT && !f->brief)
		put_object_schema(o, f->fields);
	json_close(o, '}');
}

static void put_properties(struct json_out *o, const struct field *fields)
{
	for (; fields->name; fields++) {
		if (fields->unlisted)
			continue;
		json_key(o, fields->name);
		put_field(o, fields);
	}
}

static void put_required(struct json_out *o, const struct field *fields)
{
	json_key(o, "required");
	json_open(o, '[');
	for (; fields->name; fields++)
		if (fields->required)
			json_put_str(o, str_of(fields->name));
	json_close(o, ']');
}

static void put_object_schema(struct json_out *o, const struct field *fields)
{
	json_key(o, "properties");
	json_open(o, '{');
	put_properties(o, fields);
	json_close(o, '}');
	put_required(o, fields);
}

void schema_input(struct json_out *o, const struct tool *t)
{
	json_open(o, '{');
	put_keyword(o, "type", "object");
	put_object_schema(o, t->fields);
	json_close(o, '}');
}

static const struct field error_fields[] = {
	{ "code", FIELD_INT, .required = true, .doc = "Kind of failure" },
	{ "message", FIELD_STR, .required = true,
	  .doc = "Description of the failure" },
	FIELDS_END,
};

static const struct field error_field[] = {
	{ "error", FIELD_OBJECT, .required = true,
	  .doc = "On failure, instead of all other members",
	  .fields = error_fields },
	FIELDS_END,
};

static const struct field data_fields[] = {
	{ "version", FIELD_STR, .doc = "Version of the file now" },
	{ "changed", FIELD_STR, .doc = "How it differs from what was read" },
	FIELDS_END,
};

static const struct field coded_fields[] = {
	{ "result", FIELD_BOOL, .required = true,
	  .doc = "false: nothing was changed" },
	{ "message", FIELD_STR, .required = true, .doc = "The reason" },
	{ "errorCode", FIELD_INT,
	  .doc = "1 ignored, 2 not read yet, 3 modified since read" },
	{ "data", FIELD_OBJECT, .doc = "About the file",
	  .fields = data_fields },
	FIELDS_END,
};

/*
 * A result is the object of the contract or an error. One SDK validates error
 * results against the output schema too, so it must allow all forms.
 */
void schema_output(struct json_out *o, const struct tool *t)
{
	const struct field *const forms[] = { t->out, error_field,
					      coded_fields };
	size_t n = t->error_codes ? 3 : 2;

	json_open(o, '{');
	put_keyword(o, "type", "object");
	json_key(o, "properties");
	json_open(o, '{');
	for (size_t i = 0; i < n; i++)
		put_properties(o, forms[i]);
	json_close(o, '}');
	json_key(o, "anyOf");
	json_open(o, '[');
	for (size_t i = 0; i < n; i++) {
		json_open(o, '{');
		put_required(o, forms[i]);
		json_close(o, '}');
	}
	json_close(o, ']');
	json_close(o, '}');
}

/* Clients decide by these hints whether to ask their user. */
static void put_annotations(struct json_out *o, const struct tool *t,
			    const struct tool_options *options)
{
	bool changes = effects_change(t->effects);

	json_key(o, "annotations");
	json_open(o, '{');
	put_keyword(o, "title", t->title);
	put_flag(o, "readOnlyHint", !changes);
	if (changes) {
		/* A change that the history records can be undone. */
		put_flag(o, "destructiveHint",
			 !options->store && t->effects != TOOL_APPENDS &&
				 !t->loses_nothing);
		put_flag(o, "idempotentHint",
			 t->effects == TOOL_WRITES || t->idempotent);
	}
	put_flag(o, "openWorldHint", false);
	json_close(o, '}');
}

void schema_tool(struct json_out *o, const struct tool *t,
		 const struct tool_options *options)
{
	json_open(o, '{');
	put_keyword(o, "name", t->name);
	put_keyword(o, "title", t->title);
	put_keyword(o, "description", t->doc);
	json_key(o, "inputSchema");
	schema_input(o, t);
	if (options->results != RESULTS_TEXT && t->out) {
		json_key(o, "outputSchema");
		schema_output(o, t);
	}
	put_annotations(o, t, options);
	if (t->category) {
		json_key(o, "_meta");
		json_open(o, '{');
		put_keyword(o, "category", t->category);
		json_close(o, '}');
	}
	json_close(o, '}');
}
