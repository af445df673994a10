/*
 * patch.c - parse a unified diff into hunks and lines. Pure.
 */
#include "web/patch.h"

static bool skip_prefix(struct str *rest, struct str what)
{
	if (!str_starts(*rest, what))
		return false;
	*rest = str_skip(*rest, what.len);
	return true;
}

static bool parse_number(struct str *rest, size_t *ret)
{
	enum { MOST_DIGITS = 15 };
	size_t i = 0;

	*ret = 0;
	for (; i < rest->len && i < MOST_DIGITS && rest->ptr[i] >= '0' &&
	       rest->ptr[i] <= '9';
	     i++)
		*ret = *ret * 10 + (size_t)(rest->ptr[i] - '0');
	*rest = str_skip(*rest, i);
	return i > 0;
}

/* "@@ -1,6 +1,6 @@": always with both numbers. */
static bool read_header(struct str line, struct patch_hunk *h)
{
	struct str rest = line;

	h->header = line;
	return skip_prefix(&rest, STR("@@ -")) &&
	       parse_number(&rest, &h->old_start) &&
	       skip_prefix(&rest, STR(",")) &&
	       parse_number(&rest, &h->old_lines) &&
	       skip_prefix(&rest, STR(" +")) &&
	       parse_number(&rest, &h->new_start) &&
	       skip_prefix(&rest, STR(",")) &&
	       parse_number(&rest, &h->new_lines) &&
	       skip_prefix(&rest, STR(" @@")) && !rest.len;
}

/* The position in a hunk: lines that are still expected. */
struct hunk_position {
	size_t old_line, new_line, old_left, new_left;
};

static bool read_line(struct str line, struct hunk_position *at,
		      struct patch_line *ret)
{
	char kind = line.len ? line.ptr[0] : '\0';

	*ret = (struct patch_line){ .kind = kind, .text = str_skip(line, 1) };
	if (kind == '\\')
		return true;
	if ((kind != ' ' && kind != '-' && kind != '+') ||
	    (kind != '+' && !at->old_left) || (kind != '-' && !at->new_left))
		return false;
	if (kind != '+') {
		ret->old_line = at->old_line++;
		at->old_left--;
	}
	if (kind != '-') {
		ret->new_line = at->new_line++;
		at->new_left--;
	}
	return true;
}

static struct patch_line *add_line(struct patch_hunk *h, size_t *room,
				   struct arena *mem)
{
	if (h->count == *room) {
		size_t more = *room ? 2 * *room : 16;

		h->lines = arena_grow(mem, h->lines, *room * sizeof(*h->lines),
				      more * sizeof(*h->lines));
		*room = more;
	}
	return &h->lines[h->count++];
}

/* The lines of one hunk off the front of @rest. False: some are missing. */
static bool read_hunk(struct str *rest, struct patch_hunk *h, struct patch *p,
		      struct arena *mem)
{
	struct hunk_position at = { h->old_start, h->new_start, h->old_lines,
				    h->new_lines };
	struct str before = *rest, line;
	struct patch_line read;
	size_t room = 0;

	while (rest->len && str_split(rest, '\n', &line)) {
		if (!read_line(line, &at, &read)) {
			*rest = before;
			break;
		}
		*add_line(h, &room, mem) = read;
		p->added += read.kind == '+';
		p->removed += read.kind == '-';
		before = *rest;
	}
	return !at.old_left && !at.new_left;
}

/*
 * The header of a file, of which the line "--- name" is read. What follows may
 * be a line in the place of the diff: it is skipped.
 */
static bool read_names(struct str *rest, struct str line, struct str *ret)
{
	struct str second, skipped;

	if (!skip_prefix(&line, STR("--- ")) || !rest->len ||
	    !str_split(rest, '\n', &second) ||
	    !skip_prefix(&second, STR("+++ ")))
		return false;
	*ret = line;
	if (str_starts(*rest, STR("(")))
		(void)str_split(rest, '\n', &skipped);
	return true;
}

void patch_parse(struct str diff, struct arena *mem, struct patch *ret)
{
	struct str rest = diff, line, file = STR("");
	struct patch_hunk h;

	*ret = (struct patch){ .hunks = NULL };
	if (!str_starts(diff, STR("--- ")))
		return;
	while (!ret->cut && rest.len && str_split(&rest, '\n', &line)) {
		if (read_names(&rest, line, &file)) {
			ret->files++;
			continue;
		}
		h = (struct patch_hunk){ .file = file };
		if (!read_header(line, &h))
			return;
		ret->cut = !read_hunk(&rest, &h, ret, mem);
		*arena_add(mem, ret->hunks, ret->count) = h;
	}
}

static void put_size(struct json_out *o, const char *key, size_t n)
{
	json_key(o, key);
	json_put_int(o, (int64_t)n);
}

static void put_line(struct json_out *o, const struct patch_line *line)
{
	json_open(o, '{');
	json_key(o, "kind");
	json_put_str(o, str_make(&line->kind, 1));
	json_key(o, "text");
	json_put_str(o, line->text);
	if (line->old_line)
		put_size(o, "old", line->old_line);
	if (line->new_line)
		put_size(o, "new", line->new_line);
	json_close(o, '}');
}

void patch_put(struct json_out *o, const struct patch *p)
{
	json_open(o, '[');
	for (size_t i = 0; i < p->count; i++) {
		const struct patch_hunk *h = &p->hunks[i];

		json_open(o, '{');
		put_size(o, "number", i + 1);
		if (p->files > 1) {
			json_key(o, "file");
			json_put_str(o, h->file);
		}
		json_key(o, "header");
		json_put_str(o, h->header);
		put_size(o, "old_start", h->old_start);
		put_size(o, "old_lines", h->old_lines);
		put_size(o, "new_start", h->new_start);
		put_size(o, "new_lines", h->new_lines);
		json_key(o, "lines");
		json_open(o, '[');
		for (size_t n = 0; n < h->count; n++)
			put_line(o, &h->lines[n]);
		json_close(o, ']');
		json_close(o, '}');
	}
	json_close(o, ']');
}
