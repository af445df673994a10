/*
 * test_paging.c - cutting a page out of a text within a budget of cost.
 */
#include "../unit.h"

#include "files/paging.h"
#include "text/encoding/encoding.h"
#include "text/lines/lines.h"

/* A cost function in which vowels cost more than other bytes. */
static uint64_t dear(void *ctx, struct str text)
{
	uint64_t cost = text.len;

	for (size_t i = 0; i < text.len; i++)
		cost += strchr("aeiou", text.ptr[i]) ? 4 : 0;
	return cost;
}

static const char poem[] = "one\n\nthree\nfour is a longer line\n"
			   "aeiouaeiouaeiou\n\n\nx\nlast";

/* The reference: take line by line. */
static size_t one_by_one(const struct page_want *want, struct str text)
{
	size_t taken = 0;
	uint64_t spent = 0;

	while (taken < text.len) {
		struct str rest = str_skip(text, taken);
		struct str line = str_head(rest, lines_after(rest, 1));

		spent += want->cost(want->ctx, line);
		if (spent > want->max_cost)
			break;
		taken += line.len;
	}
	return taken;
}

static void bisection_takes_as_much_as_line_by_line(void **state)
{
	struct str text = str_of(poem);
	uint64_t all = dear(NULL, text);

	for (uint64_t max = 0; max <= all + 1; max++) {
		const struct page_want want = { .max_cost = max, .cost = dear };
		struct page_budget t = { .want = &want };
		size_t taken = page_budget_take(&t, text);

		assert_int_equal(taken, one_by_one(&want, text));
		assert_int_equal(t.full, taken < text.len);
	}
}

/* A10 A11 A13 */
static void the_last_line_of_a_page_saturates(void **state)
{
	static const struct {
		size_t line, limit, total, last;
	} rules[] = {
		{ 1, 10, 5, 5 },
		{ 1, 5, 5, 5 },
		{ 2, 3, 5, 4 },
		{ 5, 1, 5, 5 },
		{ 6, 1, 5, 0 },
		{ 1, 1, 0, 0 },
		{ 1, 0, 5, 0 },
		{ 3, SIZE_MAX, 5, 5 },
		{ SIZE_MAX, SIZE_MAX, 5, 0 },
	};

	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		const struct page_want want = { .line = rules[i].line,
						.limit = rules[i].limit };

		assert_int_equal(paging_last(&want, rules[i].total),
				 rules[i].last);
	}
}

/* A workspace in memory without the page operation. */
struct ws_memory {
	struct workspace ws;
	struct str bytes;
};

static enum err memory_load(struct workspace *ws, struct str path, uint64_t max,
			    const struct progress *progress, struct arena *mem,
			    struct snapshot *ret, struct fault *f)
{
	ret->bytes = ((struct ws_memory *)ws)->bytes;
	ret->version = hash_of(ret->bytes);
	ret->key = path;
	if (ret->bytes.len > max)
		return fail(f, ERR_TOO_LARGE, .path = path);
	return ERR_OK;
}

static const struct workspace_ops memory_ops = { .load = memory_load };

/* R23 R56: in a workspace without the page operation. */
static void a_page_can_be_made_of_a_load(void **state)
{
	static const struct {
		struct str bytes;
		size_t line, limit;
		enum err want;
		const char *text;
		size_t total;
		bool cut;
	} rules[] = {
		{ STR_INIT("a\nb\nc"), 1, 9, ERR_OK, "a\nb\nc", 3, false },
		{ STR_INIT("a\nb\nc"), 2, 1, ERR_OK, "b\n", 3, false },
		{ STR_INIT("a\r\nb"), 1, 1, ERR_OK, "a\r\n", 2, false },
		{ STR_INIT("a\nb\nc"), 4, 1, ERR_OK, "", 3, false },
		{ STR_INIT(""), 1, 1, ERR_OK, "", 0, false },
		{ STR_INIT("\n"), 1, 9, ERR_OK, "\n", 1, false },
		{ STR_INIT("\xef\xbb\xbf"
			   "a"),
		  1, 9, ERR_OK, "a", 1, false },
		{ STR_INIT("12\n12\n12\n12\n"), 1, 9, ERR_OK, "12\n12\n12\n", 4,
		  true },
		{ STR_INIT("1\n1234567890\n"), 2, 1, ERR_LINE_TOO_LONG, NULL, 0,
		  false },
		{ STR_INIT("a\0b"), 1, 9, ERR_BINARY_READ, NULL, 0, false },
	};

	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		const struct page_want want = { .line = rules[i].line,
						.limit = rules[i].limit,
						.max_cost = 10 };
		struct ws_memory ws = { { &memory_ops, "memory" },
					rules[i].bytes };
		auto_arena mem = ARENA_INIT;
		struct page page;
		enum err e = ws_page(&ws.ws, STR("/a"), &want, NULL, &mem,
				     &page, NULL);

		assert_int_equal(e, rules[i].want);
		if (e)
			continue;
		assert_str(page.text, rules[i].text);
		assert_int_equal(page.total_lines, rules[i].total);
		assert_int_equal(page.lines, lines_count(page.text));
		assert_int_equal(page.cut, rules[i].cut);
		assert_str(page.key, "/a");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bisection_takes_as_much_as_line_by_line),
		cmocka_unit_test(the_last_line_of_a_page_saturates),
		cmocka_unit_test(a_page_can_be_made_of_a_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
