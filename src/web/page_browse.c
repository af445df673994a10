/*
 * page_browse.c - the roots as agents see them: directories part by part, and
 * files as a tool would read them.
 *
 * Paths are resolved by the workspace and judged by the rules, as for a tool.
 * Names are shown with their access marks; content only where any agent gets it
 * unasked, and never that of a sensitive file. The key of what was read is
 * judged again, so that a link that is exchanged shows nothing else.
 */
#include "base/clock.h"
#include "files/path.h"
#include "text/display/visible.h"
#include "text/encoding/utf8.h"
#include "text/lines/eol.h"
#include "tools/permissions/access.h"
#include "tools/permissions/approvals_json.h"
#include "tools/reading/textfile.h"
#include "web/page_local.h"
#include "web/query.h"

enum {
	MOST_ENTRIES = 200,     /* of a directory, in one answer */
	MOST_SKIPPED = 200000,  /* WS_ENTRIES_MOST */
	MOST_LINES = 2000,      /* of a file, in one answer */
	MOST_TEXT = 256 * 1024, /* bytes, in one answer */
	MOST_MS = 3000, /* for judging entries: hostile rules are slow */
};

static struct workspace *ws_of(const struct api_request *rq)
{
	return rq->page->options.server->ws;
}

static void judge_path(struct api_request *rq, struct str path, struct str key,
		       bool directory, struct access *ret)
{
	access_of(&(struct access_want){ rq->page->options.server->tools.rules,
					 ws_of(rq), path, key, directory,
					 /* own= */ false },
		  &rq->mem, ret);
}

static void put_mark(struct json_out *o, const char *mark, struct str why)
{
	json_open(o, '{');
	json_text_member(o, "mark", str_of(mark));
	json_text_member(o, "why", why);
	json_close(o, '}');
}

static void put_marks(struct json_out *o, const struct access *a)
{
	for (size_t i = 0; i < a->count; i++)
		put_mark(o, a->mark[i].mark, a->mark[i].why);
}

/* Text for JSON, whatever bytes a name has. */
static struct str in_utf8(struct str name, struct arena *mem)
{
	auto_buf out = BUF_INIT;

	if (utf8_valid(name))
		return name;
	visible_line(&out, name);
	return arena_copy(mem, buf_str(&out));
}

/* ---- a directory */

/* Where a link leads, as a tool would find out. */
static void put_link(struct json_out *o, struct api_request *rq,
		     struct str path)
{
	struct fault f = { 0 };
	struct access access;
	struct file_info info;
	enum err e = ws_stat(ws_of(rq), path, &rq->mem, &info, &f);

	if (!e)
		json_text_member(o, "target", in_utf8(info.key, &rq->mem));
	json_key(o, "marks");
	json_open(o, '[');
	if (e)
		put_mark(o,
			 f.reason && !strcmp(f.reason, "config") ? "own"
								 : "outside",
			 f.hint.len
				 ? f.hint
				 : STR("the symlink leads out of the roots"));
	else if (!info.exists)
		put_mark(o, "broken", STR("the symlink is broken"));
	if (!e) {
		judge_path(rq, path, info.key, info.exists && !info.is_file,
			   &access);
		put_marks(o, &access);
	}
	json_close(o, ']');
}

static void put_entry_marks(struct json_out *o, struct api_request *rq,
			    const struct ws_entry *e, struct str path)
{
	struct access access;

	access_of(&(struct access_want){ rq->page->options.server->tools.rules,
					 ws_of(rq), path, path,
					 e->kind == WS_ENTRY_DIRECTORY,
					 e->own },
		  &rq->mem, &access);
	json_key(o, "marks");
	json_open(o, '[');
	if (!utf8_valid(e->name))
		put_mark(
			o, "unnamed",
			STR("its name is not UTF-8, so clients cannot access it"));
	put_marks(o, &access);
	json_close(o, ']');
}

static void put_entry(struct json_out *o, struct api_request *rq,
		      struct str dir, const struct ws_entry *e)
{
	static const char *const kinds[] = {
		[WS_ENTRY_DIRECTORY] = "directory",
		[WS_ENTRY_FILE] = "file",
		[WS_ENTRY_LINK] = "link",
		[WS_ENTRY_OTHER] = "other",
	};
	struct str path = path_join(&rq->mem, dir, e->name);

	json_open(o, '{');
	json_text_member(o, "name", in_utf8(e->name, &rq->mem));
	if (utf8_valid(path)) {
		json_text_member(o, "path", path);
		approvals_put_lookalikes(o, path, &rq->mem);
	}
	json_text_member(o, "kind", str_of(kinds[e->kind]));
	put_number(o, "size", e->size);
	put_number(o, "time", (uint64_t)(e->mtime / 1000000));
	if (e->kind == WS_ENTRY_LINK && !e->own && utf8_valid(path))
		put_link(o, rq, path);
	else
		put_entry_marks(o, rq, e, path);
	json_close(o, '}');
}

/* Returns how many it were. */
static size_t put_entries(struct json_out *o, struct api_request *rq,
			  const struct ws_entries *list)
{
	uint64_t end = clock_ms() + MOST_MS;
	size_t i;

	json_key(o, "entries");
	json_open(o, '[');
	for (i = 0; i < list->count; i++) {
		if (i && clock_ms() > end)
			break;
		put_entry(o, rq, list->key, &list->entry[i]);
	}
	json_close(o, ']');
	return i;
}

static void put_access(struct json_out *o, const struct access *access)
{
	json_key(o, "marks");
	json_open(o, '[');
	put_marks(o, access);
	json_close(o, ']');
}

static enum err show_directory(struct api_request *rq, struct str path)
{
	struct json_out o = json_out(&rq->out);
	struct ws_entries list;
	struct access access;
	uint64_t skip;
	size_t shown;
	enum err e;

	if (!query_number(rq->query, "skip", 0, MOST_SKIPPED, &skip))
		return fail(&rq->fault, ERR_BAD_ARGS,
			    .text = STR("skip is a number up to 200000"));
	e = ws_entries(ws_of(rq), path, skip, MOST_ENTRIES, &rq->mem, &list,
		       &rq->fault);
	if (e)
		return e;
	judge_path(rq, path, list.key, /* directory= */ true, &access);
	json_open(&o, '{');
	json_text_member(&o, "kind", STR("directory"));
	json_text_member(&o, "path", in_utf8(list.key, &rq->mem));
	put_access(&o, &access);
	put_number(&o, "total", list.total);
	put_flag(&o, "unread", list.unread);
	shown = put_entries(&o, rq, &list);
	if (skip + shown < list.total)
		put_number(&o, "next", skip + shown);
	json_close(&o, '}');
	return ERR_OK;
}

/* ---- a file */

static uint64_t byte_cost(void *ctx, struct str text)
{
	return text.len;
}

/*
 * Some lines, by the function that read_text_file uses. A call without a store
 * asks nobody and takes no answer: where one is needed it is ERR_ASK.
 */
static enum err read_page(struct api_request *rq, struct str path, size_t line,
			  struct page *ret)
{
	static const struct caller nobody = { 0 };
	struct tool_options options = rq->page->options.server->tools;
	struct page_want want = { .line = line,
				  .limit = MOST_LINES,
				  .max_cost = MOST_TEXT,
				  .cost = byte_cost,
				  .worst = 1 };
	struct call c = { .tool = tool_named(STR("read_text_file")),
			  .options = &options,
			  .ws = ws_of(rq),
			  .mem = &rq->mem,
			  .fault = &rq->fault,
			  .caller = &nobody };

	options.store = NULL;
	return textfile_page(&c, path, &want, ret);
}

static void put_page(struct json_out *o, const struct page *page, size_t line,
		     struct arena *mem)
{
	json_text_member(o, "text", page->text);
	put_number(o, "line", line);
	put_number(o, "lines", page->lines);
	put_number(o, "total_lines", page->total_lines);
	if (page->lines && line - 1 + page->lines < page->total_lines)
		put_number(o, "next_line", line + page->lines);
	json_text_member(o, "version", hash_text(page->version, mem));
	json_text_member(o, "encoding", str_of(page->in.encoding->name));
	if (page->in.confidence != CONFIDENCE_CERTAIN)
		json_text_member(o, "confidence",
				 str_of(confidence_name(page->in.confidence)));
	put_number(o, "undecodable", page->undecodable);
	json_text_member(o, "eol", str_of(eol_name(eol_of(page->text))));
}

/*
 * The reason why there is no text, as an identifier for the page and as a
 * sentence.
 */
static void put_untold(struct json_out *o, struct api_request *rq, enum err e,
		       size_t line)
{
	struct str why = STR("it is not shown");

	put_flag(o, "binary", e == ERR_BINARY_READ);
	if (e == ERR_LINE_TOO_LONG)
		put_number(o, "next_line", line + 1);
	if (e && e != ERR_ASK)
		why = fault_text(&rq->fault, &rq->mem);
	json_text_member(o, "untold", why);
}

/* The text, if the file that was read is the one that was judged. */
static void put_file_text(struct json_out *o, struct api_request *rq,
			  struct str path, size_t line)
{
	struct page page = { .key = STR("") };
	struct access access;
	enum err e = read_page(rq, path, line, &page);

	if (!e) {
		judge_path(rq, path, page.key, /* directory= */ false, &access);
		if (access.content) {
			put_page(o, &page, line, &rq->mem);
			return;
		}
	}
	put_untold(o, rq, e, line);
}

static enum err show_file(struct api_request *rq, struct str path,
			  const struct file_info *info)
{
	struct json_out o = json_out(&rq->out);
	struct access access;
	uint64_t line;

	if (!query_number(rq->query, "line", 1, INT64_MAX, &line) || !line)
		return fail(&rq->fault, ERR_BAD_ARGS,
			    .text = STR("line is a number from 1"));
	judge_path(rq, path, info->key, /* directory= */ false, &access);
	json_open(&o, '{');
	json_text_member(&o, "kind", STR("file"));
	json_text_member(&o, "path", in_utf8(info->key, &rq->mem));
	approvals_put_lookalikes(&o, in_utf8(info->key, &rq->mem), &rq->mem);
	put_access(&o, &access);
	put_number(&o, "size", info->stat.size);
	put_number(&o, "time", (uint64_t)(info->stat.mtime / 1000000));
	put_number(&o, "mode", info->mode);
	if (access.content)
		put_file_text(&o, rq, path, line);
	else
		json_text_member(
			&o, "untold",
			STR("the content of files with these restrictions is not shown here"));
	json_close(&o, '}');
	return ERR_OK;
}

/* ---- the entry at a path */

static void show_roots(struct api_request *rq)
{
	struct json_out o = json_out(&rq->out);
	struct access access;
	const struct str *roots;
	size_t n = 0;

	roots = ws_roots(ws_of(rq), &rq->mem, &n);
	json_open(&o, '{');
	json_text_member(&o, "kind", STR("roots"));
	json_key(&o, "entries");
	json_open(&o, '[');
	for (size_t i = 0; i < n; i++) {
		judge_path(rq, roots[i], roots[i], /* directory= */ true,
			   &access);
		json_open(&o, '{');
		json_text_member(&o, "name", roots[i]);
		json_text_member(&o, "path", roots[i]);
		json_text_member(&o, "kind", STR("directory"));
		put_access(&o, &access);
		json_close(&o, '}');
	}
	json_close(&o, ']');
	json_close(&o, '}');
}

static enum err show_path(struct api_request *rq, struct str path)
{
	struct file_info info;
	enum err e;

	if (!utf8_valid(path))
		return fail(&rq->fault, ERR_BAD_ARGS,
			    .text = STR("path has to be UTF-8"));
	e = ws_stat(ws_of(rq), path, &rq->mem, &info, &rq->fault);
	if (e)
		return e;
	if (!info.exists)
		return fail(&rq->fault, ERR_NOT_FOUND, .path = path);
	return info.is_file ? show_file(rq, path, &info)
			    : show_directory(rq, path);
}

void page_browse(struct api_request *rq)
{
	struct str path = query_text(rq->query, "path", &rq->mem);

	if (!path.len)
		show_roots(rq);
	else if (show_path(rq, path))
		api_failed(rq);
}
