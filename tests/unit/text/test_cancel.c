/*
 * test_cancel.c - X03: loops over large texts poll for cancellation and stop.
 *
 * Polls are counted; no clock is used.
 */
#include "../unit.h"

#include "base/cancel.h"
#include "text/diff/diff.h"
#include "text/edit/edit.h"
#include "text/edit/edit_all.h"
#include "text/lines/eol.h"
#include "text/match/candidates.h"
#include "text/match/lenient_fold.h"
#include "text/match/lenient_indent.h"

#include <limits.h>

enum { LARGE = 8 << 20 };

static struct str text, other, crlf;

static void similar_candidates(struct arena *mem)
{
	struct candidate ret[CANDIDATES_AMBIGUOUS];

	(void)candidates_similar(text, STR("no such line is in there at all"),
				 mem, ret);
}

static void many_edits(struct arena *mem)
{
	struct edit edits[40];
	struct edit_done done;
	struct fault f;

	for (size_t i = 0; i < COUNT_OF(edits); i++)
		edits[i] = (struct edit){
			.old = arena_printf(mem, "nowhere to be found %zu", i),
			.with = STR("x"),
		};
	(void)!edit_apply(text, edits, COUNT_OF(edits), mem, &done, &f);
}

static void replace_all(struct arena *mem)
{
	const struct edit edit = { .old = STR("line"), .with = STR("row") };
	struct edit_done done;
	struct fault f;
	size_t n;

	if (edit_apply_all(text, &edit, SIZE_MAX, mem, &done, &n, &f))
		assert_int_equal(f.err, ERR_CANCELLED);
}

static void whole_diff(struct arena *mem)
{
	struct diff diff;

	diff_texts(text, other, mem, &diff);
	/* cut short or not, the result stays within the text */
	for (size_t i = 0; i < diff.count; i++)
		assert_true(diff.changes[i].a + diff.changes[i].a_count <=
			    LARGE);
}

static void fold(struct arena *mem)
{
	(void)fold_text(text, true, mem);
}

static void shift(struct arena *mem)
{
	struct shifted ret;

	(void)shift_find(text, STR("no\n  such\n"), mem, &ret);
}

static void line_endings(struct arena *mem)
{
	(void)eol_to_lf(crlf, mem);
}

static const struct {
	const char *says;
	void (*run)(struct arena *mem);
} loops[] = {
	{ "candidates", similar_candidates },
	{ "many edits", many_edits },
	{ "replace all", replace_all },
	{ "diff", whole_diff },
	{ "fold", fold },
	{ "indentation", shift },
	{ "line endings", line_endings },
};

static struct str filled(const char *line, struct arena *mem)
{
	auto_buf all = BUF_INIT;

	for (size_t i = 0; all.len < LARGE; i++)
		buf_addf(&all, line, i * 2654435761u % 1000003);
	return arena_copy(mem, buf_str(&all));
}

struct asked {
	unsigned times, most; /* the last poll reports the cancellation */
};

static bool stop_after(void *ctx)
{
	struct asked *a = ctx;

	return ++a->times >= a->most;
}

static void long_loops_ask_and_end(void **state)
{
	auto_arena all = ARENA_INIT;

	text = filled("this is line %zu\n", &all);
	other = filled("and that is line %zu\n", &all);
	crlf = filled("a short line %zu\r\n", &all);
	for (size_t i = 0; i < COUNT_OF(loops); i++) {
		struct asked a = { .most = UINT_MAX };
		auto_arena mem = ARENA_INIT;

		print_message("# %s\n", loops[i].says);
		cancel_begin(stop_after, &a);
		loops[i].run(&mem);
		assert_false(cancel_seen());
		assert_true(a.times >= 4);
		/*
		 * after a cancellation the loop does not poll again and returns
		 */
		for (unsigned most = 1; most <= 3; most++) {
			a = (struct asked){ .most = most };
			cancel_begin(stop_after, &a);
			loops[i].run(&mem);
			assert_true(cancel_seen());
			assert_int_equal(a.times, most);
		}
		cancel_end();
		assert_false(cancel_asked());
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(long_loops_ask_and_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
