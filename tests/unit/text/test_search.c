/*
 * test_search.c - searching one text: lines, context, long lines, blocks.
 */
#include "../unit.h"

#include "text/search/search.h"

#include <stdlib.h>

struct ask {
	const char *pattern;
	enum search_mode mode;
	size_t before, after;
	bool numbers, only, caseless, multiline;
	unsigned flags;
	size_t block; /* 0 = the text is one block */
};

struct answer {
	struct search_result result;
	struct search_output out;
};

/* The end of the next block: after the last newline within @n bytes. */
static size_t block_end(struct str text, size_t n)
{
	size_t last;

	if (!n || n >= text.len)
		return text.len;
	last = str_rfind(str_head(text, n), '\n');
	if (last < n)
		return last + 1;
	last = str_find(text, '\n');
	return last < text.len ? last + 1 : text.len;
}

static struct answer search_text(const struct ask *a, struct str text)
{
	auto_arena mem = ARENA_INIT;
	const struct regex_options o = { .caseless = a->caseless,
					 .multiline = a->multiline };
	struct regex_fault f;
	struct regex *r = regex_new(str_of(a->pattern), &o, &mem, &f);
	const struct search_want w = { .regex = r,
				       .mode = a->mode,
				       .before = a->before,
				       .after = a->after,
				       .numbers = a->numbers,
				       .only_matching = a->only };
	struct answer ret = { 0 };
	struct searcher *s;
	bool more = true;

	assert_non_null(r);
	s = search_new(&w);
	assert_non_null(s);
	search_begin(s, STR("f"), &ret.out);
	while (more && text.len) {
		size_t n = block_end(text, a->block);

		more = search_block(s, str_head(text, n), a->flags);
		text = str_skip(text, n);
	}
	ret.result = search_end(s);
	search_free(s);
	regex_free(r);
	return ret;
}

#define TEXT "one foo\ntwo\nthree\nfour foo foo\nfive\nsix\nseven\neight foo"

static const struct {
	struct ask ask;
	const char *text, *want;
} lines[] = {
	{ { "foo", SEARCH_CONTENT, .numbers = true },
	  TEXT,
	  "f:1:one foo\nf:4:four foo foo\nf:8:eight foo\n" },
	{ { "foo", SEARCH_CONTENT },
	  TEXT,
	  "f:one foo\nf:four foo foo\nf:eight foo\n" },
	{ { "foo", SEARCH_CONTENT, 1, 1, .numbers = true },
	  TEXT,
	  "f:1:one foo\nf-2-two\nf-3-three\nf:4:four foo foo\nf-5-five\n--\n"
	  "f-7-seven\nf:8:eight foo\n" },
	{ { "foo", SEARCH_CONTENT, 0, 2, .numbers = true },
	  TEXT,
	  "f:1:one foo\nf-2-two\nf-3-three\nf:4:four foo foo\nf-5-five\n"
	  "f-6-six\n--\nf:8:eight foo\n" },
	{ { "three", SEARCH_CONTENT, 9, 0, .numbers = true },
	  TEXT,
	  "f-1-one foo\nf-2-two\nf:3:three\n" },
	{ { "foo", SEARCH_CONTENT, .numbers = true, .only = true },
	  TEXT,
	  "f:1:foo\nf:4:foo\nf:4:foo\nf:8:foo\n" },
	{ { "o*", SEARCH_CONTENT, .numbers = true, .only = true },
	  "foo\nx\no\n",
	  "f:1:oo\nf:3:o\n" },
	{ { "FOUR", SEARCH_CONTENT, .caseless = true },
	  TEXT,
	  "f:four foo foo\n" },
	{ { "^$", SEARCH_CONTENT, .numbers = true }, "a\n\nb\n", "f:2:\n" },
	{ { "", SEARCH_CONTENT, .numbers = true }, "a\n\n", "f:1:a\nf:2:\n" },
	{ { "two\\nthree", SEARCH_CONTENT, .numbers = true, .multiline = true },
	  TEXT,
	  "f:2:two\nf:3:three\n" },
	{ { "e\\nt|e\\nf", SEARCH_CONTENT, .numbers = true, .multiline = true },
	  "one\ntwo\nthree\nfour\nfive\n",
	  "f:1:one\nf:2:two\nf:3:three\nf:4:four\n" },
	{ { "wo\\nth", SEARCH_CONTENT, .numbers = true, .only = true,
	    .multiline = true },
	  TEXT,
	  "f:2:wo\nf:3:th\n" },
	{ { "foo(?!\\s*two)", SEARCH_CONTENT, .numbers = true },
	  TEXT,
	  "f:1:one foo\nf:4:four foo foo\nf:8:eight foo\n" },
	{ { "k", SEARCH_CONTENT, .caseless = true },
	  "a\n\xe2\x84\xaa\nK\n",
	  "f:\xe2\x84\xaa\nf:K\n" },
};

/* F35 F36 F38 F39 F46: in one block, and in blocks of a line or a few. */
static void lines_are_shown_as_ripgrep_does(void **state)
{
	static const size_t blocks[] = { 0, 1, 10, 25 };

	for (size_t i = 0; i < COUNT_OF(lines); i++) {
		for (size_t b = 0; b < COUNT_OF(blocks); b++) {
			struct ask ask = lines[i].ask;
			struct answer got;

			ask.block = ask.multiline ? 0 : blocks[b];
			got = search_text(&ask, str_of(lines[i].text));
			print_message("# %s, blocks of %zu\n", ask.pattern,
				      blocks[b]);
			assert_str(buf_str(&got.out.text), lines[i].want);
			buf_free(&got.out.text);
		}
	}
}

static void counts_are_of_lines_or_matches(void **state)
{
	static const struct {
		struct ask ask;
		uint64_t want;
	} rules[] = {
		{ { "foo", SEARCH_COUNT }, 3 },
		{ { "foo", SEARCH_COUNT, .multiline = true }, 4 },
		{ { "foo", SEARCH_FILES }, 1 },
		{ { "nine", SEARCH_COUNT }, 0 },
		{ { "\\w+", SEARCH_COUNT }, 8 },
		{ { "(?<=o)o", SEARCH_COUNT }, 3 },
	};

	for (size_t i = 0; i < COUNT_OF(rules); i++)
		assert_int_equal(search_text(&rules[i].ask, STR(TEXT))
					 .result.count,
				 rules[i].want);
}

/* F63: 500 characters around the first match, with what was cut. */
static void long_lines_are_cut_around_the_match(void **state)
{
	const struct ask ask = { "needle", SEARCH_CONTENT, 1, 0 };
	auto_buf text = BUF_INIT;
	struct answer got;
	struct str shown;

	for (size_t i = 0; i < 700; i++)
		buf_lit(&text, "\xc3\xa9");
	buf_lit(&text, "\n");
	for (size_t i = 0; i < 1000; i++)
		buf_lit(&text, "\xc3\xa9");
	buf_lit(&text, "needle");
	for (size_t i = 0; i < 600; i++)
		buf_lit(&text, "\xc3\xa8");
	got = search_text(&ask, buf_str(&text));
	shown = buf_str(&got.out.text);
	assert_true(str_starts(shown, STR("f-\xc3\xa9")));
	assert_non_null(memmem(shown.ptr, shown.len,
			       STR(" [200 characters]\n").ptr, 18));
	shown = str_skip(shown, str_find(shown, '\n') + 1);
	assert_true(str_starts(shown, STR("f:[753 characters] \xc3\xa9")));
	assert_true(str_ends(shown, STR("\xc3\xa8 [353 characters]\n")));
	assert_int_equal(shown.len, strlen("f:[753 characters] ") + 247 * 2 +
					    6 + 247 * 2 +
					    strlen(" [353 characters]\n"));
	buf_free(&got.out.text);
}

/* The parts of a line as files/filetext.c makes them. */
static void search_parts(struct searcher *s, struct str line, size_t part)
{
	while (line.len > part) {
		struct str front = str_head(line, part);

		if (!search_block(s, front, SEARCH_ASCII | SEARCH_PART))
			return;
		line = str_skip(line, search_part_end(front));
	}
	(void)search_block(s, line, SEARCH_ASCII);
}

/* F64: a match across the parts of a line is found once. */
static void a_match_across_parts_is_found_once(void **state)
{
	enum { PART = 200 * 1024, LINE = 600 * 1024 };
	static const char *const patterns[] = { "needle", "n[e]{2}dle",
						"^x+needle", "needlex+$" };
	auto_arena mem = ARENA_INIT;
	char *line = arena_alloc(&mem, LINE);
	struct regex_fault f;

	for (size_t i = 0; i < COUNT_OF(patterns); i++) {
		struct regex *r =
			regex_new(str_of(patterns[i]),
				  &(struct regex_options){ 0 }, &mem, &f);
		const struct search_want w = { .regex = r,
					       .mode = SEARCH_CONTENT,
					       .only_matching = true };
		struct searcher *s = search_new(&w);

		for (size_t at = PART - 70000; at < PART + 100; at += 997) {
			struct search_output out = { 0 };
			size_t want;

			memset(line, 'x', LINE);
			memcpy(line + at, "needle", 6);
			search_begin(s, STR(""), &out);
			search_parts(s, str_make(line, LINE), PART);
			/* ^ and $ do not match where parts begin and end */
			want = i < 2 || (i == 2 && at + 6 <= PART);
			assert_int_equal(search_end(s).count, want);
			assert_int_equal(out.lines, want);
			buf_free(&out.text);
		}
		search_free(s);
		regex_free(r);
	}
}

/* F55: what was found before a limit stays. */
static void a_costly_line_ends_the_search(void **state)
{
	const struct ask ask = { "^(a+)+$", SEARCH_CONTENT };
	auto_buf text = BUF_INIT;
	struct answer got;

	buf_lit(&text, "aa\n");
	for (size_t i = 0; i < 5000; i++)
		buf_addc(&text, 'a');
	buf_lit(&text, "!\naaa\n");
	got = search_text(&ask, buf_str(&text));
	assert_true(got.result.costly);
	assert_str(buf_str(&got.out.text), "f:aa\n");
	buf_free(&got.out.text);
}

/* F61: undecodable bytes are shown as \xNN. */
static void undecodable_bytes_are_shown_and_match_nothing(void **state)
{
	const struct ask ask = { "x.y|z", SEARCH_CONTENT,
				 .flags = SEARCH_INVALID };
	struct answer got =
		search_text(&ask, STR("x\xed\xb3\xbfy\nz\xed\xb2\x80\n"));

	assert_str(buf_str(&got.out.text), "f:z\\x80\n");
	buf_free(&got.out.text);
}

static bool stop_at_once(void *ctx)
{
	++*(size_t *)ctx;
	return false;
}

static void a_full_output_ends_the_search(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct regex_fault f;
	struct regex *r =
		regex_new(STR("x"), &(struct regex_options){ 0 }, &mem, &f);
	const struct search_want w = { .regex = r, .mode = SEARCH_CONTENT };
	struct searcher *s = search_new(&w);
	size_t calls = 0;
	struct search_output out = { .full = stop_at_once, .ctx = &calls };
	auto_buf text = BUF_INIT;

	for (size_t i = 0; i < 2 * SEARCH_FLUSH; i++)
		buf_add(&text, i % 2 ? STR("\n") : STR("x"));
	search_begin(s, STR(""), &out);
	assert_false(search_block(s, buf_str(&text), SEARCH_ASCII));
	assert_int_equal(calls, 1);
	assert_int_equal(out.text.len, SEARCH_FLUSH);
	buf_free(&out.text);
	search_free(s);
	regex_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_shown_as_ripgrep_does),
		cmocka_unit_test(counts_are_of_lines_or_matches),
		cmocka_unit_test(long_lines_are_cut_around_the_match),
		cmocka_unit_test(a_match_across_parts_is_found_once),
		cmocka_unit_test(a_costly_line_ends_the_search),
		cmocka_unit_test(undecodable_bytes_are_shown_and_match_nothing),
		cmocka_unit_test(a_full_output_ends_the_search),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
