/*
 * fuzz_eol.c - edits of texts that are mostly line endings.
 *
 * edit_apply() agrees with a naive implementation; and where neither text nor
 * strings have a lone CR, none is left behind and none is doubled.
 *
 * The first byte is the number of edits. Each byte after it stands for one or
 * two of the text, by its lowest bits; FIELD ends the text and each string.
 * Missing strings are empty.
 */
#include "../unit/text/naive_edit.h"
#include "fuzz.h"

enum { FIELD = 15, MOST = 4 };

static const char *const units[] = {
	"a", "b",  "c",     "\n", "\r\n", "a\n", "a\r\n", "b\n",
	"a", "aa", "b\r\n", "\n", "\r\n", "\r",  "c\r\n",
};

static struct str take_str(struct str *in, struct arena *mem)
{
	char *p = arena_alloc(mem, in->len * 3 + 1), *end = p;

	while (in->len) {
		size_t unit = (unsigned char)in->ptr[0] & FIELD;

		*in = str_skip(*in, 1);
		if (unit == FIELD)
			break;
		end = mempcpy(end, units[unit], strlen(units[unit]));
	}
	return str_make(p, (size_t)(end - p));
}

static bool has_lone_cr(struct str s, struct arena *mem)
{
	return naive_has(naive_fold(s, mem), "\r");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct str in = str_make((const char *)bytes, size_min(len, 400));
	auto_arena mem = ARENA_INIT;
	struct edit edits[MOST];
	struct edit_done done;
	struct fault f = { 0 };
	struct str text;
	size_t n;
	bool lone;

	if (!in.len)
		return 0;
	n = (unsigned char)in.ptr[0] % (MOST + 1);
	in = str_skip(in, 1);
	text = take_str(&in, &mem);
	lone = has_lone_cr(text, &mem);
	for (size_t i = 0; i < n; i++) {
		edits[i].old = take_str(&in, &mem);
		edits[i].with = take_str(&in, &mem);
		lone = lone || has_lone_cr(edits[i].old, &mem) ||
		       has_lone_cr(edits[i].with, &mem);
	}
	must(naive_agrees(text, edits, n, &mem));
	if (!edit_apply(text, edits, n, &mem, &done, &f) && !lone)
		must(!has_lone_cr(done.text, &mem));
	return 0;
}
