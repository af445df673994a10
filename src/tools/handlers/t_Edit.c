/*
 * t_Edit.c - the tool Edit: replaces a string in a file that the caller has
 * read, once or wherever it occurs.
 *
 * A string that is not there exactly is searched once more without regard to
 * trailing blanks, indentation or quotes; the result says so.
 */
#include "text/edit/edit_all.h"
#include "text/lines/eol.h"
#include "text/lines/lines.h"
#include "text/match/lenient.h"
#include "tools/handlers/editing.h"
#include "tools/handlers/failed_match.h"
#include "tools/handlers/rewriting.h"
#include "tools/handlers/snippet.h"

enum { AROUND = 4 };

struct edit_args {
	struct str path, old_string, new_string;
	bool replace_all;
};

struct edit_out {
	struct str path, old_string, new_string;
	struct item_list patch;
	bool replace_all;
	struct file_meta meta;
};

/* The result of the edit. */
struct edit_outcome {
	struct edit_done done;
	size_t places;
	enum lenient_rule rule; /* LENIENT_NONE = exact match */
};

static struct str edit_text(struct call *c, const struct edit_outcome *o)
{
	const struct edit_args *a = c->args;
	size_t line = o->done.ranges[0].start, last;
	auto_buf out = BUF_INIT;

	/* The first place: no line before it has moved. */
	last = line + size_max(lines_count(a->new_string), 1) - 1 + AROUND;
	buf_lit(&out, "The file ");
	buf_add(&out, a->path);
	buf_lit(&out,
		" has been updated. Here's the result of running `cat -n` on a snippet of the edited file:\n");
	buf_add(&out,
		snippet_of_lines(c, o->done.text,
				 line > AROUND ? line - AROUND : 1, last));
	if (o->rule)
		buf_addf(
			&out,
			"\n[old_string matched except for its %s: check that the result is what you intended]",
			lenient_rule_name(o->rule));
	if (o->places > 1)
		buf_addf(&out, "\n[replaced in %zu places; this is the first]",
			 o->places);
	return arena_copy(c->mem, buf_str(&out));
}

static void edit_report(struct call *c, struct str before, struct str after,
			const struct textfile *file,
			const struct changed *changed)
{
	const struct edit_args *a = c->args;
	struct edit_out *out = c->out;
	bool cut;

	out->path = a->path;
	out->replace_all = a->replace_all;
	file_meta_fill(c, changed->stored.version, file->in,
		       file->shown.undecodable_count, changed->stored.source,
		       &out->meta);
	file_meta_changed(changed, &out->meta);
	out->old_string = snippet_fit(c, a->old_string, &out->meta.content_cut);
	out->new_string = snippet_fit(c, a->new_string, &cut);
	out->meta.content_cut = out->meta.content_cut || cut;
	out->patch = snippet_patch(c, before, after,
				   json_escaped_len(out->old_string) +
					   json_escaped_len(out->new_string),
				   &out->meta.diff_cut);
}

/* An empty old_string creates a file. */
static enum err edit_create(struct call *c)
{
	const struct edit_args *a = c->args;
	struct changed changed;
	struct rewrite t;
	struct str text = a->new_string;
	enum err e;

	e = rewrite_load(c, a->path, &t);
	if (!e && t.exists)
		e = fail(
			c->fault, ERR_EMPTY_OLD, .path = a->path,
			.hint = STR(
				"The file is already there: give the text to replace, or use Write"));
	if (e)
		return e;
	if (c->options->new_crlf)
		text = eol_to_crlf(text, c->mem);
	e = rewrite_encode(c, a->path, &t, text);
	if (!e)
		e = change_file(c,
				&(struct change){ .path = a->path,
						  .key = t.file.snap.key,
						  .after = t.bytes,
						  .encoding =
							  t.file.in.encoding,
						  .parents = true,
						  .whole = true },
				&changed);
	if (e)
		return e;
	edit_report(c, STR(""), t.text, &t.file, &changed);
	c->line = 1;
	c->say = arena_printf(c->mem, "File created successfully at: " STR_FMT,
			      STR_ARG(a->path));
	return ERR_OK;
}

/* No exact match: accept a single approximate one. */
static bool apply_loosely(struct call *c, struct str text,
			  struct edit_outcome *ret)
{
	const struct edit_args *a = c->args;
	struct edit_done *done = &ret->done;
	struct splice *s = arena_new(c->mem, struct splice);
	struct lenient_match lenient;

	if (a->replace_all ||
	    !lenient_find(text, a->old_string, a->new_string, c->mem, &lenient))
		return false;
	*s = lenient.splice;
	*done = (struct edit_done){ .splices = s, .splice_count = 1 };
	done->text = edit_splice(text, s, 1, c->mem);
	done->ranges = arena_new(c->mem, struct edit_range);
	done->ranges->start = lines_at(text, s->from);
	done->ranges->end = lines_at(text, s->to);
	done->ranges->anchor = s->from;
	ret->rule = lenient.rule;
	return true;
}

static enum err edit_apply_one(struct call *c, struct str text,
			       struct edit_outcome *ret)
{
	const struct edit_args *a = c->args;
	struct edit edit = { a->old_string, a->new_string };
	enum err e;

	*ret = (struct edit_outcome){ .places = 1 };
	if (a->replace_all)
		e = edit_apply_all(text, &edit, c->options->max_file, c->mem,
				   &ret->done, &ret->places, c->fault);
	else
		e = edit_apply(text, &edit, 1, c->mem, &ret->done, c->fault);
	if (!e || e == ERR_TOO_LARGE || e == ERR_NO_MEMORY)
		return e;
	if ((e == ERR_NO_MATCH || e == ERR_NO_MATCH_AT) &&
	    apply_loosely(c, text, ret))
		return ERR_OK;
	failed_match_explain(text, c->mem, c->fault);
	c->fault->path = a->path;
	c->fault->text = edit_quote(c, c->fault->text);
	return edit_without_index(c->fault, e);
}

static enum err edit_load(struct call *c, struct textfile *ret)
{
	const struct edit_args *a = c->args;
	enum err e = textfile_fetch(c, a->path, &ret->snap);

	if (!e)
		e = textfile_check_ignored(c, a->path, ret->snap.key);
	if (!e)
		e = file_read_check_current(c, a->path, &ret->snap);
	if (e)
		return e;
	if (textfile_show(c, a->path, ret))
		return fail(c->fault, ERR_BINARY_EDIT, .path = a->path);
	return ERR_OK;
}

static enum err edit_existing(struct call *c)
{
	const struct edit_args *a = c->args;
	struct change change = { .path = a->path, .divisible = true };
	struct textfile file = { 0 };
	struct changed changed;
	struct edit_outcome o;
	struct reencode r;
	enum err e;

	e = edit_load(c, &file);
	if (!e)
		e = edit_apply_one(c, file.shown.text, &o);
	if (e)
		return e;
	r = (struct reencode){ .splices = o.done.splices,
			       .n = o.done.splice_count,
			       .text = o.done.text };
	e = textfile_reencode(c, a->path, &file, &r);
	if (e)
		return e;
	change.before = &file.snap;
	change.after = r.after;
	change.encoding = file.in.encoding;
	change.splices = r.byte_splices;
	change.splice_count = r.n;
	e = change_file(c, &change, &changed);
	/* A concurrent change: to the caller the file is stale. */
	if (e == ERR_CHANGED)
		return c->fault->err = ERR_STALE;
	if (e)
		return e;
	o.done.text = textfile_now(c, a->path, &changed, o.done.text);
	if (changed.taken.of) /* c->also lists the hunks */
		o.places = 1;
	edit_report(c, file.shown.text, o.done.text, &file, &changed);
	if (o.done.given)
		((struct edit_out *)c->out)->meta.eol =
			str_of(eol_name(o.done.given));
	if (o.rule)
		((struct edit_out *)c->out)->meta.matched =
			str_of(lenient_rule_name(o.rule));
	c->line = o.done.ranges[0].start;
	c->say = edit_text(c, &o);
	return ERR_OK;
}

static enum err edit_run(struct call *c)
{
	const struct edit_args *a = c->args;
	enum err e = textfile_check_ignored(c, a->path, STR(""));

	if (e)
		return e;
	if (str_eq(a->old_string, a->new_string))
		return fail(c->fault, ERR_SAME_STRINGS, .path = a->path);
	return a->old_string.len ? edit_existing(c) : edit_create(c);
}

static const struct field fields[] = {
	{ "file_path", FIELD_PATH, .required = true,
	  .offset = offsetof(struct edit_args, path),
	  .doc = "The absolute path to the file" },
	{ "old_string", FIELD_STR, .required = true,
	  .offset = offsetof(struct edit_args, old_string),
	  .doc = "The text to replace, exactly as it stands in the file; empty to create a file" },
	{ "new_string", FIELD_STR, .required = true,
	  .offset = offsetof(struct edit_args, new_string),
	  .doc = "The text to put in its place; must differ" },
	{ "replace_all", FIELD_BOOL,
	  .offset = offsetof(struct edit_args, replace_all),
	  .doc = "Replace all occurrences, not only a single one",
	  .standard = "false" },
	FIELDS_END,
};

static const struct field out[] = {
	{ "filePath", FIELD_STR, .required = true,
	  .offset = offsetof(struct edit_out, path),
	  .doc = "The path as it was given" },
	{ "oldString", FIELD_STR, .required = true,
	  .offset = offsetof(struct edit_out, old_string),
	  .doc = "The text that was replaced, as it was given" },
	{ "newString", FIELD_STR, .required = true,
	  .offset = offsetof(struct edit_out, new_string),
	  .doc = "The text in its place, as it was given" },
	SNIPPET_PATCH(edit_out),
	{ "replaceAll", FIELD_BOOL, .required = true,
	  .offset = offsetof(struct edit_out, replace_all),
	  .doc = "Whether all occurrences were replaced" },
	FILE_META(edit_out),
	FIELDS_END,
};

static const char *const constraints[] = {
	"The file must have been read by the same caller, and must not have changed since (errorCode 2 and 3 as in Write); if_version replaces that",
	"old_string must occur exactly once, unless replace_all is given: byte for byte or, failing that, with LF and CRLF as equal",
	"Failing that, lenient matching: in exactly one place except for trailing blanks, one shift of the indentation, or typographic quotes; _meta.matched says which",
	"If a string does not occur, or several times, the error has data.candidates: possible places, and how they differ",
	"Inserted text takes the line endings of its surroundings; CRLF in an exact match is kept",
	"Bytes outside the replaced strings do not change",
	"An empty old_string creates a file that does not exist, directories included",
	"Atomic: at every instant the file is the old one or the new one",
	NULL,
};

static const struct tool_example examples[] = {
	{ "Change one value",
	  "{\"file_path\":\"/project/config.toml\",\"old_string\":\"port = 8080\",\"new_string\":\"port = 3000\"}",
	  "{\"filePath\":\"/project/config.toml\",\"oldString\":\"port = 8080\",\"newString\":\"port = 3000\",\"structuredPatch\":[{\"oldStart\":1,\"oldLines\":1,\"newStart\":1,\"newLines\":1,\"lines\":[\"-port = 8080\",\"+port = 3000\"]}],\"replaceAll\":false}" },
	{ NULL },
};

const struct tool tool_Edit = {
	.name = "Edit",
	.title = "Edit",
	.doc = "Replace text in a file.\n"
	       "\n"
	       "Usage:\n"
	       "- Read the file first; this tool fails if you have not, or if somebody changed it since.\n"
	       "- Copy old_string from the file as it stands, indentation included, and without the line numbers that Read puts in front.\n"
	       "- old_string must be in the file exactly once: add lines around it until it is. With replace_all it is replaced wherever it is.\n"
	       "- new_string must differ from old_string. An empty new_string deletes.\n"
	       "- An empty old_string creates a new file with new_string in it.",
	.families = { "claude" },
	.kind = "edit",
	.category = "EDIT",
	.fields = fields,
	.out = out,
	.args_size = sizeof(struct edit_args),
	.out_size = sizeof(struct edit_out),
	.effects = TOOL_EDITS,
	.light = true,
	.run = edit_run,
	.text_result = true,
	.error_codes = true,
	.fails_as_result = true,
	.constraints = constraints,
	.examples = examples,
};
