/*
 * pretty.c - prints JSON indented, with short lists on one line.
 */
#include "app/pretty.h"

enum { SHORT = 72 };

static void pretty_put(struct json v, unsigned depth, struct buf *out);

static void new_line(unsigned depth, struct buf *out)
{
	buf_addf(out, "\n%*s", (int)(2 * depth), "");
}

static void pretty_put_members(struct json v, unsigned depth, struct buf *out)
{
	struct json_walk w = json_walk(v);
	bool object = json_is(v, JSON_OBJECT), first = true;

	buf_addc(out, object ? '{' : '[');
	while (json_step(&w)) {
		if (!first)
			buf_addc(out, ',');
		first = false;
		new_line(depth + 1, out);
		if (object) {
			buf_add(out, json_raw(w.key));
			buf_lit(out, ": ");
		}
		pretty_put(w.value, depth + 1, out);
	}
	new_line(depth, out);
	buf_addc(out, object ? '}' : ']');
}

/* Is @v a list of scalars that fits on one line? */
static bool is_short(struct json v, unsigned depth)
{
	struct json_walk w = json_walk(v);

	if (!json_is(v, JSON_OBJECT) && !json_is(v, JSON_ARRAY))
		return true;
	while (json_step(&w))
		if (json_is(v, JSON_OBJECT) || json_count(w.value))
			return !json_count(v);
	return json_raw(v).len + (size_t)2 * depth < SHORT;
}

static void pretty_put(struct json v, unsigned depth, struct buf *out)
{
	struct json_out o = json_out(out);

	if (is_short(v, depth))
		json_put(&o, v);
	else
		pretty_put_members(v, depth, out);
}

void pretty_json(struct str json, struct buf *out)
{
	auto_arena mem = ARENA_INIT;
	struct json_limits limits = { 0 };
	struct json_error error;
	struct json v;

	if (json_parse(json, &limits, &mem, &v, &error))
		buf_add(out, json);
	else
		pretty_put(v, 0, out);
}
