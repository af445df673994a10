/*
 * test_merge.c - three-way merges and conflicts.
 *
 * tests/oracle/merge_git.py compares them with git.
 */
#include "../unit.h"

#include "base/buf.h"
#include "text/edit/merge.h"
#include "text/lines/lines.h"

static const struct merge_labels labels = { STR_INIT("now"), STR_INIT(""),
					    STR_INIT("undone") };

static const struct {
	const char *base, *ours, *theirs, *want;
	size_t conflicts;
} rows[] = {
	{ "", "", "", "", 0 },
	{ "a\n", "a\n", "a\n", "a\n", 0 },
	/* one side only */
	{ "a\nb\n", "a\nb\n", "x\nb\n", "x\nb\n", 0 },
	{ "a\nb\n", "x\nb\n", "a\nb\n", "x\nb\n", 0 },
	{ "", "", "a\n", "a\n", 0 },
	{ "a\n", "", "a\n", "", 0 },
	/* both, at different places */
	{ "a\nb\nc\n", "x\nb\nc\n", "a\nb\ny\n", "x\nb\ny\n", 0 },
	{ "a\nb\nc\n", "0\na\nb\nc\n", "a\nb\nc\nd\n", "0\na\nb\nc\nd\n", 0 },
	{ "a\nb\nc\nd\n", "b\nc\nd\n", "a\nb\nc\n", "b\nc\n", 0 },
	{ "a\r\nb\r\nc\r\n", "x\r\nb\r\nc\r\n", "a\r\nb\r\ny\n",
	  "x\r\nb\r\ny\n", 0 },
	{ "a\nb\nc", "x\nb\nc", "a\nb\nc\n", "x\nb\nc\n", 0 },
	{ "a\nb\nc\n", "x\nb\nc\n", "a\nb\nc", "x\nb\nc", 0 },
	{ "a\nb\nc", "x\nb\nc", "a\nb\ny", "x\nb\ny", 0 },
	{ "a\n\xff\nc\n", "x\n\xff\nc\n", "a\n\xff\n\xfe\n", "x\n\xff\n\xfe\n",
	  0 },
	/* both in the same way */
	{ "a\nb\n", "x\nb\n", "x\nb\n", "x\nb\n", 0 },
	{ "a\nb\nc\n", "x\nb\ny\n", "x\nb\nc\n", "x\nb\ny\n", 0 },
	{ "a\n", "", "", "", 0 },
	{ "a", "a\nb", "a\nb", "a\nb", 0 },
	/* the same place in two ways */
	{ "a\n", "b\n", "c\n", "<<<<<<< now\nb\n=======\nc\n>>>>>>> undone\n",
	  1 },
	{ "", "b\n", "c\n", "<<<<<<< now\nb\n=======\nc\n>>>>>>> undone\n", 1 },
	{ "a\nb\nc\n", "a\nx\nc\n", "a\nc\n",
	  "a\n<<<<<<< now\nx\n=======\n>>>>>>> undone\nc\n", 1 },
	/* adjacent */
	{ "a\nb\n", "x\nb\n", "a\ny\n",
	  "<<<<<<< now\nx\nb\n=======\na\ny\n>>>>>>> undone\n", 1 },
	{ "a\nb\n", "a\nx\nb\n", "a\ny\n",
	  "a\n<<<<<<< now\nx\nb\n=======\ny\n>>>>>>> undone\n", 1 },
	/* any of the equal lines may be the one that was removed */
	{ "a\na\na\nb\n", "a\na\nb\n", "x\na\na\nb\n",
	  "<<<<<<< now\na\na\n=======\nx\na\na\n>>>>>>> undone\nb\n", 1 },
	/* line endings of markers, and a last line without one */
	{ "a\r\n", "b\r\n", "c\r\n",
	  "<<<<<<< now\r\nb\r\n=======\r\nc\r\n>>>>>>> undone\r\n", 1 },
	{ "a", "b", "c", "<<<<<<< now\nb\n=======\nc\n>>>>>>> undone\n", 1 },
	/* two conflicts with a merged change between */
	{ "a\nk\nb\nk\nc\nl\nd\n", "1\nk\nb\nk\nX\nl\n3\n",
	  "2\nk\nb\nk\nc\nl\n4\n",
	  "<<<<<<< now\n1\n=======\n2\n>>>>>>> undone\nk\nb\nk\nX\nl\n"
	  "<<<<<<< now\n3\n=======\n4\n>>>>>>> undone\n",
	  2 },
};

static void merges_follow_their_table(void **state)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		auto_arena mem = ARENA_INIT;
		struct merged m;

		merge_texts(str_of(rows[i].base), str_of(rows[i].ours),
			    str_of(rows[i].theirs), &labels, &mem, &m);
		if (m.count != rows[i].conflicts)
			print_error("row %zu\n", i);
		assert_int_equal(m.count, rows[i].conflicts);
		assert_str(m.text, rows[i].want);
	}
}

static void conflicts_are_ranges_of_all_three(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct merged m;

	merge_texts(STR("a\nb\nc\nd\ne\nf\n"), STR("0\na\nb\nX\nY\nd\ne\nf\n"),
		    STR("a\nb\nZ\nd\nf\n"), &labels, &mem, &m);
	assert_int_equal(m.count, 1);
	assert_int_equal(m.conflicts[0].base.start, 3);
	assert_int_equal(m.conflicts[0].base.count, 1);
	assert_int_equal(m.conflicts[0].ours.start, 4);
	assert_int_equal(m.conflicts[0].ours.count, 2);
	assert_int_equal(m.conflicts[0].theirs.start, 3);
	assert_int_equal(m.conflicts[0].theirs.count, 1);
	assert_str(m.text, "0\na\nb\n<<<<<<< now\nX\nY\n=======\nZ\n"
			   ">>>>>>> undone\nd\nf\n");
}

static void the_base_is_shown_when_it_has_a_name(void **state)
{
	const struct merge_labels named = { STR(""), STR("was"), STR("b") };
	auto_arena mem = ARENA_INIT;
	struct merged m;

	merge_texts(STR("a\n"), STR("b\n"), STR(""), &named, &mem, &m);
	assert_str(m.text, "<<<<<<<\nb\n||||||| was\na\n=======\n>>>>>>> b\n");
}

/* Undo of an edit after a person has changed something else. */
static void an_undo_is_a_merge(void **state)
{
	const struct str before = STR("one\ntwo\nthree\nfour\nfive\n");
	const struct str after = STR("one\n2\nthree\nfour\nfive\n");
	auto_arena mem = ARENA_INIT;
	struct merged m;

	merge_texts(/* base= */ after,
		    /* ours= */ STR("one\n2\nthree\nfour\nFIVE\n"),
		    /* theirs= */ before, &labels, &mem, &m);
	assert_int_equal(m.count, 0);
	assert_str(m.text, "one\ntwo\nthree\nfour\nFIVE\n");
}

static uint64_t dice = 11;

static size_t roll(size_t sides)
{
	dice ^= dice << 13;
	dice ^= dice >> 7;
	dice ^= dice << 17;
	return (size_t)(dice >> 20) % sides;
}

/*
 * Lines numbered from 0; each side changes some that the other and its
 * neighbours do not. The expected result is made line by line.
 */
static void separate_changes_are_all_there(void **state)
{
	for (int round = 0; round < 2000; round++) {
		auto_arena mem = ARENA_INIT;
		struct buf text[4] = { BUF_INIT, BUF_INIT, BUF_INIT, BUF_INIT };
		size_t n = 1 + roll(60), free = 0;
		struct merged m;

		for (size_t i = 0; i < n; i++) {
			size_t who = i >= free ? roll(6) : 0, how = roll(3);

			for (size_t t = 0; t < 4; t++) {
				/* 1 and 2 are the sides, 3 has both */
				bool other = t && (who == 1 || who == 2) &&
					     (t == who || t == 3);

				if (!other || how == 1)
					buf_addf(&text[t], "%zu\r\n", i);
				if (other && how != 2)
					buf_addf(&text[t], "by %zu, %zu\n", who,
						 i);
			}
			if (who == 1 || who == 2)
				free = i + 2;
		}
		merge_texts(buf_str(&text[0]), buf_str(&text[1]),
			    buf_str(&text[2]), &labels, &mem, &m);
		assert_int_equal(m.count, 0);
		assert_int_equal(m.text.len, text[3].len);
		if (m.text.len)
			assert_memory_equal(m.text.ptr, text[3].ptr,
					    m.text.len);
		for (size_t t = 0; t < 4; t++)
			buf_free(&text[t]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merges_follow_their_table),
		cmocka_unit_test(conflicts_are_ranges_of_all_three),
		cmocka_unit_test(the_base_is_shown_when_it_has_a_name),
		cmocka_unit_test(an_undo_is_a_merge),
		cmocka_unit_test(separate_changes_are_all_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
