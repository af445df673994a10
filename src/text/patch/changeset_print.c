/*
 * changeset_print.c - a changeset as text, in the form that every program with
 * an apply_patch reads where that form can say it.
 */
#include "text/patch/changeset.h"

/* A CR at the end of @text is data, so that the line gets another. */
static void print_line(struct buf *out, const char *front, struct str text)
{
	buf_add(out, str_of(front));
	buf_add(out, text);
	buf_add(out, str_ends(text, STR("\r")) ? STR("\r\n") : STR("\n"));
}

static void print_added(const struct changeset_section *s, struct buf *out)
{
	struct str rest = s->content, line;

	while (rest.len) {
		line = str_head(rest, str_find(rest, '\n'));
		rest = str_skip(rest, line.len + 1);
		print_line(out, "+", line);
	}
}

static void print_hunk(const struct changeset_hunk *h, struct buf *out)
{
	if (h->old_line)
		buf_addf(out, "@@ -%zu +%zu @@\n", h->old_line, h->old_line);
	else if (!h->at_count)
		buf_lit(out, "@@\n");
	for (size_t i = 0; i < h->at_count; i++)
		print_line(out, "@@ ", h->at[i]);
	for (size_t i = 0; i < h->count; i++)
		print_line(out, (char[]){ h->lines[i].sign, '\0' },
			   h->lines[i].text);
	if (h->at_end)
		buf_lit(out, "*** End of File\n");
}

static void print_section(const struct changeset_section *s, struct buf *out)
{
	static const char *const headers[] = {
		[CHANGESET_ADD] = "*** Add File: ",
		[CHANGESET_DELETE] = "*** Delete File: ",
		[CHANGESET_UPDATE] = "*** Update File: ",
	};

	print_line(out, headers[s->kind], s->path);
	if (s->to.len)
		print_line(out, "*** Move to: ", s->to);
	print_added(s, out);
	for (size_t i = 0; i < s->hunk_count; i++)
		print_hunk(&s->hunks[i], out);
}

void changeset_print(const struct changeset *c, struct buf *out)
{
	buf_lit(out, "*** Begin Patch\n");
	for (size_t i = 0; i < c->count; i++)
		print_section(&c->sections[i], out);
	buf_lit(out, "*** End Patch\n");
}
