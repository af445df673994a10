/*
 * t_Read.c - the tool Read: lines of a file with their numbers, as cat -n
 * shows them.
 *
 * Lines are cut at a width and the page at what one reply can carry, in both
 * of its forms (content and text).
 */
#include "text/lines/eol.h"
#include "text/lines/number.h"
#include "tools/call/result.h"
#include "tools/handlers/read_page.h"
#include "tools/handlers/snippet.h"

enum { WINDOW = 2000, CAT_WIDTH = 6, PAGE_MOST = 64 << 20 };

struct read_file {
	struct str path, content;
	int64_t num_lines, start_line, total_lines;
};

struct read_out {
	struct str type;
	struct read_file file;
	struct read_page_meta meta;
};

/* The lines of a page on their way into a reply. */
struct read_lines {
	struct buf content; /* with their endings */
	struct buf plain;   /* without, joined by LF */
	size_t count, cut;
};

/* As many lines as one reply can carry, in both forms. */
static void read_lines_take(struct call *c, struct str text,
			    struct read_lines *l)
{
	enum { NUMBER = 24 };
	unsigned times = c->options->results <= RESULTS_PLAIN ? 2 : 1;
	uint64_t room = result_room(c), cost = 0;
	struct str line, end, shown;
	size_t start;

	while (snippet_next_line(&text, &line, &end)) {
		bool cut;

		start = l->plain.len + (l->count > 0);
		if (l->count)
			buf_addc(&l->plain, '\n');
		cut = snippet_line(line, &l->plain);
		shown = str_skip(buf_str(&l->plain), start);
		cost += (json_escaped_len(shown) + NUMBER) * times;
		if (cost > room) {
			l->plain.len = start - (l->count > 0);
			return;
		}
		buf_add(&l->content, shown);
		buf_add(&l->content, end);
		l->count++;
		l->cut += cut;
	}
}

/* The numbered lines, or why there are none; and where to go on. */
static struct str read_text(struct call *c, const struct read_out *r,
			    struct str plain)
{
	const struct read_file *file = &r->file;
	auto_buf out = BUF_INIT;

	if (!file->total_lines)
		buf_lit(&out, "[the file exists but is empty: it has 0 lines]");
	else if (!file->num_lines)
		buf_addf(&out,
			 "[the file has %lld lines: there is no line %lld]",
			 (long long)file->total_lines,
			 (long long)file->start_line);
	else
		number_lines(plain, (size_t)file->start_line, CAT_WIDTH, &out);
	if (r->meta.has_more)
		buf_addf(&out,
			 "\n[lines %lld-%lld of %lld; go on with offset %lld]",
			 (long long)file->start_line,
			 (long long)r->meta.next_line - 1,
			 (long long)file->total_lines,
			 (long long)r->meta.next_line);
	return arena_copy(c->mem, buf_str(&out));
}

static void read_report(struct call *c, const struct page *page,
			const struct read_lines *l)
{
	const struct read_page_args *a = c->args;
	struct read_out *out = c->out;
	enum eol eol = eol_of(page->text);

	out->type = STR("text");
	out->file = (struct read_file){
		.path = a->path,
		.content = arena_copy(c->mem, buf_str(&l->content)),
		.num_lines = (int64_t)l->count,
		.start_line = a->line,
		.total_lines = (int64_t)page->total_lines,
	};
	read_page_meta_fill(c, page, a->line, l->count, &out->meta);
	out->meta.cut_lines = (int64_t)l->cut;
	if (eol == EOL_CRLF || eol == EOL_MIXED)
		out->meta.eol = str_of(eol_name(eol));
	c->line = (size_t)a->line;
	c->say = read_text(c, out, buf_str(&l->plain));
}

static void read_lines_drop(struct read_lines *l)
{
	buf_free(&l->content);
	buf_free(&l->plain);
}

static enum err read_run(struct call *c)
{
	const struct read_page_args *a = c->args;
	struct page_want want = {
		.line = (size_t)a->line,
		.limit = (size_t)a->limit,
		.max_cost = PAGE_MOST,
	};
	cleanup(read_lines_drop) struct read_lines l = { BUF_INIT, BUF_INIT, 0,
							 0 };
	struct page page;
	enum err e;

	e = textfile_page(c, a->path, &want, &page);
	if (e)
		return e;
	read_lines_take(c, page.text, &l);
	if (page.text.len && !l.count)
		return fail(c->fault, ERR_LINE_TOO_LONG, .path = a->path,
			    .number = a->line, .bytes = page.text.len,
			    .limit = result_room(c));
	read_report(c, &page, &l);
	return ERR_OK;
}

static const struct field fields[] = {
	{ "file_path", FIELD_PATH, .required = true,
	  .offset = offsetof(struct read_page_args, path),
	  .doc = "The absolute path to the file" },
	{ "offset", FIELD_INT, .offset = offsetof(struct read_page_args, line),
	  .doc = "The line to start with, counted from 1 (default 1)",
	  .absent = 1, .min = 1, .below = ERR_BAD_LINE },
	{ "limit", FIELD_INT, .offset = offsetof(struct read_page_args, limit),
	  .doc = "How many lines to read (default 2000)", .absent = WINDOW,
	  .min = 1, .below = ERR_BAD_LIMIT },
	FIELDS_END,
};

static const struct field file_fields[] = {
	{ "filePath", FIELD_STR, .required = true,
	  .offset = offsetof(struct read_file, path),
	  .doc = "The path as it was given" },
	{ "content", FIELD_STR, .required = true,
	  .offset = offsetof(struct read_file, content),
	  .doc = "The lines, without numbers; long lines are truncated" },
	{ "numLines", FIELD_INT, .required = true,
	  .offset = offsetof(struct read_file, num_lines),
	  .doc = "How many lines are in content" },
	{ "startLine", FIELD_INT, .required = true,
	  .offset = offsetof(struct read_file, start_line),
	  .doc = "The number of the first of them" },
	{ "totalLines", FIELD_INT, .required = true,
	  .offset = offsetof(struct read_file, total_lines),
	  .doc = "How many lines the file has" },
	FIELDS_END,
};

static const struct field meta_fields[] = {
	{ "has_more", FIELD_BOOL, .required = true,
	  .offset = offsetof(struct read_page_meta, has_more),
	  .doc = "True if more lines follow" },
	{ "next_line", FIELD_INT,
	  .offset = offsetof(struct read_page_meta, next_line),
	  .doc = "The offset of the next page (if has_more)" },
	{ "cut_lines", FIELD_INT,
	  .offset = offsetof(struct read_page_meta, cut_lines),
	  .doc = "Number of lines longer than 2000 characters, which were truncated" },
	READ_PAGE_FILE_ROWS,
	{ "eol", FIELD_STR, .offset = offsetof(struct read_page_meta, eol),
	  .doc = "crlf or mixed, if not all of these lines end in LF" },
	READ_PAGE_SOURCE_ROW,
	FIELDS_END,
};

static const struct field out[] = {
	{ "type", FIELD_STR, .required = true,
	  .offset = offsetof(struct read_out, type), .doc = "Always text" },
	{ "file", FIELD_OBJECT, .required = true,
	  .offset = offsetof(struct read_out, file), .doc = "What was read",
	  .fields = file_fields },
	{ "_meta", FIELD_OBJECT, .required = true,
	  .offset = offsetof(struct read_out, meta),
	  .doc = "About the file and the next page", .fields = meta_fields },
	FIELDS_END,
};

static const char *const constraints[] = {
	"Only regular files beneath the roots; never blocks on a FIFO or device",
	"The text has the form of cat -n: number, tab, line",
	"2000 lines unless limit is given; the text then names the offset of the next page",
	"Lines longer than 2000 characters are truncated, with a marker that counts the rest",
	"Binary files are refused; other encodings are shown as UTF-8",
	"For an empty file or an offset past the end, the text gives the number of lines",
	"Records that the file was read, even if only partially",
	NULL,
};

static const struct tool_example examples[] = {
	{ "A whole file", "{\"file_path\":\"/project/hello.txt\"}",
	  "{\"type\":\"text\",\"file\":{\"filePath\":\"/project/hello.txt\",\"content\":\"Hello\\nWorld\\n\",\"numLines\":2,\"startLine\":1,\"totalLines\":2},\"_meta\":{\"has_more\":false}}" },
	{ "Five lines from line 10",
	  "{\"file_path\":\"/project/numbers.txt\",\"offset\":10,\"limit\":5}",
	  "{\"type\":\"text\",\"file\":{\"filePath\":\"/project/numbers.txt\",\"content\":\"10\\n11\\n12\\n13\\n14\\n\",\"numLines\":5,\"startLine\":10,\"totalLines\":100},\"_meta\":{\"has_more\":true,\"next_line\":15}}" },
	{ NULL },
};

const struct tool tool_Read = {
	.name = "Read",
	.title = "Read",
	.doc = "Read a text file, as numbered lines.\n"
	       "\n"
	       "Usage:\n"
	       "- file_path must be absolute.\n"
	       "- Up to 2000 lines come at a time, from the first one on. For a longer file give offset (the line to start with, from 1) and limit; the last line of the text says where to go on.\n"
	       "- Each line has its number and a tab in front: they are not part of the file. Leave them out when you copy text into Edit.\n"
	       "- Lines of more than 2000 characters are cut, with a mark.\n"
	       "- Read a file before you change it with Write or Edit, and again when somebody else has changed it.",
	.families = { "claude" },
	.kind = "read",
	.fields = fields,
	.out = out,
	.args_size = sizeof(struct read_page_args),
	.out_size = sizeof(struct read_out),
	.effects = TOOL_READS,
	.run = read_run,
	.text_result = true,
	.constraints = constraints,
	.examples = examples,
};
