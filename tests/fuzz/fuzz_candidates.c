/*
 * fuzz_candidates.c - explanations of a failed match, for any text and string.
 *
 * Each candidate names a line that exists, in valid UTF-8 and within its size
 * limits, and does not repeat the string. The first byte of the input says
 * where the rest is cut in two, and whether the string is the text with some
 * bytes changed, so that similar places exist.
 */
#include "base/buf.h"
#include "fuzz.h"
#include "text/encoding/utf8.h"
#include "text/lines/lines.h"
#include "text/match/candidates.h"
#include "text/match/match.h"

enum { CHANGED = 128, MARKED = 64 };

#define MARK "QZJXW"

static void must_be_sound(struct str text, const struct candidate *n,
			  bool marked)
{
	must(n->line >= 1 && n->line <= lines_count(text) + 1);
	must(n->text.len <= CANDIDATE_TEXT_MAX && utf8_valid(n->text));
	must(n->differs.len && n->differs.len <= CANDIDATE_DIFFERS_MAX);
	must(utf8_valid(n->differs));
	if (!marked)
		return;
	must(match_find(n->text, STR(MARK), 0) == MATCH_NONE);
	must(match_find(n->differs, STR(MARK), 0) == MATCH_NONE);
}

/*
 * The text with some bytes changed at regular distances, and with a marker
 * inserted.
 */
static struct str alter_text(struct str text, unsigned how, struct arena *mem)
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
	struct candidate candidates[CANDIDATES_AMBIGUOUS];
	struct str text, old;
	size_t cut, n;
	bool marked;

	in = str_skip(in, 1);
	cut = how & CHANGED ? in.len : in.len * (how % 16) / 16;
	text = str_head(in, cut);
	old = how & CHANGED
		      ? alter_text(str_sub(text, how, text.len), how, &mem)
		      : str_skip(in, cut);
	marked = how & MARKED && match_find(text, STR(MARK), 0) == MATCH_NONE;
	n = candidates_similar(text, old, &mem, candidates);
	must(n <= CANDIDATES_SIMILAR);
	for (size_t i = 0; i < n; i++) {
		must_be_sound(text, &candidates[i], marked);
		must(candidates[i].similarity >= CANDIDATE_MIN_SIMILARITY);
		must(candidates[i].similarity < 100);
		must(!i ||
		     candidates[i - 1].similarity >= candidates[i].similarity);
	}
	n = candidates_ambiguous(text, str_head(old, 5), &mem, candidates);
	must(n <= CANDIDATES_AMBIGUOUS);
	for (size_t i = 0; i < n; i++)
		must_be_sound(text, &candidates[i], false);
	return 0;
}
