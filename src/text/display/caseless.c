/*
 * caseless.c - fold names as case-insensitive file systems do.
 *
 * Only folds to ASCII matter here, because all guarded names are ASCII: the
 * full case folding and canonical decomposition of Unicode, and the characters
 * that casefold ignores (Default_Ignorable_Code_Point).
 */
#include "text/display/caseless.h"

#include "base/buf.h"
#include "text/encoding/utf8.h"

static const struct {
	uint32_t code;
	const char *ascii;
} folds[] = {
	{ 0x00df, "ss" }, { 0x017f, "s" },   { 0x1e9e, "ss" },
	{ 0x212a, "k" },  { 0xfb00, "ff" },  { 0xfb01, "fi" },
	{ 0xfb02, "fl" }, { 0xfb03, "ffi" }, { 0xfb04, "ffl" },
	{ 0xfb05, "st" }, { 0xfb06, "st" },
};

static const struct {
	uint32_t first, last;
} ignorable[] = {
	{ 0x00ad, 0x00ad },   { 0x034f, 0x034f },   { 0x061c, 0x061c },
	{ 0x115f, 0x1160 },   { 0x17b4, 0x17b5 },   { 0x180b, 0x180f },
	{ 0x200b, 0x200f },   { 0x202a, 0x202e },   { 0x2060, 0x206f },
	{ 0x3164, 0x3164 },   { 0xfe00, 0xfe0f },   { 0xfeff, 0xfeff },
	{ 0xffa0, 0xffa0 },   { 0xfff0, 0xfff8 },   { 0x1bca0, 0x1bca3 },
	{ 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
};

static bool is_ignorable(uint32_t code)
{
	for (size_t i = 0; i < COUNT_OF(ignorable); i++)
		if (code >= ignorable[i].first && code <= ignorable[i].last)
			return true;
	return false;
}

static const char *folded(uint32_t code)
{
	for (size_t i = 0; i < COUNT_OF(folds); i++)
		if (folds[i].code == code)
			return folds[i].ascii;
	return NULL;
}

/* vfat and NTFS drop final dots and blanks of a name. */
static bool is_dropped_at_end(char c)
{
	return c == '.' || c == ' ';
}

/* 0x80 in each byte of @word that equals @c; all bytes are ASCII. */
static uint64_t bytes_that_are(uint64_t word, char c)
{
	const uint64_t ones = 0x0101010101010101, low = 0x7f * ones;
	uint64_t differs = (word ^ ((unsigned char)c * ones)) + low;

	return ~differs & (0x80 * ones);
}

/*
 * caseless_is_plain() runs for every path, so it takes eight bytes at a time.
 * *@before is the byte in front of them, and becomes the last of them.
 * Little-endian only.
 */
static bool plain_word(const char *at, char *before)
{
	uint64_t word, dropped;

	memcpy(&word, at, sizeof(word));
	if (word & 0x8080808080808080)
		return false;
	dropped = bytes_that_are(word, '.') | bytes_that_are(word, ' ');
	dropped = dropped << 8 | (is_dropped_at_end(*before) ? 0x80 : 0);
	*before = at[sizeof(word) - 1];
	return !(dropped & bytes_that_are(word, '/'));
}

static bool plain_bytes(struct str path)
{
	char before = 'a';

	for (size_t i = 0; i < path.len; i++) {
		char c = path.ptr[i];

		if ((c & 0x80) || (c == '/' && is_dropped_at_end(before)))
			return false;
		before = c;
	}
	return !is_dropped_at_end(before);
}

bool caseless_is_plain(struct str path)
{
	enum { WORD = sizeof(uint64_t) };
	char before = 'a';

	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || path.len <= WORD)
		return plain_bytes(path);
	for (size_t i = 0; i + WORD < path.len; i += WORD)
		if (!plain_word(path.ptr + i, &before))
			return false;
	/* The last word overlaps the one before. */
	before = path.ptr[path.len - WORD - 1];
	return plain_word(path.ptr + path.len - WORD, &before) &&
	       !is_dropped_at_end(before);
}

static void drop_end(struct buf *out)
{
	while (out->len && is_dropped_at_end(out->ptr[out->len - 1]))
		out->len--;
}

bool caseless_fold(struct str path, struct arena *mem, struct str *ret)
{
	auto_buf out = BUF_INIT;
	size_t len;

	if (caseless_is_plain(path))
		return false;
	for (; path.len; path = str_skip(path, len)) {
		uint32_t code = utf8_any(path, &len);
		const char *ascii = folded(code);

		if (path.ptr[0] == '/')
			drop_end(&out);
		if (ascii)
			buf_add(&out, str_of(ascii));
		else if (!is_ignorable(code))
			buf_add(&out, str_head(path, len));
	}
	drop_end(&out);
	*ret = arena_copy(mem, buf_str(&out));
	return true;
}

static char caseless_letter(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool caseless_eq(struct str a, struct str b)
{
	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++)
		if (caseless_letter(a.ptr[i]) != caseless_letter(b.ptr[i]))
			return false;
	return true;
}

bool caseless_beneath(struct str path, struct str dir)
{
	if (str_is(dir, "/"))
		return true;
	return path.len >= dir.len &&
	       (path.len == dir.len || path.ptr[dir.len] == '/') &&
	       caseless_eq(str_head(path, dir.len), dir);
}
