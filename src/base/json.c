/*
 * json.c - read values from a parsed JSON document.
 *
 * Look-ups walk the tape (json_tape.h); a node's @next skips all of its
 * members. Strings are decoded only here, and only when they contain escapes.
 */
#include "base/json_tape.h"

#include <stdlib.h>

static const struct json nothing = { NULL, 0 };

enum json_kind json_kind(struct json v)
{
	const struct json_node *node = json_node(v);

	return node ? (enum json_kind)node->kind : JSON_NONE;
}

struct str json_raw(struct json v)
{
	const struct json_node *node = json_node(v);

	if (!node)
		return STR("");
	return str_make(v.doc->text + node->start, node->len);
}

/* The string without its quotes. */
static struct str string_body(struct json v)
{
	struct str raw = json_raw(v);

	return str_make(raw.ptr + 1, raw.len - 2);
}

/* As json_text(), but lone surrogates are allowed. */
static struct str decode_string(struct json v, struct arena *mem)
{
	struct str s = string_body(v);
	char *to, *end;

	if (!(json_node(v)->flags & JSON_ESCAPED))
		return s;
	to = arena_alloc(mem, s.len);
	end = json_kernels()->unescape(to, s);
	to = arena_grow(mem, to, s.len, (size_t)(end - to));
	return str_make(to, (size_t)(end - to));
}

bool json_text(struct json v, struct arena *mem, struct str *ret)
{
	if (!json_is(v, JSON_STRING) || (json_node(v)->flags & JSON_LONE))
		return false;
	*ret = decode_string(v, mem);
	return true;
}

/* A number as digits * 10^scale, without leading and trailing zeros. */
struct decimal {
	bool minus;
	uint64_t digits;
	size_t count;
	int64_t scale;
};

enum { MOST_DIGITS = 16 }; /* of 2^53 */

static int64_t read_exponent(struct str s)
{
	/* saturates: no text has so many digits */
	const int64_t much = INT64_C(1) << 40;
	bool minus = s.ptr[0] == '-';
	int64_t n = 0;

	if (minus || s.ptr[0] == '+')
		s = str_skip(s, 1);
	for (size_t i = 0; i < s.len && n < much; i++)
		n = n * 10 + (s.ptr[i] - '0');
	return minus ? -n : n;
}

/*
 * Add a digit; zeros are held back until a digit follows, so trailing ones are
 * not counted.
 */
static void add_digit(struct decimal *d, unsigned digit, size_t *zeros)
{
	if (!digit) {
		*zeros += d->count > 0;
		return;
	}
	d->count += *zeros + 1;
	for (; *zeros && d->count <= MOST_DIGITS; (*zeros)--)
		d->digits *= 10;
	*zeros = 0;
	if (d->count <= MOST_DIGITS)
		d->digits = d->digits * 10 + digit;
}

static struct decimal read_decimal(struct str s)
{
	struct decimal d = { .minus = s.ptr[0] == '-' };
	size_t zeros = 0;
	bool dot = false;

	for (size_t i = d.minus; i < s.len; i++) {
		char c = s.ptr[i];

		if (c == 'e' || c == 'E') {
			d.scale += read_exponent(str_skip(s, i + 1));
			break;
		}
		if (c == '.') {
			dot = true;
			continue;
		}
		d.scale -= dot;
		add_digit(&d, (unsigned)(c - '0'), &zeros);
	}
	d.scale += (int64_t)zeros;
	return d;
}

bool json_int(struct json v, int64_t *ret)
{
	const int64_t most = INT64_C(1) << 53;
	struct decimal d;
	int64_t n;

	if (!json_is(v, JSON_NUMBER))
		return false;
	d = read_decimal(json_raw(v));
	if (!d.count) {
		*ret = 0;
		return true;
	}
	if (d.scale < 0 || d.scale > MOST_DIGITS ||
	    d.count + (size_t)d.scale > MOST_DIGITS)
		return false;
	n = (int64_t)d.digits;
	while (d.scale--)
		n *= 10;
	if (n > most)
		return false;
	*ret = d.minus ? -n : n;
	return true;
}

bool json_bool(struct json v, bool *ret)
{
	enum json_kind kind = json_kind(v);

	if (kind != JSON_TRUE && kind != JSON_FALSE)
		return false;
	*ret = kind == JSON_TRUE;
	return true;
}

size_t json_count(struct json v)
{
	const struct json_node *node = json_node(v);

	return node ? node->count : 0;
}

struct json_walk json_walk(struct json v)
{
	enum json_kind kind = json_kind(v);
	struct json_walk w = { .object = kind == JSON_OBJECT };

	if (kind != JSON_OBJECT && kind != JSON_ARRAY)
		return w;
	w.value.doc = v.doc;
	w.key.doc = w.object ? v.doc : NULL;
	w.next = v.at + 1;
	w.end = json_node(v)->next;
	return w;
}

bool json_step(struct json_walk *w)
{
	if (w->next >= w->end)
		return false;
	if (w->object)
		w->key.at = w->next++;
	w->value.at = w->next;
	w->next = json_node(w->value)->next;
	return true;
}

/* Does the escaped string @s decode to @want? Compared without a copy. */
static bool decodes_to(struct str s, struct str want)
{
	const char *p = s.ptr, *end = p + s.len;
	char one[4], *stop;
	size_t n;

	while (p < end) {
		stop = one;
		if (*p == '\\')
			stop = json_unescape_one(one, &p, end);
		else
			*stop++ = *p++;
		n = (size_t)(stop - one);
		if (n > want.len || memcmp(one, want.ptr, n) != 0)
			return false;
		want = str_skip(want, n);
	}
	return !want.len;
}

static bool string_is(struct json v, struct str want)
{
	unsigned flags = json_node(v)->flags;

	if (flags & JSON_LONE)
		return false;
	return flags & JSON_ESCAPED ? decodes_to(string_body(v), want)
				    : str_eq(string_body(v), want);
}

bool json_str_is(struct json v, const char *text)
{
	return json_is(v, JSON_STRING) && string_is(v, str_of(text));
}

/* Most keys have no escapes and are compared as bytes. */
static bool is_key(const struct json_doc *doc, uint32_t at, struct str key)
{
	const struct json_node *k = &doc->nodes[at];

	if (k->flags & JSON_ESCAPED)
		return string_is((struct json){ doc, at }, key);
	return k->len == key.len + 2 &&
	       !memcmp(doc->text + k->start + 1, key.ptr, key.len);
}

struct json json_get_str(struct json object, struct str key)
{
	const struct json_node *node = json_node(object), *nodes;
	struct json found = nothing;

	if (!node || node->kind != JSON_OBJECT)
		return nothing;
	nodes = object.doc->nodes;
	for (uint32_t at = object.at + 1; at < node->next;
	     at = nodes[at + 1].next) {
		if (is_key(object.doc, at, key))
			found = (struct json){ object.doc, at + 1 };
	}
	return found;
}

enum { FEW = 8 };

struct json_member {
	struct str key;
	size_t place;
};

/* Any order that groups equal keys, in their original order, will do. */
static int compare_members(const void *a, const void *b)
{
	const struct json_member *x = a, *y = b;
	int order = 0;

	if (x->key.len != y->key.len)
		return x->key.len < y->key.len ? -1 : 1;
	if (x->key.len)
		order = memcmp(x->key.ptr, y->key.ptr, x->key.len);
	if (order)
		return order;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* For few members: faster than sorting. */
static bool duplicate_of_few(struct json object, struct arena *mem,
			     struct str *key)
{
	struct json_walk w = json_walk(object);
	struct str keys[FEW];

	for (size_t n = 0; n < FEW && json_step(&w); n++) {
		keys[n] = decode_string(w.key, mem);
		for (size_t i = 0; i < n; i++)
			if (str_eq(keys[i], keys[n])) {
				*key = keys[n];
				return true;
			}
	}
	return false;
}

bool json_duplicate_key(struct json object, struct arena *mem, struct str *key)
{
	struct json_walk w = json_walk(object);
	const struct json_member *duplicate = NULL;
	struct json_member *members;
	size_t n = 0;

	if (!w.object)
		return false;
	if (json_count(object) <= FEW)
		return duplicate_of_few(object, mem, key);
	members = arena_array(mem, struct json_member, json_count(object));
	for (; json_step(&w); n++)
		members[n] =
			(struct json_member){ decode_string(w.key, mem), n };
	qsort(members, n, sizeof(*members), compare_members);
	for (size_t i = 1; i < n; i++)
		if (str_eq(members[i - 1].key, members[i].key) &&
		    (!duplicate || members[i].place < duplicate->place))
			duplicate = &members[i];
	if (duplicate)
		*key = duplicate->key;
	return duplicate;
}
