#include "text/edit_stage.h"

#include "text/lines.h"

#include <assert.h>

static struct stage_run *new_run(struct stage *s, struct stage_run *next)
{
	struct stage_run *run = arena_alloc(s->mem, sizeof(*run));

	run->next = next;
	run->prev = NULL;
	run->count = run->len = run->newlines = 0;
	return run;
}

static void add_sums(struct stage_run *run, const struct piece *p)
{
	run->len += p->len;
	run->newlines += p->newlines;
}

void stage_init(struct stage *s, struct str text, struct arena *mem)
{
	*s = (struct stage){
		.original = text,
		.len = text.len,
		.next_number = text.len,
		.mem = mem,
	};
	s->first = new_run(s, NULL);
	s->run.run = s->last.run = s->first;
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

/* The run that has the byte at @offset; the last one at the end. */
static struct stage_spot seek_run(const struct stage *s, size_t offset)
{
	struct stage_spot at = s->run;

	while (offset < at.start) {
		at.run = at.run->prev;
		at.start -= at.run->len;
		at.newlines -= at.run->newlines;
	}
	while (at.run->next && offset - at.start >= at.run->len) {
		at.start += at.run->len;
		at.newlines += at.run->newlines;
		at.run = at.run->next;
	}
	return at;
}

/* The piece that has the byte at @offset; past the last one at the end. */
static struct stage_spot seek(struct stage *s, size_t offset)
{
	struct stage_spot at;
	const struct piece *p;

	s->run = seek_run(s, offset);
	at = s->last.run == s->run.run ? s->last : s->run;
	while (offset < at.start) {
		p = &at.run->pieces[--at.i];
		at.start -= p->len;
		at.newlines -= p->newlines;
	}
	for (; at.i < at.run->count; at.i++) {
		p = &at.run->pieces[at.i];
		if (offset - at.start < p->len)
			break;
		at.start += p->len;
		at.newlines += p->newlines;
	}
	/* Whatever is changed next lies there or behind, so it stays right. */
	s->last = at;
	return at;
}

/* Move the second half of a full run to a new one after it. */
static void halve(struct stage *s, struct stage_run *run)
{
	struct stage_run *half = new_run(s, run->next);

	half->prev = run;
	if (half->next)
		half->next->prev = half;
	run->next = half;
	run->count = STAGE_RUN / 2;
	half->count = STAGE_RUN - run->count;
	memcpy(half->pieces, run->pieces + run->count,
	       half->count * sizeof(half->pieces[0]));
	for (size_t i = 0; i < half->count; i++)
		add_sums(half, &half->pieces[i]);
	run->len -= half->len;
	run->newlines -= half->newlines;
}

/* Seek, with room for one more piece in the run. */
static struct stage_spot seek_room(struct stage *s, size_t offset)
{
	struct stage_spot at = seek(s, offset);

	if (at.run->count < STAGE_RUN)
		return at;
	halve(s, at.run);
	s->last = s->run;
	return seek(s, offset);
}

static void shift_right(struct stage_spot at)
{
	struct piece *p = &at.run->pieces[at.i];

	memmove(p + 1, p, (at.run->count - at.i) * sizeof(*p));
	at.run->count++;
}

/* Count the shorter side: many cuts of a big piece stay cheap. */
static size_t newlines_before(const struct piece *p, size_t n)
{
	struct str text = str_make(p->ptr, p->len);

	if (n <= p->len / 2)
		return lines_newlines(str_head(text, n));
	return p->newlines - lines_newlines(str_skip(text, n));
}

/* Make a piece start at @offset. */
static struct stage_spot cut(struct stage *s, size_t offset)
{
	struct stage_spot at = seek_room(s, offset);
	size_t left = offset - at.start, newlines;
	struct piece *p = &at.run->pieces[at.i];

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

/* Take out the pieces that make up the @len bytes from @at on. */
static void take_out(struct stage *s, struct stage_spot at, size_t len)
{
	s->len -= len;
	for (; len; at.run = at.run->next, at.i = 0) {
		struct piece *p = at.run->pieces + at.i;
		size_t n = 0;

		for (; len && at.i + n < at.run->count; n++) {
			len -= p[n].len;
			at.run->len -= p[n].len;
			at.run->newlines -= p[n].newlines;
		}
		at.run->count -= n;
		memmove(p, p + n, (at.run->count - at.i) * sizeof(*p));
	}
}

static void remember_put(struct stage *s, const struct piece *p)
{
	const size_t size = sizeof(*s->puts);

	if (s->put_count == s->put_cap) {
		size_t cap = size_max(16, s->put_cap * 2);

		s->puts = arena_grow(s->mem, s->puts, s->put_cap * size,
				     cap * size);
		s->put_cap = cap;
	}
	s->puts[s->put_count++] = (struct stage_put){ p->number, p->anchor };
}

static void put_in(struct stage *s, size_t offset, struct str with,
		   size_t anchor)
{
	struct stage_spot at = seek_room(s, offset);
	struct piece p = {
		.ptr = with.ptr,
		.len = with.len,
		.newlines = lines_newlines(with),
		.number = s->next_number,
		.anchor = anchor,
	};

	shift_right(at);
	at.run->pieces[at.i] = p;
	add_sums(at.run, &p);
	s->len += p.len;
	s->next_number += p.len;
	remember_put(s, &p);
}

size_t stage_replace(struct stage *s, size_t from, size_t to, struct str with)
{
	size_t anchor = s->original.len;
	struct stage_spot at;

	(void)cut(s, to);
	at = cut(s, from);
	if (at.i < at.run->count)
		anchor = at.run->pieces[at.i].anchor;
	take_out(s, at, to - from);
	if (with.len)
		put_in(s, from, with, anchor);
	s->anchor = anchor;
	return at.newlines;
}

size_t stage_number(struct stage *s, size_t offset)
{
	struct stage_spot at = seek(s, offset);

	return at.run->pieces[at.i].number + (offset - at.start);
}

static size_t anchor_of(const struct stage *s, size_t number)
{
	size_t low = 0, high = s->put_count;

	if (number < s->original.len)
		return number;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (s->puts[middle].number <= number)
			low = middle;
		else
			high = middle;
	}
	return s->puts[low].anchor;
}

/* Are the bytes with that anchor in @run or behind? */
static bool starts_before(const struct stage_run *run, size_t anchor)
{
	return run->count && run->pieces[0].anchor < anchor;
}

size_t stage_offset(struct stage *s, size_t number)
{
	size_t anchor = anchor_of(s, number), start = s->run.start;
	const struct stage_run *run = s->run.run;

	while (run->prev && !starts_before(run, anchor)) {
		run = run->prev;
		start -= run->len;
	}
	for (; run; run = run->next) {
		size_t at = start;

		start += run->len;
		if (run->next && starts_before(run->next, anchor))
			continue;
		for (size_t i = 0; i < run->count; i++) {
			const struct piece *p = &run->pieces[i];

			if (number - p->number < p->len)
				return at + (number - p->number);
			at += p->len;
		}
	}
	assert(!"a byte that is in the text");
	return s->len;
}

/* What stands at @at, up to @len bytes of one piece; *@at moves on. */
static struct str next_part(struct stage_spot *at, size_t skip, size_t len)
{
	struct piece *p;

	while (at->i == at->run->count) {
		at->run = at->run->next;
		at->i = 0;
	}
	p = &at->run->pieces[at->i++];
	return str_head(str_skip(str_make(p->ptr, p->len), skip), len);
}

void stage_copy(struct stage *s, size_t from, size_t to, char *ret)
{
	struct stage_spot at = seek(s, from);
	size_t skip = from - at.start;

	for (; from < to; skip = 0) {
		struct str part = next_part(&at, skip, to - from);

		memcpy(ret, part.ptr, part.len);
		ret += part.len;
		from += part.len;
	}
}

bool stage_has(struct stage *s, size_t from, struct str what)
{
	struct stage_spot at = seek(s, from);
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
