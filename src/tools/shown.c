/*
 * shown.c - a change as the person is shown it who is asked, how much of that
 * is left out, and the lines that rules count.
 */
#include "tools/shown.h"

#include "base/digest.h"
#include "text/lines.h"
#include "text/unified.h"
#include "text/utf8.h"
#include "tools/told.h"

enum { MOST_SHOWN = 16 * 1024 }; /* of a diff, to a person */

/* The encoding of what is written, or of what the file holds by rights. */
static const struct encoding *written_in(struct call *c,
					 const struct deed_facts *facts)
{
	return facts->encoding ? facts->encoding
			       : told_encoding(c, facts->path);
}

/* What is no text is told apart from any other that is none. */
static struct str not_text(struct call *c, struct str bytes)
{
	char hex[DIGEST_HEX + 1];

	digest_hex(digest_of(bytes), hex);
	return arena_printf(c->mem, "(not text: %zu bytes, digest %s)\n",
			    bytes.len, hex);
}

static struct display display_of(struct call *c, const struct deed_facts *facts)
{
	return told_display(c, facts->path, written_in(c, facts));
}

/* A change on both sides as the person is shown it. */
static void show_sides(struct call *c, const struct deed_facts *facts,
		       struct str *before, struct str *after)
{
	const struct display as = display_of(c, facts);
	struct str was = facts->before ? facts->before->bytes : STR("");
	struct detected ignored;

	*before = *after = STR("");
	/* The content of a binary is no reason not to show a text in its place. */
	if (facts->before && (encoding_detect(was, as.written, &ignored) ||
			      !encoding_text(was, was, &as, c->mem, before)))
		*before = not_text(c, was);
	if (!facts->remove &&
	    !encoding_text(facts->after, was, &as, c->mem, after))
		*after = not_text(c, facts->after);
}

/*
 * A yes is compared with what is shown, so what is left out must tell, too,
 * when it becomes something else.
 */
static struct str shorten(struct call *c, struct str text)
{
	struct str head = utf8_head(text, MOST_SHOWN);
	char hex[DIGEST_HEX + 1];

	c->question.whole = (struct extent){ lines_count(text), text.len };
	if (head.len == text.len)
		return arena_copy(c->mem, text);
	digest_hex(digest_of(text), hex);
	return arena_printf(
		c->mem,
		"%.*s\n... (%zu lines, %zu bytes more; all of it: %s)\n",
		(int)head.len, head.ptr,
		extent_lines_left(&c->question.whole, head),
		text.len - head.len, hex);
}

size_t extent_lines_left(const struct extent *whole, struct str head)
{
	size_t shown = lines_count(head);

	/* The last one is whole only with its end. */
	return whole->lines - shown + !str_ends(head, STR("\n"));
}

struct str question_rest(struct str diff)
{
	struct str line = str_head(diff, diff.len - !!diff.len);

	line = str_skip(line, str_rfind(line, '\n') + 1);
	if (!str_starts(line, STR("... (")) || !str_ends(diff, STR(")\n")))
		return STR("");
	return line;
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
}

struct str shown_change(struct call *c, const struct deed_facts *facts,
			struct cut *cut)
{
	struct str before, after;
	auto_buf out = BUF_INIT;

	if (facts->as_is)
		return shorten(c, facts->after);
	show_sides(c, facts, &before, &after);
	diff_texts(before, after, c->mem, &cut->diff);
	unified_print(&cut->diff, facts->key, UNIFIED_CONTEXT, &out);
	if (facts->divisible && facts->before && out.len <= MOST_SHOWN)
		divide(c, facts, cut);
	return shorten(c, buf_str(&out));
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
	struct str before, after;

	d->known_size = true;
	d->bytes = now.len;
	if (facts->as_is)
		return; /* what is added takes nothing away */
	show_sides(c, facts, &before, &after);
	count_changes(c, before, after, d);
	if (!str_eq(before, was) || !str_eq(after, now))
		count_changes(c, was, now, d);
}
