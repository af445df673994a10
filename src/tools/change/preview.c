/*
 * preview.c - makes the preview of a change: description, line counts, diff,
 * and what is kept of a large one. Also counts lines for the rules.
 *
 * Everything is computed from the bytes that would be written.
 */
#include "tools/change/preview.h"

#include "text/diff/unified.h"
#include "text/display/confusable_name.h"
#include "text/encoding/utf8.h"
#include "text/lines/lines.h"
#include "tools/change/describe.h"
#include "tools/reading/configured_encoding.h"

enum {
	MOST_HEAD = 16 * 1024, /* bytes of a diff in dialogs and lists */
	MOST_PARTS = 1000,     /* selectable hunks */
	LITTLE = 64 * 1024,    /* bytes that need no arena_reserve() */
	COPIES = 3,            /* of a diff while it is made */
};

/* The encoding of the new content, else the one configured for the file. */
static const struct encoding *written_in(struct call *c,
					 const struct action_facts *facts)
{
	return facts->encoding ? facts->encoding
			       : configured_encoding(c, facts->path);
}

static struct display display_of(struct call *c,
				 const struct action_facts *facts)
{
	return configured_display(c, facts->path, written_in(c, facts));
}

static void preview_describe(struct call *c, const struct action_facts *facts,
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
		d.before = (struct file_content){ true, before->bytes,
						  before->mode };
	describe_change(&d, c->mem, ret);
}

/* Hunks can be chosen only if the lines shown are the lines of the bytes. */
static void preview_divide(struct call *c, const struct action_facts *facts,
			   struct hunk_set *set)
{
	const struct display as = display_of(c, facts);
	const struct encoding *before, *after;

	set->before = facts->before->bytes;
	set->after = facts->after;
	before = encoding_for_display(set->before, &as);
	after = encoding_for_display(set->after, &as);
	if (!before || !after || before->unit != after->unit ||
	    (after->unit > 1 && before != after))
		return;
	set->written = after->unit > 1 ? after : as.written;
	if (after->unit == 1 && as.written && as.written->unit > 1)
		set->written = after;
	c->question.parts = hunks_parts(set);
	if (c->question.parts > MOST_PARTS)
		c->question.parts = 0;
}

void preview_show_whole(struct question *q, struct str text)
{
	q->kept = KEPT_WHOLE;
	q->whole = (struct extent){ lines_count(text), text.len };
	q->diff = utf8_head(text, MOST_HEAD);
	if (q->diff.len < text.len)
		q->texts[APPROVAL_DIFF] = text;
}

static void preview_show_sides(struct question *q, const struct description *d)
{
	size_t bytes = d->before.shown.len + d->after.shown.len;

	q->diff = STR("");
	q->kept = bytes <= PREVIEW_SIDES ? KEPT_SIDES : KEPT_NONE;
	if (q->kept == KEPT_NONE)
		return;
	q->texts[APPROVAL_BEFORE] = d->before.shown;
	q->texts[APPROVAL_AFTER] = d->after.shown;
}

static void preview_show_diff(struct call *c, const struct action_facts *facts,
			      const struct description *d, struct hunk_set *set)
{
	struct question *q = &c->question;
	struct unified_size size;
	auto_buf out = BUF_INIT;

	diff_texts(d->before.shown, d->after.shown, c->mem, &set->diff);
	unified_measure(&set->diff, facts->key, UNIFIED_CONTEXT, &size);
	q->added = size.added;
	q->removed = size.removed;
	q->whole = (struct extent){ size.lines, size.bytes };
	if (size.bytes > PREVIEW_WHOLE ||
	    (size.bytes > LITTLE &&
	     !arena_reserve(c->mem, COPIES * size.bytes))) {
		preview_show_sides(q, d);
		return;
	}
	unified_print(&set->diff, facts->key, UNIFIED_CONTEXT, &out);
	preview_show_whole(q, arena_copy(c->mem, buf_str(&out)));
	if (facts->divisible && facts->before)
		preview_divide(c, facts, set);
}

void preview_change(struct call *c, const struct action_facts *facts,
		    struct hunk_set *set)
{
	struct question *q = &c->question;
	struct description d = { .does = STR("") };

	if (!facts->as_is || facts->appends)
		preview_describe(c, facts, &d);
	q->does = d.does;
	q->badges = d.badges;
	if (facts->as_is) {
		if (facts->does.len)
			q->does = facts->does;
		preview_show_whole(q, facts->after);
		q->added = facts->appends ? q->whole.lines : 0;
		return;
	}
	/* Binary content has no lines to show. */
	if (!d.after.exists || d.after.text)
		preview_show_diff(c, facts, &d, set);
}

size_t extent_lines_left(const struct extent *whole, struct str head)
{
	size_t shown = lines_count(head);

	/* The last line of @head may be cut. */
	return whole->lines - shown + !str_ends(head, STR("\n"));
}

struct str preview_counts(uint64_t added, uint64_t removed, struct arena *mem)
{
	return arena_printf(mem, "+" STR_FMT " -" STR_FMT " lines",
			    STR_ARG(describe_number(added, mem)),
			    STR_ARG(describe_number(removed, mem)));
}

struct str preview_too_large(uint64_t added, uint64_t removed,
			     struct arena *mem)
{
	uint64_t lines = added > removed ? added : removed;

	return arena_printf(mem, "too large to show: " STR_FMT,
			    STR_ARG(describe_count(lines, "line", mem)));
}

static void add_list(struct buf *out, struct str text)
{
	struct str line;

	while (text.len && str_split(&text, '\n', &line))
		buf_addf(out, STR_FMT "\n", STR_ARG(line));
}

struct str preview_facts(const struct question *q, struct arena *mem)
{
	struct str badges = q->badges, badge, alike = STR("");
	auto_buf out = BUF_INIT;

	add_list(&out, q->does);
	for (size_t i = 0; i < q->file_count; i++)
		add_list(&out, preview_file_line(&q->files[i], mem));
	if (q->added || q->removed)
		add_list(&out, preview_counts(q->added, q->removed, mem));
	if (badges.len)
		buf_lit(&out, "in ");
	for (bool first = true; badges.len && str_split(&badges, '\n', &badge);
	     first = false)
		buf_addf(&out, "%s" STR_FMT, first ? "" : ", ", STR_ARG(badge));
	if (q->badges.len)
		buf_addc(&out, '\n');
	if (!q->file_count) /* else it is in the notes of each file */
		alike = confusable_name_sentence(q->path, mem);
	if (alike.len)
		add_list(&out, alike);
	if (q->kept != KEPT_WHOLE)
		add_list(&out, preview_too_large(q->added, q->removed, mem));
	return arena_copy(mem, buf_str(&out));
}

static void count_changes(struct call *c, struct str before, struct str after,
			  struct action *d)
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

void preview_count_lines(struct call *c, const struct action_facts *facts,
			 struct action *d)
{
	struct str was = facts->before ? facts->before->bytes : STR("");
	struct str now = facts->remove ? STR("") : facts->after;
	struct description shown;

	d->known_size = true;
	d->bytes = now.len;
	if (facts->as_is)
		return; /* an append removes no line */
	preview_describe(c, facts, &shown);
	count_changes(c, shown.before.shown, shown.after.shown, d);
	if (!str_eq(shown.before.shown, was) || !str_eq(shown.after.shown, now))
		count_changes(c, was, now, d);
}
