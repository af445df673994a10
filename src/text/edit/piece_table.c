/*
 * piece_table.c - a piece table in chunks of up to PIECE_CHUNK pieces.
 *
 * Chunks are a doubly linked list with their sums of bytes and newlines, so a
 * seek skips whole chunks; a full chunk is split in two. Anchors ascend through
 * the text, which is what piece_table_offset() searches by.
 */
#include "text/edit/piece_table.h"

#include "text/lines/lines.h"

#include <assert.h>

static struct piece_chunk *new_chunk(struct piece_table *s,
				     struct piece_chunk *next)
{
	struct piece_chunk *chunk = arena_alloc(s->mem, sizeof(*chunk));

	chunk->next = next;
	chunk->prev = NULL;
	chunk->count = chunk->len = chunk->newlines = 0;
	return chunk;
}

static void add_sums(struct piece_chunk *chunk, const struct piece *p)
{
	chunk->len += p->len;
	chunk->newlines += p->newlines;
}

void piece_table_init(struct piece_table *s, struct str text, struct arena *mem)
{
	*s = (struct piece_table){
		.original = text,
		.len = text.len,
		.next_number = text.len,
		.mem = mem,
	};
	s->first = new_chunk(s, NULL);
	s->chunk.chunk = s->last.chunk = s->first;
	if (!text.len)
		return;
	s->first->pieces[0] = (struct piece){
		.ptr = text.ptr,
		.len = text.len,
		.newlines = lines_newlines(text),
	};
	s->first->count = 1;
	add_sums(s->first, &s->first->pieces[0]);
}

/* The chunk of the byte at @offset; the last one at the end of the text. */
static struct piece_cursor seek_chunk(const struct piece_table *s,
				      size_t offset)
{
	struct piece_cursor at = s->chunk;

	while (offset < at.start) {
		at.chunk = at.chunk->prev;
		at.start -= at.chunk->len;
		at.newlines -= at.chunk->newlines;
	}
	while (at.chunk->next && offset - at.start >= at.chunk->len) {
		at.start += at.chunk->len;
		at.newlines += at.chunk->newlines;
		at.chunk = at.chunk->next;
	}
	return at;
}

/*
 * The piece of the byte at @offset; past the last piece at the end of the text.
 */
static struct piece_cursor seek_piece(struct piece_table *s, size_t offset)
{
	struct piece_cursor at;
	const struct piece *p;

	s->chunk = seek_chunk(s, offset);
	at = s->last.chunk == s->chunk.chunk ? s->last : s->chunk;
	while (offset < at.start) {
		p = &at.chunk->pieces[--at.i];
		at.start -= p->len;
		at.newlines -= p->newlines;
	}
	for (; at.i < at.chunk->count; at.i++) {
		p = &at.chunk->pieces[at.i];
		if (offset - at.start < p->len)
			break;
		at.start += p->len;
		at.newlines += p->newlines;
	}
	/*
	 * Changes happen at this position or after it, so the cursor stays
	 * valid.
	 */
	s->last = at;
	return at;
}

/* Move the second half of a full chunk to a new chunk after it. */
static void split_chunk(struct piece_table *s, struct piece_chunk *chunk)
{
	struct piece_chunk *half = new_chunk(s, chunk->next);

	half->prev = chunk;
	if (half->next)
		half->next->prev = half;
	chunk->next = half;
	chunk->count = PIECE_CHUNK / 2;
	half->count = PIECE_CHUNK - chunk->count;
	memcpy(half->pieces, chunk->pieces + chunk->count,
	       half->count * sizeof(half->pieces[0]));
	for (size_t i = 0; i < half->count; i++)
		add_sums(half, &half->pieces[i]);
	chunk->len -= half->len;
	chunk->newlines -= half->newlines;
}

/* Seek, and make room for one more piece in the chunk. */
static struct piece_cursor seek_room(struct piece_table *s, size_t offset)
{
	struct piece_cursor at = seek_piece(s, offset);

	if (at.chunk->count < PIECE_CHUNK)
		return at;
	split_chunk(s, at.chunk);
	s->last = s->chunk;
	return seek_piece(s, offset);
}

static void shift_right(struct piece_cursor at)
{
	struct piece *p = &at.chunk->pieces[at.i];

	memmove(p + 1, p, (at.chunk->count - at.i) * sizeof(*p));
	at.chunk->count++;
}

/* Count the shorter side, so that many splits of a large piece stay cheap. */
static size_t newlines_before(const struct piece *p, size_t n)
{
	struct str text = str_make(p->ptr, p->len);

	if (n <= p->len / 2)
		return lines_newlines(str_head(text, n));
	return p->newlines - lines_newlines(str_skip(text, n));
}

/* Split a piece so that one starts at @offset. */
static struct piece_cursor split_piece(struct piece_table *s, size_t offset)
{
	struct piece_cursor at = seek_room(s, offset);
	size_t left = offset - at.start, newlines;
	struct piece *p = &at.chunk->pieces[at.i];

	if (!left)
		return at;
	newlines = newlines_before(p, left);
	shift_right(at);
	p[0].len = left;
	p[0].newlines = newlines;
	p[1].ptr += left;
	p[1].len -= left;
	p[1].newlines -= newlines;
	p[1].number += left;
	if (piece_is_original(s, &p[1]))
		p[1].anchor = p[1].number;
	at.i++;
	at.start = offset;
	at.newlines += newlines;
	return at;
}

/* Remove the pieces of the @len bytes from @at on. */
static void remove_pieces(struct piece_table *s, struct piece_cursor at,
			  size_t len)
{
	s->len -= len;
	for (; len; at.chunk = at.chunk->next, at.i = 0) {
		struct piece *p = at.chunk->pieces + at.i;
		size_t n = 0;

		for (; len && at.i + n < at.chunk->count; n++) {
			len -= p[n].len;
			at.chunk->len -= p[n].len;
			at.chunk->newlines -= p[n].newlines;
		}
		at.chunk->count -= n;
		memmove(p, p + n, (at.chunk->count - at.i) * sizeof(*p));
	}
}

static void record_insertion(struct piece_table *s, const struct piece *p)
{
	const size_t size = sizeof(*s->insertions);

	if (s->insertion_count == s->insertion_cap) {
		size_t cap = size_max(16, s->insertion_cap * 2);

		s->insertions = arena_grow(s->mem, s->insertions,
					   s->insertion_cap * size, cap * size);
		s->insertion_cap = cap;
	}
	s->insertions[s->insertion_count++] =
		(struct piece_insertion){ p->number, p->anchor };
}

static void insert_piece(struct piece_table *s, size_t offset, struct str with,
			 size_t anchor)
{
	struct piece_cursor at = seek_room(s, offset);
	struct piece p = {
		.ptr = with.ptr,
		.len = with.len,
		.newlines = lines_newlines(with),
		.number = s->next_number,
		.anchor = anchor,
	};

	shift_right(at);
	at.chunk->pieces[at.i] = p;
	add_sums(at.chunk, &p);
	s->len += p.len;
	s->next_number += p.len;
	record_insertion(s, &p);
}

size_t piece_table_replace(struct piece_table *s, size_t from, size_t to,
			   struct str with)
{
	size_t anchor = s->original.len;
	struct piece_cursor at;

	(void)split_piece(s, to);
	at = split_piece(s, from);
	if (at.i < at.chunk->count)
		anchor = at.chunk->pieces[at.i].anchor;
	remove_pieces(s, at, to - from);
	if (with.len)
		insert_piece(s, from, with, anchor);
	s->anchor = anchor;
	return at.newlines;
}

size_t piece_table_number(struct piece_table *s, size_t offset)
{
	struct piece_cursor at = seek_piece(s, offset);

	return at.chunk->pieces[at.i].number + (offset - at.start);
}

static size_t anchor_of(const struct piece_table *s, size_t number)
{
	size_t low = 0, high = s->insertion_count;

	if (number < s->original.len)
		return number;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (s->insertions[middle].number <= number)
			low = middle;
		else
			high = middle;
	}
	return s->insertions[low].anchor;
}

/* Can bytes with that anchor be in @chunk or after it? */
static bool starts_before(const struct piece_chunk *chunk, size_t anchor)
{
	return chunk->count && chunk->pieces[0].anchor < anchor;
}

size_t piece_table_offset(struct piece_table *s, size_t number)
{
	size_t anchor = anchor_of(s, number), start = s->chunk.start;
	const struct piece_chunk *chunk = s->chunk.chunk;

	while (chunk->prev && !starts_before(chunk, anchor)) {
		chunk = chunk->prev;
		start -= chunk->len;
	}
	for (; chunk; chunk = chunk->next) {
		size_t at = start;

		start += chunk->len;
		if (chunk->next && starts_before(chunk->next, anchor))
			continue;
		for (size_t i = 0; i < chunk->count; i++) {
			const struct piece *p = &chunk->pieces[i];

			if (number - p->number < p->len)
				return at + (number - p->number);
			at += p->len;
		}
	}
	assert(!"a byte that is in the text");
	return s->len;
}

/* Up to @len bytes of the piece at *@at, which moves to the next piece. */
static struct str next_part(struct piece_cursor *at, size_t skip, size_t len)
{
	struct piece *p;

	while (at->i == at->chunk->count) {
		at->chunk = at->chunk->next;
		at->i = 0;
	}
	p = &at->chunk->pieces[at->i++];
	return str_head(str_skip(str_make(p->ptr, p->len), skip), len);
}

void piece_table_copy(struct piece_table *s, size_t from, size_t to, char *ret)
{
	struct piece_cursor at = seek_piece(s, from);
	size_t skip = from - at.start;

	for (; from < to; skip = 0) {
		struct str part = next_part(&at, skip, to - from);

		memcpy(ret, part.ptr, part.len);
		ret += part.len;
		from += part.len;
	}
}

bool piece_table_has(struct piece_table *s, size_t from, struct str what)
{
	struct piece_cursor at = seek_piece(s, from);
	size_t skip = from - at.start;

	if (what.len > s->len || from > s->len - what.len)
		return false;
	for (; what.len; skip = 0) {
		struct str part = next_part(&at, skip, what.len);

		if (!str_starts(what, part))
			return false;
		what = str_skip(what, part.len);
	}
	return true;
}
