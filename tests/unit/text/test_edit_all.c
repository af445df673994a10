/*
 * test_edit_all.c - replacing every occurrence.
 *
 * Equals edit_apply() for a single occurrence, and a naive implementation where
 * there is no CR.
 */
#include "../unit.h"

#include "naive_edit.h"
#include "text/edit/edit_all.h"

enum { ROUNDS = 200 * 1000 };

static unsigned seed = 7;

static unsigned dice(unsigned n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % n;
}

static struct str random_text(char *to, unsigned most, bool cr)
{
	static const char *const words[] = { "a", "b", "\n", "\r\n", "\r" };
	size_t len = 0;

	for (unsigned n = dice(most + 1); n; n--) {
		const char *w = words[dice(cr ? 5 : 3)];

		memcpy(to + len, w, strlen(w));
		len += strlen(w);
	}
	return str_make(to, len);
}

static struct str replaced(struct str text, const struct edit *e,
			   struct buf *out)
{
	const char *at;

	while ((at = naive_find(text, e->old))) {
		buf_add(out, str_head(text, (size_t)(at - text.ptr)));
		buf_add(out, e->with);
		text = str_skip(text, (size_t)(at - text.ptr) + e->old.len);
	}
	buf_add(out, text);
	return buf_str(out);
}

/* C50 C48 A29: every occurrence, from the left, not overlapping. */
static void without_cr_it_is_plain_replacement(void **state)
{
	auto_arena mem = ARENA_INIT;
	char t[64], o[64], w[64];

	for (int i = 0; i < ROUNDS; i++) {
		struct str text = random_text(t, 12, false);
		struct edit e = { random_text(o, 3, false),
				  random_text(w, 3, false) };
		size_t count = 0, want;
		auto_buf out = BUF_INIT;
		struct edit_done done;
		enum err got;

		if (!e.old.len)
			continue;
		want = naive_count(text, e.old);
		got = edit_apply_all(text, &e, SIZE_MAX, &mem, &done, &count,
				     NULL);
		assert_int_equal(got, want ? ERR_OK : ERR_NO_MATCH);
		if (want) {
			assert_int_equal(count, want);
			assert_true(
				str_eq(done.text, replaced(text, &e, &out)));
		}
		for (size_t k = 1; want && k < done.splice_count; k++)
			assert_true(done.splices[k].from >
				    done.splices[k - 1].to);
		arena_reset(&mem, 4096);
	}
}

/* C50 C72: a single occurrence is replaced as by edit_apply(). */
static void once_it_is_the_single_edit(void **state)
{
	auto_arena mem = ARENA_INIT;
	char t[64], o[64], w[64];
	unsigned met = 0;

	for (int i = 0; i < ROUNDS; i++) {
		struct str text = random_text(t, 12, true);
		struct edit e = { random_text(o, 4, true),
				  random_text(w, 4, true) };
		struct edit_done one, all;
		struct fault f;
		size_t count;

		if (!e.old.len || str_ends(e.old, STR("\r")) ||
		    edit_apply(text, &e, 1, &mem, &one, &f))
			continue;
		met++;
		assert_int_equal(edit_apply_all(text, &e, SIZE_MAX, &mem, &all,
						&count, &f),
				 ERR_OK);
		assert_int_equal(count, 1);
		assert_true(str_eq(one.text, all.text));
		assert_int_equal(one.ranges[0].start, all.ranges[0].start);
		assert_int_equal(one.ranges[0].end, all.ranges[0].end);
		assert_int_equal(one.given, all.given);
		arena_reset(&mem, 4096);
	}
	assert_in_range(met, 1000, ROUNDS);
}

/* A result over a limit is refused before memory is allocated. */
static void what_would_explode_is_refused_first(void **state)
{
	static char text[100000], with[1 << 20], crlf[40000];
	const struct edit explode = { STR_INIT("a"), { with, sizeof(with) } };
	const struct edit small = { STR_INIT("a"), STR_INIT("bc") };
	auto_arena mem = ARENA_INIT;
	struct edit_done done;
	struct budget little;
	struct fault f;
	size_t count;

	memset(text, 'a', sizeof(text));
	memset(with, 'b', sizeof(with));
	for (size_t i = 0; i < sizeof(crlf); i += 4)
		memcpy(crlf + i, "a\r\nx", 4);
	budget_open(&little, NULL, 4 << 20);
	arena_charge(&mem, &little);
	assert_int_equal(edit_apply_all(str_make(text, sizeof(text)), &explode,
					256 << 20, &mem, &done, &count, &f),
			 ERR_TOO_LARGE);
	assert_int_equal(f.bytes, 100000ULL << 20);
	assert_int_equal(f.limit, 256 << 20);
	assert_int_equal(edit_apply_all(str_make(crlf, sizeof(crlf)), &explode,
					SIZE_MAX, &mem, &done, &count, &f),
			 ERR_NO_MEMORY);
	assert_int_equal(edit_apply_all(str_make(text, sizeof(text)), &small,
					SIZE_MAX, &mem, &done, &count, &f),
			 ERR_NO_MEMORY); /* rows for so many occurrences */
	assert_int_equal(edit_apply(str_make(text, sizeof(text)), &explode, 1,
				    &mem, &done, &f),
			 ERR_MANY_MATCHES_AT); /* within the limit */
	assert_true(budget_left(&little) > 0);
	arena_charge(&mem, NULL);
	assert_int_equal(edit_apply_all(str_make(text, sizeof(text)), &small,
					200000, &mem, &done, &count, &f),
			 ERR_OK);
	assert_int_equal(done.text.len, 200000);
	assert_int_equal(edit_apply_all(str_make(text, sizeof(text)), &small,
					199999, &mem, &done, &count, &f),
			 ERR_TOO_LARGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_cr_it_is_plain_replacement),
		cmocka_unit_test(once_it_is_the_single_edit),
		cmocka_unit_test(what_would_explode_is_refused_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
