/*
 * test_decoded.c - pages of files in other encodings, decoded in blocks.
 *
 * Files in other encodings, decoded block by block: a page must equal the one
 * cut from the whole decoded file.
 */
#include "scratch.h"

#include "../text/any_bytes.h"
#include "base/fd.h"
#include "files/decoded.h"
#include "text/lines/lines.h"

#include <sys/mman.h>
#include <unistd.h>

static int file_of(struct str bytes, struct stat *st)
{
	int fd = memfd_create("f", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(fd_pwrite(fd, bytes, 0), 0);
	assert_int_equal(fstat(fd, st), 0);
	return fd;
}

/* A cost function in which vowels cost more than other bytes. */
static uint64_t dear(void *ctx, struct str text)
{
	uint64_t cost = text.len;

	for (size_t i = 0; i < text.len; i++)
		cost += strchr("aeiou", text.ptr[i]) ? 4 : 0;
	return cost;
}

static struct page_want any_want(const struct encoding *named, size_t lines)
{
	static const size_t limits[] = { 1, 2, 7, 100, SIZE_MAX };
	static const uint64_t costs[] = { 0, 20, 100, 700, UINT64_MAX };

	return (struct page_want){
		.line = 1 + roll() % (lines + 2),
		.limit = limits[roll() % COUNT_OF(limits)],
		.max_cost = costs[roll() % COUNT_OF(costs)],
		.cost = roll() % 2 ? dear : NULL,
		.named = named,
	};
}

/* Compare the page by index with the page of the whole file. */
static void same_page(struct decoded *d, const struct lineindex *x,
		      const struct snapshot *snap, const struct page_want *want)
{
	struct fault f = { 0 };
	struct page page;
	enum err e = paging_cut(snap, STR(""), want, d->mem, &page, &f);
	size_t last = paging_last(want, x->lines);
	struct page_budget t = { .want = want };
	struct str text = STR("");

	assert_int_equal(last ? decoded_take(d, x, last, &t, &text) : ERR_OK,
			 e);
	if (e) {
		assert_int_equal(e, ERR_LINE_TOO_LONG);
		assert_int_equal(d->f->number, f.number);
		assert_int_equal(d->f->bytes, f.bytes);
		assert_int_equal(d->f->limit, f.limit);
		return;
	}
	assert_true(str_eq(text, page.text));
	assert_int_equal(t.full, page.cut);
	assert_int_equal(x->lines, page.total_lines);
	assert_int_equal(x->undecodable, page.undecodable);
	assert_true(hash_eq(x->version, page.version));
	assert_ptr_equal(x->in.encoding, page.in.encoding);
	assert_int_equal(x->in.confidence, page.in.confidence);
}

static void same_pages(struct str bytes, const struct encoding *named,
		       size_t block)
{
	auto_arena mem = ARENA_INIT;
	struct fault f = { 0 };
	struct stat st;
	auto_fd fd = file_of(bytes, &st);
	struct decoded d = { .fd = fd, .block = block, .mem = &mem, .f = &f };
	struct snapshot snap = { .bytes = bytes, .version = hash_of(bytes) };
	auto_lineindex *x = NULL;
	enum err e = decoded_index(&d, &st, named, &x);
	struct detected in;

	assert_int_equal(e, encoding_detect(bytes, named, &in));
	for (int i = 0; !e && i < 12; i++) {
		const struct page_want want = any_want(named, x->lines);

		same_page(&d, x, &snap, &want);
	}
}

/* R56 R59: with blocks of every size. */
static void pages_equal_those_of_the_whole_file(void **state)
{
	for (size_t i = 0; i < encoding_rows_count * 12; i++) {
		const struct encoding *e =
			encoding_rows[i % encoding_rows_count];
		auto_arena mem = ARENA_INIT;
		struct str bytes = any_bytes(e, 1 + roll() % 2000, &mem);

		same_pages(bytes, roll() % 4 ? e : NULL,
			   BYTE_SOURCE_MIN_PIECE + roll() % 150);
	}
}

/* Empty, or nothing but a BOM or escape sequences. */
static void a_file_may_have_no_text_at_all(void **state)
{
	static const struct str files[] = {
		STR_INIT(""),
		STR_INIT("\xff\xfe"),
		STR_INIT("\xef\xbb\xbf"),
		STR_INIT("\xef\xbb\xbf\n"),
		STR_INIT("\x1b$B\x1b(B\x1b$B\x1b(B\x1b$B\x1b(B"),
		STR_INIT("a\n\x1b$B\x1b(B\x1b$B\x1b(B\x1b$B\x1b(B"),
		STR_INIT("abc\x1b$B\x1b(B\x1b$B\x1b(B\x1b$B\x1b(B"),
	};

	for (size_t i = 0; i < COUNT_OF(files); i++)
		for (size_t block = BYTE_SOURCE_MIN_PIECE; block < 40; block++)
			same_pages(files[i], NULL, block);
}

/* In ISO-2022-JP, lines and blocks may start in any shift state. */
static void a_block_starts_in_the_state_of_the_one_before(void **state)
{
	auto_buf bytes = BUF_INIT;

	for (int i = 0; i < 40; i++)
		buf_lit(&bytes, "\x1b$BF|K\\\n8lF|\nK\\8l\n\x1b(I12\n34\n56");
	for (size_t block = BYTE_SOURCE_MIN_PIECE; block < 40; block++)
		same_pages(buf_str(&bytes), NULL, block);
}

/* Another program that changes the file during a pass. */
struct meddler {
	int fd;
	size_t calls, at;
	struct str with;
};

static bool meddle(void *ctx)
{
	struct meddler *m = ctx;

	if (++m->calls == m->at) {
		assert_int_equal(ftruncate(m->fd, 0), 0);
		assert_int_equal(fd_pwrite(m->fd, m->with, 0), 0);
	}
	return false;
}

/* During each of the passes. */
static void a_file_that_changes_is_read_again(void **state)
{
	for (size_t at = 1; at < 60; at++) {
		auto_arena mem = ARENA_INIT;
		struct fault f = { 0 };
		struct stat st;
		struct str old = any_bytes(&encoding_shift_jis, 3000, &mem);
		auto_fd fd = file_of(old, &st);
		struct str with = any_bytes(&encoding_utf16le,
					    at % 2 ? 1000 : 4000, &mem);
		struct meddler m = { .fd = fd, .at = at, .with = with };
		struct progress progress = { .stop = meddle, .ctx = &m };
		struct decoded d = { .fd = fd,
				     .block = 256,
				     .progress = &progress,
				     .mem = &mem,
				     .f = &f };
		struct snapshot snap = { .bytes = with,
					 .version = hash_of(with) };
		const struct page_want want = { .line = 1,
						.limit = 5,
						.max_cost = 1000 };
		auto_lineindex *x = NULL;
		enum err e = decoded_index(&d, &st, NULL, &x);

		if (m.calls < at) /* there was no such pass */
			break;
		assert_int_equal(e, ERR_OK);
		assert_int_equal(x->stat.size, with.len);
		same_page(&d, x, &snap, &want);
		/* once more, with an existing index */
		m.with = old;
		m.at = m.calls + 1;
		e = decoded_take(&d, x, 2,
				 &(struct page_budget){ .want = &want },
				 &snap.bytes);
		assert_true(!e || e == ERR_IO || e == ERR_LINE_TOO_LONG);
	}
}

static bool always(void *ctx)
{
	return true;
}

static void decoding_can_be_cancelled_and_deferred(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct fault f = { 0 };
	struct stat st;
	struct str bytes = any_bytes(&encoding_utf16le, 3000, &mem);
	auto_fd fd = file_of(bytes, &st);
	const struct progress stopped = { .stop = always };
	const struct progress hasty = { .byte_limit = 2000 };
	struct decoded d = { .fd = fd, .block = 64, .mem = &mem, .f = &f };
	const struct page_want want = { .line = 1,
					.limit = SIZE_MAX,
					.max_cost = UINT64_MAX };
	struct page_budget t = { .want = &want };
	auto_lineindex *x = NULL, *none = NULL;
	struct str text;

	d.progress = &stopped;
	assert_int_equal(decoded_index(&d, &st, NULL, &none), ERR_CANCELLED);
	d.progress = NULL;
	assert_int_equal(decoded_index(&d, &st, NULL, &x), ERR_OK);
	d.progress = &stopped;
	assert_int_equal(decoded_take(&d, x, 3, &t, &text), ERR_CANCELLED);
	d.progress = &hasty;
	assert_int_equal(decoded_take(&d, x, x->lines, &t, &text), ERR_LATER);
	assert_int_equal(decoded_take(&d, x, 1, &t, &text), ERR_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_equal_those_of_the_whole_file),
		cmocka_unit_test(a_file_may_have_no_text_at_all),
		cmocka_unit_test(a_block_starts_in_the_state_of_the_one_before),
		cmocka_unit_test(a_file_that_changes_is_read_again),
		cmocka_unit_test(decoding_can_be_cancelled_and_deferred),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
