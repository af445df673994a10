/*
 * test_lineindex.c - the line index of a large file, and its cache.
 */
#include "scratch.h"

#include "base/fd.h"
#include "files/lineindex.h"
#include "text/lines/lines.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static struct str fill(struct scratch *s, size_t bytes, size_t every)
{
	char *to = arena_alloc(&s->mem, bytes + 1);

	memset(to, 'x', bytes);
	for (size_t i = every - 1; i < bytes; i += every)
		to[i] = '\n';
	to[bytes] = '\0';
	scratch_put(s, "root/f", to);
	return str_make(to, bytes);
}

static struct lineindex *make(struct scratch *s, int *ret_fd)
{
	struct lineindex *x = NULL;
	struct stat st;

	*ret_fd = fd_openat(AT_FDCWD, scratch_path(s, "root/f"), O_RDONLY, 0);
	assert_int_equal(fstat(*ret_fd, &st), 0);
	assert_int_equal(lineindex_make(*ret_fd, &st, NULL, &x, &s->f), 0);
	return x;
}

/* R56: around block boundaries, and beyond a group of blocks. */
static void every_line_starts_where_the_index_says(void **state)
{
	static const struct {
		size_t bytes, every;
	} rules[] = {
		{ 65536, 65536 },       { 65537, 65536 },   { 131072, 65535 },
		{ 131071, 65537 },      { 300000, 7 },      { 300000, 1 },
		{ 6 << 20, 64 * 1024 }, { 6 << 20, 99991 }, { 700000, 700001 },
	};

	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		auto_scratch s = scratch_make();
		struct str all = fill(&s, rules[i].bytes, rules[i].every);
		auto_fd fd = -1;
		auto_lineindex *x = make(&s, &fd);
		size_t step = size_max(1, x->lines / 97);

		assert_non_null(x);
		assert_int_equal(x->lines, lines_count(all));
		assert_true(hash_eq(x->version, hash_of(all)));
		assert_true(x->ascii);
		for (size_t line = 1; line <= x->lines + 1; line += step) {
			uint64_t at;

			assert_int_equal(lineindex_start(x, fd, line, &at), 0);
			assert_int_equal(at, lines_start(all, line));
		}
	}
}

/* A14: a character cut by the end of the file is invalid. */
static void a_character_across_two_blocks_is_valid(void **state)
{
	for (size_t shift = 0; shift < 4; shift++) {
		auto_scratch s = scratch_make();
		struct str all = fill(&s, 262144 * 2, 1000);
		auto_fd fd = -1;
		auto_lineindex *x = NULL, *y = NULL;

		memcpy((char *)all.ptr + 262144 - shift, "\xf0\x9f\x98\x80", 4);
		scratch_put(&s, "root/f", all.ptr);
		x = make(&s, &fd);
		assert_non_null(x);
		assert_false(x->ascii);
		fd_drop(&fd);
		((char *)all.ptr)[all.len - 1] = '\xf0';
		scratch_put(&s, "root/f", all.ptr);
		y = make(&s, &fd);
		assert_null(y);
	}
}

/* lineindex_make() of a file of @size bytes with @odd at @at. */
static enum err make_odd(size_t size, size_t at, char odd,
			 struct lineindex **ret)
{
	auto_scratch s = scratch_make();
	auto_fd fd = -1;
	struct stat st;

	(void)fill(&s, size, 100);
	fd = fd_openat(AT_FDCWD, scratch_path(&s, "root/f"), O_RDWR, 0);
	assert_int_equal(fd_pwrite(fd, str_make(&odd, 1), (off_t)at), 0);
	assert_int_equal(fstat(fd, &st), 0);
	return lineindex_make(fd, &st, NULL, ret, &s.f);
}

/* A14: also as the first or last byte of a block. */
static void binary_or_invalid_bytes_are_found_in_any_block(void **state)
{
	static const size_t size = 3 * 65536 * 4 + 5;
	static const size_t places[] = {
		65535,         65536,     4 * 65536 - 1, 4 * 65536,
		8 * 65536 - 1, 8 * 65536, 12 * 65536,    12 * 65536 + 4,
	};

	for (size_t i = 0; i < COUNT_OF(places); i++) {
		struct lineindex *x = NULL;

		assert_int_equal(make_odd(size, places[i], '\0', &x),
				 ERR_BINARY_READ);
		/* not UTF-8, but perhaps another encoding */
		assert_int_equal(make_odd(size, places[i], '\x80', &x), 0);
		assert_null(x);
		assert_int_equal(make_odd(size, places[i], '\xc3', &x), 0);
		assert_null(x);
		assert_int_equal(make_odd(size, places[i], '\x7f', &x), 0);
		assert_non_null(x);
		lineindex_drop(x);
	}
}

/* Another program that changes the file during the scan. */
struct meddler {
	int fd;
	off_t size;
	bool done;
};

static void meddle(void *ctx, uint64_t done, uint64_t total)
{
	struct meddler *m = ctx;

	if (m->done)
		return;
	assert_int_equal(ftruncate(m->fd, m->size), 0);
	m->done = true;
}

static void a_file_that_changes_is_read_again(void **state)
{
	static const off_t sizes[] = { 0, 300000, (3 << 20) - 1, 5 << 20 };

	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		auto_scratch s = scratch_make();
		auto_fd fd = -1;
		struct meddler m = { .size = sizes[i] };
		struct progress progress = { .report = meddle, .ctx = &m };
		struct lineindex *x = NULL;
		struct stat st;
		enum err e;

		(void)fill(&s, 3 << 20, 100);
		fd = fd_openat(AT_FDCWD, scratch_path(&s, "root/f"), O_RDWR, 0);
		m.fd = fd;
		assert_int_equal(fstat(fd, &st), 0);
		e = lineindex_make(fd, &st, &progress, &x, &s.f);
		assert_true(m.done);
		assert_int_equal(st.st_size, sizes[i]);
		if (sizes[i] >
		    3 << 20) { /* ftruncate() has extended it by NUL bytes */
			assert_int_equal(e, ERR_BINARY_READ);
			continue;
		}
		assert_int_equal(e, 0);
		assert_int_equal(x->stat.size, sizes[i]);
		assert_int_equal(x->lines, (sizes[i] + 99) / 100);
		lineindex_drop(x);
	}
}

static struct lineindex *dummy(uint64_t ino, size_t blocks)
{
	struct lineindex *x = calloc(1, sizeof(*x) + blocks * 4);

	x->refs = 1;
	x->stat = (struct stat_data){ .dev = 1, .ino = ino, .mtime = 1000 };
	x->n = blocks;
	return x;
}

static bool is_kept(struct lineindex_cache *c, uint64_t ino)
{
	struct stat_data want = { .dev = 1, .ino = ino, .mtime = 1000 };
	auto_lineindex *x = lineindex_find(c, &want, NULL);

	return x != NULL;
}

static void the_cache_is_lru_and_bounded(void **state)
{
	static const int64_t later = 1000000000;
	struct lineindex_cache c;
	struct lineindex *x;

	lineindex_cache_init(&c);
	for (uint64_t i = 1; i <= LINEINDEX_KEPT + 4; i++) {
		x = dummy(i, 100);
		lineindex_keep(&c, x, later);
		lineindex_drop(x);
		assert_true(is_kept(&c, i));
		assert_true(i < 3 || is_kept(&c, 2)); /* used in each round */
	}
	assert_false(is_kept(&c, 1));
	assert_false(is_kept(&c, 3));
	/* an index that nearly fills the cache */
	x = dummy(100, LINEINDEX_BYTES / 4 - 200);
	lineindex_keep(&c, x, later);
	lineindex_drop(x);
	assert_true(is_kept(&c, 100));
	assert_true(c.bytes <= LINEINDEX_BYTES);
	assert_false(is_kept(&c, LINEINDEX_KEPT));
	/* an index larger than the cache */
	x = dummy(101, LINEINDEX_BYTES / 4);
	lineindex_keep(&c, x, later);
	lineindex_drop(x);
	assert_false(is_kept(&c, 101));
	lineindex_cache_free(&c);
}

/* A42 */
static void racy_stat_data_are_not_cached(void **state)
{
	struct lineindex_cache c;
	struct lineindex *x = dummy(1, 1);

	lineindex_cache_init(&c);
	lineindex_keep(&c, x, 1000 + 19 * 1000000);
	assert_false(is_kept(&c, 1));
	lineindex_keep(&c, x, 1000 + 21 * 1000000);
	assert_true(is_kept(&c, 1));
	lineindex_drop(x);
	lineindex_cache_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_line_starts_where_the_index_says),
		cmocka_unit_test(a_character_across_two_blocks_is_valid),
		cmocka_unit_test(
			binary_or_invalid_bytes_are_found_in_any_block),
		cmocka_unit_test(a_file_that_changes_is_read_again),
		cmocka_unit_test(the_cache_is_lru_and_bounded),
		cmocka_unit_test(racy_stat_data_are_not_cached),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
