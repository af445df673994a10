/*
 * test_page.c - pages of files of any size and encoding.
 */
#include "scratch.h"

#include "text/encoding/encoding.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static enum err page(struct scratch *s, size_t line, size_t limit,
		     uint64_t max_cost, struct page *ret)
{
	const struct page_want want = { .line = line,
					.limit = limit,
					.max_cost = max_cost };

	return ws_page(s->ws, scratch_str(s, "root/f"), &want, NULL, &s->mem,
		       ret, &s->f);
}

/* Lines of many lengths, some with multi-byte characters. */
static struct str make_lines(struct arena *mem, size_t bytes, bool ends)
{
	auto_buf b = BUF_INIT;
	unsigned seed = 1;

	for (size_t i = 0; b.len < bytes; i++) {
		seed = seed * 1103515245 + 12345;
		buf_addf(&b, "%zu ", i);
		for (unsigned k = (seed >> 16) % 90; k; k--)
			buf_lit(&b, "\xc3\xa4");
		if (seed >> 31)
			buf_lit(&b, "\xf0\x9f\x98\x80\r");
		buf_lit(&b, "\n");
	}
	if (!ends)
		buf_lit(&b, "tail");
	return arena_copy(mem, buf_str(&b));
}

static void put_bytes(struct scratch *s, struct str bytes)
{
	FILE *file = fopen(scratch_path(s, "root/f"), "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes.ptr, 1, bytes.len, file), bytes.len);
	assert_int_equal(fclose(file), 0);
}

/* R56 */
static void consecutive_pages_make_up_the_file(void **state)
{
	static const struct {
		size_t bytes, limit;
		uint64_t max_cost;
		bool ends;
	} rules[] = {
		{ 0, 10, 4096, true },
		{ 3000, 7, UINT64_MAX, true },
		{ 3000, SIZE_MAX, 700, false },
		{ 262144, 1000, UINT64_MAX, false },
		{ 700000, 1000, UINT64_MAX, true },
		{ 700000, 777, 30000, false },
		{ 2000000, SIZE_MAX, 300000, true },
		{ 2000000, SIZE_MAX, UINT64_MAX, false },
	};

	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		auto_scratch s = scratch_make();
		struct str all =
			make_lines(&s.mem, rules[i].bytes, rules[i].ends);
		auto_buf got = BUF_INIT;
		size_t line = 1;
		struct page p;

		put_bytes(&s, all);
		do {
			assert_int_equal(page(&s, line, rules[i].limit,
					      rules[i].max_cost, &p),
					 ERR_OK);
			assert_true(hash_eq(p.version, hash_of(all)));
			assert_true(p.text.len <= rules[i].max_cost);
			assert_true(p.lines <= rules[i].limit);
			buf_add(&got, p.text);
			line += p.lines;
		} while (p.lines);
		assert_int_equal(line, p.total_lines + 1);
		assert_true(str_eq(buf_str(&got), all));
	}
}

/* A11 A10: with the correct number of lines. */
static void past_the_end_is_an_empty_page(void **state)
{
	auto_scratch s = scratch_make();
	struct page p;

	put_bytes(&s, STR("a\n\nb"));
	assert_int_equal(page(&s, 4, 10, UINT64_MAX, &p), 0);
	assert_str(p.text, "");
	assert_int_equal(p.lines, 0);
	assert_int_equal(p.total_lines, 3);
	assert_false(p.cut);
	assert_int_equal(page(&s, SIZE_MAX, SIZE_MAX, UINT64_MAX, &p), 0);
	assert_int_equal(p.total_lines, 3);
	put_bytes(&s, make_lines(&s.mem, 500000, true));
	assert_int_equal(page(&s, SIZE_MAX, SIZE_MAX, UINT64_MAX, &p), 0);
	assert_int_equal(p.lines, 0);
	assert_true(p.total_lines > 1000);
}

/* As if every byte had to be escaped. */
static uint64_t dear(void *ctx, struct str text)
{
	++*(size_t *)ctx;
	return text.len * 2;
}

static void a_page_stops_at_its_cost_and_a_line(void **state)
{
	static const size_t sizes[] = { 1000, 1000000 };

	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		auto_scratch s = scratch_make();
		struct str all = make_lines(&s.mem, sizes[i], true);
		size_t calls = 0;
		struct page_want want = { .line = 1,
					  .limit = SIZE_MAX,
					  .max_cost = sizes[i],
					  .cost = dear,
					  .ctx = &calls };
		struct page p;

		put_bytes(&s, all);
		assert_int_equal(ws_page(s.ws, scratch_str(&s, "root/f"), &want,
					 NULL, &s.mem, &p, &s.f),
				 0);
		assert_true(p.cut);
		assert_true(p.text.len <= sizes[i] / 2);
		assert_true(p.text.len > sizes[i] / 2 - 300);
		assert_int_equal(p.text.ptr[p.text.len - 1], '\n');
		assert_true(str_starts(all, p.text));
		assert_true(calls < 64);
	}
}

static void a_line_too_long_for_any_reply_is_named(void **state)
{
	static const size_t sizes[] = { 5000, 3 << 20 };

	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		auto_scratch s = scratch_make();
		char *bytes = arena_alloc(&s.mem, sizes[i] + 2);
		struct page p;

		memset(bytes, 'x', sizes[i]);
		memcpy(bytes, "a\n", 2);
		memcpy(bytes + sizes[i], "\nb", 2);
		put_bytes(&s, str_make(bytes, sizes[i] + 2));
		assert_int_equal(page(&s, 1, SIZE_MAX, 1000, &p), 0);
		assert_str(p.text, "a\n");
		assert_true(p.cut);
		assert_int_equal(page(&s, 2, SIZE_MAX, 1000, &p),
				 ERR_LINE_TOO_LONG);
		assert_int_equal(s.f.number, 2);
		assert_int_equal(s.f.bytes, sizes[i] - 1);
		assert_int_equal(s.f.limit, 1000);
		assert_int_equal(page(&s, 3, SIZE_MAX, 1000, &p), 0);
		assert_str(p.text, "b");
		assert_false(p.cut);
	}
}

/* R23: the first block decides. */
static void a_huge_file_of_nuls_is_binary_at_once(void **state)
{
	auto_scratch s = scratch_make();
	struct page p;

	put_bytes(&s, STR(""));
	assert_int_equal(truncate(scratch_path(&s, "root/f"), 10LL << 30), 0);
	assert_int_equal(page(&s, 1, 10, UINT64_MAX, &p), ERR_BINARY_READ);
	assert_str(s.f.path, scratch_path(&s, "root/f"));
}

/* R23: a NUL late in a large file counts like one early in a small one. */
static void a_nul_anywhere_makes_a_file_binary(void **state)
{
	static const size_t sizes[] = { 100, 900000 };

	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		auto_scratch s = scratch_make();
		struct str all = make_lines(&s.mem, sizes[i], true);
		struct page p;

		((char *)all.ptr)[all.len - 20] = '\0';
		put_bytes(&s, all);
		assert_int_equal(page(&s, 1, 1, UINT64_MAX, &p),
				 ERR_BINARY_READ);
	}
}

/*
 * R59: a large file in a legacy encoding has the lines, the encoding and the
 * count of undecodable bytes that a small one has.
 */
static void large_legacy_files_are_decoded(void **state)
{
	static const struct {
		const char *encoding;
		struct str line;
		const char *text;
		size_t undecodable;
	} rows[] = {
		{ "shift_jis", STR_INIT("\x93\xfa\x96\x7b\x8c\xea \x8e\x52\n"),
		  "日本語 山\n", 0 },
		{ "iso-2022-jp", STR_INIT("\x1b$BF|K\\8l\x1b(B a\n"),
		  "日本語 a\n", 0 },
		{ "utf-8", STR_INIT("\xc3\xa9\xc3\xa8 \xe9 a\n"),
		  "éè \\xE9 a\n", 1 },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		auto_scratch s = scratch_make();
		auto_buf all = BUF_INIT;
		size_t lines = 0;
		struct page p;

		for (; all.len < 600000; lines++)
			buf_add(&all, rows[i].line);
		put_bytes(&s, buf_str(&all));
		assert_int_equal(page(&s, lines - 1, 1, UINT64_MAX, &p),
				 ERR_OK);
		assert_str(p.text, rows[i].text);
		assert_int_equal(p.total_lines, lines);
		assert_string_equal(p.in.encoding->name, rows[i].encoding);
		assert_int_equal(p.undecodable, lines * rows[i].undecodable);
	}
}

static void large_files_in_other_encodings_are_decoded(void **state)
{
	auto_scratch s = scratch_make();
	size_t n = 200000;
	char *bytes = arena_alloc(&s.mem, 2 * n + 2);
	struct page p;

	memcpy(bytes, "\xff\xfe", 2);
	for (size_t i = 0; i < n; i++) {
		bytes[2 + 2 * i] = i % 10 == 9 ? '\n' : 'x';
		bytes[3 + 2 * i] = '\0';
	}
	put_bytes(&s, str_make(bytes, 2 * n + 2));
	assert_int_equal(page(&s, 20000, 5, UINT64_MAX, &p), 0);
	assert_str(p.text, "xxxxxxxxx\n");
	assert_int_equal(p.total_lines, 20000);
	assert_int_equal(p.in.encoding->unit, 2);
}

/* A14: ASCII in UTF-16 is valid UTF-8 but for the NUL bytes. */
static void large_utf16_files_without_a_bom_are_text(void **state)
{
	static const char *const names[] = { "utf-16le-nobom", "utf-16be-nobom",
					     "utf-32le-nobom",
					     "utf-32be-nobom" };

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		const struct encoding *e = encoding_named(str_of(names[i]));
		auto_scratch s = scratch_make();
		auto_buf text = BUF_INIT;
		struct str bytes;
		struct page p;
		size_t bad;

		while (text.len < 200000)
			buf_lit(&text, "some words\n");
		assert_int_equal(encoding_encode(e, buf_str(&text), &s.mem,
						 &bytes, &bad),
				 ERR_OK);
		put_bytes(&s, bytes);
		assert_int_equal(page(&s, 18000, 1, UINT64_MAX, &p), ERR_OK);
		assert_ptr_equal(p.in.encoding, e);
		assert_str(p.text, "some words\n");
	}
}

/* A14: at every position around the end of the first block. */
static void a_surrogate_pair_across_blocks_is_text(void **state)
{
	const struct encoding *e = encoding_named(STR("utf-16le-nobom"));

	for (size_t odd = 0; odd < 2; odd++) {
		auto_scratch s = scratch_make();
		auto_buf text = BUF_INIT;
		struct str bytes;
		struct page p;
		size_t bad;

		buf_add(&text, odd ? STR("!") : STR("!!"));
		while (text.len < 200000)
			buf_lit(&text, "some \xf0\x9f\x98\x80\n");
		assert_int_equal(encoding_encode(e, buf_str(&text), &s.mem,
						 &bytes, &bad),
				 ERR_OK);
		assert_int_equal(bytes.ptr[256 * 1024 - 1] & '\xfc',
				 odd ? '\xdc'
				     : '\xd8'); /* low or high surrogate */
		put_bytes(&s, bytes);
		assert_int_equal(page(&s, 18000, 1, UINT64_MAX, &p), ERR_OK);
		assert_str(p.text, "some \xf0\x9f\x98\x80\n");
	}
}

/*
 * The index of a decoded file is cached under the requested encoding: a
 * request with another one must not get its lines.
 */
static void an_index_is_cached_under_its_requested_encoding(void **state)
{
	static const struct {
		const char *named, *found, *text;
	} rows[] = {
		{ NULL, "windows-1252", "\xc3\xa9t\xc3\xa9 \xc3\xa6 a\n" },
		{ "iso-8859-2", "iso-8859-2",
		  "\xc3\xa9t\xc3\xa9 \xc4\x87 a\n" },
		{ "utf-8", "utf-8", "\\xE9t\\xE9 \\xE6 a\n" },
	};
	auto_scratch s = scratch_make();
	auto_buf all = BUF_INIT;
	const struct progress hasty = { .byte_limit = 200000 };

	while (all.len < 500000)
		buf_lit(&all, "\xe9t\xe9 \xe6 a\n");
	put_bytes(&s, buf_str(&all));
	(void)usleep(50000);
	for (size_t i = 0; i < 2 * COUNT_OF(rows); i++) {
		size_t k = i % COUNT_OF(rows);
		const struct page_want want = {
			.line = 40000,
			.limit = 1,
			.max_cost = UINT64_MAX,
			.named = encoding_named(str_of(rows[k].named)),
		};
		struct page p;

		assert_int_equal(ws_page(s.ws, scratch_str(&s, "root/f"), &want,
					 i < COUNT_OF(rows) ? NULL : &hasty,
					 &s.mem, &p, &s.f),
				 ERR_OK);
		assert_string_equal(p.in.encoding->name, rows[k].found);
		assert_str(p.text, rows[k].text);
		assert_true(hash_eq(p.version, hash_of(buf_str(&all))));
	}
}

static void a_changed_file_is_indexed_again(void **state)
{
	auto_scratch s = scratch_make();
	struct str one = make_lines(&s.mem, 600000, true), two;
	char *path = scratch_path(&s, "root/f");
	struct page p;

	put_bytes(&s, one);
	(void)usleep(50000); /* until its stat data are no longer racy */
	assert_int_equal(page(&s, 3, 1, UINT64_MAX, &p), 0);
	assert_true(str_starts(p.text, STR("2 ")));
	assert_int_equal(page(&s, 3, 1, UINT64_MAX, &p), 0);
	assert_true(str_starts(p.text, STR("2 ")));
	/* the same size, another content */
	two = arena_copy(&s.mem, one);
	((char *)two.ptr)[0] = '\n';
	put_bytes(&s, two);
	assert_int_equal(page(&s, 3, 1, UINT64_MAX, &p), 0);
	assert_true(str_starts(p.text, STR("1 ")));
	assert_true(hash_eq(p.version, hash_of(two)));
	/* shorter, and a replaced inode */
	two = str_head(two, str_rfind(str_head(two, 300000), '\n'));
	assert_int_equal(truncate(path, (off_t)two.len), 0);
	assert_int_equal(page(&s, 1, 1, UINT64_MAX, &p), 0);
	assert_true(hash_eq(p.version, hash_of(two)));
	assert_int_equal(unlink(path), 0);
	put_bytes(&s, one);
	assert_int_equal(page(&s, 1, 1, UINT64_MAX, &p), 0);
	assert_true(hash_eq(p.version, hash_of(one)));
}

static bool always(void *ctx)
{
	return true;
}

static void count_reports(void *ctx, uint64_t done, uint64_t total)
{
	assert_true(done <= total);
	++*(size_t *)ctx;
}

static void a_read_can_be_cancelled_watched_and_deferred(void **state)
{
	auto_scratch s = scratch_make();
	struct str path = scratch_str(&s, "root/f");
	size_t moves = 0;
	const struct progress stopped = { .stop = always };
	const struct progress watched = { .report = count_reports,
					  .ctx = &moves };
	const struct progress hasty = { .byte_limit = 1000000 };
	const struct page_want want = { .line = 1,
					.limit = 1,
					.max_cost = UINT64_MAX };
	struct snapshot snap;
	struct page p;

	put_bytes(&s, make_lines(&s.mem, 5 << 20, true));
	(void)usleep(50000);
	assert_int_equal(ws_load(s.ws, path, SIZE_MAX, &stopped, &s.mem, &snap,
				 &s.f),
			 ERR_CANCELLED);
	assert_int_equal(ws_page(s.ws, path, &want, &stopped, &s.mem, &p, &s.f),
			 ERR_CANCELLED);
	assert_int_equal(ws_load(s.ws, path, SIZE_MAX, &hasty, &s.mem, &snap,
				 &s.f),
			 ERR_LATER);
	assert_int_equal(ws_page(s.ws, path, &want, &hasty, &s.mem, &p, &s.f),
			 ERR_LATER);
	assert_int_equal(ws_load(s.ws, path, SIZE_MAX, &watched, &s.mem, &snap,
				 &s.f),
			 ERR_OK);
	assert_true(moves >= 4);
	moves = 0;
	assert_int_equal(ws_page(s.ws, path, &want, &watched, &s.mem, &p, &s.f),
			 ERR_OK);
	assert_true(moves >= 4);
	/* With the index cached, a page stays within the limit. */
	assert_int_equal(ws_page(s.ws, path, &want, &hasty, &s.mem, &p, &s.f),
			 ERR_OK);
}

static long peak_kib(void)
{
	struct rusage use;

	(void)getrusage(RUSAGE_SELF, &use);
	return use.ru_maxrss;
}

static void pages_are_small(struct str some, int times)
{
	auto_scratch s = scratch_make();
	FILE *file = fopen(scratch_path(&s, "root/f"), "w");
	struct page p;
	long before;

	for (int i = 0; i < times; i++)
		assert_int_equal(fwrite(some.ptr, 1, some.len, file), some.len);
	assert_int_equal(fclose(file), 0);
	before = peak_kib();
	assert_int_equal(page(&s, 1, 1, UINT64_MAX, &p), 0);
	assert_int_equal(page(&s, p.total_lines, 1, UINT64_MAX, &p), 0);
	assert_int_equal(p.lines, 1);
	assert_true(peak_kib() - before < 8 * 1024);
}

/*
 * 200 MB are paged in a few megabytes of memory, also when they have to be
 * decoded.
 */
static void a_large_file_is_never_held_in_memory(void **state)
{
	auto_arena mem = ARENA_INIT;
	auto_buf japanese = BUF_INIT;

	pages_are_small(make_lines(&mem, 1 << 20, true), 200);
	while (japanese.len < 1 << 20)
		buf_lit(&japanese, "\x93\xfa\x96\x7b\x8c\xea \x8e\x52\n");
	pages_are_small(buf_str(&japanese), 30);
}

/* ERR_TOO_LARGE carries the size and the limit. */
static void a_load_has_a_limit(void **state)
{
	auto_scratch s = scratch_make();
	struct snapshot snap;

	put_bytes(&s, STR("12345"));
	assert_int_equal(ws_load(s.ws, scratch_str(&s, "root/f"), 5, NULL,
				 &s.mem, &snap, &s.f),
			 ERR_OK);
	assert_int_equal(ws_load(s.ws, scratch_str(&s, "root/f"), 4, NULL,
				 &s.mem, &snap, &s.f),
			 ERR_TOO_LARGE);
	assert_int_equal(s.f.bytes, 5);
	assert_int_equal(s.f.limit, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* first: the test measures the peak memory of the process */
		cmocka_unit_test(a_large_file_is_never_held_in_memory),
		cmocka_unit_test(consecutive_pages_make_up_the_file),
		cmocka_unit_test(past_the_end_is_an_empty_page),
		cmocka_unit_test(a_page_stops_at_its_cost_and_a_line),
		cmocka_unit_test(a_line_too_long_for_any_reply_is_named),
		cmocka_unit_test(a_huge_file_of_nuls_is_binary_at_once),
		cmocka_unit_test(a_nul_anywhere_makes_a_file_binary),
		cmocka_unit_test(large_legacy_files_are_decoded),
		cmocka_unit_test(large_files_in_other_encodings_are_decoded),
		cmocka_unit_test(large_utf16_files_without_a_bom_are_text),
		cmocka_unit_test(a_surrogate_pair_across_blocks_is_text),
		cmocka_unit_test(
			an_index_is_cached_under_its_requested_encoding),
		cmocka_unit_test(a_changed_file_is_indexed_again),
		cmocka_unit_test(a_read_can_be_cancelled_watched_and_deferred),
		cmocka_unit_test(a_load_has_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
