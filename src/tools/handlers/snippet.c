/*
 * snippet.c - numbered lines and hunks of a diff, as Read, Write and Edit put
 * them into a reply.
 *
 * Everything is cut to what one reply can carry. Pure.
 */
#include "tools/handlers/snippet.h"

#include "text/diff/unified.h"
#include "text/encoding/utf8.h"
#include "text/lines/eol.h"
#include "text/lines/lines.h"
#include "text/lines/number.h"
#include "tools/call/result.h"

enum { CAT_WIDTH = 6, SNIPPET = 50 };

static bool is_start(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

/*
 * The offset of character @n of @s; *ret_more is the number of characters from
 * there on.
 */
static size_t cut_at(struct str s, size_t n, size_t *ret_more)
{
	size_t at = s.len, count = 0;

	for (size_t i = 0; i < s.len; i++) {
		if (!is_start(s.ptr[i]))
			continue;
		if (count == n)
			at = i;
		count++;
	}
	*ret_more = count > n ? count - n : 0;
	return at;
}

bool snippet_line(struct str line, struct buf *out)
{
	size_t more = 0, at = line.len;

	if (line.len > SNIPPET_WIDTH)
		at = cut_at(line, SNIPPET_WIDTH, &more);
	buf_add(out, str_head(line, at));
	if (more)
		buf_addf(out, "...[truncated %zu characters]", more);
	return more > 0;
}

bool snippet_next_line(struct str *rest, struct str *ret_line,
		       struct str *ret_end)
{
	size_t end;

	if (!rest->len)
		return false;
	*ret_line = str_head(*rest, lines_after(*rest, 1));
	*rest = str_skip(*rest, ret_line->len);
	end = ret_line->len;
	if (str_ends(*ret_line, STR("\r\n")))
		end -= 2;
	else if (str_ends(*ret_line, STR("\n")))
		end--;
	*ret_end = str_skip(*ret_line, end);
	*ret_line = str_head(*ret_line, end);
	return true;
}

struct str snippet_of_lines(struct call *c, struct str text, size_t first,
			    size_t last)
{
	size_t most = c->options->snippet ? c->options->snippet : SNIPPET;
	struct str rest = str_skip(text, lines_start(text, first)), line, end;
	auto_buf plain = BUF_INIT, out = BUF_INIT;
	size_t n = 0;

	while (n < most && first + n <= last &&
	       snippet_next_line(&rest, &line, &end)) {
		if (n++)
			buf_addc(&plain, '\n');
		(void)snippet_line(line, &plain);
	}
	if (n)
		number_lines(buf_str(&plain), first, CAT_WIDTH, &out);
	if (rest.len && first + n <= last)
		buf_lit(&out, "\n...[truncated]");
	return arena_copy(c->mem, buf_str(&out));
}

const struct field snippet_hunk_fields[] = {
	{ "oldStart", FIELD_INT, .required = true,
	  .offset = offsetof(struct snippet_hunk, old_start),
	  .doc = "First line of the hunk in the old text" },
	{ "oldLines", FIELD_INT, .required = true,
	  .offset = offsetof(struct snippet_hunk, old_lines),
	  .doc = "How many lines it has there" },
	{ "newStart", FIELD_INT, .required = true,
	  .offset = offsetof(struct snippet_hunk, new_start),
	  .doc = "First line of the hunk in the new text" },
	{ "newLines", FIELD_INT, .required = true,
	  .offset = offsetof(struct snippet_hunk, new_lines),
	  .doc = "How many lines it has there" },
	{ "lines", FIELD_TEXTS, .required = true,
	  .offset = offsetof(struct snippet_hunk, lines),
	  .doc = "Each with its sign: ' ', '-' or '+'" },
	FIELDS_END,
};

static uint64_t cost_of(const struct unified_hunk *h)
{
	enum { FRAME = 128, QUOTES = 3 };
	uint64_t cost = FRAME;

	for (size_t i = 0; i < h->line_count; i++)
		cost += json_escaped_len(h->lines[i]) + QUOTES;
	return cost;
}

struct item_list snippet_patch(struct call *c, struct str before,
			       struct str after, uint64_t taken, bool *ret_cut)
{
	uint64_t room = result_room(c);
	struct snippet_hunk *shown;
	struct item_list list = { 0 };
	struct unified_hunk *hunks;
	struct diff diff;
	size_t n;

	diff_texts(eol_to_lf(before, c->mem), eol_to_lf(after, c->mem), c->mem,
		   &diff);
	hunks = unified_hunks(&diff, UNIFIED_CONTEXT, c->mem, &n);
	list.items = shown = arena_array(c->mem, struct snippet_hunk, n);
	for (; list.count < n; list.count++, shown++) {
		const struct unified_hunk *h = &hunks[list.count];

		taken += cost_of(h);
		*ret_cut = taken > room;
		if (*ret_cut)
			break;
		*shown = (struct snippet_hunk){
			.old_start = (int64_t)h->old_start,
			.old_lines = (int64_t)h->old_count,
			.new_start = (int64_t)h->new_start,
			.new_lines = (int64_t)h->new_count,
			.lines = { h->lines, h->line_count },
		};
	}
	return list;
}

struct str snippet_fit(struct call *c, struct str text, bool *ret_cut)
{
	uint64_t room = result_room(c) / 2;

	*ret_cut = false;
	while (json_escaped_len(text) > room) {
		text = utf8_head(text, text.len / 2);
		*ret_cut = true;
	}
	return text;
}
