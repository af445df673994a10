#include "text/codec.h"

/*
 * UTF-16 and UTF-32 without a mark. Files of numbers look much alike, so it
 * takes more than "decodes": no control characters, nothing unassigned, and
 *
 *	either nearly all ASCII, of which four characters are enough,
 *	or (UTF-16 only) all in the scripts people write in, long enough,
 *	and with ASCII blanks between.
 *
 * Where both byte orders pass there is no telling.
 */
enum {
	SHORT = 16,       /* below this every character has to be ASCII */
	LEAST_ASCII = 4,  /* characters */
	LEAST_SCRIPT = 32 /* characters */
};

/* What occurs in texts, outside ASCII; unused blocks are left out. */
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
 * What is left to the next piece, in *@rest; false at the first character
 * that no text has.
 */
static bool gather_piece(const struct encoding *e, const struct pass *p,
			 struct str *rest, struct evidence *ret)
{
	unsigned shift = 0;
	size_t len;

	for (; pass_has(p, *rest); *rest = str_skip(*rest, len)) {
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

static bool gather(const struct encoding *e, const struct supply *s,
		   struct evidence *ret)
{
	struct pass p = { .of = s };

	*ret = (struct evidence){ 0 };
	for (size_t used = 0; pass_on(&p, used);) {
		struct str rest = p.piece;

		if (!gather_piece(e, &p, &rest, ret))
			return false;
		used = p.piece.len - rest.len;
	}
	return true;
}

static bool convincing(const struct encoding *e, const struct supply *s)
{
	struct evidence v;

	if (s->size % e->unit || !gather(e, s, &v))
		return false;
	if (v.all < SHORT)
		return v.all >= LEAST_ASCII && v.ascii == v.all;
	if (v.ascii >= v.all / 10 * 7)
		return true;
	return e->unit == 2 && v.all >= LEAST_SCRIPT && v.blanks &&
	       v.ascii >= v.all / 32;
}

const struct encoding *encoding_guess(const struct supply *s)
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
