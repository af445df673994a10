#include "text/codec.h"

/*
 * From splices of the text to splices of the bytes. The bytes between them
 * are never looked at again, so it does not matter whether the encoding would
 * give them back.
 */

/* The first stray that is not wholly before @place. */
static size_t stray_from(const struct shown *s, size_t place)
{
	size_t low = 0, high = s->stray_count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->strays[mid] + 4 <= place)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool touches_stray(struct respell *r, const struct splice *splice)
{
	size_t i = stray_from(r->shown, splice->from);
	size_t at;

	if (i == r->shown->stray_count)
		return false;
	at = r->shown->strays[i];
	r->bad = at;
	return at < splice->to || at < splice->from;
}

static bool ascii(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] & '\x80')
			return false;
	return true;
}

/*
 * Would the splice be the same in whatever the file is in? ASCII for ASCII
 * is, but after a byte that is not, as this could be the second half of it.
 */
static bool beyond_doubt(const struct respell *r, const struct splice *s)
{
	struct str before = str_sub(r->bytes, s->from ? s->from - 1 : 0, s->to);

	return ascii(before) && ascii(s->with);
}

/* The bytes of @text, between the states that the bytes around it need. */
static enum err spell(struct respell *r, const struct cursor *from,
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

static enum err splice_at(struct respell *r, struct cursor *c, size_t i,
			  struct arena *mem)
{
	const struct splice *in = &r->splices[i];
	struct splice *out = &r->byte_splices[i];
	struct cursor from;

	if (touches_stray(r, in))
		return ERR_UNDECODABLE;
	cursor_to(c, in->from);
	from = *c;
	cursor_to(c, in->to);
	if (c->e->codec->shift)
		cursor_settle(c);
	out->from = r->bytes.len - from.rest.len;
	out->to = r->bytes.len - c->rest.len;
	return spell(r, &from, c, in->with, mem, &out->with);
}

/* In clean UTF-8 there is nothing to map but the mark. */
static void splice_utf8(struct respell *r)
{
	size_t mark = r->in.encoding->bom.len;

	for (size_t i = 0; i < r->n; i++)
		r->byte_splices[i] = (struct splice){ r->splices[i].from + mark,
						      r->splices[i].to + mark,
						      r->splices[i].with };
}

static enum err splice_all(struct respell *r, struct arena *mem)
{
	struct cursor c = cursor_start(r->in.encoding, r->bytes);
	size_t moved = 0; /* from the old text to the new one; wraps */

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
		    !beyond_doubt(r, &r->byte_splices[i]))
			return ERR_UNCERTAIN;
	}
	return ERR_OK;
}

/* Does it all read as it should? A stray may have swallowed what follows. */
static bool reads_back(struct respell *r)
{
	auto_arena mem = ARENA_INIT;
	struct shown shown;

	return !encoding_show(r->in.encoding, r->after, &mem, &shown) &&
	       str_eq(shown.text, r->text) &&
	       shown.stray_count == r->shown->stray_count;
}

enum err encoding_respell(struct respell *r, struct arena *mem)
{
	bool utf8 = r->in.encoding->codec->is_utf8;
	enum err e = ERR_OK;

	r->byte_splices = arena_array(mem, struct splice, r->n);
	if (utf8 && !r->shown->stray_count)
		splice_utf8(r);
	else
		e = splice_all(r, mem);
	if (e)
		return e;
	/* A large text is not put together twice where it is the bytes. */
	if (r->shown->text.ptr == r->bytes.ptr)
		r->after = r->text;
	else
		r->after = edit_splice(r->bytes, r->byte_splices, r->n, mem);
	if (utf8 || reads_back(r))
		return ERR_OK;
	r->bad = r->n ? r->splices[0].from : 0;
	return ERR_UNDECODABLE;
}
