/*
 * t_Write.c - the tool Write: the whole content of a file, which the caller
 * must have read if it exists.
 */
#include "text/lines/eol.h"
#include "text/lines/lines.h"
#include "tools/handlers/rewriting.h"
#include "tools/handlers/snippet.h"

struct write_out {
	struct str type, path, content;
	struct item_list patch;
	struct file_meta meta;
};

/* First phase: may the file be written? */
static enum err write_validate(struct call *c, struct str path,
			       struct rewrite *ret)
{
	enum err e = rewrite_load_unignored(c, path, ret);

	if (e || ret->no_file)
		return e;
	if (ret->exists)
		return file_read_check_current(c, path, &ret->file.snap);
	c->seen = (struct seen_file){ .path = path };
	if (c->guard.if_version.len) /* the file of that version was deleted */
		return fail(c->fault, ERR_STALE, .path = path);
	return ERR_OK;
}

/*
 * As the contract has it: CRLF for all lines of a file that has one at all,
 * LF for all of any other.
 */
static struct str with_endings(struct call *c, const struct rewrite *t,
			       struct str content)
{
	bool crlf = c->options->new_crlf;

	if (t->exists)
		crlf = eol_crlfs(t->file.shown.text) > 0;
	return crlf ? eol_to_crlf(content, c->mem) : eol_to_lf(content, c->mem);
}

static struct str write_text(struct call *c, const struct rewrite_args *a,
			     struct str text, bool created)
{
	auto_buf out = BUF_INIT;

	if (created) {
		buf_lit(&out, "File created successfully at: ");
		buf_add(&out, a->path);
		return arena_copy(c->mem, buf_str(&out));
	}
	buf_lit(&out, "The file ");
	buf_add(&out, a->path);
	buf_lit(&out,
		" has been updated. Here's the result of running `cat -n` on a snippet of the edited file:\n");
	buf_add(&out, snippet_of_lines(c, text, 1, SIZE_MAX));
	return arena_copy(c->mem, buf_str(&out));
}

static void write_report(struct call *c, const struct rewrite_args *a,
			 const struct rewrite *t, const struct changed *changed)
{
	struct write_out *out = c->out;
	bool created = !t->exists;

	out->type = created ? STR("create") : STR("update");
	out->path = a->path;
	rewrite_meta_fill(c, t, changed, &out->meta);
	if (!str_eq(a->content, t->text))
		out->meta.eol = str_of(eol_name(eol_of(t->text)));
	out->content = snippet_fit(c, a->content, &out->meta.content_cut);
	if (!created)
		out->patch = snippet_patch(c, t->file.shown.text,
					   textfile_now(c, a->path, changed,
							t->text),
					   json_escaped_len(out->content),
					   &out->meta.diff_cut);
	c->line = 1;
	c->say = write_text(c, a, textfile_now(c, a->path, changed, a->content),
			    created);
}

static enum err write_run(struct call *c)
{
	const struct rewrite_args *a = c->args;
	struct changed changed;
	struct rewrite t;
	enum err e;

	e = write_validate(c, a->path, &t);
	if (!e)
		e = rewrite_encode(c, a->path, &t,
				   with_endings(c, &t, a->content));
	if (e)
		return e;
	e = rewrite_store(c, a->path, &t, /* parents= */ true, &changed);
	/* Second phase of the validation: changed since the first one. */
	if (e == ERR_CHANGED)
		return fail(c->fault, ERR_SURPRISED, .path = a->path);
	if (e)
		return e;
	write_report(c, a, &t, &changed);
	return ERR_OK;
}

static const struct field fields[] = {
	{ "file_path", FIELD_PATH, .required = true,
	  .offset = offsetof(struct rewrite_args, path),
	  .doc = "The absolute path to the file to write (must be absolute, not relative)" },
	{ "content", FIELD_STR, .required = true,
	  .offset = offsetof(struct rewrite_args, content),
	  .doc = "The content to write to the file" },
	FIELDS_END,
};

static const struct field out[] = {
	{ "type", FIELD_STR, .required = true,
	  .offset = offsetof(struct write_out, type),
	  .doc = "create, or update if the file existed" },
	{ "filePath", FIELD_STR, .required = true,
	  .offset = offsetof(struct write_out, path),
	  .doc = "The path as it was given" },
	{ "content", FIELD_STR, .required = true,
	  .offset = offsetof(struct write_out, content),
	  .doc = "The content as it was given" },
	SNIPPET_PATCH(write_out),
	FILE_META(write_out),
	FIELDS_END,
};

static const char *const constraints[] = {
	"An existing file must have been read by the same caller, and its content must not have changed since (mtime does not matter)",
	"if_version replaces the need to read first",
	"errorCode 1 ignored, 2 not read yet, 3 modified since read; a file that changes during the call is left unchanged, without a code",
	"Only beneath the roots; missing directories are created",
	"A file that contains a CRLF gets CRLF for all its lines, any other LF",
	"Keeps a byte order mark and the encoding of the file",
	"Keeps mode, owner, ACL, extended attributes, symbolic and hard links",
	"Atomic: at every instant the file is the old one or the new one",
	NULL,
};

static const struct tool_example examples[] = {
	{ "Create a file",
	  "{\"file_path\":\"/project/src/newfile.ts\",\"content\":\"export const greeting = 'Hello, World!';\\n\"}",
	  "{\"type\":\"create\",\"filePath\":\"/project/src/newfile.ts\",\"content\":\"export const greeting = 'Hello, World!';\\n\",\"structuredPatch\":[]}" },
	{ "Replace a file that was read before",
	  "{\"file_path\":\"/project/src/index.ts\",\"content\":\"console.log(1);\\n\"}",
	  "{\"type\":\"update\",\"filePath\":\"/project/src/index.ts\",\"content\":\"console.log(1);\\n\",\"structuredPatch\":[{\"oldStart\":1,\"oldLines\":1,\"newStart\":1,\"newLines\":1,\"lines\":[\"-let greeting;\",\"+console.log(1);\"]}]}" },
	{ NULL },
};

const struct tool tool_Write = {
	.name = "Write",
	.title = "Write",
	.doc = "Write a file to the local filesystem.\n"
	       "\n"
	       "Writes a file to the local filesystem.\n"
	       "\n"
	       "Usage:\n"
	       "- This tool will overwrite the existing file if there is one at the provided path.\n"
	       "- If this is an existing file, you MUST use the Read tool first to read the file's contents. This tool will fail if you did not read the file first.\n"
	       "- ALWAYS prefer editing existing files in the codebase. NEVER write new files unless explicitly required.\n"
	       "- NEVER proactively create documentation files (*.md) or README files. Only create documentation files if explicitly requested by the User.\n"
	       "- Only use emojis if the user explicitly requests it. Avoid writing emojis to files unless asked.",
	.families = { "claude" },
	.kind = "edit",
	.category = "EDIT",
	.fields = fields,
	.out = out,
	.args_size = sizeof(struct rewrite_args),
	.out_size = sizeof(struct write_out),
	.effects = TOOL_WRITES,
	.light = true,
	.run = write_run,
	.text_result = true,
	.error_codes = true,
	.no_retry = true,
	.constraints = constraints,
	.examples = examples,
};
