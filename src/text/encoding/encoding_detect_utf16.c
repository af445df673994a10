/*
 * encoding_detect_utf16.c - detect UTF-16 and UTF-32 without a BOM.
 *
 * Binary files of numbers decode as well, so more is required: no control
 * characters, no unassigned code points, and
 *
 *	either nearly all ASCII, with four characters at least,
 *	or (UTF-16 only) all in scripts in common use, long enough, and with
 *	ASCII blanks in between.
 *
 * Where both byte orders qualify, neither is chosen.
 */
#include "text/encoding/codec.h"

enum {
	SHORT = 16,       /* with fewer characters all must be ASCII */
	LEAST_ASCII = 4,  /* characters */
	LEAST_SCRIPT = 32 /* characters */
};

/* Blocks that occur in texts, beyond ASCII. */
static const struct {
	uint32_t from, to;
} scripts[] = {
	{ 0x00a0, 0x024f },   /* Latin */
	{ 0x02b0, 0x036f },   /* modifiers, accents */
	{ 0x0370, 0x06ff },   /* Greek to Arabic */
	{ 0x0900, 0x0eff },   /* Devanagari to Lao */
	{ 0x10a0, 0x10ff },   /* Georgian */
	{ 0x1e00, 0x206f },   /* more Latin and Greek, punctuation */
	{ 0x20a0, 0x20bf },   /* money */
	{ 0x2100, 0x22ff },   /* letter-like, arrows, mathematics */
	{ 0x2500, 0x27bf },   /* boxes, symbols */
	{ 0x3000, 0x30ff },   /* CJK punctuation, kana */
	{ 0x4e00, 0x9fff },   /* Han */
	{ 0xac00, 0xd7a3 },   /* Hangul */
	{ 0xff00, 0xffef },   /* full width */
	{ 0x1f300, 0x1faff }, /* emoji */
};

static bool in_scripts(uint32_t code)
{
	for (size_t i = 0; i < COUNT_OF(scripts); i++)
		if (code >= scripts[i].from && code <= scripts[i].to)
			return true;
	return false;
}

static bool ascii_text(uint32_t code)
{
	return (code >= 0x20 && code < 0x7f) || (code >= '\t' && code <= '\r');
}

struct evidence {
	size_t all, ascii, blanks;
};

/*
 * Counts the piece; *@rest is left to the next one. False at the first
 * character that text does not have.
 */
static bool count_piece(const struct encoding *e, const struct byte_reader *p,
			struct str *rest, struct evidence *ret)
{
	unsigned shift = 0;
	size_t len;

	for (; byte_reader_has(p, *rest); *rest = str_skip(*rest, len)) {
		uint32_t code = e->codec->next(e, *rest, &shift, &len);

		if (code == CODEC_BAD)
			return false;
		ret->all++;
		if (ascii_text(code)) {
			ret->ascii++;
			ret->blanks += code == ' ' || code == '\n';
		} else if (!in_scripts(code)) {
			return false;
		}
	}
	return true;
}

static bool count_evidence(const struct encoding *e,
			   const struct byte_source *s, struct evidence *ret)
{
	struct byte_reader p = { .of = s };

	*ret = (struct evidence){ 0 };
	for (size_t used = 0; byte_reader_next(&p, used);) {
		struct str rest = p.piece;

		if (!count_piece(e, &p, &rest, ret))
			return false;
		used = p.piece.len - rest.len;
	}
	return true;
}

static bool convincing(const struct encoding *e, const struct byte_source *s)
{
	struct evidence v;

	if (s->size % e->unit || !count_evidence(e, s, &v))
		return false;
	if (v.all < SHORT)
		return v.all >= LEAST_ASCII && v.ascii == v.all;
	if (v.ascii >= v.all / 10 * 7)
		return true;
	return e->unit == 2 && v.all >= LEAST_SCRIPT && v.blanks &&
	       v.ascii >= v.all / 32;
}

const struct encoding *encoding_detect_utf16(const struct byte_source *s)
{
	static const struct encoding *const tries[] = {
		&encoding_utf32le_nobom,
		&encoding_utf32be_nobom,
		&encoding_utf16le_nobom,
		&encoding_utf16be_nobom,
	};
	const struct encoding *found = NULL;

	for (size_t i = 0; i < COUNT_OF(tries); i++) {
		if (!convincing(tries[i], s))
			continue;
		if (found)
			return NULL;
		found = tries[i];
	}
	return found;
}
