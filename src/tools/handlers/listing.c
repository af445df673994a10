/*
 * listing.c - the texts of listing tools: bounded, escaped, and marked when cut.
 */
#include "tools/handlers/listing.h"

#include "files/path.h"
#include "tools/call/result.h"
#include "tools/change/change.h"
#include "tools/permissions/gate.h"
#include "tools/reading/file_read.h"

const char *const listing_path_aliases[] = { "file_path", NULL };

const struct field listing_out_fields[] = {
	{ "content", FIELD_STR, .required = true,
	  .offset = offsetof(struct listing_out, content),
	  .doc = "The text of the result" },
	FIELDS_END,
};

struct find_want listing_want(struct str path)
{
	return (struct find_want){
		.path = path.len ? path : STR("."),
		.kinds = FIND_KIND(TREE_FILE) | FIND_KIND(TREE_DIRECTORY) |
			 FIND_KIND(TREE_LINK) | FIND_KIND(TREE_OTHER),
		.everything = true,
		.only_directory = true,
	};
}

struct listing_text listing_text_make(struct call *c)
{
	return (struct listing_text){ .c = c, .room = result_room(c) };
}

void listing_text_free(struct listing_text *t)
{
	buf_free(&t->text);
}

/* The text itself is the first item: nothing of it is escaped twice. */
uint64_t listing_cost(const struct call *c, struct str text)
{
	enum results results = c->options->results;

	return result_cost(results == RESULTS_BOTH ? RESULTS_PLAIN : results,
			   text);
}

void listing_add(struct listing_text *t, struct str line)
{
	uint64_t cost =
		listing_cost(t->c, line) + listing_cost(t->c, STR("\n"));

	if (t->left_out || cost > t->room) {
		t->left_out++;
		return;
	}
	t->room -= cost;
	if (t->lines++)
		buf_addc(&t->text, '\n');
	buf_add(&t->text, line);
}

void listing_add_end(struct listing_text *t, struct str lines)
{
	if (t->lines++)
		buf_addc(&t->text, '\n');
	buf_add(&t->text, lines);
}

/* Why the result is not all of it; "" when it is. */
static struct str partial_why(const struct find *find, struct str why)
{
	if (find && find->ended == FIND_TIMED_OUT)
		return STR("the time limit was reached (--find-timeout)");
	return why;
}

void listing_say(struct call *c, struct str text, const struct find *find,
		 struct str partial)
{
	static const struct find_counts none = { 0 };
	struct listing_out *out = c->out;
	struct find_note note = { .partial = partial_why(find, partial) };

	out->content = arena_copy(c->mem, text);
	c->say = out->content;
	c->also = find_note_text(find ? &find->counts : &none, &note, c->mem);
}

void listing_finish(struct listing_text *t, const struct find *find,
		    struct str none)
{
	struct str partial = STR("");

	if (t->left_out)
		partial = arena_printf(
			t->c->mem,
			"a reply has room for %zu of %zu lines (--max-reply)",
			t->lines, t->lines + t->left_out);
	listing_say(t->c, t->lines ? buf_str(&t->text) : none, find, partial);
}

enum err listing_glob(struct call *c, struct str pattern, struct path_glob *ret)
{
	const char *why = path_glob_parse(c->mem, pattern, ret);

	if (!why)
		return ERR_OK;
	return fail(c->fault, ERR_BAD_GLOB,
		    .text = arena_printf(c->mem, STR_FMT ": %s",
					 STR_ARG(str_head(pattern, 200)), why));
}

enum err listing_globs(struct call *c, const struct item_list *patterns,
		       struct path_glob **ret)
{
	const struct str *pattern = patterns->items;
	enum err e = ERR_OK;

	*ret = arena_array(c->mem, struct path_glob, patterns->count);
	for (size_t i = 0; i < patterns->count && !e; i++)
		e = listing_glob(c, pattern[i], &(*ret)[i]);
	return e;
}

bool listing_fits(const struct path_glob *globs, size_t n, struct str path)
{
	for (size_t i = 0; i < n; i++)
		if (path_glob_matches(&globs[i], path))
			return true;
	return false;
}

struct str listing_below(struct buf *path, const struct find_file *file)
{
	struct str top = file->start->place.key, dir = file->dir->key;

	buf_clear(path, SIZE_MAX);
	if (dir.len > top.len) {
		buf_add(path, str_skip(dir, top.len + (top.len > 1)));
		buf_addc(path, '/');
	}
	buf_add(path, file->name);
	return buf_str(path);
}

bool listing_hides(const struct find_file *file)
{
	struct stat st;

	return file->kind == TREE_FILE &&
	       tree_stat(file->dir, file->name.ptr, &st) &&
	       tree_is_own_link(file->dir, &st);
}

enum err listing_details(struct call *c, struct str path,
			 struct file_details *ret)
{
	enum err e = file_read_check_access(c, path, STR(""));

	if (e)
		return e;
	*ret = (struct file_details){ .key = STR("") };
	e = ws_details(c->ws, path, c->mem, ret, c->fault);
	if (e)
		return file_read_check_loaded(c, path, e, &ret->key);
	if (gate_hides(c, path, ret->key))
		return fail(c->fault, ERR_DENIED, .path = path,
			    .reason = "rule");
	return ERR_OK;
}

/* Memory and matching of each link are its own: there may be many. */
bool listing_target(struct call *c, const struct find_file *file,
		    uint64_t *ret_size)
{
	auto_arena mem = ARENA_INIT;
	struct call link = *c;
	struct fault ignored = { 0 };
	struct file_details d;
	struct str path;

	link.mem = &mem;
	link.fault = &ignored;
	path = path_join(&mem, file->dir->key, file->name);
	if (ws_details(c->ws, path, &mem, &d, &ignored) ||
	    gate_hides(&link, path, d.key))
		return false;
	*ret_size = d.size;
	return true;
}
