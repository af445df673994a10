/*
 * Any text and any string: what is said of near places is about lines that
 * are there, in valid UTF-8, within its bounds, and does not repeat the
 * string.
 *
 * The first byte says how the rest is cut in two, and whether the string is
 * the text with some bytes changed, so that something is near.
 */
#include "base/buf.h"
#include "fuzz.h"
#include "text/lines.h"
#include "text/match.h"
#include "text/near.h"
#include "text/utf8.h"

enum { CHANGED = 128, MARKED = 64 };

#define MARK "QZJXW"

static void must_be_sound(struct str text, const struct near *n, bool marked)
{
	must(n->line >= 1 && n->line <= lines_count(text) + 1);
	must(n->text.len <= NEAR_TEXT && utf8_valid(n->text));
	must(n->differs.len && n->differs.len <= NEAR_WORDS);
	must(utf8_valid(n->differs));
	if (!marked)
		return;
	must(match_find(n->text, STR(MARK), 0) == MATCH_NONE);
	must(match_find(n->differs, STR(MARK), 0) == MATCH_NONE);
}

/* The text with every 7th byte and so on changed, and a mark put in. */
static struct str bend(struct str text, unsigned how, struct arena *mem)
{
	static const char put[] = " \tx\n\r'-\0";
	auto_buf out = BUF_INIT;
	size_t step = 3 + how % 32;

	for (size_t i = 0; i < text.len; i++) {
		if (i % step == step - 1)
			buf_addc(&out, put[(i + how) % (sizeof(put) - 1)]);
		if (i % (step + 5) != 2)
			buf_addc(&out, text.ptr[i]);
		if (how & MARKED && i == text.len / 2)
			buf_lit(&out, MARK);
	}
	return arena_copy(mem, buf_str(&out));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct str in = str_make((const char *)bytes, size_min(len, 4096));
	unsigned how = in.len ? *bytes : 0;
	auto_arena mem = ARENA_INIT;
	struct near near[NEAR_PLACES];
	struct str text, old;
	size_t cut, n;
	bool marked;

	in = str_skip(in, 1);
	cut = how & CHANGED ? in.len : in.len * (how % 16) / 16;
	text = str_head(in, cut);
	old = how & CHANGED ? bend(str_sub(text, how, text.len), how, &mem)
			    : str_skip(in, cut);
	marked = how & MARKED && match_find(text, STR(MARK), 0) == MATCH_NONE;
	n = near_misses(text, old, &mem, near);
	must(n <= NEAR_MISSES);
	for (size_t i = 0; i < n; i++) {
		must_be_sound(text, &near[i], marked);
		must(near[i].similarity >= NEAR_LEAST);
		must(near[i].similarity < 100);
		must(!i || near[i - 1].similarity >= near[i].similarity);
	}
	n = near_places(text, str_head(old, 5), &mem, near);
	must(n <= NEAR_PLACES);
	for (size_t i = 0; i < n; i++)
		must_be_sound(text, &near[i], false);
	return 0;
}
