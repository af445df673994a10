/*
 * test_ends.c - the first and last lines of a file, compared with a plain
 * search in its bytes.
 */
#include "scratch.h"

#include "files/ends.h"
#include "text/lines/lines.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static int file_of(struct scratch *s, struct str bytes)
{
	int fd = open(scratch_path(s, "root/f"),
		      O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes.ptr, bytes.len), (ssize_t)bytes.len);
	return fd;
}

static bool ends(int fd, size_t size, size_t lines, bool last, uint64_t most,
		 struct arena *mem, struct str *ret)
{
	const struct ends_want want = { lines, last, most };

	return ends_read(fd, size, &want, mem, ret);
}

/* Lines of very different lengths, so that blocks end everywhere. */
static struct str random_lines(unsigned seed, const char *eol, bool ends,
			       struct arena *mem)
{
	auto_buf b = BUF_INIT;

	for (unsigned i = 0; i < 400; i++) {
		seed = seed * 1103515245 + 12345;
		for (unsigned k = (seed >> 16) % (i % 40 ? 60 : 9000); k; k--)
			buf_lit(&b, "\xc3\xa4");
		buf_add(&b, str_of(eol));
	}
	if (!ends)
		buf_lit(&b, "tail");
	return arena_copy(mem, buf_str(&b));
}

static struct str naive(struct str all, size_t lines, bool last)
{
	size_t total = lines_count(all);

	if (!last)
		return str_head(all, lines_after(all, lines));
	return str_skip(all, lines_start(all, total > lines ? total - lines + 1
							    : 1));
}

/* F95: exactly so many lines, each with its own ending. */
static void lines_are_exact(void **state)
{
	static const size_t counts[] = { 1, 2, 3, 7, 40, 399, 400, 401, 9999 };
	static const char *const eols[] = { "\n", "\r\n" };

	for (unsigned seed = 0; seed < 8; seed++) {
		auto_scratch s = scratch_make();
		struct str all =
			random_lines(seed, eols[seed & 1], seed & 2, &s.mem);
		int fd = file_of(&s, all);
		struct str got;

		for (size_t i = 0; i < 2 * COUNT_OF(counts); i++) {
			bool last = i & 1;
			struct str want = naive(all, counts[i / 2], last);

			assert_true(ends(fd, all.len, counts[i / 2], last,
					 all.len, &s.mem, &got));
			assert_true(str_eq(got, want));
			/* and not a byte more than allowed */
			assert_true(ends(fd, all.len, counts[i / 2], last,
					 want.len, &s.mem, &got));
			assert_false(ends(fd, all.len, counts[i / 2], last,
					  want.len - 1, &s.mem, &got));
		}
		close(fd);
	}
}

static const struct {
	struct str bytes;
	bool plain;
} texts[] = {
	{ STR_INIT("one\ntwo\n"), true },
	{ STR_INIT("\n"), true },
	{ STR_INIT("\xEF\xBB\xBFone\ntwo\n"), false },
	{ STR_INIT("o\0n\0\n\0t\0"), false },
	{ STR_INIT("caf\xe9\n"), false },
	{ STR_INIT("one\n\xff\n"), false },
	{ STR_INIT("one\na\0b\n"), false },
};

/* What is not plain UTF-8 is left to the index. */
static void other_encodings_are_refused(void **state)
{
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		auto_scratch s = scratch_make();
		int fd = file_of(&s, texts[i].bytes);
		struct str got;

		assert_int_equal(ends(fd, texts[i].bytes.len, 1, true, 100,
				      &s.mem, &got),
				 texts[i].plain);
		close(fd);
	}
}

/* A file that has become shorter is not read in part. */
static void a_shorter_file_is_refused(void **state)
{
	auto_scratch s = scratch_make();
	int fd = file_of(&s, STR("one\ntwo\n"));
	struct str got;

	assert_false(ends(fd, 9, 1, true, 100, &s.mem, &got));
	assert_false(ends(fd, 9, 9, false, 100, &s.mem, &got));
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_exact),
		cmocka_unit_test(other_encodings_are_refused),
		cmocka_unit_test(a_shorter_file_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
