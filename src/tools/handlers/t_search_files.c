/*
 * t_search_files.c - the tool search_files: the paths below a directory that
 * match a glob.
 *
 * A symlink is a result only if its target exists and the caller may see it, as
 * in the reference server.
 */
#include "files/path.h"
#include "tools/handlers/listing.h"

struct search_args {
	struct str path, pattern;
	struct item_list exclude;
};

struct file_search {
	struct call *c;
	struct path_glob pattern, *exclude;
	size_t exclude_count;
	struct listing_text text;
	struct buf below; /* path of the present entry */
};

static void search_free(struct file_search *s)
{
	listing_text_free(&s->text);
	buf_free(&s->below);
}

static enum tree_next search_entry(void *ctx, const struct find_file *file)
{
	struct file_search *s = ctx;
	struct str below = listing_below(&s->below, file);
	auto_arena mem = ARENA_INIT;
	uint64_t size;

	if (listing_fits(s->exclude, s->exclude_count, below))
		return file->kind == TREE_DIRECTORY ? TREE_SKIP : TREE_GO;
	if (!path_glob_matches(&s->pattern, below) || listing_hides(file))
		return TREE_GO;
	if (file->kind == TREE_LINK && !listing_target(s->c, file, &size))
		return TREE_GO;
	listing_add(&s->text,
		    find_escape(path_join(&mem, file->start->place.key, below),
				&mem));
	return TREE_GO;
}

static enum err search_run(struct call *c)
{
	const struct search_args *a = c->args;
	const struct find_want want = listing_want(a->path);
	cleanup(search_free) struct file_search search = {
		.c = c,
		.exclude_count = a->exclude.count,
		.text = listing_text_make(c),
	};
	const struct find_sink sink = { .file = search_entry, .ctx = &search };
	auto_find find = { 0 };
	enum err e;

	e = listing_glob(c, a->pattern, &search.pattern);
	if (!e)
		e = listing_globs(c, &a->exclude, &search.exclude);
	if (!e)
		e = find_begin(&find, c, &want);
	if (!e)
		e = find_run(&find, &sink);
	if (e)
		return e;
	listing_finish(&search.text, &find, STR("No matches found"));
	return ERR_OK;
}

static const struct field fields[] = {
	LISTING_PATH_FIELD(search_args, "Directory to search"),
	{ "pattern", FIELD_STR, .required = true,
	  .offset = offsetof(struct search_args, pattern),
	  .doc = "Glob for paths below the directory, such as **/*.c" },
	{ "excludePatterns", FIELD_TEXTS,
	  .offset = offsetof(struct search_args, exclude),
	  .doc = "Globs of paths to exclude", .standard = "[]" },
	FIELDS_END,
};

static const char *const constraints[] = {
	"Globs match the whole path below the directory: *.c finds files directly in it, **/*.c files at any depth",
	"Supported: * ? [a-z] [!a-z] ** {a,b} {1..9} and a leading !; extended globs such as +(a|b) are refused",
	"Results are absolute paths, one per line, sorted by bytes within each directory; directories are results, too",
	"Symlinks are not followed; a symlink whose target does not exist, is outside the roots or is hidden is not a result",
	"Ignore files such as .gitignore are not applied; files that a rule hides are not listed",
	NULL,
};

static const struct tool_example examples[] = {
	{ "All headers except those of tests",
	  "{\"path\":\"src\",\"pattern\":\"**/*.h\",\"excludePatterns\":[\"tests\"]}",
	  "{\"content\":\"/project/src/base/str.h\"}" },
	{ NULL },
};

const struct tool tool_search_files = {
	.name = "search_files",
	.title = "Search Files",
	.doc = "Find files and directories below a directory by a glob for their paths, such as **/*.c.",
	.families = { "filesystem" },
	.kind = "search",
	.fields = fields,
	.out = listing_out_fields,
	.args_size = sizeof(struct search_args),
	.out_size = sizeof(struct listing_out),
	.effects = TOOL_READS,
	.run = search_run,
	.text_result = true,
	.fails_as_result = true,
	.constraints = constraints,
	.examples = examples,
};
