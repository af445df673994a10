/*
 * fuzz_json.c - any bytes as JSON.
 *
 * All sets of kernels agree. If it is JSON, json_put() writes JSON with the
 * same tape that is its own compact form; each string and integer round-trips.
 * If it is not, the error offset is inside the text. Any bytes written as a
 * string are JSON.
 */
#include "fuzz.h"

#include "base/json_tape.h"
#include "base/utf8_valid.h"

static void check_kernels(struct str s)
{
	const struct json_kernels *a = &json_kernels_portable;
	const struct json_kernels *b = json_kernels();
	unsigned flags_a = 0, flags_b = 0;
	bool ascii_a, ascii_b;
	size_t end = a->scan(s, &flags_a), len = a->escaped_len(s);
	char *x = malloc(len + s.len + 1), *y = malloc(len + s.len + 1);

	must(x && y);
	must(end == b->scan(s, &flags_b) && flags_a == flags_b);
	must(len == b->escaped_len(s));
	must(a->escape(x, s, &ascii_a) == x + len);
	must(b->escape(y, s, &ascii_b) == y + len && ascii_a == ascii_b);
	must(!memcmp(x, y, len));
	/* escaped text contains nothing that ends a string */
	must(a->scan(str_make(x, len), &flags_a) == len);
	must(b->unescape(y, str_make(x, len)) == y + s.len);
	must(!s.len || !memcmp(y, s.ptr, s.len));
	s.len = end;
	len = (size_t)(a->unescape(x, s) - x);
	must(b->unescape(y, s) == y + len && !memcmp(x, y, len));
	free(x);
	free(y);
}

static void check_string(struct json v, struct arena *mem)
{
	auto_buf b = BUF_INIT;
	struct json_out o = json_out(&b);
	struct json_error error;
	struct str text, again;
	struct json w;

	if (!json_text(v, mem, &text)) {
		must(json_node(v)->flags & JSON_LONE);
		return;
	}
	must(utf8_valid_prefix(text) == text.len);
	json_put_str(&o, text);
	must(b.len == json_escaped_len(text) + 2);
	must(!json_parse(buf_str(&b), NULL, mem, &w, &error));
	must(json_text(w, mem, &again) && str_eq(again, text));
	if (!text.len || !memchr(text.ptr, 0, text.len))
		must(json_str_is(v, arena_cstr(mem, text)));
}

static void check_number(struct json v, struct arena *mem)
{
	auto_buf b = BUF_INIT;
	struct json_out o = json_out(&b);
	struct json_error error;
	int64_t n, again;
	struct json w;

	if (!json_int(v, &n))
		return;
	must((double)n == strtod(arena_cstr(mem, json_raw(v)), NULL));
	json_put_int(&o, n);
	must(!json_parse(buf_str(&b), NULL, mem, &w, &error));
	must(json_int(w, &again) && n == again);
}

/* Walk all of @v by the public interface; returns the number of values. */
static size_t check_value(struct json v, struct arena *mem)
{
	struct json_walk w = json_walk(v);
	size_t members = 0, values = 1;

	if (json_is(v, JSON_STRING))
		check_string(v, mem);
	if (json_is(v, JSON_NUMBER))
		check_number(v, mem);
	for (; json_step(&w); members++) {
		if (w.object)
			values += check_value(w.key, mem);
		values += check_value(w.value, mem);
	}
	must(members == json_count(v));
	return values;
}

/* The same values in the same order, white space aside. */
static void check_same(struct json a, struct json b)
{
	uint32_t n = json_node(a)->next;

	must(n == json_node(b)->next);
	for (uint32_t i = 0; i < n; i++) {
		struct json x = { a.doc, i }, y = { b.doc, i };
		const struct json_node *p = json_node(x), *q = json_node(y);

		must(p->kind == q->kind && p->flags == q->flags);
		must(p->next == q->next && p->count == q->count);
		if (p->kind != JSON_ARRAY && p->kind != JSON_OBJECT)
			must(str_eq(json_raw(x), json_raw(y)));
	}
}

static void check_parsed(struct json v, struct arena *mem)
{
	auto_buf once = BUF_INIT, twice = BUF_INIT;
	struct json_out o = json_out(&once), p = json_out(&twice);
	struct json_error error;
	struct str key;
	struct json w;

	must(check_value(v, mem) == json_node(v)->next);
	(void)json_duplicate_key(v, mem, &key);
	json_put(&o, v);
	must(!json_parse(buf_str(&once), NULL, mem, &w, &error));
	check_same(v, w);
	json_put(&p, w);
	must(str_eq(buf_str(&once), buf_str(&twice)));
	must(str_eq(json_raw(w), buf_str(&once)));
}

static void check_bytes(struct str s, struct arena *mem)
{
	auto_buf b = BUF_INIT;
	struct json_out o = json_out(&b);
	struct json_error error;
	struct str text;
	struct json v;

	json_put_str(&o, s);
	must(!json_parse(buf_str(&b), NULL, mem, &v, &error));
	must(json_text(v, mem, &text));
	if (utf8_valid_prefix(s) == s.len)
		must(str_eq(text, s));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct str text = { (const char *)bytes, len };
	auto_arena mem = ARENA_INIT;
	struct json_error error = { 0, NULL };
	struct json v;

	must(utf8_valid_portable(text) == utf8_valid_prefix(text));
	check_kernels(text);
	check_bytes(text, &mem);
	if (!json_parse(text, NULL, &mem, &v, &error))
		check_parsed(v, &mem);
	else
		must(error.why && error.offset <= len);
	return 0;
}
