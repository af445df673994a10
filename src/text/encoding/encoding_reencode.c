/*
 * encoding_reencode.c - map an edit of the decoded text to the bytes of the
 * file.
 *
 * Splices of the text become splices of the bytes. Bytes between them are never
 * decoded and encoded again, so an encoding need not round-trip. The result is
 * decoded once more and compared with the wanted text before it is used.
 */
#include "text/encoding/codec.h"

/* Index of the first undecodable byte whose escape, \xNN, ends after @place. */
static size_t undecodable_from(const struct decoded_text *s, size_t place)
{
	size_t low = 0, high = s->undecodable_count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->undecodable[mid] + 4 <= place)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool touches_undecodable(struct reencode *r, const struct splice *splice)
{
	size_t i = undecodable_from(r->shown, splice->from);
	size_t at;

	if (i == r->shown->undecodable_count)
		return false;
	at = r->shown->undecodable[i];
	r->bad = at;
	return at < splice->to || at < splice->from;
}

static bool is_ascii(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] & '\x80')
			return false;
	return true;
}

/*
 * Is the splice independent of the encoding? ASCII for ASCII is, unless the
 * byte before it is not ASCII, as it could be a lead byte.
 */
static bool is_ascii_for_ascii(const struct reencode *r, const struct splice *s)
{
	struct str before = str_sub(r->bytes, s->from ? s->from - 1 : 0, s->to);

	return is_ascii(before) && is_ascii(s->with);
}

/*
 * Encode @text so that it starts and ends in the shift states of the bytes
 * around it.
 */
static enum err encode_between(struct reencode *r, const struct cursor *from,
			       const struct cursor *to, struct str text,
			       struct arena *mem, struct str *ret)
{
	const struct codec *codec = from->e->codec;
	unsigned shift = from->shift;
	auto_buf out = BUF_INIT;

	if (!encoding_put(from->e, text, &shift, &out, &r->bad))
		return ERR_UNENCODABLE;
	if (codec->shift)
		out.len += codec->shift(&shift, to->shift,
					buf_room(&out, CODEC_MOST));
	*ret = arena_copy(mem, buf_str(&out));
	return ERR_OK;
}

static enum err splice_at(struct reencode *r, struct cursor *c, size_t i,
			  struct arena *mem)
{
	const struct splice *in = &r->splices[i];
	struct splice *out = &r->byte_splices[i];
	struct cursor from;

	if (touches_undecodable(r, in))
		return ERR_UNDECODABLE;
	cursor_to(c, in->from);
	from = *c;
	cursor_to(c, in->to);
	if (c->e->codec->shift)
		cursor_settle(c);
	out->from = r->bytes.len - from.rest.len;
	out->to = r->bytes.len - c->rest.len;
	return encode_between(r, &from, c, in->with, mem, &out->with);
}

/* In valid UTF-8 only the BOM shifts offsets. */
static void splice_utf8(struct reencode *r)
{
	size_t mark = r->in.encoding->bom.len;

	for (size_t i = 0; i < r->n; i++)
		r->byte_splices[i] = (struct splice){ r->splices[i].from + mark,
						      r->splices[i].to + mark,
						      r->splices[i].with };
}

static enum err splice_all(struct reencode *r, struct arena *mem)
{
	struct cursor c = cursor_start(r->in.encoding, r->bytes);
	size_t moved = 0; /* offset from the old text to the new one; wraps */

	for (size_t i = 0; i < r->n; i++) {
		const struct splice *s = &r->splices[i];
		enum err e = splice_at(r, &c, i, mem);

		if (e == ERR_UNENCODABLE)
			r->bad += s->from + moved;
		if (e)
			return e;
		moved += s->with.len - (s->to - s->from);
		r->bad = s->from;
		if (r->in.confidence == CONFIDENCE_LOW &&
		    !is_ascii_for_ascii(r, &r->byte_splices[i]))
			return ERR_UNCERTAIN;
	}
	return ERR_OK;
}

/*
 * Does the result decode to the wanted text? An undecodable byte may have
 * combined with what follows it.
 */
static bool reads_back(struct reencode *r)
{
	auto_arena mem = ARENA_INIT;
	struct decoded_text shown;

	return !encoding_decode_escaped(r->in.encoding, r->after, &mem,
					&shown) &&
	       str_eq(shown.text, r->text) &&
	       shown.undecodable_count == r->shown->undecodable_count;
}

enum err encoding_reencode(struct reencode *r, struct arena *mem)
{
	bool utf8 = r->in.encoding->codec->is_utf8;
	enum err e = ERR_OK;

	r->byte_splices = arena_array(mem, struct splice, r->n);
	if (utf8 && !r->shown->undecodable_count)
		splice_utf8(r);
	else
		e = splice_all(r, mem);
	if (e)
		return e;
	/* Where text and bytes are the same, the new text is the result. */
	if (r->shown->text.ptr == r->bytes.ptr)
		r->after = r->text;
	else
		r->after = edit_splice(r->bytes, r->byte_splices, r->n, mem);
	if (utf8 || reads_back(r))
		return ERR_OK;
	r->bad = r->n ? r->splices[0].from : 0;
	return ERR_UNDECODABLE;
}
