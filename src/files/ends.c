/*
 * ends.c - finds the first or last lines of a file by reading blocks from its
 * beginning or its end.
 *
 * The time depends on the lines that are wanted, not on the size of the file.
 * The descriptor is read with pread() only.
 */
#include "files/ends.h"

#include "base/fd.h"
#include "text/encoding/encoding.h"
#include "text/encoding/utf8.h"
#include "text/lines/lines.h"

enum { BLOCK = 64 * 1024, UTF8_LONGEST = 4 };

struct ends_reader {
	int fd;
	uint64_t size;
	const struct ends_want *want;
	char *block; /* BLOCK bytes */
};

static bool read_exactly(int fd, char *to, size_t n, uint64_t at)
{
	return fd_pread(fd, to, n, (off_t)at) == (ssize_t)n;
}

/* The offset behind the first lines. */
static bool find_end(const struct ends_reader *r, uint64_t *ret)
{
	size_t left = r->want->lines, n, newlines;
	struct str block;
	uint64_t at = 0;

	while (at < r->size && at <= r->want->most) {
		n = r->size - at < BLOCK ? (size_t)(r->size - at) : BLOCK;
		if (!read_exactly(r->fd, r->block, n, at))
			return false;
		block = str_make(r->block, n);
		newlines = lines_newlines(block);
		if (newlines >= left) {
			*ret = at + lines_after(block, left);
			return true;
		}
		left -= newlines;
		at += n;
	}
	*ret = r->size;
	return at == r->size;
}

/* The offset of the last lines; a newline at the very end begins no line. */
static bool find_start(const struct ends_reader *r, uint64_t *ret)
{
	size_t left = r->want->lines, n, newlines;
	uint64_t at = r->size;
	struct str block;

	while (at > 0 && r->size - at <= r->want->most) {
		n = at < BLOCK ? (size_t)at : BLOCK;
		at -= n;
		if (!read_exactly(r->fd, r->block, n, at))
			return false;
		block = str_make(r->block, n);
		if (at + n == r->size && str_ends(block, STR("\n")))
			block.len--;
		newlines = lines_newlines(block);
		if (newlines >= left) {
			*ret = at + lines_after(block, newlines - left + 1);
			return true;
		}
		left -= newlines;
	}
	*ret = 0;
	return at == 0;
}

/* Does the first block look like plain UTF-8 without a byte order mark? */
static bool begins_plain(const struct ends_reader *r)
{
	size_t n = r->size < BLOCK ? (size_t)r->size : BLOCK;
	struct detected in;
	struct str head;

	if (!read_exactly(r->fd, r->block, n, 0))
		return false;
	head = str_make(r->block, n);
	head.len = utf8_check(head); /* the block may end in a character */
	return n - head.len < UTF8_LONGEST &&
	       !str_starts(head, STR("\xEF\xBB\xBF")) &&
	       !encoding_detect(head, NULL, &in) &&
	       in.encoding == &encoding_utf8;
}

static bool ends_plain(struct str text)
{
	return str_find(text, '\0') == text.len && utf8_valid(text);
}

bool ends_read(int fd, uint64_t size, const struct ends_want *want,
	       struct arena *mem, struct str *ret)
{
	struct ends_reader r = { fd, size, want, arena_alloc(mem, BLOCK) };
	uint64_t start = 0, end = size;
	char *to;

	if (!(want->last ? find_start(&r, &start) : find_end(&r, &end)) ||
	    end - start > want->most || !begins_plain(&r))
		return false;
	to = arena_alloc(mem, (size_t)(end - start) + 1);
	if (!read_exactly(fd, to, (size_t)(end - start), start))
		return false;
	*ret = str_make(to, (size_t)(end - start));
	return ends_plain(*ret);
}
