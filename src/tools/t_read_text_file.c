/* read_text_file - a text file, or some lines of it. */

#include "tools/result.h"
#include "tools/textfile.h"

struct read_args {
	struct str path;
	int64_t line, limit;
};

struct read_meta {
	int64_t total_lines, returned_lines;
	bool has_more;
	int64_t next_line;
	struct str version, encoding, confidence, source;
	int64_t undecodable;
};

struct read_out {
	struct str content;
	struct read_meta meta;
};

static uint64_t cost(void *ctx, struct str text)
{
	const struct call *c = ctx;

	return result_cost(c->options->results, text);
}

/* Where to go on. */
static struct str say_more(struct call *c, const struct read_meta *meta,
			   struct str text, size_t first)
{
	return arena_printf(c->mem,
			    "%s[lines %zu-%zu of %lld; go on with line %lld]",
			    str_ends(text, STR("\n")) ? "" : "\n", first,
			    first + (size_t)meta->returned_lines - 1,
			    (long long)meta->total_lines,
			    (long long)meta->next_line);
}

static enum err read_run(struct call *c)
{
	const struct read_args *a = c->args;
	struct read_out *out = c->out;
	struct page_want want = {
		.line = (size_t)a->line,
		.limit = (size_t)a->limit,
		.max_cost = result_room(c),
		.cost = cost,
		.worst = result_worst(c->options->results),
		.ctx = c,
	};
	struct file_meta meta = { 0 };
	struct page page;
	enum err e;

	e = textfile_page(c, a->path, &want, &page);
	if (e == ERR_LINE_TOO_LONG)
		c->fault->hint = arena_printf(
			c->mem,
			"Go on with line %lld, or start stet with a larger --max-reply if the client takes longer messages",
			(long long)c->fault->number + 1);
	if (e)
		return e;
	file_meta_fill(c, page.version, page.in, page.undecodable, page.source,
		       &meta);
	out->content = page.text;
	out->meta = (struct read_meta){
		.total_lines = (int64_t)page.total_lines,
		.returned_lines = (int64_t)page.lines,
		.has_more = page.lines &&
			    want.line - 1 + page.lines < page.total_lines,
		.version = meta.version,
		.encoding = meta.encoding,
		.confidence = meta.confidence,
		.undecodable = meta.undecodable,
		.source = meta.source,
	};
	c->line = want.line;
	c->fits = true;
	c->say = page.text;
	if (!out->meta.has_more)
		return ERR_OK;
	out->meta.next_line = (int64_t)(want.line + page.lines);
	c->say_end = say_more(c, &out->meta, page.text, want.line);
	return ERR_OK;
}

static const struct field fields[] = {
	{ "path", FIELD_PATH, .required = true,
	  .offset = offsetof(struct read_args, path),
	  .doc = "Absolute path to the file" },
	{ "line", FIELD_INT, .offset = offsetof(struct read_args, line),
	  .doc = "Starting line number (1-indexed). If omitted, read from line 1",
	  .absent = 1, .min = 1, .below = ERR_BAD_LINE },
	{ "limit", FIELD_INT, .offset = offsetof(struct read_args, limit),
	  .doc = "Maximum number of lines to return. If omitted, return all remaining lines",
	  .absent = INT64_MAX, .min = 1, .below = ERR_BAD_LIMIT },
	FIELDS_END,
};

static const struct field meta_fields[] = {
	{ "total_lines", FIELD_INT, .required = true,
	  .offset = offsetof(struct read_meta, total_lines),
	  .doc = "Total lines in file" },
	{ "returned_lines", FIELD_INT, .required = true,
	  .offset = offsetof(struct read_meta, returned_lines),
	  .doc = "Lines in this response" },
	{ "has_more", FIELD_BOOL, .required = true,
	  .offset = offsetof(struct read_meta, has_more),
	  .doc = "True if more lines available" },
	{ "next_line", FIELD_INT,
	  .offset = offsetof(struct read_meta, next_line),
	  .doc = "Starting line for next request (if has_more)" },
	{ "version", FIELD_STR, .required = true,
	  .offset = offsetof(struct read_meta, version),
	  .doc = "Of the file's content; may be given as if_version" },
	{ "encoding", FIELD_STR, .required = true,
	  .offset = offsetof(struct read_meta, encoding),
	  .doc = "Of the file" },
	{ "encoding_confidence", FIELD_STR,
	  .offset = offsetof(struct read_meta, confidence),
	  .doc = CONFIDENCE_DOC },
	{ "undecodable", FIELD_INT,
	  .offset = offsetof(struct read_meta, undecodable),
	  .doc = UNDECODABLE_DOC },
	{ "source", FIELD_STR, .required = true,
	  .offset = offsetof(struct read_meta, source),
	  .doc = "Who served it" },
	FIELDS_END,
};

static const struct field out[] = {
	{ "content", FIELD_STR, .required = true,
	  .offset = offsetof(struct read_out, content),
	  .doc = "File content (with newlines preserved)" },
	{ "_meta", FIELD_OBJECT, .required = true,
	  .offset = offsetof(struct read_out, meta),
	  .doc = "Where in the file this is", .fields = meta_fields },
	FIELDS_END,
};

static const char *const constraints[] = {
	"Only regular files beneath the roots; never blocks on a FIFO or device",
	"Content is exact: every line keeps its own ending, no newline is added",
	"A line is text up to and including \\n, or a tail that is not empty",
	"Past the end: empty content, has_more false, the true total_lines",
	"Binary files are refused",
	"Other encodings are shown as UTF-8; bytes that are no text, as \\xNN",
	"A reply too long for clients is cut at a line, with has_more and next_line",
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

const struct tool tool_read_text_file = {
	.name = "read_text_file",
	.title = "Read text file",
	.doc = "Read complete or partial content of a text file with optional pagination",
	.family = "contract",
	.kind = "read",
	.fields = fields,
	.out = out,
	.args_size = sizeof(struct read_args),
	.out_size = sizeof(struct read_out),
	.effects = TOOL_READS,
	.run = read_run,
	.constraints = constraints,
	.examples = examples,
};
