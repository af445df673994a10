#include "tools/args.h"

#include "text/utf8.h"

static const struct field guard_fields[] = {
	{ "if_version", FIELD_STR,
	  .offset = offsetof(struct call_guard, if_version),
	  .doc = "The version that the file must still have: _meta.version of a read" },
	FIELDS_END,
};

/* Where in the arguments we are, for messages: "edits[3]." or "". */
struct place {
	struct call *c;
	struct str prefix;
};

static enum err bad(const struct place *p, struct str text)
{
	return fail(p->c->fault, ERR_BAD_ARGS, .text = text);
}

static enum err bad_type(const struct place *p, const char *name,
			 const char *what)
{
	return bad(p,
		   arena_printf(p->c->mem, "Argument " STR_FMT "%s must be %s",
				STR_ARG(p->prefix), name, what));
}

/* A slip for each three letters: more is another word. */
enum { MOST_SLIPS = 2 };

const char *args_nearest(struct str name, const char *const *names, size_t n)
{
	size_t best = MOST_SLIPS + 1, limit, distance;
	const char *found = NULL;

	for (size_t i = 0; i < n; i++) {
		limit = (size_min(name.len, strlen(names[i])) + 1) / 3;
		distance = str_distance(name, str_of(names[i]), MOST_SLIPS);
		if (distance <= limit && distance < best) {
			best = distance;
			found = names[i];
		}
	}
	return found;
}

static enum err unknown(const struct place *p, const struct field *fields,
			struct str key)
{
	enum { MOST = 16 };
	const char *names[MOST], *near;
	size_t n = 0;

	while (n < MOST && fields[n].name) {
		names[n] = fields[n].name;
		n++;
	}
	near = args_nearest(key, names, n);
	/* A key is the peer's own bytes: show a bounded part of it. */
	key = utf8_head(key, 100);
	if (!near)
		return bad(p, arena_printf(p->c->mem,
					   "Unknown argument: " STR_FMT STR_FMT,
					   STR_ARG(p->prefix), STR_ARG(key)));
	return bad(p, arena_printf(p->c->mem,
				   "Unknown argument: " STR_FMT STR_FMT
				   " (did you mean %s?)",
				   STR_ARG(p->prefix), STR_ARG(key), near));
}

static enum err decode_object(const struct place *p, struct json object,
			      const struct field *fields, void *to);

static enum err decode_list(const struct place *p, const struct field *field,
			    struct json v, struct list *to)
{
	struct json_walk w = json_walk(v);
	struct place item = { p->c, STR("") };
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
			return bad(p, arena_printf(p->c->mem,
						   "Argument " STR_FMT
						   "%s[%zu] must be an object",
						   STR_ARG(p->prefix),
						   field->name, to->count));
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

/* From the first byte to the very last: no newline slips by at the end. */
static bool fits(const char *pattern, struct str text)
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

static enum err check_str(const struct place *p, const struct field *field,
			  struct str text)
{
	auto_buf list = BUF_INIT;

	if (field->pattern && !fits(field->pattern, text))
		return bad_type(p, field->name,
				arena_printf(p->c->mem, "a text that fits %s",
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

static enum err decode_str(const struct place *p, const struct field *field,
			   struct json v, struct str *to)
{
	if (!json_is(v, JSON_STRING))
		return bad_type(p, field->name, "a string");
	if (!json_text(v, p->c->mem, to))
		return bad(
			p,
			arena_printf(
				p->c->mem,
				"Argument " STR_FMT
				"%s has a lone surrogate, which no text can hold",
				STR_ARG(p->prefix), field->name));
	if (!to->ptr)
		to->ptr = ""; /* given, and empty */
	return check_str(p, field, *to);
}

static enum err decode_field(const struct place *p, const struct field *field,
			     struct json v, void *base)
{
	void *to = (char *)base + field->offset;

	switch (field->type) {
	case FIELD_STR:
	case FIELD_PATH:
		return decode_str(p, field, v, to);
	case FIELD_INT:
		if (!json_int(v, to))
			return bad_type(p, field->name, "an integer");
		return ERR_OK;
	case FIELD_BOOL:
		if (!json_bool(v, to))
			return bad_type(p, field->name, "true or false");
		return ERR_OK;
	case FIELD_LIST:
		return decode_list(p, field, v, to);
	case FIELD_TEXTS: /* only results have these */
	case FIELD_INTS:
		return bad_type(p, field->name, "left out");
	case FIELD_OBJECT:
		if (!json_is(v, JSON_OBJECT))
			return bad_type(p, field->name, "an object");
		return decode_object(p, v, field->fields, to);
	}
	return ERR_OK;
}

static const struct field *field_named(const struct field *fields,
				       struct str name)
{
	for (; fields->name; fields++)
		if (str_is(name, fields->name))
			return fields;
	return NULL;
}

/* Does a key at this place belong to what every mutating tool takes? */
static const struct field *guard_named(const struct place *p, struct str key)
{
	if (p->prefix.len || !effects_change(p->c->tool->effects))
		return NULL;
	return field_named(guard_fields, key);
}

static enum err decode_member(const struct place *p, const struct field *fields,
			      struct str key, struct json value, void *to)
{
	const struct field *field = field_named(fields, key);

	if (field)
		return json_is(value, JSON_NULL) && !field->required
			       ? ERR_OK
			       : decode_field(p, field, value, to);
	field = guard_named(p, key);
	if (field)
		return json_is(value, JSON_NULL)
			       ? ERR_OK
			       : decode_field(p, field, value, &p->c->guard);
	if (str_is(key, "description"))
		return ERR_OK;
	return unknown(p, fields, key);
}

static void set_absent(const struct field *fields, void *to)
{
	for (; fields->name; fields++)
		if (fields->type == FIELD_INT)
			*(int64_t *)((char *)to + fields->offset) =
				fields->absent;
}

static enum err need_required(const struct place *p, struct json object,
			      const struct field *fields)
{
	struct json v;

	for (; fields->name; fields++) {
		v = json_get(object, fields->name);
		if (fields->required && json_kind(v) <= JSON_NULL)
			return bad(p,
				   arena_printf(
					   p->c->mem,
					   "Missing required argument: " STR_FMT
					   "%s",
					   STR_ARG(p->prefix), fields->name));
	}
	return ERR_OK;
}

static enum err decode_object(const struct place *p, struct json object,
			      const struct field *fields, void *to)
{
	struct json_walk w = json_walk(object);
	struct str key;
	enum err e;

	if (json_twice(object, p->c->mem, &key))
		return bad(p, arena_printf(p->c->mem,
					   "Argument " STR_FMT STR_FMT
					   " is given twice",
					   STR_ARG(p->prefix),
					   STR_ARG(utf8_head(key, 100))));
	set_absent(fields, to);
	while (json_step(&w)) {
		if (!json_text(w.key, p->c->mem, &key))
			return bad(
				p,
				STR("An argument's name has a lone surrogate"));
		e = decode_member(p, fields, key, w.value, to);
		if (e)
			return e;
	}
	return need_required(p, object, fields);
}

enum err args_decode(struct call *c, struct json arguments)
{
	struct place top = { c, STR("") };
	struct hash version;
	enum err e;

	c->args = arena_zero(c->mem, 1, c->tool->args_size);
	c->guard = (struct call_guard){ 0 };
	if (json_kind(arguments) <= JSON_NULL)
		return need_required(&top, arguments, c->tool->fields);
	if (!json_is(arguments, JSON_OBJECT))
		return bad(&top, STR("Arguments must be an object"));
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
	const struct list *list = at;
	const int64_t *number = at;

	if (field->type == FIELD_PATH && path->ptr && !is_absolute(*path))
		return fail(c->fault, ERR_NOT_ABSOLUTE, .path = *path);
	if (field->type == FIELD_INT && field->below && *number < field->min)
		return fail(c->fault, field->below, .number = *number);
	if (field->type == FIELD_LIST && field->empty && !list->count)
		return fail(c->fault, field->empty, .path = STR(""));
	return ERR_OK;
}

enum err args_check(struct call *c)
{
	enum err e = ERR_OK;

	for (const struct field *f = c->tool->fields; f->name && !e; f++)
		e = check_field(c, f);
	return e;
}
