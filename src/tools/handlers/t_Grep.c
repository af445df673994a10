/*
 * t_Grep.c - the tool Grep: search file contents.
 *
 * Arguments, defaults and texts are those of Claude Code's tool of this name. A
 * second text counts the files that were skipped.
 */
#include "tools/find/grep_page.h"

enum { HEAD_LIMIT = 250 };

#define NOT_GIVEN INT64_MAX

struct grep_args {
	struct str pattern, path, glob, type, mode;
	int64_t after, before, around, context, head_limit, offset;
	bool numbers, caseless, only, multiline;
};

static enum search_mode mode_of(struct str name)
{
	if (str_is(name, "content"))
		return SEARCH_CONTENT;
	return str_is(name, "count") ? SEARCH_COUNT : SEARCH_FILES;
}

static size_t context_lines(int64_t n)
{
	return n > 0 ? size_min((size_t)n, SEARCH_MAX_CONTEXT) : 0;
}

static struct search_want search_want_of(const struct grep_args *a,
					 const struct regex *r)
{
	int64_t both = a->around != NOT_GIVEN ? a->around : a->context;
	struct search_want w = { .regex = r, .mode = mode_of(a->mode) };

	if (w.mode != SEARCH_CONTENT)
		return w;
	w.before = context_lines(both != NOT_GIVEN ? both : a->before);
	w.after = context_lines(both != NOT_GIVEN ? both : a->after);
	w.numbers = a->numbers;
	w.only_matching = a->only;
	return w;
}

static enum err compile(struct call *c, struct regex **ret)
{
	const struct grep_args *a = c->args;
	const struct regex_options o = { .caseless = a->caseless,
					 .multiline = a->multiline };
	struct regex_fault f;

	*ret = regex_new(a->pattern, &o, c->mem, &f);
	if (*ret)
		return ERR_OK;
	return fail(c->fault, ERR_BAD_PATTERN, .number = (int64_t)f.at,
		    .text = f.text);
}

static enum err grep_search(struct call *c, struct find *find,
			    const struct regex *r)
{
	const struct grep_args *a = c->args;
	struct grep_want want = {
		.search = search_want_of(a, r),
		.offset = (uint64_t)a->offset,
		.limit = (uint64_t)a->head_limit,
		.chars = c->options->find.chars ? c->options->find.chars
						: GREP_CHARS,
	};
	auto_grep_out out = { 0 };
	enum err e;

	if (a->type.len) {
		e = file_type_named(a->type, c->mem, &want.type, c->fault);
		if (e)
			return e;
	}
	e = grep_run(find, &want, &out);
	if (e)
		return e;
	grep_page(find, &want, &out, c->out);
	return ERR_OK;
}

static void regex_drop(struct regex **r)
{
	regex_free(*r);
}

static enum err grep_tool_run(struct call *c)
{
	const struct grep_args *a = c->args;
	struct find_globs globs;
	struct find_want want = {
		.path = a->path,
		.kinds = FIND_KIND(TREE_FILE),
		.opens = true,
	};
	cleanup(regex_drop) struct regex *r = NULL;
	auto_find find = { 0 };
	enum err e;

	if (c->progress.byte_limit)
		return ERR_LATER;
	e = compile(c, &r);
	if (!e && a->glob.len) {
		e = find_globs_parse(a->glob, /* split= */ true, c->mem, &globs,
				     c->fault);
		want.globs = &globs;
	}
	if (!e)
		e = find_begin(&find, c, &want);
	if (!e)
		e = grep_search(c, &find, r);
	return e;
}

static const char *const modes[] = { "content", "files_with_matches", "count",
				     NULL };
static const char *const pattern_aliases[] = { "regex", NULL };
static const char *const path_aliases[] = { "dir_path", NULL };
static const char *const glob_aliases[] = { "include", "include_pattern",
					    NULL };
static const char *const before_aliases[] = { "before", NULL };
static const char *const after_aliases[] = { "after", NULL };

#define GREP_ARG(member) .offset = offsetof(struct grep_args, member)

static const struct field fields[] = {
	{ "pattern", FIELD_STR, .required = true, GREP_ARG(pattern),
	  .aliases = pattern_aliases,
	  .doc = "The regular expression to search for in file contents" },
	{ "path", FIELD_STR, GREP_ARG(path), .aliases = path_aliases,
	  .doc = "File or directory to search in (default: all roots)" },
	{ "glob", FIELD_STR, GREP_ARG(glob), .aliases = glob_aliases,
	  .doc = "Files to search, such as \"*.js\" or \"*.{ts,tsx}\"; \"!\" excludes" },
	{ "type", FIELD_STR, GREP_ARG(type),
	  .doc = "File type as in rg --type: js, py, rust, go, java ..." },
	{ "output_mode", FIELD_STR, GREP_ARG(mode), .choices = modes,
	  .standard = "\"files_with_matches\"",
	  .doc = "Matching lines, paths of matching files, or matches per file" },
	{ "-A", FIELD_INT, GREP_ARG(after), .absent = 0, .min = 0,
	  .below = ERR_BAD_ARGS, .aliases = after_aliases,
	  .doc = "Lines to show after each match (content)" },
	{ "-B", FIELD_INT, GREP_ARG(before), .absent = 0, .min = 0,
	  .below = ERR_BAD_ARGS, .aliases = before_aliases,
	  .doc = "Lines to show before each match (content)" },
	{ "-C", FIELD_INT, GREP_ARG(around), .absent = NOT_GIVEN, .min = 0,
	  .below = ERR_BAD_ARGS,
	  .doc = "Lines to show before and after each match (content)" },
	{ "context", FIELD_INT, GREP_ARG(context), .absent = NOT_GIVEN,
	  .min = 0, .below = ERR_BAD_ARGS, .doc = "The same as -C" },
	{ "-n", FIELD_BOOL, GREP_ARG(numbers), .standard = "true",
	  .absent = true, .doc = "Show line numbers (content)" },
	{ "-i", FIELD_BOOL, GREP_ARG(caseless), .standard = "false",
	  .doc = "Ignore case" },
	{ "-o", FIELD_BOOL, GREP_ARG(only), .standard = "false",
	  .doc = "Show only the parts of a line that match (content)" },
	{ "multiline", FIELD_BOOL, GREP_ARG(multiline), .standard = "false",
	  .doc = "Matches may span lines, and . also matches newlines" },
	{ "head_limit", FIELD_INT, GREP_ARG(head_limit), .absent = HEAD_LIMIT,
	  .min = 0, .below = ERR_BAD_ARGS,
	  .doc = "Show only the first N lines, files or entries (default 250, 0 = all)" },
	{ "offset", FIELD_INT, GREP_ARG(offset), .absent = 0, .min = 0,
	  .below = ERR_BAD_ARGS,
	  .doc = "Skip the first N lines, files or entries" },
	FIELDS_END,
};

#define GREP_MEMBER(member) .offset = offsetof(struct grep_result, member)

static const struct field out_fields[] = {
	{ "mode", FIELD_STR, .required = true, GREP_MEMBER(mode),
	  .doc = "The output_mode" },
	{ "numFiles", FIELD_INT, .required = true, GREP_MEMBER(num_files),
	  .doc = "Number of filenames; in content mode, of files with matches" },
	{ "filenames", FIELD_TEXTS, .required = true, GREP_MEMBER(filenames),
	  .doc = "Files with matches, newest first (files_with_matches)" },
	{ "content", FIELD_STR, GREP_MEMBER(content),
	  .doc = "The matching lines, or the counts" },
	{ "numLines", FIELD_INT, GREP_MEMBER(num_lines),
	  .doc = "Number of lines in content" },
	{ "numMatches", FIELD_INT, GREP_MEMBER(num_matches),
	  .doc = "Total number of matches (count)" },
	{ "totalFiles", FIELD_INT, GREP_MEMBER(total_files),
	  .doc = "Total number of files with matches" },
	{ "totalLines", FIELD_INT, GREP_MEMBER(total_lines),
	  .doc = "Total number of lines, if the search was complete" },
	{ "appliedLimit", FIELD_INT, GREP_MEMBER(applied_limit),
	  .doc = "The limit, if it cut off results" },
	{ "appliedOffset", FIELD_INT, GREP_MEMBER(applied_offset),
	  .doc = "The offset, if it is not 0" },
	{ "timedOut", FIELD_BOOL, GREP_MEMBER(timed_out),
	  .doc = "The time limit was reached before all files were searched" },
	{ "_meta", FIELD_OBJECT, .required = true, GREP_MEMBER(meta),
	  .doc = "What was skipped, and where relative names start",
	  .fields = find_meta_fields },
	FIELDS_END,
};

static const char *const constraints[] = {
	"Patterns are PCRE2 regular expressions; Rust syntax that differs is translated, or refused with what to write instead",
	"Without multiline, a match cannot span lines, and a pattern that contains a newline is refused",
	"Files excluded by .gitignore and other ignore files are not searched, unless path or glob names them; a second text counts them (docs/search.md)",
	"Binary files are skipped and counted; for a binary file that path names, content shows only the number of matches",
	"files_with_matches is sorted by modification time, newest first; content and count by path",
	"Of a line longer than 500 characters, the part around the first match is shown",
	"A search is limited to 20 seconds and its text to 20,000 characters; the second text says so, and gives the offset of the next page",
	NULL,
};

static const struct tool_example examples[] = {
	{ "Files that contain a word",
	  "{\"pattern\":\"TODO\",\"path\":\"/project\"}",
	  "{\"mode\":\"files_with_matches\",\"numFiles\":1,\"filenames\":[\"src/main.c\"],\"totalFiles\":1,\"_meta\":{\"skipped\":{},\"root\":\"/project\",\"source\":\"disk\"}}" },
	{ "Lines with context",
	  "{\"pattern\":\"^int main\",\"output_mode\":\"content\",\"-C\":1}",
	  "{\"mode\":\"content\",\"numFiles\":1,\"filenames\":[],\"content\":\"src/main.c-2-\\nsrc/main.c:3:int main(void)\\nsrc/main.c-4-{\",\"numLines\":3,\"totalLines\":3,\"_meta\":{\"skipped\":{},\"root\":\"/project\",\"source\":\"disk\"}}" },
	{ NULL },
};

const struct tool tool_Grep = {
	.name = "Grep",
	.title = "Grep",
	.doc = "Search file contents with a regular expression (PCRE2). Ignored and binary files are left out and counted; what path names is always searched.",
	.families = { "find" },
	.kind = "search",
	.fields = fields,
	.out = out_fields,
	.args_size = sizeof(struct grep_args),
	.out_size = sizeof(struct grep_result),
	.effects = TOOL_READS,
	.run = grep_tool_run,
	.text_result = true,
	.fails_as_result = true,
	.casts_strings = true,
	.searches = true,
	.constraints = constraints,
	.examples = examples,
};
