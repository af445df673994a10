/*
 * grep_page.c - the result of Grep: texts, pages and structured members.
 *
 * The texts are those of Claude Code's Grep. A page is the lines, files or
 * entries from the offset on, as many as the limit and the characters allow.
 */
#include "tools/find/grep_page.h"

#include "text/search/search.h"

#include <stdlib.h>

/* Which entries are shown. */
struct grep_range {
	size_t from, to;
	uint64_t limit; /* what cut it off; 0 = nothing */
};

static int by_time(const void *one, const void *other)
{
	const struct grep_entry *a = one, *b = other;

	if (a->mtime != b->mtime)
		return a->mtime < b->mtime ? 1 : -1;
	return a->order < b->order ? -1 : 1;
}

static size_t chars_of(struct str text)
{
	size_t n = 0;

	for (size_t i = 0; i < text.len; i++)
		n += (text.ptr[i] & '\xc0') != '\x80';
	return n;
}

/* "limit: 5, offset: 10", or "" */
static struct str pagination(uint64_t limit, uint64_t offset, struct arena *mem)
{
	if (limit && offset)
		return arena_printf(mem, "limit: %llu, offset: %llu",
				    (unsigned long long)limit,
				    (unsigned long long)offset);
	if (limit)
		return arena_printf(mem, "limit: %llu",
				    (unsigned long long)limit);
	if (offset)
		return arena_printf(mem, "offset: %llu",
				    (unsigned long long)offset);
	return STR("");
}

static struct grep_range range_of(const struct grep_want *w,
				  const struct grep_out *out)
{
	enum { COUNT_WIDTH = 12 };
	size_t from = size_min(w->offset, out->entry_count), to = from;
	size_t chars = 0;
	struct grep_range r = { .from = from };

	for (; to < out->entry_count; to++) {
		chars += chars_of(out->entries[to].path) + 1;
		if (w->search.mode == SEARCH_COUNT)
			chars += COUNT_WIDTH;
		if (w->limit && to - from == w->limit)
			break;
		if (chars > w->chars && to > from)
			break;
	}
	r.to = to;
	r.limit = to < out->entry_count ? to - from : 0;
	return r;
}

static void files_text(struct call *c, const struct grep_want *w,
		       const struct grep_out *out, struct grep_range r,
		       struct buf *say)
{
	struct str page = pagination(r.limit, w->offset, c->mem);
	size_t n = r.to - r.from;

	if (!out->entry_count) {
		buf_lit(say, "No files found");
		return;
	}
	if (!n) {
		buf_addf(say,
			 "No entries at this offset. [Showing results with "
			 "pagination = " STR_FMT "]",
			 STR_ARG(page));
		return;
	}
	buf_addf(say, "Found %zu file%s%s" STR_FMT, n, n == 1 ? "" : "s",
		 page.len ? " " : "", STR_ARG(page));
	for (size_t i = r.from; i < r.to; i++) {
		buf_addc(say, '\n');
		buf_add(say, out->entries[i].path);
	}
}

static void files_result(struct call *c, const struct grep_out *out,
			 struct grep_range r, struct grep_result *ret)
{
	struct str *names = arena_array(c->mem, struct str, r.to - r.from);

	for (size_t i = r.from; i < r.to; i++)
		names[i - r.from] = arena_copy(c->mem, out->entries[i].path);
	ret->filenames = (struct item_list){ names, r.to - r.from };
	ret->num_files = (int64_t)(r.to - r.from);
	ret->total_files = (int64_t)out->entry_count;
}

static void count_text(struct call *c, const struct grep_want *w,
		       const struct grep_out *out, struct grep_range r,
		       struct buf *say, struct grep_result *ret)
{
	struct str page = pagination(r.limit, w->offset, c->mem);

	for (size_t i = r.from; i < r.to; i++)
		buf_addf(say, "%s" STR_FMT ":%llu", i > r.from ? "\n" : "",
			 STR_ARG(out->entries[i].path),
			 (unsigned long long)out->entries[i].count);
	ret->content = arena_copy(c->mem, buf_str(say));
	if (!out->entry_count)
		buf_lit(say, "No matches found");
	else if (r.from == r.to)
		buf_lit(say, "No entries at this offset");
	buf_addf(say, "\n\nFound %llu total occurrence%s across %llu file%s.",
		 (unsigned long long)out->matches, out->matches == 1 ? "" : "s",
		 (unsigned long long)out->files, out->files == 1 ? "" : "s");
	if (page.len)
		buf_addf(say, " with pagination = " STR_FMT, STR_ARG(page));
	ret->num_files = (int64_t)(r.to - r.from);
	ret->total_files = (int64_t)out->files;
	ret->num_matches = (int64_t)out->matches;
}

static void content_text(struct call *c, const struct grep_want *w,
			 const struct grep_out *out, struct buf *say,
			 struct grep_result *ret)
{
	bool cut = out->cut_by_limit || out->cut_by_chars;
	struct str page = pagination(cut ? out->lines : 0, w->offset, c->mem);

	ret->content = arena_copy(c->mem, buf_str(&out->text));
	ret->num_lines = (int64_t)out->lines;
	ret->num_files = (int64_t)out->files;
	ret->total_lines = cut ? 0 : (int64_t)out->lines_seen;
	if (!out->lines_seen) {
		buf_lit(say, "No matches found");
		return;
	}
	if (!out->lines)
		buf_lit(say, "No entries at this offset");
	buf_add(say, ret->content);
	if (page.len)
		buf_addf(say,
			 "\n\n[Showing results with pagination = " STR_FMT "]",
			 STR_ARG(page));
}

/* "2 utf-16le, 1 gbk; 1 uncertain" */
static struct str decoded_text(const struct grep_out *out, struct arena *mem)
{
	auto_buf text = BUF_INIT;

	for (size_t i = 0; i < out->decoded_count; i++)
		buf_addf(&text, "%s%zu %s", i ? ", " : "",
			 out->decoded[i].files, out->decoded[i].encoding->name);
	if (out->uncertain)
		buf_addf(&text, "; %zu uncertain", out->uncertain);
	return arena_copy(mem, buf_str(&text));
}

static struct str partial_text(const struct find *find,
			       const struct grep_out *out, struct arena *mem)
{
	auto_buf text = BUF_INIT;

	if (find->ended == FIND_TIMED_OUT)
		buf_lit(&text, "the time limit was reached (--find-timeout)");
	if (out->too_many)
		buf_addf(&text, "%smore than %d files match",
			 text.len ? "; " : "", GREP_MAX_ENTRIES);
	if (out->costly)
		buf_addf(&text, "%spattern too costly in %zu files",
			 text.len ? "; " : "", out->costly);
	return arena_copy(mem, buf_str(&text));
}

void grep_page(struct find *find, const struct grep_want *want,
	       struct grep_out *out, struct grep_result *ret)
{
	static const struct str modes[] = {
		[SEARCH_FILES] = STR_INIT("files_with_matches"),
		[SEARCH_CONTENT] = STR_INIT("content"),
		[SEARCH_COUNT] = STR_INIT("count"),
	};
	struct call *c = find->call;
	struct grep_range r = { 0 };
	struct find_note note = { 0 };
	auto_buf say = BUF_INIT;

	ret->mode = modes[want->search.mode];
	if (want->search.mode == SEARCH_FILES && out->entry_count)
		qsort(out->entries, out->entry_count, sizeof(*out->entries),
		      by_time);
	if (want->search.mode == SEARCH_CONTENT) {
		content_text(c, want, out, &say, ret);
		if (out->cut_by_limit || out->cut_by_chars)
			r.limit = out->lines;
	} else {
		r = range_of(want, out);
	}
	if (want->search.mode == SEARCH_FILES) {
		files_text(c, want, out, r, &say);
		files_result(c, out, r, ret);
	}
	if (want->search.mode == SEARCH_COUNT)
		count_text(c, want, out, r, &say, ret);
	ret->applied_limit = (int64_t)r.limit;
	ret->applied_offset = (int64_t)want->offset;
	find_meta_fill(find, &ret->meta);
	ret->timed_out = find->ended == FIND_TIMED_OUT;
	if (r.limit && (!want->limit || r.limit < want->limit))
		note.next_offset = want->offset + r.limit;
	note.partial = partial_text(find, out, c->mem);
	note.decoded = decoded_text(out, c->mem);
	c->say = arena_copy(c->mem, buf_str(&say));
	c->also = find_note_text(&find->counts, &note, c->mem);
}
