/*
 * encoding_display.c - show bytes to a person who decides about them.
 *
 * A shell or a compiler reads bytes, not the text of an encoding. So where the
 * person has not named the encoding, every ASCII byte that the text does not
 * show as that character is spelled out beside the letter that it is part of:
 * <\x83|>.
 */
#include "text/encoding/codec.h"
#include "text/encoding/utf8.h"

enum {
	MARKED_RUN = 4,   /* letters in a row: fewer are ASCII by chance */
	MARKED_WORDS = 2, /* the same with separators of words or commands */
	HIRAGANA = 0x30,  /* high byte of their code units */
	MOST_UNDECODABLE = 1 << 20, /* more of them: not text */
	MAX_EXPANSION = 8,          /* bytes of text per byte, at most */
};

const struct encoding *encoding_for_display(struct str bytes,
					    const struct display *d)
{
	const struct encoding *e = d->written;
	struct detected in;

	if (!e || !str_starts(bytes, e->bom)) {
		if (encoding_detect(bytes, NULL, &in))
			return NULL;
		e = in.encoding;
	} else if (d->named) {
		return e;
	}
	/*
	 * Programs that do not know the encoding read escape sequences as
	 * ASCII.
	 */
	if (!encoding_is_stateless(e))
		return &encoding_utf8;
	if (e->unit > 1 && !e->bom.len && str_find(bytes, 0) == bytes.len &&
	    utf8_valid(bytes))
		return &encoding_utf8;
	return e;
}

/* State of encoding_display_text(). */
struct display_state {
	const struct encoding *e;
	bool marked; /* the file has the BOM of the encoding */
	struct buf *out;
	struct str all; /* all bytes of the file */
	struct str run; /* bytes of the latest suspicious letters */
	size_t odd;     /* number of suspicious letters in @run */
};

static void add_byte(struct buf *out, char byte, bool plain)
{
	if (plain && byte >= ' ' && byte <= '~')
		buf_addc(out, byte);
	else
		buf_addf(out, "\\x%02X", (unsigned)(unsigned char)byte);
}

static bool has_any(struct str bytes, struct str of)
{
	for (size_t i = 0; i < bytes.len; i++)
		if (str_find(of, bytes.ptr[i]) < of.len)
			return true;
	return false;
}

/* Can the byte be part of a command's name, quoted or not? */
static bool is_in_name(char byte)
{
	char letter = (char)(byte | 0x20);

	return (letter >= 'a' && letter <= 'z') ||
	       (byte >= '0' && byte <= '9') ||
	       (byte && strchr("_-./'\"\\", byte));
}

/*
 * Is the run a separate word that could be a command? The separator may be a
 * byte of the adjacent letter; shells skip NUL bytes.
 */
static bool is_word(const struct display_state *s)
{
	const struct str parts = STR("\n\t ;|&`$()<>");
	const char *from = s->run.ptr, *to = s->run.ptr + s->run.len;
	const char *end = s->all.ptr + s->all.len;

	for (size_t i = 0; i < s->run.len; i++)
		if (!is_in_name(s->run.ptr[i]))
			return false;
	while (from > s->all.ptr && !from[-1])
		from--;
	while (to < end && !*to)
		to++;
	return (from == s->all.ptr || str_find(parts, from[-1]) < parts.len) &&
	       (to == end || str_find(parts, *to) < parts.len);
}

static void end_run(struct display_state *s)
{
	size_t least = 1;

	if (s->e->unit > 1 && s->marked && s->run.len)
		least = has_any(s->run, STR("\n ;|&`$(<>./")) || is_word(s)
				? MARKED_WORDS
				: MARKED_RUN;
	if (s->odd >= least) {
		buf_addc(s->out, '<');
		for (size_t i = 0; i < s->run.len; i++)
			add_byte(s->out, s->run.ptr[i], /* plain= */ true);
		buf_addc(s->out, '>');
	}
	s->run.len = s->odd = 0;
}

static bool all_ascii(struct str bytes)
{
	for (size_t i = 0; i < bytes.len; i++)
		if (bytes.ptr[i] <= 0)
			return false;
	return true;
}

/*
 * Does a program that reads bytes see something other than @code in @bytes? In
 * a letter of several bytes, a character with a meaning in shells or languages.
 */
static bool is_odd(const struct display_state *s, uint32_t code,
		   struct str bytes)
{
	if (s->e->unit == 1)
		return has_any(str_skip(bytes, 1), STR("`|\\{}[]"));
	return s->marked ? all_ascii(bytes) : code >= 0x80;
}

/* Hiragana: every second byte is the digit 0, which is no command. */
static bool is_hiragana(const struct display_state *s, struct str bytes)
{
	return s->marked && bytes.len == 2 &&
	       bytes.ptr[s->e->big_endian ? 0 : 1] == HIRAGANA;
}

static void add_letter(struct display_state *s, uint32_t code, struct str bytes)
{
	char *to;

	if (!is_odd(s, code, bytes)) {
		end_run(s);
	} else {
		if (!s->run.len)
			s->run.ptr = bytes.ptr;
		s->run.len += bytes.len;
		s->odd += !is_hiragana(s, bytes);
	}
	if (code == CODEC_BAD) {
		for (size_t i = 0; i < bytes.len; i++)
			add_byte(s->out, bytes.ptr[i], /* plain= */ false);
		return;
	}
	to = buf_room(s->out, 4);
	if (to)
		s->out->len += utf8_put(code, to);
}

static void add_letters(struct display_state *s, struct str rest)
{
	unsigned shift = 0;
	size_t len;

	while (rest.len) {
		uint32_t code = s->e->codec->next(s->e, rest, &shift, &len);

		if (code == CODEC_BAD)
			len = undecodable_len(s->e, rest);
		add_letter(s, code, str_head(rest, len));
		rest = str_skip(rest, len);
	}
	end_run(s);
}

bool encoding_display_text(struct str bytes, struct str was,
			   const struct display *d, struct arena *mem,
			   struct str *ret)
{
	const struct encoding *e = encoding_for_display(bytes, d);
	size_t most = MAX_EXPANSION * bytes.len + 64;
	auto_buf out = BUF_UPTO(most);
	struct display_state s = { .e = e, .out = &out };
	const struct byte_source all = byte_source_of(bytes);
	struct decoded_text shown;

	if (!e)
		return false;
	if (encoding_is_utf8(e) || (d->named && e == d->written)) {
		if (encoding_decode_escaped(e, bytes, mem, &shown))
			return false;
		*ret = shown.text;
		return true;
	}
	if (!str_starts(bytes, e->bom) || (e->iconv && !charset_of(e)) ||
	    encoding_count(e, &all).undecodable > MOST_UNDECODABLE ||
	    !arena_reserve(mem, most))
		return false;
	s.marked = e->bom.len && str_starts(was, e->bom);
	s.all = str_skip(bytes, e->bom.len);
	add_letters(&s, s.all);
	*ret = arena_copy(mem, buf_str(&out));
	return !out.full;
}
