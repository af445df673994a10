/*
 * encoding_2022jp.c - the codec of ISO-2022-JP, a stateful encoding.
 *
 * Escape sequences select the character set of the bytes after them. The sets
 * are those of EUC-JP with the high bits cleared, so its tables are used here.
 */
#include "text/encoding/codec.h"

enum set {
	ASCII,
	ROMAN,      /* JIS X 0201: ASCII with a yen sign and an overline */
	KANJI,      /* JIS X 0208-1983 */
	OLD_KANJI,  /* JIS X 0208-1978 */
	KANA,       /* JIS X 0201 katakana, half width */
	MORE_KANJI, /* JIS X 0212 */
};

static const struct str escapes[] = {
	[ASCII] = STR_INIT("\x1b(B"), [ROMAN] = STR_INIT("\x1b(J"),
	[KANJI] = STR_INIT("\x1b$B"), [OLD_KANJI] = STR_INIT("\x1b$@"),
	[KANA] = STR_INIT("\x1b(I"),  [MORE_KANJI] = STR_INIT("\x1b$(D"),
};

static uint32_t kanji(const struct charset *c, struct str s, enum set set)
{
	unsigned a = (unsigned char)s.ptr[0], b;

	if (s.len < 2 || a < 0x21 || a > 0x7e)
		return CODEC_BAD;
	b = (unsigned char)s.ptr[1];
	if (b < 0x21 || b > 0x7e)
		return CODEC_BAD;
	if (set != MORE_KANJI)
		return c->two[a][b | 0x80];
	return c->three ? c->three[a][b | 0x80] : CODEC_BAD;
}

static uint32_t jp_next(const struct encoding *e, struct str s, unsigned *shift,
			size_t *len)
{
	const struct charset *c = charset_of(e);
	unsigned char b = (unsigned char)s.ptr[0];

	if (!c || !c->two || b >= 0x80)
		return CODEC_BAD;
	for (unsigned i = 0; b == 0x1b && i < COUNT_OF(escapes); i++) {
		if (str_starts(s, escapes[i])) {
			*shift = i;
			*len = escapes[i].len;
			return CODEC_SHIFT;
		}
	}
	*len = 1;
	if (b <= 0x20 || *shift == ASCII)
		return b;
	if (*shift == ROMAN)
		return b == '\\' ? 0xa5 : b == '~' ? 0x203e : b;
	if (*shift == KANA)
		return b >= 0x21 && b <= 0x5f ? 0xff40U + b : CODEC_BAD;
	*len = 2;
	return kanji(c, s, (enum set) * shift);
}

static size_t jp_shift(unsigned *shift, unsigned want, char to[CODEC_MOST])
{
	if (*shift == want)
		return 0;
	*shift = want;
	memcpy(to, escapes[want].ptr, escapes[want].len);
	return escapes[want].len;
}

/*
 * Encodes to ASCII and JIS X 0208, as the standard has it. The other sets are
 * decoded but never written.
 */
static size_t jp_put(const struct encoding *e, uint32_t code, unsigned *shift,
		     char to[CODEC_MOST])
{
	const struct charset *c = charset_of(e);
	uint32_t bytes = c ? charset_bytes(c, code) : 0;
	bool same = *shift == ROMAN && code != '\\' && code != '~';
	size_t n;

	if (code < 0x80) {
		n = code == 0x1b || same ? 0 : jp_shift(shift, ASCII, to);
		to[n] = (char)code;
		return c && code != 0x1b ? n + 1 : 0;
	}
	if (bytes < 0xa1a1 || bytes > 0xfefe || !(bytes & 0x80))
		return 0;
	n = *shift == OLD_KANJI ? 0 : jp_shift(shift, KANJI, to);
	to[n] = (char)(bytes >> 8 & 0x7f);
	to[n + 1] = (char)(bytes & 0x7f);
	return n + 2;
}

const struct codec codec_2022jp = { jp_next, jp_put, jp_shift };
