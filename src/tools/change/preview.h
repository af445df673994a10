/*
 * preview.h - the preview of a change in an approval question.
 *
 * An encoding that only a project claims is not trusted for the preview: then
 * it shows what a reader of the bytes would see; see encoding_display_text().
 */
#ifndef STET_PREVIEW_H
#define STET_PREVIEW_H

#include "tools/change/hunks.h"
#include "tools/permissions/gate.h"
#include "tools/permissions/rules.h"

/*
 * Limits of a preview (documented in docs/approvals.md). A diff within
 * PREVIEW_WHOLE is kept whole with the question. Of a larger one only the line
 * counts are shown, and both sides of the file are kept for the person to open,
 * if they are within PREVIEW_SIDES together.
 */
enum { PREVIEW_WHOLE = 4 << 20, PREVIEW_SIDES = 64 << 20 };

/*
 * Fills in question.does, badges, diff, whole, texts, kept, added, removed
 * and parts of @c, and *@set, from which hunks can be chosen. question.diff has
 * at most 16 KiB of the diff; question.texts has all of a longer one.
 */
void preview_change(struct call *c, const struct action_facts *facts,
		    struct hunk_set *set);

/*
 * The same for the @n actions of one call, more than one: also question.files;
 * hunks cannot be chosen.
 */
void preview_group(struct call *c, const struct action_facts *facts, size_t n);

/* Keep all of @text with the question, which shows its beginning. */
void preview_show_whole(struct question *q, struct str text);

/* "R /p/old -> /p/new +2 -1: changes mode to 755" */
struct str preview_file_line(const struct approval_file *file,
			     struct arena *mem);

/* "+5,000 -5,000 lines" */
struct str preview_counts(uint64_t added, uint64_t removed, struct arena *mem);

/* "too large to show: 5,000 lines" */
struct str preview_too_large(uint64_t added, uint64_t removed,
			     struct arena *mem);

/*
 * What a diff does not show, one line each: effects beside its lines, line
 * counts, encoding and line endings, look-alike characters in the path, and
 * that the diff is too large to show.
 */
struct str preview_facts(const struct question *q, struct arena *mem);

/* How many lines of the whole are missing or incomplete in @head. */
size_t extent_lines_left(const struct extent *whole, struct str head);

/*
 * Size and line counts of the change, for rules with conditions. Lines are
 * counted in the text and in the bytes, and the larger number counts, so that a
 * project cannot lower it by claiming another encoding.
 */
void preview_count_lines(struct call *c, const struct action_facts *facts,
			 struct action *d);

#endif
