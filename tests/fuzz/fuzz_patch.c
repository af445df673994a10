/*
 * fuzz_patch.c - reading unified diffs.
 *
 * A printed diff is read back as it was; and in any other input the line
 * numbers follow from the hunk headers.
 */
#include "fuzz.h"

#include "text/diff/unified.h"
#include "web/patch.h"

/* Line numbers of each side ascend by one. */
static void check_numbers(const struct patch *p)
{
	for (size_t h = 0; h < p->count; h++) {
		const struct patch_hunk *hunk = &p->hunks[h];
		size_t old_line = hunk->old_start, new_line = hunk->new_start;

		for (size_t i = 0; i < hunk->count; i++) {
			const struct patch_line *l = &hunk->lines[i];

			if (l->kind == '-' || l->kind == ' ')
				must(l->old_line == old_line++);
			if (l->kind == '+' || l->kind == ' ')
				must(l->new_line == new_line++);
		}
		must(old_line - hunk->old_start <= hunk->old_lines);
		must(new_line - hunk->new_start <= hunk->new_lines);
	}
}

static void check_same(const struct diff *d, const struct patch *p,
		       struct arena *mem)
{
	size_t n;
	struct unified_hunk *want = unified_hunks(d, UNIFIED_CONTEXT, mem, &n);

	must(p->count == n && !p->cut);
	for (size_t h = 0; h < n; h++) {
		must(p->hunks[h].count == want[h].line_count);
		for (size_t i = 0; i < want[h].line_count; i++) {
			const struct patch_line *l = &p->hunks[h].lines[i];
			struct str line = want[h].lines[i];

			must(l->kind == line.ptr[0]);
			must(str_eq(l->text, str_skip(line, 1)));
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str all = { (const char *)data, size };
	size_t middle = str_find(all, '\0');
	auto_arena mem = ARENA_INIT;
	auto_buf out = BUF_INIT;
	struct diff diff;
	struct patch p;

	patch_parse(all, &mem, &p);
	check_numbers(&p);
	diff_texts(str_head(all, middle), str_skip(all, middle + 1), &mem,
		   &diff);
	unified_print(&diff, STR("f"), UNIFIED_CONTEXT, &out);
	patch_parse(buf_str(&out), &mem, &p);
	check_numbers(&p);
	check_same(&diff, &p, &mem);
	return 0;
}
