/*
 * args.c - decodes JSON arguments into the struct of a tool, by its field
 * table.
 *
 * Messages name the argument by its full path ("edits[3].old_string"). What a
 * peer sent is shown in part only, and memory is that of the call.
 */
#include "tools/call/args.h"

#include "text/encoding/utf8.h"
#include "tools/find/scope.h"

static const struct field guard_fields[] = {
	{ "if_version", FIELD_STR,
	  .offset = offsetof(struct call_guard, if_version),
	  .doc = "The version that the file must still have: _meta.version of a read" },
	FIELDS_END,
};

/* Position in the arguments, for messages: "edits[3]." or "". */
struct arg_position {
	struct call *c;
	struct str prefix;
};

static enum err args_bad(const struct arg_position *p, struct str text)
{
	return fail(p->c->fault, ERR_BAD_ARGS, .text = text);
}

static enum err bad_type(const struct arg_position *p, const char *name,
			 const char *what)
{
	return args_bad(p, arena_printf(p->c->mem,
					"Argument " STR_FMT "%s must be %s",
					STR_ARG(p->prefix), name, what));
}

/* One typing error per three letters; with more it is another word. */
enum { MOST_SLIPS = 2 };

const char *args_nearest(struct str name, const char *const *names, size_t n)
{
	size_t best = MOST_SLIPS + 1, limit, distance;
	const char *found = NULL;

	for (size_t i = 0; i < n; i++) {
		limit = (size_min(name.len, strlen(names[i])) + 1) / 3;
		if (names[i][0] == '-' && strlen(names[i]) == 2)
			continue; /* one letter: any would be near */
		distance = str_distance(name, str_of(names[i]), MOST_SLIPS);
		if (distance <= limit && distance < best) {
			best = distance;
			found = names[i];
		}
	}
	return found;
}

static enum err args_unknown(const struct arg_position *p,
			     const struct field *fields, struct str key)
{
	enum { MOST = 32 };
	const char *names[MOST], *near;
	size_t n = 0;

	for (const struct field *f = fields; f->name && n < MOST; f++) {
		names[n++] = f->name;
		for (const char *const *a = f->aliases; a && *a && n < MOST;
		     a++)
			names[n++] = *a;
	}
	near = args_nearest(key, names, n);
	/* The key comes from the peer: show a bounded part of it. */
	key = utf8_head(key, 100);
	if (!near)
		return args_bad(
			p, arena_printf(p->c->mem,
					"Unknown argument: " STR_FMT STR_FMT,
					STR_ARG(p->prefix), STR_ARG(key)));
	return args_bad(p,
			arena_printf(p->c->mem,
				     "Unknown argument: " STR_FMT STR_FMT
				     " (did you mean %s?)",
				     STR_ARG(p->prefix), STR_ARG(key), near));
}

static enum err decode_object(const struct arg_position *p, struct json object,
			      const struct field *fields, void *to);

static enum err decode_list(const struct arg_position *p,
			    const struct field *field, struct json v,
			    struct item_list *to)
{
	struct json_walk w = json_walk(v);
	struct arg_position item = { p->c, STR("") };
	char *at;
	enum err e;

	if (!json_is(v, JSON_ARRAY))
		return bad_type(p, field->name, "an array");
	to->items = arena_zero(p->c->mem, json_count(v), field->size);
	at = to->items;
	for (; json_step(&w); to->count++, at += field->size) {
		item.prefix = arena_printf(p->c->mem, STR_FMT "%s[%zu].",
					   STR_ARG(p->prefix), field->name,
					   to->count);
		if (!json_is(w.value, JSON_OBJECT))
			return args_bad(
				p, arena_printf(p->c->mem,
						"Argument " STR_FMT
						"%s[%zu] must be an object",
						STR_ARG(p->prefix), field->name,
						to->count));
		e = decode_object(&item, w.value, field->fields, at);
		if (e)
			return e;
	}
	return ERR_OK;
}

/* Is @c in the set of "^[set]+$", which has ranges like a-z? */
static bool in_set(const char *set, char c)
{
	for (; *set && *set != ']'; set++) {
		if (set[1] == '-' && set[2] != ']') {
			if (c >= set[0] && c <= set[2])
				return true;
			set += 2;
		} else if (c == *set) {
			return true;
		}
	}
	return false;
}

/* Every byte is checked, so that no newline passes at the end. */
static bool fits_pattern(const char *pattern, struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (!in_set(pattern + strlen("^["), text.ptr[i]))
			return false;
	return text.len > 0;
}

static bool is_choice(const char *const *choices, struct str text,
		      struct buf *list)
{
	for (; *choices; choices++) {
		if (str_is(text, *choices))
			return true;
		buf_addf(list, "%s%s", list->len ? ", " : "one of ", *choices);
	}
	return false;
}

static size_t code_points(struct str text)
{
	size_t n = 0;

	for (size_t i = 0; i < text.len; i++)
		n += ((unsigned char)text.ptr[i] & 0xC0) != 0x80;
	return n;
}

static enum err check_str(const struct arg_position *p,
			  const struct field *field, struct str text)
{
	auto_buf list = BUF_INIT;

	if (field->pattern && !fits_pattern(field->pattern, text))
		return bad_type(p, field->name,
				arena_printf(p->c->mem,
					     "a string that matches %s",
					     field->pattern)
					.ptr);
	if (field->choices && !is_choice(field->choices, text, &list))
		return bad_type(p, field->name,
				arena_cstr(p->c->mem, buf_str(&list)));
	if (field->max_length && code_points(text) > field->max_length)
		return bad_type(p, field->name,
				arena_printf(p->c->mem,
					     "at most %zu characters long",
					     field->max_length)
					.ptr);
	return ERR_OK;
}

static enum err decode_str(const struct arg_position *p,
			   const struct field *field, struct json v,
			   struct str *to)
{
	if (!json_is(v, JSON_STRING))
		return bad_type(p, field->name, "a string");
	if (!json_text(v, p->c->mem, to))
		return args_bad(
			p,
			arena_printf(
				p->c->mem,
				"Argument " STR_FMT
				"%s has a lone surrogate, which no text can hold",
				STR_ARG(p->prefix), field->name));
	if (!to->ptr)
		to->ptr = ""; /* distinguishes an empty string from none */
	return check_str(p, field, *to);
}

static enum err decode_texts(const struct arg_position *p,
			     const struct field *field, struct json v,
			     struct item_list *to)
{
	struct json_walk w = json_walk(v);
	struct field item = { .type = FIELD_STR };
	struct str *texts;
	enum err e = ERR_OK;

	if (!json_is(v, JSON_ARRAY))
		return bad_type(p, field->name, "an array");
	texts = arena_zero(p->c->mem, json_count(v), sizeof(*texts));
	to->items = texts;
	for (; !e && json_step(&w); to->count++) {
		item.name = arena_printf(p->c->mem, "%s[%zu]", field->name,
					 to->count)
				    .ptr;
		e = decode_str(p, &item, w.value, &texts[to->count]);
	}
	return e;
}

/* An object whose values are strings: its names and values alternate. */
static enum err decode_pairs(const struct arg_position *p,
			     const struct field *field, struct json v,
			     struct item_list *to)
{
	struct json_walk w = json_walk(v);
	struct field item = { .type = FIELD_STR, .name = field->name };
	struct str *texts;
	enum err e = ERR_OK;

	if (!json_is(v, JSON_OBJECT))
		return bad_type(p, field->name, "an object");
	texts = arena_zero(p->c->mem, 2 * json_count(v), sizeof(*texts));
	to->items = texts;
	for (; !e && json_step(&w); to->count += 2) {
		if (!json_text(w.key, p->c->mem, &texts[to->count]))
			return bad_type(p, field->name, "an object of texts");
		e = decode_str(p, &item, w.value, &texts[to->count + 1]);
	}
	return e;
}

/* An integer as JSON, or as digits in a string if the tool allows that. */
static bool read_int(const struct arg_position *p, struct json v, int64_t *ret)
{
	enum { MOST_DIGITS = 18 };
	struct str text;
	int64_t n = 0;
	bool negative;

	if (!p->c->tool->casts_strings || !json_is(v, JSON_STRING))
		return json_int(v, ret);
	if (!json_text(v, p->c->mem, &text))
		return false;
	negative = str_starts(text, STR("-"));
	text = str_skip(text, negative);
	if (!text.len || text.len > MOST_DIGITS)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return false;
		n = n * 10 + (text.ptr[i] - '0');
	}
	*ret = negative ? -n : n;
	return true;
}

static bool read_bool(const struct arg_position *p, struct json v, bool *ret)
{
	if (!p->c->tool->casts_strings || !json_is(v, JSON_STRING))
		return json_bool(v, ret);
	*ret = json_str_is(v, "true");
	return *ret || json_str_is(v, "false");
}

static enum err decode_field(const struct arg_position *p,
			     const struct field *field, struct json v,
			     void *base)
{
	void *to = (char *)base + field->offset;

	switch (field->type) {
	case FIELD_STR:
	case FIELD_PATH:
		return decode_str(p, field, v, to);
	case FIELD_INT:
		if (!read_int(p, v, to))
			return bad_type(p, field->name, "an integer");
		return ERR_OK;
	case FIELD_BOOL:
		if (!read_bool(p, v, to))
			return bad_type(p, field->name, "true or false");
		return ERR_OK;
	case FIELD_LIST:
		return decode_list(p, field, v, to);
	case FIELD_TEXTS:
		return field->pairs ? decode_pairs(p, field, v, to)
				    : decode_texts(p, field, v, to);
	case FIELD_INTS: /* in results only */
		return bad_type(p, field->name, "left out");
	case FIELD_OBJECT:
		if (!json_is(v, JSON_OBJECT))
			return bad_type(p, field->name, "an object");
		return decode_object(p, v, field->fields, to);
	}
	return ERR_OK;
}

static bool is_alias(const struct field *field, struct str name)
{
	for (const char *const *a = field->aliases; a && *a; a++)
		if (str_is(name, *a))
			return true;
	return false;
}

static const struct field *field_named(const struct field *fields,
				       struct str name)
{
	for (; fields->name; fields++)
		if (str_is(name, fields->name) || is_alias(fields, name))
			return fields;
	return NULL;
}

/* The top-level arguments of struct call_guard. */
static const struct field *guard_named(const struct arg_position *p,
				       struct str key)
{
	if (p->prefix.len || !effects_change(p->c->tool->effects))
		return NULL;
	return field_named(guard_fields, key);
}

static enum err decode_member(const struct arg_position *p,
			      const struct field *fields, struct str key,
			      struct json value, void *to)
{
	const struct field *field = field_named(fields, key);

	if (field)
		/* Of a name and its alias one may be null. */
		return json_is(value, JSON_NULL) &&
				       (!field->required || field->aliases)
			       ? ERR_OK
			       : decode_field(p, field, value, to);
	field = guard_named(p, key);
	if (field)
		return json_is(value, JSON_NULL)
			       ? ERR_OK
			       : decode_field(p, field, value, &p->c->guard);
	if (str_is(key, "description"))
		return ERR_OK;
	return args_unknown(p, fields, key);
}

static void set_absent(const struct field *fields, void *to)
{
	for (; fields->name; fields++) {
		char *at = (char *)to + fields->offset;

		if (fields->type == FIELD_INT)
			*(int64_t *)(void *)at = fields->absent;
		if (fields->type == FIELD_BOOL)
			*(bool *)at = fields->absent;
	}
}

struct json args_value(const struct field *field, struct json arguments)
{
	struct json v = json_get(arguments, field->name);

	for (const char *const *a = field->aliases;
	     a && *a && json_kind(v) <= JSON_NULL; a++)
		v = json_get(arguments, *a);
	return v;
}

/*
 * The value that an argument has under its name or one of its aliases. null
 * counts as left out. ERR_BAD_ARGS when two spellings have a value.
 */
static enum err find_value(const struct arg_position *p, struct json object,
			   const struct field *field, struct json *ret)
{
	const char *spelling = field->name;
	struct json v;

	*ret = json_get(object, field->name);
	for (const char *const *a = field->aliases; a && *a; a++) {
		v = json_get(object, *a);
		if (json_kind(v) <= JSON_NULL)
			continue;
		if (json_kind(*ret) > JSON_NULL)
			return args_bad(
				p, arena_printf(p->c->mem,
						"Argument " STR_FMT
						"%s is given twice: %s and %s",
						STR_ARG(p->prefix), field->name,
						spelling, *a));
		*ret = v;
		spelling = *a;
	}
	return ERR_OK;
}

static enum err check_given(const struct arg_position *p, struct json object,
			    const struct field *fields)
{
	struct json v;
	enum err e;

	for (; fields->name; fields++) {
		e = find_value(p, object, fields, &v);
		if (e)
			return e;
		if (fields->required && json_kind(v) <= JSON_NULL)
			return args_bad(
				p, arena_printf(
					   p->c->mem,
					   "Missing required argument: " STR_FMT
					   "%s",
					   STR_ARG(p->prefix), fields->name));
	}
	return ERR_OK;
}

static enum err decode_object(const struct arg_position *p, struct json object,
			      const struct field *fields, void *to)
{
	struct json_walk w = json_walk(object);
	struct str key;
	enum err e;

	if (json_duplicate_key(object, p->c->mem, &key))
		return args_bad(p, arena_printf(p->c->mem,
						"Argument " STR_FMT STR_FMT
						" is given twice",
						STR_ARG(p->prefix),
						STR_ARG(utf8_head(key, 100))));
	set_absent(fields, to);
	while (json_step(&w)) {
		if (!json_text(w.key, p->c->mem, &key))
			return args_bad(
				p,
				STR("An argument's name has a lone surrogate"));
		e = decode_member(p, fields, key, w.value, to);
		if (e)
			return e;
	}
	return check_given(p, object, fields);
}

enum err args_decode(struct call *c, struct json arguments)
{
	struct arg_position top = { c, STR("") };
	struct hash version;
	enum err e;

	c->args = arena_zero(c->mem, 1, c->tool->args_size);
	c->guard = (struct call_guard){ 0 };
	if (json_kind(arguments) <= JSON_NULL)
		return check_given(&top, arguments, c->tool->fields);
	if (!json_is(arguments, JSON_OBJECT))
		return args_bad(&top, STR("Arguments must be an object"));
	e = decode_object(&top, arguments, c->tool->fields, c->args);
	if (e)
		return e;
	if (c->guard.if_version.ptr &&
	    !hash_parse(c->guard.if_version, &version))
		return bad_type(&top, "if_version",
				"32 hex digits: _meta.version of a read");
	return ERR_OK;
}

static bool is_absolute(struct str path)
{
	return path.len && path.ptr[0] == '/' &&
	       str_find(path, '\0') == path.len;
}

static enum err check_field(struct call *c, const struct field *field)
{
	const void *at = (const char *)c->args + field->offset;
	const struct str *path = at;
	const struct item_list *list = at;
	const int64_t *number = at;
	bool is_list = field->type == FIELD_LIST || field->type == FIELD_TEXTS;

	if (field->type == FIELD_PATH && path->ptr && !is_absolute(*path))
		return fail(c->fault, ERR_NOT_ABSOLUTE, .path = *path,
			    .hint = find_relative_hint(c, *path));
	if (field->type == FIELD_INT && field->below && *number < field->min)
		return fail(c->fault, field->below, .number = *number,
			    .text = arena_printf(
				    c->mem, "Argument %s must be at least %lld",
				    field->name, (long long)field->min));
	if (is_list && field->empty && !list->count)
		return fail(c->fault, field->empty, .path = STR(""),
			    .text = arena_printf(
				    c->mem, "Argument %s must not be empty",
				    field->name));
	return ERR_OK;
}

enum err args_check(struct call *c)
{
	enum err e = ERR_OK;

	for (const struct field *f = c->tool->fields; f->name && !e; f++)
		e = check_field(c, f);
	return e;
}
