/*
 * encoding_detect.c - detect the encoding of a file.
 *
 * From the strongest evidence to the weakest: a BOM; the configuration;
 * ISO-2022 escape sequences; the pattern of UTF-16 and UTF-32; valid UTF-8;
 * letter frequencies (uchardet); and last the most common Western encodings.
 * The order and its reasons are in docs/encodings.md. All of it reads a
 * byte_source in pieces, so large files are not held in memory.
 */
#include "text/encoding/codec.h"
#include "text/encoding/utf8.h"
#include "text/lines/kernels.h"

enum {
	STATISTICS = 32 * 1024, /* for uchardet, at 6 MB/s */
	BLOCK = 4096,
	SOME_LETTERS = 8, /* non-ASCII letters: fewer are no evidence */
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

/* Control characters that text does not have. */
static bool has_controls(const struct byte_source *s, size_t from)
{
	struct byte_reader p = { .of = s, .at = from };

	for (size_t used = 0; byte_reader_next(&p, used);) {
		used = p.piece.len;
		if (kernels_controls(p.piece.ptr, used))
			return true;
	}
	return false;
}

static bool has_nul(const struct byte_source *s, size_t from)
{
	struct byte_reader p = { .of = s, .at = from };

	for (size_t used = 0; byte_reader_next(&p, used);) {
		used = p.piece.len;
		if (str_find(p.piece, 0) < used)
			return true;
	}
	return false;
}

static bool valid_utf8(const struct byte_source *s, size_t from)
{
	struct byte_reader p = { .of = s, .at = from };

	for (size_t used = 0; byte_reader_next(&p, used);) {
		used = utf8_check(p.piece);
		if (byte_reader_has(&p, str_skip(p.piece, used)))
			return false;
	}
	return true;
}

static bool clean(const struct encoding *e, const struct byte_source *s)
{
	if (e->unit == 1 && has_nul(s, e->bom.len))
		return false;
	if (e->codec->is_utf8)
		return valid_utf8(s, e->bom.len);
	return usable(e) && !encoding_count(e, s).undecodable;
}

/* Are few enough bytes undecodable in @e? */
static bool nearly_clean(const struct encoding *e, const struct byte_source *s)
{
	if (e->unit == 1 && has_controls(s, e->bom.len))
		return false;
	return encoding_count(e, s).undecodable * 16 <=
	       (s->size - e->bom.len) / e->unit;
}

static bool by_mark(const struct byte_source *s, struct str head,
		    struct detected *ret)
{
	bool (*const fits[])(const struct encoding *,
			     const struct byte_source *) = {
		clean,
		nearly_clean,
	};

	for (size_t f = 0; f < COUNT_OF(fits); f++) {
		for (size_t i = 0; i < encoding_rows_count; i++) {
			const struct encoding *e = encoding_rows[i];

			if (!e->bom.len || !str_starts(head, e->bom) ||
			    !fits[f](e, s))
				continue;
			*ret = (struct detected){ e, CONFIDENCE_CERTAIN };
			return true;
		}
	}
	return false;
}

/* The row of the same encoding without a BOM. */
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

bool encoding_has_iso2022(struct str bytes)
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
 * Collects up to STATISTICS bytes of lines that are not all ASCII: only those
 * tell encodings apart. No encoding here has a newline inside a character.
 */
struct sampling {
	struct buf *out;
	size_t line;   /* offset in @out of the unfinished line */
	bool is_ascii; /* of that line, so far */
};

static void end_line(struct sampling *g)
{
	if (g->is_ascii)
		g->out->len = g->line;
	else
		buf_addc(g->out, '\n');
	g->line = g->out->len;
	g->is_ascii = true;
}

static void sample_piece(struct sampling *g, struct str piece)
{
	struct str line;

	while (g->line < STATISTICS && piece.len) {
		size_t i = 0, n = str_find(piece, '\n');

		line = str_head(piece, n);
		while (i < line.len && !(line.ptr[i] & '\x80'))
			i++;
		g->is_ascii = g->is_ascii && i == line.len;
		if (g->out->len < STATISTICS)
			buf_add(g->out,
				str_head(line, STATISTICS - g->out->len));
		if (n < piece.len)
			end_line(g);
		piece = str_skip(piece, n + 1);
	}
}

static void take_sample(const struct byte_source *s, struct buf *out)
{
	struct sampling g = { .out = out, .is_ascii = true };
	struct byte_reader p = { .of = s };

	for (size_t used = 0;
	     g.line < STATISTICS && byte_reader_next(&p, used);) {
		used = p.piece.len;
		sample_piece(&g, p.piece);
	}
	end_line(&g);
}

struct mixture {
	size_t letters,
		undecodable; /* valid non-ASCII characters of UTF-8, and other bytes */
};

/* Enough evidence against UTF-8. */
static bool hopeless(const struct mixture *m)
{
	return m->undecodable >= BLOCK && m->letters <= m->undecodable;
}

/* Returns the bytes left to the next piece. */
static struct str mix_piece(const struct byte_reader *p, struct mixture *m)
{
	struct str rest = p->piece;

	while (rest.len) {
		size_t n = utf8_check(rest);

		for (size_t i = 0; i < n; i++)
			m->letters += (unsigned char)rest.ptr[i] >= 0xc0;
		rest = str_skip(rest, n);
		if (!byte_reader_has(p, rest))
			break;
		rest = str_skip(rest, 1);
		m->undecodable++;
		if (hopeless(m))
			break;
	}
	return rest;
}

/* Is it UTF-8 with some undecodable bytes in it? */
static bool mostly_utf8(const struct byte_source *s)
{
	struct byte_reader p = { .of = s };
	struct mixture m = { 0 };

	for (size_t used = 0; !hopeless(&m) && byte_reader_next(&p, used);)
		used = p.piece.len - mix_piece(&p, &m).len;
	return m.letters >= 2 && m.letters / 2 >= m.undecodable;
}

static bool by_letters(const struct byte_source *s, const struct encoding *e,
		       struct detected *ret)
{
	struct encoding_counts t;
	size_t enough;

	if (!e || e->unit != 1 || e->codec->is_utf8 || e->codec->shift ||
	    !usable(e))
		return false;
	t = encoding_count(e, s);
	if (t.undecodable > t.beyond / 16)
		return false;
	enough = charset_of(e)->two ? SOME_KANJI : SOME_LETTERS;
	*ret = (struct detected){ e, CONFIDENCE_LIKELY };
	if (t.beyond < enough || t.undecodable > t.beyond / 64)
		ret->confidence = CONFIDENCE_LOW;
	return true;
}

/* For a file that is not UTF-8 and has no NUL bytes. */
static bool by_statistics(const struct byte_source *s, struct str head,
			  struct detected *ret)
{
	auto_buf sample = BUF_INIT;
	const struct encoding *e;

	/*
	 * a UTF-8 BOM before content that is not UTF-8: no encoding explains
	 * that
	 */
	if (has_controls(s, 0) || str_starts(head, encoding_utf8_bom.bom))
		return false;
	if (mostly_utf8(s)) {
		*ret = (struct detected){ &encoding_utf8, CONFIDENCE_LIKELY };
		return true;
	}
	take_sample(s, &sample);
	e = encoding_by_statistics(buf_str(&sample));
	if (e && by_letters(s, encoding_refine(e, s), ret) &&
	    (charset_of(ret->encoding)->two ||
	     encoding_plausible(ret->encoding, buf_str(&sample))))
		return true;
	e = encoding_western(buf_str(&sample));
	if (!by_letters(s, encoding_refine(e, s), ret))
		return false;
	ret->confidence = CONFIDENCE_LOW;
	return true;
}

static bool detect(const struct byte_source *s, const struct encoding *named,
		   struct detected *ret)
{
	auto_buf room = BUF_INIT;
	struct str head = byte_source_head(s, ENCODING_SAMPLE, &room);
	bool nuls;

	if (by_mark(s, head, ret))
		return true;
	if (encoding_magic(head))
		return false;
	nuls = has_nul(s, 0);
	if (named) {
		*ret = (struct detected){ without_mark(named),
					  CONFIDENCE_CERTAIN };
		return usable(named) && (!nuls || named->unit > 1);
	}
	ret->confidence = CONFIDENCE_LIKELY;
	if (nuls) {
		ret->encoding = encoding_detect_utf16(s);
		return ret->encoding;
	}
	if (encoding_has_iso2022(head) && clean(&encoding_iso_2022_jp, s)) {
		ret->encoding = &encoding_iso_2022_jp;
		return true;
	}
	if (valid_utf8(s, 0)) {
		*ret = (struct detected){ &encoding_utf8, CONFIDENCE_CERTAIN };
		return true;
	}
	return by_statistics(s, head, ret);
}

enum err encoding_detect_in(const struct byte_source *s,
			    const struct encoding *named, struct detected *ret)
{
	struct detected found;

	if (!detect(s, named, &found))
		return ERR_BINARY_READ;
	*ret = found;
	return ERR_OK;
}

enum err encoding_detect(struct str bytes, const struct encoding *named,
			 struct detected *ret)
{
	const struct byte_source s = byte_source_of(bytes);

	return encoding_detect_in(&s, named, ret);
}
