/*
 * t_directory_tree.c - the tool directory_tree: all that is below a directory,
 * as JSON.
 *
 * The text is written while the walk goes on, so that memory is bounded by the
 * reply. The first walk measures each level, and goes no deeper than can be
 * shown. If the tree is more than a reply can carry, a second walk writes as
 * many levels as fit, and counts the entries of the directories below them.
 */
#include "text/encoding/utf8.h"
#include "tools/call/result.h"
#include "tools/handlers/listing.h"
#include "tools/handlers/tree_json.h"

enum { LEVELS = TREE_MOST_DEPTH + 2 };

struct tree_args {
	struct str path;
	struct item_list exclude;
};

/* One depth of the tree. */
struct tree_level {
	uint64_t cost;      /* bytes of its entries in the reply */
	size_t directories; /* number of directories among its entries */
};

struct tree_text {
	struct call *c;
	struct path_glob *exclude;
	size_t exclude_count;
	struct buf below; /* path of the present entry */
	uint64_t room;    /* bytes that the reply has for entries */

	struct tree_json json;
	struct tree_level level[LEVELS];
	unsigned levels; /* number of levels that are written */
	uint64_t cost;   /* bytes of all entries, even beyond @room */
	bool overflow;   /* the entries do not fit into @room */
	size_t left_out; /* omitted entries, when not even one level fits */
};

static void tree_text_free(struct tree_text *t)
{
	buf_free(&t->json.text);
	buf_free(&t->below);
}

/* The most bytes that close an entry in the last of @levels. */
static uint64_t closing_cost(const struct tree_text *t, unsigned levels)
{
	int indent = (int)levels * 4;
	auto_arena mem = ARENA_INIT;

	return listing_cost(t->c,
			    arena_printf(&mem,
					 ",\n%*s\"more\": 12345678\n%*s}]",
					 indent, "", indent, ""));
}

/* ---- one entry */

static bool is_excluded(struct tree_text *t, const struct find_file *file)
{
	return listing_fits(t->exclude, t->exclude_count,
			    listing_below(&t->below, file)) ||
	       listing_hides(file);
}

static enum tree_next pass_by(const struct find_file *file)
{
	return file->kind == TREE_DIRECTORY ? TREE_SKIP : TREE_GO;
}

/*
 * Write an entry; returns its cost. JSON escapes control characters in names;
 * only bytes that are no UTF-8 have to be escaped before.
 */
static uint64_t write_entry(struct tree_text *t, const struct find_file *file)
{
	enum tree_json_last kind = TREE_JSON_FILE;
	size_t before = t->json.text.len;
	auto_arena mem = ARENA_INIT;
	uint64_t cost;

	if (file->kind == TREE_DIRECTORY)
		kind = file->dir->depth + 1 < t->levels ? TREE_JSON_OPEN
							: TREE_JSON_COUNTED;
	tree_json_add(&t->json, file->dir->depth,
		      utf8_valid(file->name) ? file->name
					     : find_escape(file->name, &mem),
		      kind);
	cost = listing_cost(t->c, str_skip(buf_str(&t->json.text), before));
	t->cost += cost;
	t->overflow = t->cost + closing_cost(t, t->json.depth + 1) > t->room;
	return cost;
}

/* ---- the first walk */

/* Reduce t->levels to the first level that does not fit. */
static void measure_levels(struct tree_text *t)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < t->levels; i++) {
		sum += t->level[i].cost;
		if (sum > t->room)
			t->levels = i + 1;
	}
}

static enum tree_next measure_entry(void *ctx, const struct find_file *file)
{
	struct tree_text *t = ctx;
	unsigned depth = file->dir->depth;

	if (is_excluded(t, file))
		return pass_by(file);
	t->level[depth].cost += write_entry(t, file);
	t->level[depth].directories += file->kind == TREE_DIRECTORY;
	if (!t->overflow)
		return TREE_GO;
	buf_clear(&t->json.text, SIZE_MAX); /* the second walk writes it */
	measure_levels(t);
	return depth + 1 < t->levels ? TREE_GO : pass_by(file);
}

/* ---- the second walk */

static enum tree_next show_entry(void *ctx, const struct find_file *file)
{
	struct tree_text *t = ctx;
	struct tree_json before = t->json;
	uint64_t cost = t->cost;

	if (is_excluded(t, file))
		return pass_by(file);
	if (file->dir->depth >= t->levels) {
		t->json.counted++;
		return pass_by(file);
	}
	if (!t->left_out) {
		(void)write_entry(t, file);
		if (!t->overflow)
			return TREE_GO;
		if (t->levels > 1)
			return TREE_STOP;
		tree_json_undo(&t->json, &before);
		t->cost = cost;
	}
	t->left_out++;
	return pass_by(file);
}

/* The first levels together, with "more" in the directories of the last. */
static uint64_t levels_cost(const struct tree_text *t, unsigned levels)
{
	uint64_t cost = closing_cost(t, levels) *
			(levels + t->level[levels - 1].directories);

	for (unsigned i = 0; i < levels; i++)
		cost += t->level[i].cost;
	return cost;
}

/* Restart the text, with that many levels. */
static void tree_text_restart(struct tree_text *t, unsigned levels)
{
	struct buf text = t->json.text;

	buf_clear(&text, SIZE_MAX);
	t->json = (struct tree_json){ .text = text };
	t->levels = levels;
	t->cost = 0;
	t->left_out = 0;
	t->overflow = false;
}

/* As many levels as fit; fewer if the tree has grown meanwhile. */
static enum err show_levels(struct tree_text *t, struct find *find)
{
	const struct find_sink sink = { .file = show_entry, .ctx = t };
	const struct find_want *want = find->want;
	unsigned levels = t->levels;
	enum err e;

	while (levels > 1 && levels_cost(t, levels) > t->room)
		levels--;
	for (;; levels--) {
		tree_text_restart(t, levels);
		find_drop(find);
		e = find_begin(find, t->c, want);
		if (!e)
			e = find_run(find, &sink);
		if (e || levels == 1 || !t->overflow)
			return e;
	}
}

static enum err tree_text_write(struct tree_text *t, struct find *find)
{
	const struct find_sink sink = { .file = measure_entry, .ctx = t };
	enum err e = find_run(find, &sink);

	if (!e && t->overflow)
		e = show_levels(t, find);
	if (!e)
		tree_json_end(&t->json);
	return e;
}

static void tree_say(struct tree_text *t, const struct find *find)
{
	struct arena *mem = t->c->mem;
	struct str why = STR("");

	if (t->left_out)
		why = arena_printf(
			mem,
			"a reply has room for %zu of %zu entries (--max-reply)",
			t->json.entries, t->json.entries + t->left_out);
	else if (t->levels < LEVELS)
		why = arena_printf(
			mem,
			"a reply has room for %u level%s (--max-reply); \"more\" counts the entries of directories that were not opened",
			t->levels, t->levels == 1 ? "" : "s");
	listing_say(t->c, buf_str(&t->json.text), find, why);
}

/*
 * As in the reference server: a pattern without "*" is also a name at any depth,
 * and what is below it.
 */
static enum err tree_excludes(struct call *c, const struct item_list *patterns,
			      struct tree_text *t)
{
	static const struct str before[] = { STR_INIT(""), STR_INIT("**/"),
					     STR_INIT("**/") };
	static const struct str behind[] = { STR_INIT(""), STR_INIT(""),
					     STR_INIT("/**") };
	const struct str *pattern = patterns->items;
	enum err e = ERR_OK;

	t->exclude = arena_array(c->mem, struct path_glob,
				 COUNT_OF(before) * patterns->count);
	for (size_t i = 0; i < patterns->count; i++) {
		bool stars = str_find(pattern[i], '*') < pattern[i].len;

		for (size_t k = 0; k < (stars ? 1 : COUNT_OF(before)); k++) {
			const struct str parts[] = { before[k], pattern[i],
						     behind[k] };

			e = listing_glob(c, arena_join(c->mem, parts, 3),
					 &t->exclude[t->exclude_count++]);
			if (e)
				return e;
		}
	}
	return e;
}

static enum err tree_run(struct call *c)
{
	const struct tree_args *a = c->args;
	const struct find_want want = listing_want(a->path);
	cleanup(tree_text_free) struct tree_text text = {
		.c = c,
		.room = result_room(c),
		.levels = LEVELS,
	};
	auto_find find = { 0 };
	enum err e;

	e = tree_excludes(c, &a->exclude, &text);
	if (!e)
		e = find_begin(&find, c, &want);
	if (!e)
		e = tree_text_write(&text, &find);
	if (e)
		return e;
	tree_say(&text, &find);
	return ERR_OK;
}

static const struct field fields[] = {
	LISTING_PATH_FIELD(tree_args, "Directory at the top of the tree"),
	{ "excludePatterns", FIELD_TEXTS,
	  .offset = offsetof(struct tree_args, exclude),
	  .doc = "Globs of paths to exclude; one without * also matches a name anywhere",
	  .standard = "[]" },
	FIELDS_END,
};

static const char *const constraints[] = {
	"The text is JSON, indented by two spaces: name, type (file or directory), and children for a directory; a symlink is a file",
	"Of a tree that is too long for a reply, as many levels are shown as fit; below them, a directory has \"more\", the number of its entries, instead of children",
	"Ignore files such as .gitignore are not applied; files that a rule hides are not listed",
	NULL,
};

static const struct tool_example examples[] = {
	{ "Without dependencies",
	  "{\"path\":\".\",\"excludePatterns\":[\"node_modules\"]}",
	  "{\"content\":\"[\\n  {\\n    \\\"name\\\": \\\"src\\\",\\n    \\\"type\\\": \\\"directory\\\",\\n    \\\"children\\\": []\\n  }\\n]\"}" },
	{ NULL },
};

const struct tool tool_directory_tree = {
	.name = "directory_tree",
	.title = "Directory Tree",
	.doc = "All files and directories below a directory, as nested JSON with name, type and children.",
	.families = { "filesystem" },
	.kind = "read",
	.fields = fields,
	.out = listing_out_fields,
	.args_size = sizeof(struct tree_args),
	.out_size = sizeof(struct listing_out),
	.effects = TOOL_READS,
	.run = tree_run,
	.text_result = true,
	.fails_as_result = true,
	.constraints = constraints,
	.examples = examples,
};
