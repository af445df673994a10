/*
 * t_list_directory_with_sizes.c - the tool list_directory_with_sizes: names,
 * sizes and their total.
 *
 * A symlink has the size of its target if the caller may see the target; else
 * 0, as a dangling symlink.
 */
#include "text/display/collate.h"
#include "text/encoding/utf8.h"
#include "tools/handlers/listing.h"

#include <stdlib.h>

enum { NAME_COLUMNS = 30, SIZE_COLUMNS = 10 };

struct sizes_args {
	struct str path, sort_by;
};

struct sized_entry {
	struct str name;
	bool directory;
	uint64_t size;
};

struct sizes {
	struct call *c;
	struct sized_entry *entry;
	size_t n, files;
	uint64_t total; /* of files */
};

static uint64_t size_of(struct call *c, const struct find_file *file)
{
	uint64_t size;
	struct stat st;

	if (file->kind == TREE_LINK)
		return listing_target(c, file, &size) ? size : 0;
	if (!tree_stat(file->dir, file->name.ptr, &st))
		return 0;
	return (uint64_t)st.st_size;
}

static enum tree_next sizes_entry(void *ctx, const struct find_file *file)
{
	struct sizes *s = ctx;
	bool directory = file->kind == TREE_DIRECTORY;
	uint64_t size;

	if (listing_hides(file))
		return TREE_GO;
	size = size_of(s->c, file);
	*arena_add(s->c->mem, s->entry, s->n) = (struct sized_entry){
		.name = arena_copy(s->c->mem, file->name),
		.directory = directory,
		.size = size,
	};
	if (!directory) {
		s->files++;
		s->total += size;
	}
	return directory ? TREE_SKIP : TREE_GO;
}

static int by_name(const void *left, const void *right)
{
	const struct sized_entry *a = left, *b = right;

	return collate_names(a->name, b->name);
}

/* The largest first; equal ones by the bytes of their names. */
static int by_size(const void *left, const void *right)
{
	const struct sized_entry *a = left, *b = right;

	if (a->size != b->size)
		return a->size < b->size ? 1 : -1;
	return strcmp(a->name.ptr, b->name.ptr);
}

/* "0 B", "14 B", "1.25 MB"; halves are rounded up. */
static struct str size_text(uint64_t size, struct arena *mem)
{
	static const char *const units[] = { "KB", "MB", "GB", "TB" };
	uint64_t unit = 1024, rest, cents;
	size_t i = 0;

	if (size < unit)
		return arena_printf(mem, "%u B", (unsigned)size);
	for (; i + 1 < COUNT_OF(units) && size / unit >= 1024; i++)
		unit *= 1024;
	rest = size % unit;
	cents = size / unit * 100 + (rest * 100 + unit / 2) / unit;
	return arena_printf(mem, "%llu.%02u %s",
			    (unsigned long long)(cents / 100),
			    (unsigned)(cents % 100), units[i]);
}

/* As many blanks as a name lacks; its length in UTF-16 code units counts. */
static int padding_of(struct str name)
{
	size_t units = 0, len;

	for (; name.len; name = str_skip(name, len))
		units += utf8_any(name, &len) >= 0x10000 ? 2 : 1;
	return units < NAME_COLUMNS ? (int)(NAME_COLUMNS - units) : 0;
}

static void add_entry(struct listing_text *text, const struct sized_entry *e)
{
	auto_arena mem = ARENA_INIT;
	struct str name = find_escape(e->name, &mem);
	struct str size = e->directory ? STR("") : size_text(e->size, &mem);

	listing_add(text,
		    arena_printf(&mem, "[%s] " STR_FMT "%*s %*s",
				 e->directory ? "DIR" : "FILE", STR_ARG(name),
				 padding_of(name), "",
				 e->directory ? 0 : SIZE_COLUMNS, size.ptr));
}

static void sizes_say(struct sizes *s, const struct find *find, bool sort_size)
{
	auto_listing_text text = listing_text_make(s->c);
	struct str total = size_text(s->total, s->c->mem);

	if (s->n)
		qsort(s->entry, s->n, sizeof(*s->entry),
		      sort_size ? by_size : by_name);
	for (size_t i = 0; i < s->n; i++)
		add_entry(&text, &s->entry[i]);
	listing_add_end(
		&text,
		arena_printf(
			s->c->mem,
			"\nTotal: %zu files, %zu directories\nCombined size: %s",
			s->files, s->n - s->files, total.ptr));
	listing_finish(&text, find, STR(""));
}

static enum err sizes_run(struct call *c)
{
	const struct sizes_args *a = c->args;
	const struct find_want want = listing_want(a->path);
	struct sizes sizes = { .c = c };
	const struct find_sink sink = { .file = sizes_entry, .ctx = &sizes };
	auto_find find = { 0 };
	enum err e = find_begin(&find, c, &want);

	if (!e)
		e = find_run(&find, &sink);
	if (e)
		return e;
	sizes_say(&sizes, &find, str_is(a->sort_by, "size"));
	return ERR_OK;
}

static const char *const orders[] = { "name", "size", NULL };

static const struct field fields[] = {
	LISTING_PATH_FIELD(sizes_args, "Directory to list"),
	{ "sortBy", FIELD_STR, .offset = offsetof(struct sizes_args, sort_by),
	  .doc = "Sort by name, or by size with the largest first",
	  .standard = "\"name\"", .choices = orders },
	FIELDS_END,
};

static const char *const constraints[] = {
	"By name: punctuation, digits, then letters regardless of case, lower case first on a tie; names that are not ASCII come last, by code point",
	"By size: the largest first, equal sizes by the bytes of the name",
	"A symlink has the size of its target, or 0 B if the target does not exist, is outside the roots or is hidden",
	"Files that a rule hides are not listed, and not counted in the totals",
	NULL,
};

static const struct tool_example examples[] = {
	{ "The largest first", "{\"path\":\"src\",\"sortBy\":\"size\"}",
	  "{\"content\":\"[FILE] main.c                            2.00 KB\\n\\nTotal: 1 files, 0 directories\\nCombined size: 2.00 KB\"}" },
	{ NULL },
};

const struct tool tool_list_directory_with_sizes = {
	.name = "list_directory_with_sizes",
	.title = "List Directory with Sizes",
	.doc = "List the files and directories in a directory with the sizes of files and their total.",
	.families = { "filesystem" },
	.kind = "read",
	.fields = fields,
	.out = listing_out_fields,
	.args_size = sizeof(struct sizes_args),
	.out_size = sizeof(struct listing_out),
	.effects = TOOL_READS,
	.run = sizes_run,
	.text_result = true,
	.fails_as_result = true,
	.constraints = constraints,
	.examples = examples,
};
