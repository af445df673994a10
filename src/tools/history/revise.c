/*
 * revise.c - applies a change to a file that may have changed since: exact,
 * merged, or a conflict.
 *
 * Pure; bytes are merged by file_merge.h, the mode on its own.
 */
#include "tools/history/revise.h"

#include "text/diff/unified.h"
#include "text/encoding/encoding.h"
#include "tools/change/file_merge.h"

const char *revise_how_name(enum revise_how how)
{
	static const char *const names[] = {
		[REVISE_ALREADY] = "already",
		[REVISE_EXACT] = "exact",
		[REVISE_MERGED] = "merged",
		[REVISE_CONFLICT] = "conflict",
	};

	return names[how];
}

/* False when one of the contents is binary. */
static bool diff_contents(struct str before, struct str after,
			  const struct encoding *written, struct arena *mem,
			  struct diff *ret)
{
	const struct display as = { .written = written };
	struct str old, new;

	if (!encoding_display_text(before, before, &as, mem, &old) ||
	    !encoding_display_text(after, before, &as, mem, &new))
		return false;
	diff_texts(old, new, mem, ret);
	return true;
}

bool revise_diff(struct str before, struct str after,
		 const struct encoding *written, struct str name,
		 struct arena *mem, struct buf *out)
{
	struct diff diff;

	if (!diff_contents(before, after, written, mem, &diff))
		return false;
	unified_print(&diff, name, UNIFIED_CONTEXT, out);
	return true;
}

bool revise_count(struct str before, struct str after, struct arena *mem,
		  size_t *ret_added, size_t *ret_removed)
{
	struct diff diff;

	if (!diff_contents(before, after, /* written= */ NULL, mem, &diff))
		return false;
	*ret_added = *ret_removed = 0;
	for (size_t i = 0; i < diff.count; i++) {
		*ret_removed += diff.changes[i].a_count;
		*ret_added += diff.changes[i].b_count;
	}
	return true;
}

static bool same_bytes(const struct file_content *a,
		       const struct file_content *b)
{
	return a->exists == b->exists &&
	       (!a->exists || str_eq(a->bytes, b->bytes));
}

static void add_conflict(struct revision *r, struct arena *mem,
			 const char *words)
{
	r->count++;
	r->listing =
		arena_printf(mem, STR_FMT "%s\n", STR_ARG(r->listing), words);
}

/*
 * The new mode: changed only if the change included the mode, and nobody has
 * set another one since.
 */
static void revise_mode(struct revision *r, struct arena *mem)
{
	unsigned from = r->from.mode, to = r->to.mode, now = r->now.mode;

	r->result.mode = now;
	if (!r->result.exists)
		return;
	if (!r->now.exists) {
		r->result.mode = to;
		return;
	}
	if (!from || !to || from == to || now == to)
		return;
	if (now != from && r->conflicts != CONFLICTS_THEIRS)
		add_conflict(r, mem,
			     arena_printf(mem, "its mode is %04o now, not %04o",
					  now, from)
				     .ptr);
	if (now == from || r->conflicts == CONFLICTS_THEIRS)
		r->result.mode = to;
}

/* The file was created or deleted since, or is binary. */
static void revise_existence(struct revision *r, struct arena *mem)
{
	if (!r->now.exists)
		add_conflict(r, mem, "the file is gone");
	else if (!r->from.exists)
		add_conflict(r, mem, "a file exists in its place");
	else
		add_conflict(r, mem, "its content has changed");
	r->result = r->conflicts == CONFLICTS_THEIRS ? r->to : r->now;
}

/* Three-way merge; false unless all three are text. */
static bool revise_text(struct revision *r, struct arena *mem)
{
	struct file_merge m = { .base = r->from.bytes,
				.ours = r->now.bytes,
				.theirs = r->to.bytes,
				.conflicts = r->conflicts,
				.name = r->name };

	if (!r->now.exists || !r->from.exists || !r->to.exists ||
	    !file_merge_bytes(&m, mem))
		return false;
	r->count += m.count;
	r->listing = m.listing;
	r->places = m.places;
	r->result = r->now;
	if (!m.count || r->conflicts != CONFLICTS_ABORT)
		r->result.bytes = m.bytes;
	return true;
}

static void revise_bytes(struct revision *r, struct arena *mem)
{
	if (same_bytes(&r->now, &r->from)) {
		r->how = REVISE_EXACT;
		r->result = r->to;
		return;
	}
	r->how = REVISE_MERGED;
	if (same_bytes(&r->now, &r->to))
		r->result = r->now;
	else if (!revise_text(r, mem))
		revise_existence(r, mem);
}

void revise(struct revision *r, struct arena *mem)
{
	r->count = 0;
	r->listing = r->places = STR("");
	r->result = r->now;
	revise_bytes(r, mem);
	revise_mode(r, mem);
	if (r->count && (r->conflicts == CONFLICTS_ABORT ||
			 (r->conflicts == CONFLICTS_MARKERS &&
			  same_bytes(&r->result, &r->now)))) {
		r->how = REVISE_CONFLICT;
		r->result = r->now;
	} else if (same_bytes(&r->result, &r->now) &&
		   r->result.mode == r->now.mode) {
		r->how = REVISE_ALREADY;
	}
}
