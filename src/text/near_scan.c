#include "text/near_scan.h"

#include "base/cancel.h"
#include "text/alike.h"
#include "text/utf8.h"

enum {
	WIDEST = 1024,      /* bytes of the string that are looked for */
	SET_BITS = 1 << 16, /* of the set of pieces */
	LONGEST_PIECE = 3,
};

struct seen {
	size_t offset;
	bool hit;
};

struct scan {
	uint64_t set[SET_BITS / 64];
	size_t piece;                 /* bytes in one */
	uint32_t last;                /* bytes, the latest lowest */
	size_t before[LONGEST_PIECE]; /* where they were, the latest first */
	size_t fed;
	struct seen *ring; /* the window */
	size_t width, filled, next;
	size_t hits;
	struct near_peak now; /* the best that overlaps the window */
	struct near_peak *best;
	size_t count;
};

static size_t bit_of(const struct scan *s)
{
	uint32_t piece = s->last & (UINT32_MAX >> (32 - 8 * s->piece));

	return piece * 2654435761u >> 16;
}

static void keep_peak(struct scan *s)
{
	size_t at = s->count;

	if (s->now.hits * 4 < s->width)
		return;
	if (s->count < NEAR_PEAKS)
		s->count++;
	else if (s->best[--at].hits >= s->now.hits)
		return;
	for (; at && s->best[at - 1].hits < s->now.hits; at--)
		s->best[at] = s->best[at - 1];
	s->best[at] = s->now;
}

static void take_byte(struct scan *s, unsigned char c, size_t offset)
{
	struct seen *slot;
	size_t bit, from;

	s->last = s->last << 8 | c;
	s->before[2] = s->before[1];
	s->before[1] = s->before[0];
	s->before[0] = offset;
	if (++s->fed < s->piece)
		return;
	slot = &s->ring[s->next];
	if (s->filled == s->width)
		s->hits -= slot->hit;
	else
		s->filled++;
	bit = bit_of(s);
	slot->hit = s->set[bit / 64] >> bit % 64 & 1;
	slot->offset = s->before[s->piece - 1];
	s->hits += slot->hit;
	s->next = s->next + 1 == s->width ? 0 : s->next + 1;
	from = s->ring[s->filled == s->width ? s->next : 0].offset;
	if (from >= s->now.end) {
		keep_peak(s);
		s->now = (struct near_peak){ from, offset + 1, 0 };
	}
	if (s->hits > s->now.hits)
		s->now = (struct near_peak){ from, offset + 1, s->hits };
}

/* What is left of a character, as bytes; returns how many. */
static size_t fold(uint32_t code, char to[4])
{
	if (code < UTF8_NOT)
		code = alike_plain(code);
	if (!code || code == ' ')
		return 0;
	if (code >= UTF8_NOT) {
		to[0] = (char)(code - UTF8_NOT);
		return 1;
	}
	return utf8_put(code, to);
}

static bool is_blank(unsigned char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static void feed(struct scan *s, struct str text)
{
	size_t len, ask = CANCEL_STRIDE;
	char to[4];

	for (size_t at = 0; at < text.len; at += len) {
		unsigned char c = (unsigned char)text.ptr[at];

		if (cancel_every(at, &ask))
			return;
		len = 1;
		if (c < 0x80) {
			if (c >= 'A' && c <= 'Z')
				c += 'a' - 'A';
			if (!is_blank(c))
				take_byte(s, c, at);
			continue;
		}
		for (size_t i = 0,
			    n = fold(utf8_any(str_skip(text, at), &len), to);
		     i < n; i++)
			take_byte(s, (unsigned char)to[i], at);
	}
}

/* The front of @old as it is looked for. */
static size_t fold_front(struct str old, char to[WIDEST + 4])
{
	size_t n = 0, len;

	for (size_t at = 0; at < old.len && n < WIDEST; at += len) {
		uint32_t code = utf8_any(str_skip(old, at), &len);

		if (code >= 0x80 || !is_blank((unsigned char)code))
			n += fold(code, to + n);
	}
	return n;
}

/* Short strings have only short pieces: one wrong letter spoils three. */
static size_t piece_for(size_t len)
{
	if (len < 8)
		return 1;
	return len < 16 ? 2 : LONGEST_PIECE;
}

static void fill_set(struct scan *s, const char *folded, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t bit;

		s->last = s->last << 8 | (unsigned char)folded[i];
		if (i + 1 < s->piece)
			continue;
		bit = bit_of(s);
		s->set[bit / 64] |= 1ULL << bit % 64;
	}
	s->last = 0;
}

size_t near_scan(struct str text, struct str old, struct arena *mem,
		 struct near_peak ret[NEAR_PEAKS])
{
	struct scan *s = arena_new(mem, struct scan);
	char folded[WIDEST + 4];
	size_t n = fold_front(old, folded);

	if (!n)
		return 0;
	s->piece = piece_for(n);
	s->width = n - s->piece + 1;
	s->ring = arena_array(mem, struct seen, s->width);
	s->best = ret;
	fill_set(s, folded, n);
	feed(s, text);
	keep_peak(s);
	return s->count;
}
