/*
 * t_edit_file.c - the tool edit_file: replacements one after the other, with
 * the diff that the reference server returns.
 */
#include "text/diff/jsdiff.h"
#include "text/lines/eol.h"
#include "tools/call/result.h"
#include "tools/find/find.h"
#include "tools/handlers/editing.h"

struct edit_file_args {
	struct str path;
	struct item_list edits; /* of struct edit */
	bool dry_run;
};

struct edit_file_out {
	struct str content;
	struct file_meta meta;
};

/* As many whole lines of the diff as one reply can carry. */
static struct str fit_lines(struct call *c, struct str diff, bool *cut)
{
	uint64_t room = result_room(c) / 2;

	while (result_cost(c->options->results, diff) > room) {
		diff = str_head(diff, diff.len / 2);
		diff = str_head(diff, str_rfind(diff, '\n') + 1);
		*cut = true;
	}
	return diff;
}

/* More backticks than there are in a row anywhere in @text, and at least 3. */
static size_t fence_for(struct str text)
{
	size_t most = 2, row = 0;

	for (size_t i = 0; i < text.len; i++) {
		row = text.ptr[i] == '`' ? row + 1 : 0;
		most = row > most ? row : most;
	}
	return most + 1;
}

/* Diff and text with LF, as the reference server has them. */
static void edit_file_say(struct call *c, const struct edited *edited,
			  bool *ret_cut)
{
	auto_buf diff = BUF_INIT, said = BUF_INIT;
	size_t fence;

	jsdiff_print(edited->file.snap.key,
		     eol_to_lf(edited->file.shown.text, c->mem),
		     eol_to_lf(edited->text, c->mem), c->mem, &diff);
	c->diff = arena_copy(c->mem, fit_lines(c, buf_str(&diff), ret_cut));
	fence = fence_for(c->diff);
	for (size_t i = 0; i < fence; i++)
		buf_addc(&said, '`');
	buf_lit(&said, "diff\n");
	buf_add(&said, c->diff);
	for (size_t i = 0; i < fence; i++)
		buf_addc(&said, '`');
	buf_lit(&said, "\n\n");
	c->say = arena_copy(c->mem, buf_str(&said));
}

/* A second text about what is not as the caller may think. */
static void edit_file_note(struct call *c, const struct edited *edited)
{
	auto_buf note = BUF_INIT;

	buf_add(&note, c->also);
	if (edited->rule)
		buf_addf(
			&note,
			"%sA string matched except for its %s: check that the result is what you intended.",
			note.len ? "\n" : "", lenient_rule_name(edited->rule));
	if (edited->meta.diff_cut)
		buf_addf(
			&note,
			"%sThe diff was too long for one reply and ends early.",
			note.len ? "\n" : "");
	c->also = arena_copy(c->mem, buf_str(&note));
}

static enum err edit_file_run(struct call *c)
{
	const struct edit_file_args *a = c->args;
	struct edit_file_out *out = c->out;
	struct edit_want want = { .edits = a->edits.items,
				  .n = a->edits.count,
				  .lenient = true,
				  .obeys_ignore = true,
				  .dry_run = a->dry_run };
	struct edited edited;
	enum err e;

	c->also = STR("");
	e = find_absolute(c, a->path, &want.path);
	if (!e)
		e = edit_make(c, &want, &edited);
	if (e)
		return e;
	edit_file_say(c, &edited, &edited.meta.diff_cut);
	edit_file_note(c, &edited);
	if (a->dry_run)
		c->diff = STR("");
	out->content = c->say;
	out->meta = edited.meta;
	return ERR_OK;
}

static const char *const path_names[] = { "file_path", NULL };
static const char *const old_names[] = { "old_text", "old_string", NULL };
static const char *const new_names[] = { "new_text", "new_string", NULL };

static const struct field edit_fields[] = {
	{ "oldText", FIELD_STR, .required = true,
	  .offset = offsetof(struct edit, old),
	  .doc = "Text to replace, which must occur exactly once",
	  .aliases = old_names },
	{ "newText", FIELD_STR, .required = true,
	  .offset = offsetof(struct edit, with), .doc = "Text in its place",
	  .aliases = new_names },
	FIELDS_END,
};

static const struct field fields[] = {
	{ "path", FIELD_STR, .required = true,
	  .offset = offsetof(struct edit_file_args, path),
	  .doc = "File to edit", .aliases = path_names },
	{ "edits", FIELD_LIST, .required = true,
	  .offset = offsetof(struct edit_file_args, edits),
	  .doc = "Replacements, each in the result of those before",
	  .fields = edit_fields, .size = sizeof(struct edit) },
	{ "dryRun", FIELD_BOOL,
	  .offset = offsetof(struct edit_file_args, dry_run),
	  .doc = "Only return the diff", .standard = "false" },
	FIELDS_END,
};

static const struct field out[] = {
	{ "content", FIELD_STR, .required = true,
	  .offset = offsetof(struct edit_file_out, content),
	  .doc = "The diff, as a block of code" },
	FILE_META(edit_file_out),
	FIELDS_END,
};

static const char *const constraints[] = {
	"All edits are applied, or none",
	"Each oldText must occur exactly once: byte for byte or, failing that, with LF and CRLF as equal",
	"Failing that, lenient matching: in exactly one place except for trailing blanks, one shift of the indentation, or typographic quotes; a second text says which",
	"If a string does not occur, or several times, the error has data.candidates: possible places, and how they differ",
	"Bytes outside the replaced strings do not change: line endings, encoding, byte order mark and mode stay",
	"dryRun: nothing is written, nobody is asked, and no operation is recorded",
	"Atomic: at every instant the file is the old one or the new one",
	NULL,
};

static const struct tool_example examples[] = {
	{ "Change one value",
	  "{\"path\":\"port.txt\",\"edits\":[{\"oldText\":\"8080\",\"newText\":\"3000\"}]}",
	  "{\"content\":\"```diff\\nIndex: /project/port.txt\\n===================================================================\\n--- /project/port.txt\\toriginal\\n+++ /project/port.txt\\tmodified\\n@@ -1,1 +1,1 @@\\n-8080\\n+3000\\n```\\n\\n\"}" },
	{ NULL },
};

const struct tool tool_edit_file = {
	.name = "edit_file",
	.title = "Edit File",
	.doc = "Replace strings in a text file, each of which must occur exactly once, and return the diff.",
	.families = { "filesystem" },
	.kind = "edit",
	.fields = fields,
	.out = out,
	.args_size = sizeof(struct edit_file_args),
	.out_size = sizeof(struct edit_file_out),
	.effects = TOOL_EDITS,
	.light = true,
	.run = edit_file_run,
	.text_result = true,
	.error_codes = true,
	.fails_as_result = true,
	.constraints = constraints,
	.examples = examples,
};
