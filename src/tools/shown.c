/*
 * shown.c - a change as the person is shown it who is asked: the words for
 * it, true numbers of lines, the diff, and what is kept of a large one. Also
 * the lines that rules count.
 *
 * Everything is made from the bytes that would be written.
 */
#include "tools/shown.h"

#include "text/lines.h"
#include "text/lookalike.h"
#include "text/unified.h"
#include "text/utf8.h"
#include "tools/describe.h"
#include "tools/told.h"

enum {
	MOST_HEAD = 16 * 1024, /* of a diff, in dialogs and lists */
	MOST_PARTS = 1000,     /* hunks that one chooses from */
	LITTLE = 64 * 1024,    /* bytes that nobody is asked for */
	COPIES = 3,            /* of a diff, while it is made */
};

/* The encoding of what is written, or of what the file holds by rights. */
static const struct encoding *written_in(struct call *c,
					 const struct deed_facts *facts)
{
	return facts->encoding ? facts->encoding
			       : told_encoding(c, facts->path);
}

static struct display display_of(struct call *c, const struct deed_facts *facts)
{
	return told_display(c, facts->path, written_in(c, facts));
}

static void describe(struct call *c, const struct deed_facts *facts,
		     struct description *ret)
{
	const struct snapshot *before = facts->before;
	struct described d = {
		.after = { !facts->remove, facts->after, facts->mode },
		.as = display_of(c, facts),
		.appends = facts->appends,
		.is_text = facts->encoding,
	};

	if (before)
		d.before = (struct side){ true, before->bytes, before->mode };
	describe_change(&d, c->mem, ret);
}

/* The lines that are shown are those that can be taken, or none can. */
static void divide(struct call *c, const struct deed_facts *facts,
		   struct cut *cut)
{
	const struct display as = display_of(c, facts);
	const struct encoding *before, *after;

	cut->before = facts->before->bytes;
	cut->after = facts->after;
	before = encoding_displayed(cut->before, &as);
	after = encoding_displayed(cut->after, &as);
	if (!before || !after || before->unit != after->unit ||
	    (after->unit > 1 && before != after))
		return;
	cut->written = after->unit > 1 ? after : as.written;
	if (after->unit == 1 && as.written && as.written->unit > 1)
		cut->written = after;
	c->question.parts = hunks_parts(cut);
	if (c->question.parts > MOST_PARTS)
		c->question.parts = 0;
}

/* All of it can be seen: at once, or piece by piece. */
static void show_whole(struct question *q, struct str text)
{
	q->kept = KEPT_WHOLE;
	q->whole = (struct extent){ lines_count(text), text.len };
	q->diff = utf8_head(text, MOST_HEAD);
	if (q->diff.len < text.len)
		q->texts[APPROVAL_DIFF] = text;
}

static void show_sides(struct question *q, const struct description *d)
{
	size_t bytes = d->before.shown.len + d->after.shown.len;

	q->diff = STR("");
	q->kept = bytes <= SHOWN_SIDES ? KEPT_SIDES : KEPT_NONE;
	if (q->kept == KEPT_NONE)
		return;
	q->texts[APPROVAL_BEFORE] = d->before.shown;
	q->texts[APPROVAL_AFTER] = d->after.shown;
}

static void show_diff(struct call *c, const struct deed_facts *facts,
		      const struct description *d, struct cut *cut)
{
	struct question *q = &c->question;
	struct unified_size size;
	auto_buf out = BUF_INIT;

	diff_texts(d->before.shown, d->after.shown, c->mem, &cut->diff);
	unified_measure(&cut->diff, facts->key, UNIFIED_CONTEXT, &size);
	q->added = size.added;
	q->removed = size.removed;
	q->whole = (struct extent){ size.lines, size.bytes };
	if (size.bytes > SHOWN_WHOLE ||
	    (size.bytes > LITTLE &&
	     !arena_reserve(c->mem, COPIES * size.bytes))) {
		show_sides(q, d);
		return;
	}
	unified_print(&cut->diff, facts->key, UNIFIED_CONTEXT, &out);
	show_whole(q, arena_copy(c->mem, buf_str(&out)));
	if (facts->divisible && facts->before)
		divide(c, facts, cut);
}

void shown_change(struct call *c, const struct deed_facts *facts,
		  struct cut *cut)
{
	struct question *q = &c->question;
	struct description d = { .does = STR("") };

	if (!facts->as_is || facts->appends)
		describe(c, facts, &d);
	q->does = d.does;
	q->badges = d.badges;
	if (facts->as_is) {
		if (facts->does.len)
			q->does = facts->does;
		show_whole(q, facts->after);
		q->added = facts->appends ? q->whole.lines : 0;
		return;
	}
	/* Of bytes that are no text there are no lines to show. */
	if (!d.after.exists || d.after.text)
		show_diff(c, facts, &d, cut);
}

size_t extent_lines_left(const struct extent *whole, struct str head)
{
	size_t shown = lines_count(head);

	/* The last one is whole only with its end. */
	return whole->lines - shown + !str_ends(head, STR("\n"));
}

struct str shown_counts(uint64_t added, uint64_t removed, struct arena *mem)
{
	return arena_printf(mem, "+" STR_FMT " -" STR_FMT " lines",
			    STR_ARG(describe_number(added, mem)),
			    STR_ARG(describe_number(removed, mem)));
}

struct str shown_too_large(uint64_t added, uint64_t removed, struct arena *mem)
{
	uint64_t lines = added > removed ? added : removed;

	return arena_printf(mem, "too large to show: " STR_FMT,
			    STR_ARG(describe_count(lines, "line", mem)));
}

/* Lines of @text, each behind "- ". */
static void add_list(struct buf *out, struct str text)
{
	struct str line;

	while (text.len && str_split(&text, '\n', &line))
		buf_addf(out, STR_FMT "\n", STR_ARG(line));
}

struct str shown_facts(const struct question *q, struct arena *mem)
{
	struct str badges = q->badges, badge, alike;
	auto_buf out = BUF_INIT;

	add_list(&out, q->does);
	if (q->added || q->removed)
		add_list(&out, shown_counts(q->added, q->removed, mem));
	if (badges.len)
		buf_lit(&out, "in ");
	for (bool first = true; badges.len && str_split(&badges, '\n', &badge);
	     first = false)
		buf_addf(&out, "%s" STR_FMT, first ? "" : ", ", STR_ARG(badge));
	if (q->badges.len)
		buf_addc(&out, '\n');
	alike = lookalike_words(q->path, mem);
	if (alike.len)
		add_list(&out, alike);
	if (q->kept != KEPT_WHOLE)
		add_list(&out, shown_too_large(q->added, q->removed, mem));
	return arena_copy(mem, buf_str(&out));
}

static void count_changes(struct call *c, struct str before, struct str after,
			  struct deed *d)
{
	size_t removed = 0, added = 0;
	struct diff diff;

	diff_texts(before, after, c->mem, &diff);
	for (size_t i = 0; i < diff.count; i++) {
		removed += diff.changes[i].a_count;
		added += diff.changes[i].b_count;
	}
	d->lines_removed = size_max(d->lines_removed, removed);
	d->lines_added = size_max(d->lines_added, added);
}

void shown_count(struct call *c, const struct deed_facts *facts, struct deed *d)
{
	struct str was = facts->before ? facts->before->bytes : STR("");
	struct str now = facts->remove ? STR("") : facts->after;
	struct description shown;

	d->known_size = true;
	d->bytes = now.len;
	if (facts->as_is)
		return; /* what is added takes nothing away */
	describe(c, facts, &shown);
	count_changes(c, shown.before.shown, shown.after.shown, d);
	if (!str_eq(shown.before.shown, was) || !str_eq(shown.after.shown, now))
		count_changes(c, was, now, d);
}
