/* Write - a whole file, by those who have read it. */

#include "text/eol.h"
#include "text/lines.h"
#include "tools/rewriting.h"
#include "tools/shown_lines.h"

struct write_args {
	struct str path, content;
};

struct write_out {
	struct str type, path, content;
	struct list patch;
	struct file_meta meta;
};

static enum err check_ignored(struct call *c, struct str path, struct str key)
{
	if (change_is_ignored(c, path, key))
		return fail(c->fault, ERR_IGNORED, .path = path);
	return ERR_OK;
}

/* Whether it may be written, before anything is done. */
static enum err validate(struct call *c, struct str path, struct rewrite *ret)
{
	enum err e = check_ignored(c, path, STR(""));

	if (!e)
		e = rewrite_load(c, path, ret);
	if (!e && ret->file.snap.key.len)
		e = check_ignored(c, path, ret->file.snap.key);
	if (e || ret->no_file)
		return e;
	if (ret->exists)
		return change_check_read(c, path, &ret->file.snap);
	c->seen = (struct seen){ .path = path };
	if (c->guard.if_version.len) /* there was one, and it is gone */
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

static struct str say(struct call *c, const struct write_args *a,
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
	buf_add(&out, shown_snippet(c, text, 1, SIZE_MAX));
	return arena_copy(c->mem, buf_str(&out));
}

static void tell(struct call *c, const struct write_args *a,
		 const struct rewrite *t, const struct changed *changed)
{
	struct write_out *out = c->out;
	bool created = !t->exists;

	out->type = created ? STR("create") : STR("update");
	out->path = a->path;
	file_meta_fill(c, changed->stored.version, t->file.in,
		       t->file.shown.stray_count, changed->stored.source,
		       &out->meta);
	file_meta_changed(changed, &out->meta);
	if (!str_eq(a->content, t->text))
		out->meta.eol = str_of(eol_name(eol_of(t->text)));
	out->content = shown_fit(c, a->content, &out->meta.content_cut);
	if (!created)
		out->patch =
			shown_patch(c, t->file.shown.text,
				    textfile_now(c, a->path, changed, t->text),
				    json_escaped_len(out->content),
				    &out->meta.diff_cut);
	c->line = 1;
	c->say = say(c, a, textfile_now(c, a->path, changed, a->content),
		     created);
}

static enum err write_run(struct call *c)
{
	const struct write_args *a = c->args;
	struct change change = { .path = a->path,
				 .parents = true,
				 .whole = true,
				 .divisible = true };
	struct changed changed;
	struct rewrite t;
	enum err e;

	e = validate(c, a->path, &t);
	if (!e)
		e = rewrite_spell(c, a->path, &t,
				  with_endings(c, &t, a->content));
	if (e)
		return e;
	change.before = t.exists ? &t.file.snap : NULL;
	change.key = t.file.snap.key;
	change.after = t.bytes;
	change.encoding = t.file.in.encoding;
	e = change_file(c, &change, &changed);
	/* It was fine a moment ago: the second phase of the validation. */
	if (e == ERR_CHANGED)
		return fail(c->fault, ERR_SURPRISED, .path = a->path);
	if (e)
		return e;
	tell(c, a, &t, &changed);
	return ERR_OK;
}

static const struct field fields[] = {
	{ "file_path", FIELD_PATH, .required = true,
	  .offset = offsetof(struct write_args, path),
	  .doc = "The absolute path to the file to write (must be absolute, not relative)" },
	{ "content", FIELD_STR, .required = true,
	  .offset = offsetof(struct write_args, content),
	  .doc = "The content to write to the file" },
	FIELDS_END,
};

static const struct field out[] = {
	{ "type", FIELD_STR, .required = true,
	  .offset = offsetof(struct write_out, type),
	  .doc = "create or update: whether the file was there" },
	{ "filePath", FIELD_STR, .required = true,
	  .offset = offsetof(struct write_out, path),
	  .doc = "The path as it was given" },
	{ "content", FIELD_STR, .required = true,
	  .offset = offsetof(struct write_out, content),
	  .doc = "The content as it was given" },
	SHOWN_PATCH(write_out),
	FILE_META(write_out),
	FIELDS_END,
};

static const char *const constraints[] = {
	"A file that exists must have been read by the same caller, and must not have changed since: by its content, not by its time",
	"if_version stands for having read it",
	"errorCode 1 ignored, 2 not read yet, 3 modified since read; a file that changes while it is written is left alone, without a code",
	"Only beneath the roots; directories that are missing are made",
	"A file with a CRLF in it gets CRLF for all its lines, any other LF",
	"Keeps a byte order mark and the encoding of the file",
	"Keeps mode, owner, ACL, extended attributes, symbolic and hard links",
	"One step: at every instant the file is the old one or the new one",
	NULL,
};

static const struct tool_example examples[] = {
	{ "Create a file",
	  "{\"file_path\":\"/project/src/newfile.ts\",\"content\":\"export const greeting = 'Hello, World!';\\n\"}",
	  "{\"type\":\"create\",\"filePath\":\"/project/src/newfile.ts\",\"content\":\"export const greeting = 'Hello, World!';\\n\",\"structuredPatch\":[]}" },
	{ "Replace one that was read before",
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
	.family = "claude",
	.kind = "edit",
	.category = "EDIT",
	.fields = fields,
	.out = out,
	.args_size = sizeof(struct write_args),
	.out_size = sizeof(struct write_out),
	.effects = TOOL_WRITES,
	.light = true,
	.run = write_run,
	.speaks = true,
	.coded = true,
	.once = true,
	.constraints = constraints,
	.examples = examples,
};
