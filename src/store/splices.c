#include "store/splices.h"

enum { BITS = 7, MORE = 1 << BITS, NUMBER_MOST = 9 * BITS };

static void put_number(struct buf *out, size_t n)
{
	for (; n >= MORE; n >>= BITS)
		buf_addc(out, (char)(n | MORE));
	buf_addc(out, (char)n);
}

static bool take_number(struct str *from, size_t *ret)
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

	put_number(out, len);
	for (size_t i = 0; i < n; i++) {
		const struct splice *s = &splices[i];

		put_number(out, s->from - at);
		put_number(out, s->to - s->from);
		put_number(out, s->with.len);
		buf_add(out, s->with);
		at = s->to;
	}
}

struct making {
	struct str put, from;
	char *to;
	size_t room;
};

/* The next @n bytes of *@from. */
static bool move(struct making *m, struct str *from, size_t n)
{
	if (n > from->len || n > m->room)
		return false;
	if (n)
		m->to = mempcpy(m->to, from->ptr, n);
	m->room -= n;
	*from = str_skip(*from, n);
	return true;
}

static bool make_one(struct making *m)
{
	size_t stay, go, come;

	if (!take_number(&m->put, &stay) || !take_number(&m->put, &go) ||
	    !take_number(&m->put, &come) || !move(m, &m->from, stay) ||
	    go > m->from.len)
		return false;
	m->from = str_skip(m->from, go);
	return move(m, &m->put, come);
}

bool splices_make(struct str put, struct str from, struct arena *mem,
		  struct str *ret)
{
	struct making m = { .put = put, .from = from };
	size_t len;
	char *bytes;

	/* A damaged length must not make us ask for all memory there is. */
	if (!take_number(&m.put, &len) || len > put.len + from.len)
		return false;
	m.to = bytes = arena_alloc(mem, len);
	m.room = len;
	while (m.put.len)
		if (!make_one(&m))
			return false;
	if (m.from.len != m.room || !move(&m, &m.from, m.room))
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
