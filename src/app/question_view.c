/*
 * question_view.c - prints a question: its facts, then its whole diff.
 *
 * The store keeps long diffs in chunks, which are loaded here one by one.
 */
#include "app/question_view.h"

#include "text/display/confusable_name.h"
#include "tools/change/preview.h"

void question_view_row(struct screen *s, const char *name, struct str value)
{
	if (!value.len)
		return;
	screen_print(s, INK_DIM, "%-8s", name);
	screen_name(s, INK_PLAIN, value);
	buf_lit(&s->out, "\n");
}

void question_view_facts(struct screen *s, const struct approval *a,
			 struct arena *mem)
{
	struct str does = a->does, badges = a->badges, line;

	while (does.len && str_split(&does, '\n', &line))
		question_view_row(s, "does", line);
	for (size_t i = 0; i < a->file_count; i++)
		question_view_row(s, i ? "" : "files",
				  preview_file_line(&a->files[i], mem));
	while (badges.len && str_split(&badges, '\n', &line))
		question_view_row(s, "in", line);
	if (a->added || a->removed)
		question_view_row(s, "lines",
				  preview_counts(a->added, a->removed, mem));
	if (!a->file_count) /* else it is in the notes of each file */
		question_view_row(s, "beware",
				  confusable_name_sentence(a->path, mem));
}

void question_view_change(struct screen *s, const struct approval *a, bool cut,
			  struct arena *mem)
{
	struct str words = preview_too_large(a->added, a->removed, mem);

	if (a->kept != KEPT_WHOLE)
		screen_print(s, INK_BOLD, STR_FMT "\n", STR_ARG(words));
	if (a->kept == KEPT_SIDES)
		buf_lit(&s->out,
			"--content before and --content after show the whole file.\n");
	if (a->kept == KEPT_NONE)
		buf_lit(&s->out,
			"The file is too large to be stored for display.\n");
	screen_hunks(s, a->diff, a->parts);
	if (cut)
		buf_lit(&s->out, "... (the rest is no longer stored)\n");
}

enum err question_view_text(struct store *store, struct uuid id,
			    enum approval_text which, struct buf *out,
			    struct fault *f)
{
	uint64_t next = 0;
	struct str chunk;
	enum err e;

	do {
		auto_arena mem = ARENA_INIT;

		e = approval_chunk(store, id, which, next, &mem, &chunk, &next,
				   f);
		if (!e)
			buf_add(out, chunk);
	} while (!e && next);
	return e;
}
