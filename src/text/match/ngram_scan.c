/*
 * ngram_scan.c - find windows of a text that resemble a string.
 *
 * The n-grams of the string (1 to 3 bytes, by its length) are a bit set without
 * collision handling: a false hit only makes a window look a little better, and
 * align.c compares the windows exactly. Of overlapping windows the best is
 * kept.
 */
#include "text/match/ngram_scan.h"

#include "base/cancel.h"
#include "text/encoding/utf8.h"
#include "text/match/confusable.h"

enum {
	MAX_BYTES = 1024,   /* bytes of the folded string that are used */
	SET_BITS = 1 << 16, /* bits in the set of n-grams */
	MAX_NGRAM = 3,
};

struct ngram_slot {
	size_t offset;
	bool hit;
};

struct ngram_state {
	uint64_t set[SET_BITS / 64];
	size_t n;                 /* bytes per n-gram */
	uint32_t last;            /* latest bytes, the last one lowest */
	size_t before[MAX_NGRAM]; /* their offsets, latest first */
	size_t fed;               /* folded bytes so far */
	struct ngram_slot *ring;  /* the n-grams of the window */
	size_t width, filled, next;
	size_t hits;
	struct ngram_window now; /* best one that overlaps the window */
	struct ngram_window *best;
	size_t count;
};

static size_t bit_of(const struct ngram_state *s)
{
	uint32_t n = s->last & (UINT32_MAX >> (32 - 8 * s->n));

	return n * 2654435761u >> 16;
}

static void keep_window(struct ngram_state *s)
{
	size_t at = s->count;

	if (s->now.hits * 4 < s->width)
		return;
	if (s->count < NGRAM_WINDOWS)
		s->count++;
	else if (s->best[--at].hits >= s->now.hits)
		return;
	for (; at && s->best[at - 1].hits < s->now.hits; at--)
		s->best[at] = s->best[at - 1];
	s->best[at] = s->now;
}

static void add_byte(struct ngram_state *s, unsigned char c, size_t offset)
{
	struct ngram_slot *slot;
	size_t bit, from;

	s->last = s->last << 8 | c;
	s->before[2] = s->before[1];
	s->before[1] = s->before[0];
	s->before[0] = offset;
	if (++s->fed < s->n)
		return;
	slot = &s->ring[s->next];
	if (s->filled == s->width)
		s->hits -= slot->hit;
	else
		s->filled++;
	bit = bit_of(s);
	slot->hit = s->set[bit / 64] >> bit % 64 & 1;
	slot->offset = s->before[s->n - 1];
	s->hits += slot->hit;
	s->next = s->next + 1 == s->width ? 0 : s->next + 1;
	from = s->ring[s->filled == s->width ? s->next : 0].offset;
	if (from >= s->now.end) {
		keep_window(s);
		s->now = (struct ngram_window){ from, offset + 1, 0 };
	}
	if (s->hits > s->now.hits)
		s->now = (struct ngram_window){ from, offset + 1, s->hits };
}

/*
 * Write the skeleton of a character; returns its bytes, 0 for white space and
 * invisible characters.
 */
static size_t fold_char(uint32_t code, char to[4])
{
	if (code < UTF8_NOT)
		code = confusable_skeleton(code);
	if (!code || code == ' ')
		return 0;
	if (code >= UTF8_NOT) {
		to[0] = (char)(code - UTF8_NOT);
		return 1;
	}
	return utf8_put(code, to);
}

static bool is_white_space(unsigned char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static void scan_text(struct ngram_state *s, struct str text)
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
			if (!is_white_space(c))
				add_byte(s, c, at);
			continue;
		}
		for (size_t i = 0,
			    n = fold_char(utf8_any(str_skip(text, at), &len),
					  to);
		     i < n; i++)
			add_byte(s, (unsigned char)to[i], at);
	}
}

/* Fold the front of @old; returns its length. */
static size_t fold_front(struct str old, char to[MAX_BYTES + 4])
{
	size_t n = 0, len;

	for (size_t at = 0; at < old.len && n < MAX_BYTES; at += len) {
		uint32_t code = utf8_any(str_skip(old, at), &len);

		if (code >= 0x80 || !is_white_space((unsigned char)code))
			n += fold_char(code, to + n);
	}
	return n;
}

/* One wrong letter spoils n n-grams, so short strings have a small n. */
static size_t ngram_length(size_t len)
{
	if (len < 8)
		return 1;
	return len < 16 ? 2 : MAX_NGRAM;
}

static void fill_set(struct ngram_state *s, const char *folded, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t bit;

		s->last = s->last << 8 | (unsigned char)folded[i];
		if (i + 1 < s->n)
			continue;
		bit = bit_of(s);
		s->set[bit / 64] |= 1ULL << bit % 64;
	}
	s->last = 0;
}

size_t ngram_scan(struct str text, struct str old, struct arena *mem,
		  struct ngram_window ret[NGRAM_WINDOWS])
{
	struct ngram_state *s = arena_new(mem, struct ngram_state);
	char folded[MAX_BYTES + 4];
	size_t n = fold_front(old, folded);

	if (!n)
		return 0;
	s->n = ngram_length(n);
	s->width = n - s->n + 1;
	s->ring = arena_array(mem, struct ngram_slot, s->width);
	s->best = ret;
	fill_set(s, folded, n);
	scan_text(s, text);
	keep_window(s);
	return s->count;
}
