/*
 * brace.c - brace expansion, from left to right.
 *
 * The prefixes that were made so far are combined with the values of the next
 * group. Their number is bounded by the caller, the depth of nesting here.
 */
#include "text/pattern/brace.h"

enum { MAX_NESTING = 32, MAX_DIGITS = 9 };

/* A growing list of strings. */
struct brace_list {
	struct str *item;
	size_t n;
};

/* The parts of "pre{body}post". */
struct brace_group {
	struct str pre, body, post;
};

/* {1..9..2} or {a..e} */
struct brace_range {
	long from, to, step;
	size_t width; /* of numbers padded with zeros; 0 = not padded */
	bool letters;
};

static bool expand_all(struct arena *mem, struct str text, size_t max,
		       unsigned depth, struct brace_list *ret);

static bool list_add(struct arena *mem, struct brace_list *list, size_t max,
		     struct str text)
{
	if (list->n >= max)
		return false;
	*arena_add(mem, list->item, list->n) = text;
	return true;
}

/* Offset of the brace that closes the one at @open; text.len if none does. */
static size_t partner_of(struct str text, size_t open)
{
	size_t depth = 0;

	for (size_t i = open; i < text.len; i++) {
		if (text.ptr[i] == '\\')
			i++;
		else if (text.ptr[i] == '{')
			depth++;
		else if (text.ptr[i] == '}' && !--depth)
			return i;
	}
	return text.len;
}

/* The first group: the first brace that has a partner. */
static bool first_group(struct str text, struct brace_group *ret)
{
	size_t end;

	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '\\') {
			i++;
			continue;
		}
		if (text.ptr[i] != '{')
			continue;
		end = partner_of(text, i);
		if (end == text.len)
			continue;
		*ret = (struct brace_group){ str_head(text, i),
					     str_sub(text, i + 1, end),
					     str_skip(text, end + 1) };
		return true;
	}
	return false;
}

/* Offset of the next comma outside nested groups, or text.len. */
static size_t comma_in(struct str text)
{
	size_t end;

	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '\\') {
			i++;
		} else if (text.ptr[i] == ',') {
			return i;
		} else if (text.ptr[i] == '{') {
			end = partner_of(text, i);
			i = end < text.len ? end : i;
		}
	}
	return text.len;
}

static bool read_number(struct str text, long *ret)
{
	bool minus = str_starts(text, STR("-"));
	long n = 0;

	text = str_skip(text, minus);
	if (!text.len || text.len > MAX_DIGITS)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return false;
		n = n * 10 + (text.ptr[i] - '0');
	}
	*ret = minus ? -n : n;
	return true;
}

static bool is_letter(struct str text)
{
	char c = text.len == 1 ? (char)(text.ptr[0] | 0x20) : 0;

	return c >= 'a' && c <= 'z';
}

static bool is_padded(struct str text)
{
	text = str_skip(text, str_starts(text, STR("-")));
	return text.len > 1 && text.ptr[0] == '0';
}

/* Take the part before ".." off the front of @rest. */
static struct str before_dots(struct str *rest)
{
	struct str part = *rest;

	for (size_t i = 0; i + 1 < rest->len; i++)
		if (rest->ptr[i] == '.' && rest->ptr[i + 1] == '.') {
			part = str_head(*rest, i);
			*rest = str_skip(*rest, i + 2);
			return part;
		}
	*rest = STR("");
	return part;
}

static bool read_range(struct str body, struct brace_range *ret)
{
	struct str first = before_dots(&body), last = before_dots(&body);
	struct str step = body;

	*ret = (struct brace_range){ .step = 1 };
	if (step.len && !read_number(step, &ret->step))
		return false;
	if (ret->step < 0)
		ret->step = -ret->step;
	if (!ret->step)
		ret->step = 1;
	if (is_letter(first) && is_letter(last)) {
		ret->letters = true;
		ret->from = (unsigned char)first.ptr[0];
		ret->to = (unsigned char)last.ptr[0];
		return true;
	}
	if (is_padded(first) || is_padded(last) || is_padded(step))
		ret->width = first.len > last.len ? first.len : last.len;
	return read_number(first, &ret->from) && read_number(last, &ret->to);
}

/* A value between Z and a may be special in a glob: it is escaped. */
static struct str range_value(struct arena *mem, const struct brace_range *r,
			      long value)
{
	int width = (int)r->width;

	if (!r->letters)
		return arena_printf(mem, "%0*ld", width, value);
	if (value == '\\')
		return STR("");
	if (value == '[' || value == ']')
		return arena_printf(mem, "\\%c", (char)value);
	return arena_printf(mem, "%c", (char)value);
}

static bool expand_range(struct arena *mem, const struct brace_range *r,
			 size_t max, struct brace_list *ret)
{
	long step = r->to < r->from ? -r->step : r->step;
	long steps = (r->to - r->from) / step;

	for (long i = 0; i <= steps; i++)
		if (!list_add(mem, ret, max,
			      range_value(mem, r, r->from + i * step)))
			return false;
	return true;
}

/* {{a,b}}: the braces stay around each expansion of what is in them. */
static bool expand_single(struct arena *mem, struct str body, size_t max,
			  unsigned depth, struct brace_list *ret)
{
	if (!expand_all(mem, body, max, depth + 1, ret))
		return false;
	for (size_t i = 0; i < ret->n; i++)
		ret->item[i] = arena_printf(mem, "{" STR_FMT "}",
					    STR_ARG(ret->item[i]));
	return true;
}

/* The values of one group; false when there are too many. */
static bool expand_group(struct arena *mem, struct str body, size_t max,
			 unsigned depth, struct brace_list *ret)
{
	struct brace_range range;
	size_t comma;

	if (read_range(body, &range))
		return expand_range(mem, &range, max, ret);
	comma = comma_in(body);
	if (comma == body.len)
		return expand_single(mem, body, max, depth, ret);
	for (;; comma = comma_in(body)) {
		if (!expand_all(mem, str_head(body, comma), max, depth + 1,
				ret))
			return false;
		if (comma == body.len)
			return true;
		body = str_skip(body, comma + 1);
	}
}

/* Every prefix with @pre and every value behind it. */
static bool combine(struct arena *mem, struct brace_list *prefix,
		    struct str pre, const struct brace_list *values, size_t max)
{
	struct brace_list made = { 0 };

	for (size_t i = 0; i < prefix->n; i++)
		for (size_t k = 0; k < values->n; k++) {
			const struct str parts[] = { prefix->item[i], pre,
						     values->item[k] };

			if (!list_add(mem, &made, max,
				      arena_join(mem, parts, COUNT_OF(parts))))
				return false;
		}
	*prefix = made;
	return true;
}

static bool group_expands(const struct brace_group *g)
{
	struct brace_range range;

	return !str_ends(g->pre, STR("$")) &&
	       (read_range(g->body, &range) ||
		str_find(g->body, ',') < g->body.len);
}

/* Append the expansions of @text to @ret. */
static bool expand_all(struct arena *mem, struct str text, size_t max,
		       unsigned depth, struct brace_list *ret)
{
	struct str empty = STR("");
	struct brace_list prefix = { &empty, 1 };
	struct brace_list nothing = { &empty, 1 }, values;
	struct brace_group g;
	bool dollar;

	if (depth > MAX_NESTING)
		return false;
	while (first_group(text, &g)) {
		dollar = str_ends(g.pre, STR("$"));
		if (!group_expands(&g) && !dollar)
			break; /* what follows stays literal too */
		values = (struct brace_list){ 0 };
		if (dollar) {
			g.pre = str_head(text, text.len - g.post.len);
			values = nothing;
		} else if (!expand_group(mem, g.body, max, depth, &values)) {
			return false;
		}
		if (!combine(mem, &prefix, g.pre, &values, max))
			return false;
		text = g.post;
	}
	if (!combine(mem, &prefix, text, &nothing, max))
		return false;
	for (size_t i = 0; i < prefix.n; i++)
		if (!list_add(mem, ret, max, prefix.item[i]))
			return false;
	return true;
}

bool brace_expand(struct arena *mem, struct str pattern, size_t max,
		  struct str **ret, size_t *ret_n)
{
	struct brace_list list = { 0 };
	size_t n = 0;

	if (!expand_all(mem, pattern, max, 0, &list))
		return false;
	for (size_t i = 0; i < list.n; i++)
		if (list.item[i].len)
			list.item[n++] = list.item[i];
	*ret = list.item;
	*ret_n = n;
	return true;
}
