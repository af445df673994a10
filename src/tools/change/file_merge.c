/*
 * file_merge.c - three-way merge of the bytes of a file, with a choice of how
 * conflicts end.
 *
 * Single-byte encodings and UTF-8 are merged as bytes; UTF-16 and UTF-32 are
 * decoded first, as a newline has several bytes there. Pure.
 */
#include "tools/change/file_merge.h"

#include "base/json.h"
#include "text/edit/merge.h"
#include "text/encoding/encoding.h"
#include "text/encoding/utf8.h"
#include "text/lines/lines.h"

enum { LISTING_MOST = 2048, PLACES_MOST = 20, ROUNDS = 8 };

/* The lines of a conflict; with a count of 0, the empty place after start. */
static struct str merge_lines_of(struct str text, struct merge_lines lines)
{
	size_t skip = lines.count ? lines.start - 1 : lines.start;

	return str_sub(text, lines_after(text, skip),
		       lines_after(text, skip + lines.count));
}

/* @text with the lines of all conflicts replaced by those of the base. */
static struct str revert_conflicts(struct str text, struct str base,
				   const struct merged *merged, bool theirs,
				   struct arena *mem)
{
	auto_buf out = BUF_INIT;
	size_t at = 0;

	for (size_t i = 0; i < merged->count; i++) {
		const struct merge_conflict *c = &merged->conflicts[i];
		struct str old =
			merge_lines_of(text, theirs ? c->theirs : c->ours);
		size_t from = (size_t)(old.ptr - text.ptr);

		buf_add(&out, str_sub(text, at, from));
		buf_add(&out, merge_lines_of(base, c->base));
		at = from + old.len;
	}
	buf_add(&out, str_skip(text, at));
	return arena_copy(mem, buf_str(&out));
}

static void list_lines(struct buf *out, char sign, struct str lines)
{
	struct str line;

	if (str_ends(lines, STR("\n")))
		lines.len--;
	else if (!lines.len)
		return;
	while (str_split(&lines, '\n', &line)) {
		buf_addc(out, sign);
		buf_add(out, line);
		buf_addc(out, '\n');
	}
}

static struct str list_conflicts(struct str ours, struct str theirs,
				 const struct merged *merged, struct arena *mem)
{
	auto_buf out = BUF_INIT;
	struct str head;

	for (size_t i = 0; i < merged->count && out.len < LISTING_MOST; i++) {
		const struct merge_conflict *c = &merged->conflicts[i];

		buf_addf(&out, "@@ line %zu @@\n", size_max(c->ours.start, 1));
		list_lines(&out, '-', merge_lines_of(ours, c->ours));
		list_lines(&out, '+', merge_lines_of(theirs, c->theirs));
	}
	if (out.len <= LISTING_MOST)
		return arena_copy(mem, buf_str(&out));
	head = utf8_head(buf_str(&out), LISTING_MOST - 4);
	return arena_printf(mem, STR_FMT "\n...\n",
			    STR_ARG(str_head(head, str_rfind(head, '\n'))));
}

static void put_lines(struct json_out *o, const char *key, struct str text,
		      struct merge_lines lines)
{
	json_key(o, key);
	json_put_str(o, utf8_head(merge_lines_of(text, lines), LISTING_MOST));
}

static struct str list_places(const struct file_merge *m, struct str base,
			      struct str ours, struct str theirs,
			      const struct merged *merged, struct arena *mem)
{
	auto_buf out = BUF_INIT;
	struct json_out o = json_out(&out);

	if (!merged->count || m->conflicts != CONFLICTS_ABORT)
		return STR("");
	json_open(&o, '[');
	for (size_t i = 0; i < merged->count && i < PLACES_MOST; i++) {
		const struct merge_conflict *c = &merged->conflicts[i];

		json_open(&o, '{');
		json_key(&o, "line");
		json_put_int(&o, (int64_t)size_max(c->ours.start, 1));
		put_lines(&o, "ours", ours, c->ours);
		put_lines(&o, "theirs", theirs, c->theirs);
		put_lines(&o, "base", base, c->base);
		json_close(&o, '}');
	}
	json_close(&o, ']');
	return arena_copy(mem, buf_str(&out));
}

/*
 * Merge texts. Where one side is to win, the other side gets the lines of the
 * base back, so that the conflict is gone in the next round.
 */
static bool merge_with_choice(struct file_merge *m, struct str base,
			      struct str ours, struct str theirs,
			      struct arena *mem, struct str *ret)
{
	struct merge_labels labels = { STR("now"), STR(""), m->name };
	struct merged merged;

	merge_texts(base, ours, theirs, &labels, mem, &merged);
	m->count = merged.count;
	m->listing = list_conflicts(ours, theirs, &merged, mem);
	m->places = list_places(m, base, ours, theirs, &merged, mem);
	for (int round = 0; merged.count && round < ROUNDS; round++) {
		if (m->conflicts == CONFLICTS_OURS)
			theirs = revert_conflicts(theirs, base, &merged, true,
						  mem);
		else if (m->conflicts == CONFLICTS_THEIRS)
			ours = revert_conflicts(ours, base, &merged, false,
						mem);
		else
			break;
		merge_texts(base, ours, theirs, &labels, mem, &merged);
	}
	*ret = merged.text;
	return !merged.count || m->conflicts == CONFLICTS_ABORT ||
	       m->conflicts == CONFLICTS_MARKERS;
}

/* Decode; false unless encoding it again gives the same bytes. */
static bool whole_text(const struct encoding *e, struct str bytes,
		       struct arena *mem, struct str *ret)
{
	struct str back;
	size_t bad;

	return !encoding_decode(e, bytes, mem, ret) &&
	       !encoding_encode(e, *ret, mem, &back, &bad) &&
	       str_eq(back, str_skip(bytes, e->bom.len)) &&
	       str_starts(bytes, e->bom);
}

/* UTF-16 and UTF-32: only the decoded text has lines. */
static bool merge_wide(struct file_merge *m, const struct encoding *e,
		       struct arena *mem)
{
	struct str base, ours, theirs, text, bytes;
	auto_buf out = BUF_INIT;
	size_t bad;

	if (!whole_text(e, m->base, mem, &base) ||
	    !whole_text(e, m->ours, mem, &ours) ||
	    !whole_text(e, m->theirs, mem, &theirs) ||
	    !merge_with_choice(m, base, ours, theirs, mem, &text) ||
	    encoding_encode(e, text, mem, &bytes, &bad))
		return false;
	buf_add(&out, e->bom);
	buf_add(&out, bytes);
	m->bytes = arena_copy(mem, buf_str(&out));
	return true;
}

bool file_merge_bytes(struct file_merge *m, struct arena *mem)
{
	struct detected base, ours, theirs;

	m->count = 0;
	m->listing = m->places = STR("");
	if (encoding_detect(m->base, NULL, &base) ||
	    encoding_detect(m->ours, NULL, &ours) ||
	    encoding_detect(m->theirs, NULL, &theirs))
		return false;
	if (base.encoding->unit == 1 && ours.encoding->unit == 1 &&
	    theirs.encoding->unit == 1)
		return merge_with_choice(m, m->base, m->ours, m->theirs, mem,
					 &m->bytes);
	if (base.encoding != ours.encoding || base.encoding != theirs.encoding)
		return false;
	return merge_wide(m, base.encoding, mem);
}
