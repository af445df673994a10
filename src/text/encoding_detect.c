#include "text/codec.h"
#include "text/kernels.h"
#include "text/utf8.h"

/*
 * What a file is written in, from the surest sign to the weakest: its mark;
 * the configuration; escape sequences; the pattern of UTF-16 and UTF-32;
 * valid UTF-8; the frequencies of letters; and last what most old files of
 * the West are in. The order and its reasons are in docs/encodings.md.
 */
enum {
	STATISTICS = 32 * 1024, /* sample for uchardet; it may do 6 MB/s */
	BLOCK = 4096,
	SOME_LETTERS = 8, /* outside ASCII: fewer are no statistics */
	SOME_KANJI = 4,
};

const char *confidence_name(enum confidence c)
{
	static const char *const names[] = {
		[CONFIDENCE_CERTAIN] = "certain",
		[CONFIDENCE_LIKELY] = "likely",
		[CONFIDENCE_LOW] = "low",
	};

	return names[c];
}

static bool usable(const struct encoding *e)
{
	return !e->iconv || charset_of(e);
}

/* Controls that no text has, in a file that is only guessed to be one. */
static bool has_controls(struct str bytes)
{
	return bytes.len && kernels_controls(bytes.ptr, bytes.len);
}

static bool clean(const struct encoding *e, struct str bytes)
{
	struct str rest = str_skip(bytes, e->bom.len);

	if (e->unit == 1 && str_find(rest, 0) < rest.len)
		return false;
	if (e->codec->is_utf8)
		return utf8_valid(rest);
	return usable(e) && !encoding_tally(e, bytes).strays;
}

/* A few bytes that mean nothing, in a text that otherwise is in @e. */
static bool nearly_clean(const struct encoding *e, struct str bytes)
{
	struct str rest = str_skip(bytes, e->bom.len);

	if (e->unit == 1 && has_controls(rest))
		return false;
	return encoding_tally(e, bytes).strays * 16 <= rest.len / e->unit;
}

static bool by_mark(struct str bytes, struct detected *ret)
{
	bool (*const fits[])(const struct encoding *, struct str) = {
		clean,
		nearly_clean,
	};

	for (size_t f = 0; f < COUNT_OF(fits); f++) {
		for (size_t i = 0; i < encoding_rows_count; i++) {
			const struct encoding *e = encoding_rows[i];

			if (!e->bom.len || !str_starts(bytes, e->bom) ||
			    !fits[f](e, bytes))
				continue;
			*ret = (struct detected){ e, CONFIDENCE_CERTAIN };
			return true;
		}
	}
	return false;
}

/* The same encoding for a file that has no mark. */
static const struct encoding *without_mark(const struct encoding *e)
{
	for (size_t i = 0; e->bom.len && i < encoding_rows_count; i++) {
		const struct encoding *row = encoding_rows[i];

		if (row->codec == e->codec && !row->bom.len &&
		    row->big_endian == e->big_endian)
			return row;
	}
	return e;
}

bool encoding_escapes(struct str bytes)
{
	static const struct str starts[] = {
		STR_INIT("\x1b$B"), STR_INIT("\x1b$@"),  STR_INIT("\x1b(J"),
		STR_INIT("\x1b(I"), STR_INIT("\x1b$(D"),
	};
	struct str rest = str_head(bytes, ENCODING_SAMPLE);

	for (;;) {
		rest = str_skip(rest, str_find(rest, 0x1b));
		if (!rest.len)
			return false;
		for (size_t i = 0; i < COUNT_OF(starts); i++)
			if (str_starts(rest, starts[i]))
				return true;
		rest = str_skip(rest, 1);
	}
}

/*
 * Up to STATISTICS bytes of the lines that are not all ASCII: the others say
 * nothing. No encoding here has a newline inside a character.
 */
static void take_sample(struct str bytes, struct buf *out)
{
	struct str line;

	while (out->len < STATISTICS && str_split(&bytes, '\n', &line)) {
		size_t i = 0;

		while (i < line.len && !(line.ptr[i] & '\x80'))
			i++;
		if (i == line.len)
			continue;
		buf_add(out, str_head(line, STATISTICS - out->len));
		buf_addc(out, '\n');
	}
}

/* UTF-8 with some bytes of something else in it? */
static bool mostly_utf8(struct str bytes)
{
	size_t letters = 0, strays = 0;

	while (bytes.len && (strays < BLOCK || letters > strays)) {
		size_t n = utf8_check(bytes);

		for (size_t i = 0; i < n; i++)
			letters += (unsigned char)bytes.ptr[i] >= 0xc0;
		strays += n < bytes.len;
		bytes = str_skip(bytes, n + 1);
	}
	return letters >= 2 && letters / 2 >= strays;
}

static bool by_letters(struct str bytes, const struct encoding *e,
		       struct detected *ret)
{
	struct tally t;
	size_t enough;

	if (!e || e->unit != 1 || e->codec->is_utf8 || e->codec->shift ||
	    !usable(e))
		return false;
	t = encoding_tally(e, bytes);
	if (t.strays > t.beyond / 16)
		return false;
	enough = charset_of(e)->two ? SOME_KANJI : SOME_LETTERS;
	*ret = (struct detected){ e, CONFIDENCE_LIKELY };
	if (t.beyond < enough || t.strays > t.beyond / 64)
		ret->confidence = CONFIDENCE_LOW;
	return true;
}

/* Not UTF-8, no NUL bytes. */
static bool by_statistics(struct str bytes, struct detected *ret)
{
	auto_buf sample = BUF_INIT;
	const struct encoding *e;

	/* a mark of UTF-8, and then something else: nothing explains that */
	if (has_controls(bytes) || str_starts(bytes, encoding_utf8_bom.bom))
		return false;
	if (mostly_utf8(bytes)) {
		*ret = (struct detected){ &encoding_utf8, CONFIDENCE_LIKELY };
		return true;
	}
	take_sample(bytes, &sample);
	e = encoding_by_statistics(buf_str(&sample));
	if (e && by_letters(bytes, encoding_sibling(e, bytes), ret) &&
	    (charset_of(ret->encoding)->two ||
	     encoding_plausible(ret->encoding, buf_str(&sample))))
		return true;
	e = encoding_western(buf_str(&sample));
	if (!by_letters(bytes, encoding_sibling(e, bytes), ret))
		return false;
	ret->confidence = CONFIDENCE_LOW;
	return true;
}

static bool detect(struct str bytes, const struct encoding *named,
		   struct detected *ret)
{
	bool nuls;

	if (by_mark(bytes, ret))
		return true;
	if (encoding_magic(bytes))
		return false;
	nuls = str_find(bytes, 0) < bytes.len;
	if (named) {
		*ret = (struct detected){ without_mark(named),
					  CONFIDENCE_CERTAIN };
		return usable(named) && (!nuls || named->unit > 1);
	}
	ret->confidence = CONFIDENCE_LIKELY;
	if (nuls) {
		ret->encoding = encoding_guess(bytes);
		return ret->encoding;
	}
	if (encoding_escapes(bytes) && clean(&encoding_iso_2022_jp, bytes)) {
		ret->encoding = &encoding_iso_2022_jp;
		return true;
	}
	if (utf8_valid(bytes)) {
		*ret = (struct detected){ &encoding_utf8, CONFIDENCE_CERTAIN };
		return true;
	}
	return by_statistics(bytes, ret);
}

enum err encoding_detect(struct str bytes, const struct encoding *named,
			 struct detected *ret)
{
	struct detected found;

	if (!detect(bytes, named, &found))
		return ERR_BINARY_READ;
	*ret = found;
	return ERR_OK;
}
