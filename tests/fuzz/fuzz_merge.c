/*
 * fuzz_merge.c - three-way merges of any three texts.
 *
 * A side without changes gives the other; equal sides give that text; the sides
 * are interchangeable; conflicts are ranges of existing lines, in order. A
 * merge without conflicts has only lines of the three texts.
 *
 * The first byte selects whether each byte stands for a line out of a small set
 * or for itself; the rest is cut in three at NULs.
 */
#include "base/buf.h"
#include "fuzz.h"
#include "text/edit/merge.h"
#include "text/lines/lines.h"

enum { MOST = 600 };

static const struct merge_labels labels = { STR_INIT("o"), STR_INIT("b"),
					    STR_INIT("t") };

static struct str take(struct str *in, bool recipe, struct arena *mem)
{
	static const char *const stock[] = { "a\n", "b\n",  "c\n",   "d\n",
					     "e\n", "\n",   "f\r\n", "{\n",
					     "}\n", "\r\n", "a\r\n", "g",
					     "h\n", "i\n",  "j\n",   "k\n" };
	struct str part = STR("");
	auto_buf out = BUF_INIT;

	(void)str_split(in, '\0', &part);
	if (!recipe)
		return part;
	for (size_t i = 0; i < part.len; i++)
		buf_add(&out, str_of(stock[(unsigned char)part.ptr[i] % 16]));
	return arena_copy(mem, buf_str(&out));
}

static struct merged merge(struct str base, struct str ours, struct str theirs,
			   struct arena *mem)
{
	struct merged m;

	merge_texts(base, ours, theirs, &labels, mem, &m);
	return m;
}

static void must_give(struct merged m, struct str want)
{
	must(!m.count && str_eq(m.text, want));
}

static bool has_line(struct str text, struct str line)
{
	struct str rest = text;

	while (rest.len) {
		size_t n = lines_after(rest, 1);

		if (str_eq(str_head(rest, n), line))
			return true;
		rest = str_skip(rest, n);
	}
	return false;
}

static void must_have_sources(struct str text, const struct str from[3])
{
	while (text.len) {
		size_t n = lines_after(text, 1);
		struct str line = str_head(text, n);

		must(has_line(from[0], line) || has_line(from[1], line) ||
		     has_line(from[2], line));
		text = str_skip(text, n);
	}
}

static size_t must_be_lines(struct merge_lines l, struct str text, size_t after)
{
	must(l.start >= after);
	must(l.start + l.count <= lines_count(text) + 1);
	return l.start + l.count;
}

static void must_be_in_order(const struct merged *m, const struct str from[3])
{
	size_t at[3] = { 0, 0, 0 };

	for (size_t i = 0; i < m->count; i++) {
		const struct merge_conflict *c = &m->conflicts[i];

		at[0] = must_be_lines(c->base, from[0], at[0]);
		at[1] = must_be_lines(c->ours, from[1], at[1]);
		at[2] = must_be_lines(c->theirs, from[2], at[2]);
		must(c->ours.count || c->theirs.count);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct str in = str_make((const char *)bytes, size_min(len, MOST));
	bool recipe = in.len && *bytes % 2;
	auto_arena mem = ARENA_INIT;
	struct str from[3];
	struct merged m, other;

	in = str_skip(in, 1);
	for (int i = 0; i < 3; i++)
		from[i] = take(&in, recipe, &mem);
	must_give(merge(from[0], from[0], from[2], &mem), from[2]);
	must_give(merge(from[0], from[1], from[0], &mem), from[1]);
	must_give(merge(from[0], from[1], from[1], &mem), from[1]);
	m = merge(from[0], from[1], from[2], &mem);
	other = merge(from[0], from[2], from[1], &mem);
	must(m.count == other.count);
	must_be_in_order(&m, from);
	if (m.count)
		return 0;
	must(str_eq(m.text, other.text));
	must_have_sources(m.text, from);
	return 0;
}
