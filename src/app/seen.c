/*
 * seen.c - a question on a terminal: the rows beside its diff, and its diff to
 * the end, which the store keeps in pieces.
 */
#include "app/seen.h"

#include "text/lookalike.h"
#include "tools/shown.h"

void seen_row(struct screen *s, const char *name, struct str value)
{
	if (!value.len)
		return;
	screen_print(s, INK_DIM, "%-8s", name);
	screen_name(s, INK_PLAIN, value);
	buf_lit(&s->out, "\n");
}

void seen_facts(struct screen *s, const struct approval *a, struct arena *mem)
{
	struct str does = a->does, badges = a->badges, line;

	while (does.len && str_split(&does, '\n', &line))
		seen_row(s, "does", line);
	while (badges.len && str_split(&badges, '\n', &line))
		seen_row(s, "in", line);
	if (a->added || a->removed)
		seen_row(s, "lines", shown_counts(a->added, a->removed, mem));
	seen_row(s, "beware", lookalike_words(a->path, mem));
}

void seen_change(struct screen *s, const struct approval *a, bool cut,
		 struct arena *mem)
{
	struct str words = shown_too_large(a->added, a->removed, mem);

	if (a->kept != KEPT_WHOLE)
		screen_print(s, INK_BOLD, STR_FMT "\n", STR_ARG(words));
	if (a->kept == KEPT_SIDES)
		buf_lit(&s->out,
			"--content before and --content after show the whole file.\n");
	if (a->kept == KEPT_NONE)
		buf_lit(&s->out,
			"The file is too large to be kept for you to open.\n");
	screen_hunks(s, a->diff, a->parts);
	if (cut)
		buf_lit(&s->out, "... (the rest is not kept any more)\n");
}

enum err seen_text(struct store *store, struct uuid id,
		   enum approval_text which, struct buf *out, struct fault *f)
{
	uint64_t next = 0;
	struct str piece;
	enum err e;

	do {
		auto_arena mem = ARENA_INIT;

		e = approval_piece(store, id, which, next, &mem, &piece, &next,
				   f);
		if (!e)
			buf_add(out, piece);
	} while (!e && next);
	return e;
}
