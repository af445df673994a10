/*
 * splices.c - a content as edits of another one: encode and apply.
 *
 * Pure functions on bytes. The encoded bytes may be damaged, so every number is
 * checked against the available data.
 */
#include "store/splices.h"

enum { BITS = 7, MORE = 1 << BITS, NUMBER_MOST = 9 * BITS };

static void put_varint(struct buf *out, size_t n)
{
	for (; n >= MORE; n >>= BITS)
		buf_addc(out, (char)(n | MORE));
	buf_addc(out, (char)n);
}

static bool take_varint(struct str *from, size_t *ret)
{
	size_t n = 0;

	for (unsigned shift = 0; from->len && shift < NUMBER_MOST;
	     shift += BITS) {
		size_t digit = (unsigned char)from->ptr[0];

		*from = str_skip(*from, 1);
		n |= (digit & (MORE - 1)) << shift;
		if (digit < MORE) {
			*ret = n;
			return true;
		}
	}
	return false;
}

void splices_put(struct buf *out, size_t len, const struct splice *splices,
		 size_t n)
{
	size_t at = 0;

	put_varint(out, len);
	for (size_t i = 0; i < n; i++) {
		const struct splice *s = &splices[i];

		put_varint(out, s->from - at);
		put_varint(out, s->to - s->from);
		put_varint(out, s->with.len);
		buf_add(out, s->with);
		at = s->to;
	}
}

struct splice_apply {
	struct str put, from;
	char *to;
	size_t room;
};

/* Move @n bytes from *@from to the result. */
static bool copy_bytes(struct splice_apply *m, struct str *from, size_t n)
{
	if (n > from->len || n > m->room)
		return false;
	if (n)
		m->to = mempcpy(m->to, from->ptr, n);
	m->room -= n;
	*from = str_skip(*from, n);
	return true;
}

static bool apply_one(struct splice_apply *m)
{
	size_t keep, drop, insert;

	if (!take_varint(&m->put, &keep) || !take_varint(&m->put, &drop) ||
	    !take_varint(&m->put, &insert) || !copy_bytes(m, &m->from, keep) ||
	    drop > m->from.len)
		return false;
	m->from = str_skip(m->from, drop);
	return copy_bytes(m, &m->put, insert);
}

bool splices_make(struct str put, struct str from, struct arena *mem,
		  struct str *ret)
{
	struct splice_apply m = { .put = put, .from = from };
	size_t len;
	char *bytes;

	/* Check the length, which may be damaged, before allocating. */
	if (!take_varint(&m.put, &len) || len > put.len + from.len)
		return false;
	m.to = bytes = arena_alloc(mem, len);
	m.room = len;
	while (m.put.len)
		if (!apply_one(&m))
			return false;
	if (m.from.len != m.room || !copy_bytes(&m, &m.from, m.room))
		return false;
	*ret = str_make(bytes, len);
	return true;
}

struct digest splices_digest(struct str put)
{
	static const struct str label = STR_INIT("splices");
	char named[sizeof("splices") - 1 + DIGEST_BYTES];
	struct digest d = digest_of(put);

	memcpy(named, label.ptr, label.len);
	memcpy(named + label.len, d.bytes, DIGEST_BYTES);
	return digest_of(str_make(named, sizeof(named)));
}
