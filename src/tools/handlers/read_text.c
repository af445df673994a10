/*
 * read_text.c - pages of text for read_text_file and read_file, and the handler
 * of the reference server's contract.
 *
 * The page is measured while it is read (result_cost), so that the reply can
 * be streamed: it is known to fit.
 */
#include "tools/handlers/read_text.h"

#include "tools/call/result.h"
#include "tools/find/find.h"

static uint64_t read_text_cost(void *ctx, struct str text)
{
	const struct call *c = ctx;

	return result_cost(c->options->results, text);
}

static bool is_given(const struct call *c, const char *argument)
{
	return json_kind(json_get(c->arguments, argument)) > JSON_NULL;
}

enum err read_text_want(struct call *c, struct page_want *ret)
{
	const struct read_text_args *a = c->args;

	if (a->head && a->tail)
		return fail(c->fault, ERR_HEAD_AND_TAIL, .path = a->path);
	if ((a->head || a->tail) &&
	    (is_given(c, "line") || is_given(c, "limit")))
		return fail(
			c->fault, ERR_BAD_ARGS,
			.text = STR(
				"Give either line and limit, or head, or tail"));
	*ret = (struct page_want){
		.line = (size_t)a->line,
		.limit = (size_t)(a->head ? a->head : a->limit),
		.tail = (size_t)a->tail,
		.max_cost = result_room(c),
		.cost = read_text_cost,
		.worst = result_worst(c->options->results),
		.ctx = c,
	};
	return ERR_OK;
}

enum err read_text_page(struct call *c, struct str path, struct page_want *want,
			struct page *ret)
{
	enum err e = textfile_page(c, path, want, ret);

	if (e == ERR_LINE_TOO_LONG)
		c->fault->hint = arena_printf(
			c->mem,
			"Go on with line %lld, or start stet with a larger --max-reply if the client takes longer messages",
			(long long)c->fault->number + 1);
	if (!e) {
		c->line = ret->first;
		c->fits = true;
	}
	return e;
}

struct str read_text_continues(struct call *c, const struct page *page)
{
	return arena_printf(c->mem,
			    "%s[lines %zu-%zu of %zu; go on with line %zu]",
			    str_ends(page->text, STR("\n")) ? "" : "\n",
			    page->first, page->first + page->lines - 1,
			    page->total_lines, page->first + page->lines);
}

enum err read_text_reference_run(struct call *c)
{
	const struct read_text_args *a = c->args;
	struct read_text_reference_out *out = c->out;
	struct page_want want;
	struct page page;
	struct str path;
	enum err e;

	e = read_text_want(c, &want);
	if (!e)
		e = find_absolute(c, a->path, &path);
	if (e)
		return e;
	want.no_totals = true;
	e = read_text_page(c, path, &want, &page);
	if (e == ERR_BINARY_READ && tool_named(STR("read_media_file")))
		c->fault->hint = STR("read_media_file reads such files");
	if (e)
		return e;
	out->content = page.text;
	c->say = page.text;
	if (page.cut)
		c->say_end = read_text_continues(c, &page);
	return ERR_OK;
}

static const char *const path_names[] = { "file_path", NULL };

const struct field read_text_reference_fields[] = {
	{ "path", FIELD_STR, .required = true, .aliases = path_names,
	  .offset = offsetof(struct read_text_args, path),
	  .doc = "File to read" },
	READ_TEXT_ENDS_ROWS(/* hidden= */ false),
	READ_TEXT_RANGE_ROWS(/* hidden= */ true),
	FIELDS_END,
};

const struct field read_text_reference_members[] = {
	{ "content", FIELD_STR, .required = true,
	  .offset = offsetof(struct read_text_reference_out, content),
	  .doc = "The text" },
	FIELDS_END,
};

const char *const read_text_reference_constraints[] = {
	"Only regular files beneath the roots; never blocks on a FIFO or device",
	"Content is exact: every line keeps its own ending, no newline is added",
	"head and tail count whole lines; 0 means not given; they cannot be combined",
	"Binary files are refused",
	"Other encodings are shown as UTF-8; undecodable bytes as \\xNN",
	"A text too long for a reply is cut at the end of a line, and a last line says where to go on",
	NULL,
};
