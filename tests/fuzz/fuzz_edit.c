/*
 * fuzz_edit.c - any edits: edit_apply() agrees with a naive implementation, and
 * its splices give the same text.
 *
 * The first byte is the number of edits. A string is a length byte and as many
 * bytes; a length of 200 and more takes a part of the text instead (two more
 * bytes: offset and length), so that edits often match.
 */
#include "../unit/text/naive_edit.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PART = 200, MOST_TEXT = 2048 };

static size_t take_byte(struct str *in)
{
	size_t byte = in->len ? (unsigned char)in->ptr[0] : 0;

	*in = str_skip(*in, 1);
	return byte;
}

static struct str take_str(struct str *in, struct str text)
{
	size_t len = take_byte(in), from;
	struct str s;

	if (len >= PART) {
		from = take_byte(in) * (len - PART + 1);
		return str_sub(text, from, from + 1 + take_byte(in));
	}
	s = str_head(*in, len);
	*in = str_skip(*in, len);
	return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str in = str_make((const char *)data, size), text;
	size_t n = take_byte(&in) % 32, half = in.len / 2;
	auto_arena mem = ARENA_INIT;
	struct edit *edits = arena_array(&mem, struct edit, n);

	text = arena_copy(&mem, str_head(in, size_min(half, MOST_TEXT)));
	in = str_skip(in, half);
	for (size_t i = 0; i < n; i++) {
		edits[i].old = take_str(&in, text);
		edits[i].with = take_str(&in, text);
	}
	if (!naive_agrees(text, edits, n, &mem))
		abort();
	return 0;
}
