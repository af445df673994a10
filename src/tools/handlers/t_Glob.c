/*
 * t_Glob.c - the tool Glob: files whose path matches a pattern, by modification
 * time.
 *
 * Memory does not depend on the number of files: only the newest GLOB_SHOWN are
 * kept, in an array that is cut whenever it has twice as many.
 */
#include "base/buf.h"
#include "base/clock.h"
#include "files/path.h"
#include "files/stat_data.h"
#include "tools/find/meta.h"

#include <stdlib.h>

enum { GLOB_SHOWN = 100 };

struct glob_args {
	struct str pattern, path;
};

struct glob_out {
	int64_t duration_ms, num_files;
	struct item_list filenames;
	bool truncated;
	int64_t total;
	bool complete, timed_out;
	struct find_meta meta;
};

/* A file that matches. */
struct glob_hit {
	int64_t mtime;
	struct str key; /* decides between equal times */
	struct str shown;
};

struct glob_search {
	struct find find;
	struct glob_hit hit[2 * GLOB_SHOWN];
	size_t count, total;
	int64_t oldest;      /* of those kept, once there are enough */
	struct arena mem[2]; /* of the strings; the second while cutting */
};

/* By components: "/" is before any other character. */
static int path_order(struct str a, struct str b)
{
	size_t n = size_min(a.len, b.len), i = 0;

	while (i < n && a.ptr[i] == b.ptr[i])
		i++;
	if (i == n)
		return (a.len > n) - (b.len > n);
	if (a.ptr[i] == '/' || b.ptr[i] == '/')
		return a.ptr[i] == '/' ? -1 : 1;
	return (unsigned char)a.ptr[i] < (unsigned char)b.ptr[i] ? -1 : 1;
}

/* Oldest first. */
static int hit_order(const void *left, const void *right)
{
	const struct glob_hit *a = left, *b = right;

	if (a->mtime != b->mtime)
		return a->mtime < b->mtime ? -1 : 1;
	return path_order(a->key, b->key);
}

/* Keep the newest of the hits, in order. */
static void hits_cut(struct glob_search *g)
{
	size_t drop;
	struct arena old;

	qsort(g->hit, g->count, sizeof(g->hit[0]), hit_order);
	if (g->count <= GLOB_SHOWN)
		return;
	drop = g->count - GLOB_SHOWN;
	memmove(g->hit, g->hit + drop, GLOB_SHOWN * sizeof(g->hit[0]));
	g->count = GLOB_SHOWN;
	g->oldest = g->hit[0].mtime;
	for (size_t i = 0; i < g->count; i++) {
		g->hit[i].key = arena_copy(&g->mem[1], g->hit[i].key);
		g->hit[i].shown = arena_copy(&g->mem[1], g->hit[i].shown);
	}
	old = g->mem[0];
	g->mem[0] = g->mem[1];
	g->mem[1] = old;
	arena_reset(&g->mem[1], 64 * 1024);
}

static enum tree_next glob_add(void *ctx, const struct find_file *file)
{
	struct glob_search *g = ctx;
	struct arena *mem = &g->mem[0];
	struct glob_hit hit;
	struct stat st;

	if (!tree_stat(file->dir, file->name.ptr, &st) ||
	    !S_ISREG(st.st_mode) || tree_is_own_link(file->dir, &st))
		return TREE_GO;
	g->total++;
	hit.mtime = stat_data_of(&st).mtime;
	if (g->count >= GLOB_SHOWN && hit.mtime < g->oldest)
		return TREE_GO;
	hit.key = path_join(mem, file->dir->key, file->name);
	hit.shown = find_shown(&g->find, file->start, file->dir->key,
			       file->name, mem);
	g->hit[g->count++] = hit;
	if (g->count == COUNT_OF(g->hit))
		hits_cut(g);
	return TREE_GO;
}

/* "/w/src/" of an absolute pattern: the directories without wildcards. */
static size_t literal_prefix(struct str pattern)
{
	size_t end = 0;

	for (size_t i = 0; i < pattern.len; i++) {
		if (memchr("*?[{\\", pattern.ptr[i], 5))
			break;
		if (pattern.ptr[i] == '/')
			end = i + 1;
	}
	return end;
}

/* An absolute pattern says itself where to look. */
static enum err glob_want(struct call *c, struct find_globs *globs,
			  struct find_want *want)
{
	const struct glob_args *a = c->args;
	struct str pattern = a->pattern;
	size_t prefix;
	enum err e;

	*want = (struct find_want){ .path = a->path,
				    .kinds = FIND_KIND(TREE_FILE),
				    .only_directory = true,
				    .anchor = FIND_FROM_BASE };
	if (!pattern.len)
		return ERR_OK;
	want->globs = globs;
	if (a->path.len)
		want->anchor = FIND_FROM_EITHER;
	if (str_starts(pattern, STR("/")) || str_starts(pattern, STR("~/"))) {
		prefix = literal_prefix(pattern);
		want->path = str_head(pattern, prefix);
		want->anchor = FIND_FROM_PATH;
		want->may_miss = true;
		pattern = arena_join(c->mem,
				     (const struct str[]){
					     STR("/"),
					     str_skip(pattern, prefix) },
				     2);
	}
	e = find_globs_parse(pattern, /* split= */ false, c->mem, globs,
			     c->fault);
	if (!e && !want->path.len && globs->count == 1 &&
	    !globs->part[0].rule.negated && globs->part[0].dirs)
		want->below = str_head(globs->part[0].rule.pattern,
				       globs->part[0].dirs - 1);
	return e;
}

static struct str glob_text(struct call *c, const struct glob_search *g)
{
	auto_buf out = BUF_INIT;

	if (!g->count)
		return STR("No files found");
	for (size_t i = 0; i < g->count; i++) {
		if (i)
			buf_addc(&out, '\n');
		buf_add(&out, g->hit[i].shown);
	}
	if (g->total > g->count)
		buf_addf(&out,
			 "\n(The newest %zu of %zu matching files; narrow "
			 "pattern or path to see others.)",
			 g->count, g->total);
	return arena_copy(c->mem, buf_str(&out));
}

static void glob_report(struct call *c, const struct glob_search *g,
			uint64_t began)
{
	const struct find *find = &g->find;
	struct glob_out *out = c->out;
	struct str *names = arena_array(c->mem, struct str, g->count);
	struct find_note note = { 0 };

	for (size_t i = 0; i < g->count; i++)
		names[i] = arena_copy(c->mem, g->hit[i].shown);
	*out = (struct glob_out){
		.duration_ms = (int64_t)(clock_ms() - began),
		.num_files = (int64_t)g->count,
		.filenames = { names, g->count },
		.truncated = g->total > g->count,
		.total = (int64_t)g->total,
		.complete = find->ended == FIND_COMPLETE,
		.timed_out = find->ended == FIND_TIMED_OUT,
	};
	find_meta_fill(find, &out->meta);
	if (find->ended == FIND_TIMED_OUT)
		note.partial = find_why_partial(find, c->mem);
	c->say = glob_text(c, g);
	c->also = find_note_text(&find->counts, &note, c->mem);
}

static void search_drop(struct glob_search *g)
{
	find_drop(&g->find);
	arena_free(&g->mem[0]);
	arena_free(&g->mem[1]);
}

static enum err glob_run(struct call *c)
{
	uint64_t began = clock_ms();
	cleanup(search_drop) struct glob_search g = { 0 };
	const struct find_sink sink = { .file = glob_add, .ctx = &g };
	struct find_globs globs;
	struct find_want want;
	enum err e;

	e = glob_want(c, &globs, &want);
	if (!e)
		e = find_begin(&g.find, c, &want);
	if (!e)
		e = find_run(&g.find, &sink);
	if (e)
		return e;
	hits_cut(&g);
	glob_report(c, &g, began);
	return ERR_OK;
}

static const char *const pattern_aliases[] = { "glob", NULL };
static const char *const path_aliases[] = { "dir_path", NULL };

static const struct field fields[] = {
	{ "pattern", FIELD_STR, .required = true,
	  .offset = offsetof(struct glob_args, pattern),
	  .doc = "Glob; without a slash it matches names at any depth, with one paths",
	  .aliases = pattern_aliases },
	{ "path", FIELD_STR, .offset = offsetof(struct glob_args, path),
	  .doc = "Directory to search (default: all roots)",
	  .aliases = path_aliases },
	FIELDS_END,
};

static const struct field out[] = {
	{ "durationMs", FIELD_INT, .required = true,
	  .offset = offsetof(struct glob_out, duration_ms),
	  .doc = "Time taken, in milliseconds" },
	{ "numFiles", FIELD_INT, .required = true,
	  .offset = offsetof(struct glob_out, num_files),
	  .doc = "Number of filenames" },
	{ "filenames", FIELD_TEXTS, .required = true,
	  .offset = offsetof(struct glob_out, filenames),
	  .doc = "The newest 100 files at most, oldest first" },
	{ "truncated", FIELD_BOOL, .required = true,
	  .offset = offsetof(struct glob_out, truncated),
	  .doc = "More files match than are listed" },
	{ "totalMatches", FIELD_INT, .required = true,
	  .offset = offsetof(struct glob_out, total),
	  .doc = "Total number of files that match" },
	{ "countIsComplete", FIELD_BOOL, .required = true,
	  .offset = offsetof(struct glob_out, complete),
	  .doc = "The search was not cut short, so totalMatches is exact" },
	{ "timedOut", FIELD_BOOL, .required = true,
	  .offset = offsetof(struct glob_out, timed_out),
	  .doc = "The time limit was reached" },
	{ "_meta", FIELD_OBJECT, .required = true,
	  .offset = offsetof(struct glob_out, meta),
	  .doc = "What was skipped, and where relative names start",
	  .fields = find_meta_fields },
	FIELDS_END,
};

static const char *const constraints[] = {
	"Finds regular files beneath the roots; symlinks are not followed, except one that path names",
	"The syntax is that of .gitignore, with braces in addition: a pattern without a slash matches names at any depth; one with a slash matches paths from the base directory, or from path",
	"Ignored files are skipped, unless path or the pattern names them; a second text counts them (docs/search.md)",
	"Files are sorted by modification time, oldest first, then by path; of more than 100 files, the newest 100 are listed",
	"With one root, names beneath the base directory (where stet was started, or the root) are relative to it; all others are absolute",
	"Control characters and bytes that are not UTF-8 are shown as \\xNN",
	NULL,
};

static const struct tool_example examples[] = {
	{ "All C files", "{\"pattern\":\"**/*.c\"}",
	  "{\"durationMs\":3,\"numFiles\":2,\"filenames\":[\"src/old.c\",\"src/new.c\"],\"truncated\":false,\"totalMatches\":2,\"countIsComplete\":true,\"timedOut\":false,\"_meta\":{\"skipped\":{},\"root\":\"/project\",\"source\":\"disk\"}}" },
	{ NULL },
};

const struct tool tool_Glob = {
	.name = "Glob",
	.title = "Glob",
	.doc = "Find files by a pattern such as src/**/*.c; oldest first.",
	.families = { "find" },
	.kind = "search",
	.fields = fields,
	.out = out,
	.args_size = sizeof(struct glob_args),
	.out_size = sizeof(struct glob_out),
	.effects = TOOL_READS,
	.run = glob_run,
	.text_result = true,
	.fails_as_result = true,
	.casts_strings = true,
	.searches = true,
	.constraints = constraints,
	.examples = examples,
};
