/*
 * grep_collect.c - puts the results of files together, in the order of the walk.
 *
 * Everything here runs under grep.lock.
 */
#include "tools/find/grep_local.h"

/*
 * Nothing behind the present file counts: what other threads have found there
 * already would differ from run to run.
 */
static void grep_is_full(struct grep *g)
{
	g->full = true;
	g->stopped = true;
}

static size_t count_chars(struct str text)
{
	size_t n = 0;

	for (size_t i = 0; i < text.len; i++)
		n += (text.ptr[i] & '\xc0') != '\x80';
	return n;
}

/* One line of SEARCH_CONTENT, without its newline; false = the page is full. */
static bool collect_line(struct grep *g, struct str line)
{
	const struct grep_want *w = g->want;
	struct grep_out *o = g->out;
	size_t chars;

	if (o->lines_seen++ < w->offset)
		return true;
	if (w->limit && o->lines == w->limit) {
		o->cut_by_limit = true;
		return false;
	}
	chars = count_chars(line) + 1;
	if (o->lines && o->chars + chars > w->chars) {
		o->cut_by_chars = true;
		return false;
	}
	if (o->lines)
		buf_addc(&o->text, '\n');
	buf_add(&o->text, line);
	o->chars += chars;
	o->lines++;
	return true;
}

static struct grep_mark page_mark(const struct grep_out *o)
{
	return (struct grep_mark){ .text = o->text.len,
				   .chars = o->chars,
				   .lines = o->lines,
				   .lines_seen = o->lines_seen };
}

void grep_retract(struct grep *g, struct grep_batch *b)
{
	if (!b->in_file)
		return;
	g->out->cut_by_limit = g->out->cut_by_chars = b->page_full = false;
	g->out->text.len = g->mark.text;
	g->out->chars = g->mark.chars;
	g->out->lines = g->mark.lines;
	g->out->lines_seen = g->mark.lines_seen;
	b->in_file = false;
}

void grep_collect_lines(struct grep *g, struct grep_batch *b, size_t end)
{
	const struct search_want *s = &g->want->search;
	struct str rest = str_sub(buf_str(&b->out.text), b->text_done, end);
	bool more = true;
	struct str line;

	b->text_done = end;
	if (!rest.len || g->full || b->page_full)
		return;
	if (!b->in_file)
		g->mark = page_mark(g->out);
	if ((s->before || s->after) && g->out->lines_seen && !b->in_file)
		more = collect_line(g, STR("--"));
	b->in_file = true;
	while (more && rest.len) {
		(void)str_split(&rest, '\n', &line);
		more = collect_line(g, line);
	}
	b->page_full = !more;
}

static void collect_entry(struct grep *g, const struct grep_batch *b,
			  const struct grep_file *f)
{
	struct grep_out *o = g->out;
	struct arena *mem = &o->mem;
	struct str path = str_make(b->paths.ptr + f->path, f->path_len);

	if (o->entry_count == GREP_MAX_ENTRIES) {
		o->too_many = true;
		grep_is_full(g);
		return;
	}
	*arena_add(mem, o->entries, o->entry_count) = (struct grep_entry){
		.path = arena_copy(mem, path),
		.order = o->entry_count,
		.count = f->count,
		.mtime = f->mtime,
	};
}

static void collect_encoding(struct grep *g, const struct grep_file *f)
{
	struct grep_out *o = g->out;

	o->uncertain += f->uncertain;
	for (size_t i = 0; i < o->decoded_count; i++) {
		if (o->decoded[i].encoding == f->decoded) {
			o->decoded[i].files++;
			return;
		}
	}
	*arena_add(&o->mem, o->decoded, o->decoded_count) =
		(struct grep_encoding){ f->decoded, 1 };
}

static void collect_file(struct grep *g, struct grep_batch *b,
			 const struct grep_file *f)
{
	struct grep_out *o = g->out;

	g->walked = f->walked;
	g->searched.binary += f->binary;
	g->searched.too_large += f->too_large;
	g->searched.unreadable += f->unreadable;
	o->costly += f->costly;
	if (o->costly >= GREP_MAX_COSTLY)
		grep_is_full(g);
	if (f->decoded)
		collect_encoding(g, f);
	o->files += f->count > 0;
	o->matches += f->count;
	if (g->want->search.mode == SEARCH_CONTENT)
		grep_collect_lines(g, b, f->text_end);
	else if (f->count)
		collect_entry(g, b, f);
	if (b->page_full)
		grep_is_full(g);
	b->in_file = false;
}

void grep_collect_next(struct grep *g, struct grep_batch *b)
{
	const struct grep_file *f = &b->file[b->collected++];

	if (!g->full)
		collect_file(g, b, f);
}

void grep_collect(struct grep *g, struct grep_batch *b)
{
	while (b->collected < b->count)
		grep_collect_next(g, b);
}
