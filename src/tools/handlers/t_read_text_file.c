/*
 * t_read_text_file.c - the tool read_text_file: a text file, or some lines of
 * it, byte for byte as text.
 *
 * Two contracts have a tool of this name. The row below has the page and its
 * _meta; its other row serves a client that was offered the tools of the
 * reference server (selection.h). Both take all arguments, whatever their
 * schemas list.
 */
#include "tools/handlers/read_text.h"

struct read_text_out {
	struct str content;
	struct read_page_meta meta;
};

static enum err read_run(struct call *c)
{
	const struct read_text_args *a = c->args;
	struct read_text_out *out = c->out;
	struct page_want want;
	struct page page;
	enum err e;

	e = read_text_want(c, &want);
	if (!e)
		e = read_text_page(c, a->path, &want, &page);
	if (e)
		return e;
	out->content = page.text;
	read_page_meta_fill(c, &page, (int64_t)page.first, page.lines,
			    &out->meta);
	c->say = page.text;
	if (out->meta.has_more)
		c->say_end = read_text_continues(c, &page);
	return ERR_OK;
}

static const struct field fields[] = {
	{ "path", FIELD_PATH, .required = true,
	  .offset = offsetof(struct read_text_args, path),
	  .doc = "Absolute path to the file" },
	READ_TEXT_RANGE_ROWS(/* hidden= */ false),
	READ_TEXT_ENDS_ROWS(/* hidden= */ true),
	FIELDS_END,
};

static const struct field meta_fields[] = {
	{ "total_lines", FIELD_INT, .required = true,
	  .offset = offsetof(struct read_page_meta, total_lines),
	  .doc = "Total lines in file" },
	{ "returned_lines", FIELD_INT, .required = true,
	  .offset = offsetof(struct read_page_meta, returned_lines),
	  .doc = "Lines in this response" },
	{ "has_more", FIELD_BOOL, .required = true,
	  .offset = offsetof(struct read_page_meta, has_more),
	  .doc = "True if more lines available" },
	{ "next_line", FIELD_INT,
	  .offset = offsetof(struct read_page_meta, next_line),
	  .doc = "Starting line for next request (if has_more)" },
	READ_PAGE_FILE_ROWS,
	READ_PAGE_SOURCE_ROW,
	FIELDS_END,
};

static const struct field out[] = {
	{ "content", FIELD_STR, .required = true,
	  .offset = offsetof(struct read_text_out, content),
	  .doc = "File content (with newlines preserved)" },
	{ "_meta", FIELD_OBJECT, .required = true,
	  .offset = offsetof(struct read_text_out, meta),
	  .doc = "Where in the file this is", .fields = meta_fields },
	FIELDS_END,
};

static const char *const constraints[] = {
	"Only regular files beneath the roots; never blocks on a FIFO or device",
	"Content is exact: every line keeps its own ending, no newline is added",
	"A line is text up to and including \\n, or a non-empty rest",
	"Past the end: empty content, has_more false, the true total_lines",
	"Binary files are refused",
	"Other encodings are shown as UTF-8; undecodable bytes as \\xNN",
	"A reply that exceeds --max-reply is truncated at a line, with has_more and next_line",
	"head and tail count whole lines; 0 means not given; neither can be combined with line or limit",
	NULL,
};

static const struct tool_example examples[] = {
	{ "A whole file", "{\"path\":\"/project/hello.txt\"}",
	  "{\"content\":\"Hello\\nWorld\\n\",\"_meta\":{\"total_lines\":2,\"returned_lines\":2,\"has_more\":false}}" },
	{ "Five lines from line 10",
	  "{\"path\":\"/project/numbers.txt\",\"line\":10,\"limit\":5}",
	  "{\"content\":\"10\\n11\\n12\\n13\\n14\\n\",\"_meta\":{\"total_lines\":100,\"returned_lines\":5,\"has_more\":true,\"next_line\":15}}" },
	{ NULL },
};

static const struct tool_example reference_examples[] = {
	{ "The last two lines",
	  "{\"path\":\"/project/numbers.txt\",\"tail\":2}",
	  "{\"content\":\"99\\n100\\n\"}" },
	{ NULL },
};

static const struct tool reference = {
	.name = "read_text_file",
	.title = "Read text file",
	.doc = "Read a text file, or only its first (head) or last (tail) lines. The encoding is detected; binary files are refused.",
	.families = { "contract", "filesystem" },
	.kind = "read",
	.fields = read_text_reference_fields,
	.out = read_text_reference_members,
	.args_size = sizeof(struct read_text_args),
	.out_size = sizeof(struct read_text_reference_out),
	.effects = TOOL_READS,
	.run = read_text_reference_run,
	.text_result = true,
	.fails_as_result = true,
	.constraints = read_text_reference_constraints,
	.examples = reference_examples,
};

const struct tool tool_read_text_file = {
	.name = "read_text_file",
	.title = "Read text file",
	.doc = "Read complete or partial content of a text file with optional pagination",
	.reference = &reference,
	.families = { "contract", "filesystem" },
	.kind = "read",
	.fields = fields,
	.out = out,
	.args_size = sizeof(struct read_text_args),
	.out_size = sizeof(struct read_text_out),
	.effects = TOOL_READS,
	.run = read_run,
	.constraints = constraints,
	.examples = examples,
};
