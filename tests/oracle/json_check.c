/*
 * json_check.c - parse JSON texts, to compare with other parsers.
 *
 * Texts come on stdin, each after its length in four bytes (low byte first);
 * for each, one line of JSON goes to stdout:
 *
 *	{"ok":true,"put":VALUE,"decoded":VALUE,"int":"12"}
 *	{"ok":false,"offset":3,"why":"unexpected end"}
 *
 * "put" is what json_put() writes; "decoded" has every string decoded and
 * escaped again (but those with half a surrogate pair); "int" is there if the
 * text is a number that json_int() takes.
 */
#include "base/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void put_decoded(struct json_out *o, struct json v, struct arena *mem)
{
	bool object = json_is(v, JSON_OBJECT);
	struct json_walk w = json_walk(v);
	struct str text;

	if (json_text(v, mem, &text)) {
		json_put_str(o, text);
		return;
	}
	if (!object && !json_is(v, JSON_ARRAY)) {
		json_put_raw(o, json_raw(v));
		return;
	}
	json_open(o, object ? '{' : '[');
	while (json_step(&w)) {
		if (object && json_text(w.key, mem, &text)) {
			json_key_str(o, text);
		} else if (object) {
			json_put_raw(o, json_raw(w.key));
			buf_addc(o->buf, ':');
			o->comma = false;
		}
		put_decoded(o, w.value, mem);
	}
	json_close(o, object ? '}' : ']');
}

static void put_accepted(struct json_out *o, struct json v, struct arena *mem)
{
	int64_t n;

	json_key(o, "put");
	json_put(o, v);
	json_key(o, "decoded");
	put_decoded(o, v, mem);
	if (!json_int(v, &n))
		return;
	json_key(o, "int"); /* as a string, so that no reader rounds it */
	json_put_str(o, arena_printf(mem, "%" PRId64, n));
}

static void check(struct str text, struct buf *out)
{
	auto_arena mem = ARENA_INIT;
	struct json_out o = json_out(out);
	struct json_error error;
	struct json v;
	bool ok = !json_parse(text, NULL, &mem, &v, &error);

	json_open(&o, '{');
	json_key(&o, "ok");
	json_put_bool(&o, ok);
	if (ok) {
		put_accepted(&o, v, &mem);
	} else {
		json_key(&o, "offset");
		json_put_int(&o, (int64_t)error.offset);
		json_key(&o, "why");
		json_put_str(&o, str_of(error.why));
	}
	json_close(&o, '}');
	buf_addc(out, '\n');
}

int main(void)
{
	auto_buf out = BUF_INIT;
	uint8_t head[4];

	while (fread(head, 1, sizeof(head), stdin) == sizeof(head)) {
		size_t len = head[0] | (size_t)head[1] << 8 |
			     (size_t)head[2] << 16 | (size_t)head[3] << 24;
		char *text = malloc(len + !len);

		if (!text || fread(text, 1, len, stdin) != len)
			return 1;
		check(str_make(text, len), &out);
		free(text);
	}
	return fwrite(out.ptr, 1, out.len, stdout) != out.len;
}
