/*
 * t_append_file.c - the tool append_file: adds text at the end of a file.
 *
 * One write at the end, under the lock of the directory, so that nothing that
 * others append at the same time is lost. The text is encoded as the file is.
 */
#include "text/lines/lines.h"
#include "tools/find/find.h"
#include "tools/handlers/rewriting.h"

struct append_meta {
	struct file_meta file;
	bool repaired;
	int64_t at;
};

struct append_out {
	struct str content;
	struct append_meta meta;
};

static enum err append_load(struct call *c, struct str path, struct rewrite *t)
{
	enum err e = rewrite_load_unignored(c, path, t);

	if (e || t->no_file)
		return e;
	if (t->exists && t->binary)
		return fail(c->fault, ERR_BINARY_EDIT, .path = path);
	return textfile_guard(c, path, &t->file.snap);
}

/*
 * The bytes to append, in *ret. False in *ret_alone: the end of the file has to
 * be changed for that, and t->bytes is the whole new content.
 */
static enum err append_spell(struct call *c, struct str path, struct rewrite *t,
			     struct str content, struct str *ret,
			     bool *ret_alone)
{
	struct textfile *file = &t->file;
	size_t len = file->shown.text.len;
	const struct splice end = { len, len, content };
	struct reencode r = { .splices = &end, .n = 1 };
	enum err e;

	r.text = edit_splice(file->shown.text, &end, 1, c->mem);
	e = textfile_reencode(c, path, file, &r);
	if (e)
		return e;
	t->bytes = r.after;
	*ret = r.byte_splices->with;
	*ret_alone = r.byte_splices->from == file->snap.bytes.len;
	return ERR_OK;
}

/* What ends a line of the file, encoded. */
static struct str encoded_eol(struct call *c, const struct rewrite *t,
			      struct str eol)
{
	struct str bytes;
	size_t bad;

	if (encoding_encode(t->file.in.encoding, eol, c->mem, &bytes, &bad))
		return eol;
	return bytes;
}

static enum err append_end(struct call *c, struct str path,
			   const struct rewrite *t, struct str bytes,
			   struct appended *ret, struct changed *changed)
{
	bool crlf = eol_of(t->file.shown.text) == EOL_CRLF;
	struct str eol = crlf ? STR("\r\n") : STR("\n");
	struct addition addition = {
		.path = path,
		.want = { .bytes = bytes },
		.summary = arena_printf(c->mem, "append %zu bytes to " STR_FMT,
					bytes.len, STR_ARG(path)),
		.encoding = t->file.in.encoding,
		.before = &t->file.snap,
	};

	if (bytes.len) {
		addition.want.newline = encoded_eol(c, t, STR("\n"));
		addition.want.eol = encoded_eol(c, t, eol);
	}
	if (c->guard.if_version.len)
		addition.want.version = &t->file.snap.version;
	return change_append(c, &addition, ret, changed);
}

/* A file that cannot come about, or grow, by adding bytes alone. */
static enum err append_whole(struct call *c, struct str path,
			     const struct rewrite *t, struct appended *ret,
			     struct changed *changed)
{
	size_t old = t->file.snap.bytes.len;
	enum err e = rewrite_store(c, path, t, /* parents= */ false, changed);

	*ret = (struct appended){ .at = t->exists ? old : 0,
				  .written =
					  t->bytes.len - (t->exists ? old : 0),
				  .created = !t->exists };
	return e;
}

static enum err append_make(struct call *c, struct str path, struct rewrite *t,
			    struct str content, struct appended *ret,
			    struct changed *changed)
{
	struct str bytes = STR("");
	bool alone = true;
	enum err e;

	if (t->exists) {
		e = append_spell(c, path, t, content, &bytes, &alone);
	} else {
		e = rewrite_encode(c, path, t, content);
		bytes = t->bytes;
		alone = !t->file.in.encoding->bom.len;
	}
	if (e)
		return e;
	if (t->no_file || alone)
		return append_end(c, path, t, bytes, ret, changed);
	return append_whole(c, path, t, ret, changed);
}

static void append_report(struct call *c, const struct rewrite *t,
			  const struct appended *appended,
			  const struct changed *changed)
{
	static const struct hash unknown;
	const struct rewrite_args *a = c->args;
	struct append_out *out = c->out;

	rewrite_meta_fill(c, t, changed, &out->meta.file);
	if (hash_eq(changed->stored.version, unknown))
		out->meta.file.version = STR("");
	out->meta.repaired = appended->completed;
	out->meta.at = (int64_t)appended->at;
	out->content =
		arena_printf(c->mem,
			     "Successfully appended %llu bytes to " STR_FMT,
			     (unsigned long long)appended->written,
			     STR_ARG(a->path));
	c->say = out->content;
	if (appended->completed)
		c->also = STR(
			"The last line had no line ending; it was added first.");
	c->line = lines_count(t->file.shown.text) + 1;
	c->diff = a->content;
}

static enum err append_run(struct call *c)
{
	const struct rewrite_args *a = c->args;
	struct appended appended;
	struct changed changed;
	struct rewrite t;
	struct str path, content;
	enum err e;

	e = find_absolute(c, a->path, &path);
	if (!e)
		e = append_load(c, path, &t);
	if (e)
		return e;
	content = rewrite_endings(c, &t, a->content);
	e = append_make(c, path, &t, content, &appended, &changed);
	if (e)
		return e;
	append_report(c, &t, &appended, &changed);
	return ERR_OK;
}

static const char *const path_names[] = { "file_path", NULL };

static const struct field fields[] = {
	{ "path", FIELD_STR, .required = true,
	  .offset = offsetof(struct rewrite_args, path), .doc = "File",
	  .aliases = path_names },
	{ "content", FIELD_STR, .required = true,
	  .offset = offsetof(struct rewrite_args, content),
	  .doc = "Text to add" },
	FIELDS_END,
};

#define META_STR(key, member, words)                                    \
	{                                                               \
		key, FIELD_STR,                                         \
			.offset = offsetof(struct append_meta, member), \
			.doc = (words)                                  \
	}

static const struct field meta_fields[] = {
	META_STR(
		"version", file.version,
		"Version of the file's content, unless others have appended meanwhile"),
	META_STR("encoding", file.encoding, "Of the file"),
	META_STR("encoding_confidence", file.confidence, CONFIDENCE_DOC),
	META_STR("eol", file.eol,
		 "The line ending that the content was converted to"),
	META_STR("source", file.source,
		 "Where the file was read: disk or editor"),
	META_STR(
		"operation", file.operation,
		"The id of the operation in the history, for undo_file_change"),
	META_STR("hook", file.hook,
		 "Failure of an after_edit hook; the change was made"),
	META_STR("history", file.history,
		 "Why the change was not recorded in the history"),
	{ "repaired", FIELD_BOOL,
	  .offset = offsetof(struct append_meta, repaired),
	  .doc = "The last line had no line ending, which was added first" },
	{ "at", FIELD_INT, .required = true,
	  .offset = offsetof(struct append_meta, at),
	  .doc = "Offset of the new bytes" },
	FIELDS_END,
};

static const struct field out[] = {
	{ "content", FIELD_STR, .required = true,
	  .offset = offsetof(struct append_out, content),
	  .doc = "What was done" },
	{ "_meta", FIELD_OBJECT, .required = true, .brief = true,
	  .offset = offsetof(struct append_out, meta),
	  .doc = "About the file and how it was written",
	  .fields = meta_fields },
	FIELDS_END,
};

static const char *const constraints[] = {
	"Only beneath the roots; creates the file, never its directory",
	"One write at the end of the file, under a lock: nothing is lost when several clients append",
	"A last line without a line ending gets one first; _meta.repaired says so",
	"Keeps the encoding and byte order mark of the file; a character that it cannot represent is refused",
	"If every line of the file ends in CRLF, LF content is added with CRLF",
	"The file need not have been read; if_version: refused if the file has another version",
	"Binary files are refused",
	NULL,
};

static const struct tool_example examples[] = {
	{ "Add a line",
	  "{\"path\":\"notes.txt\",\"content\":\"Call back on Monday\\n\"}",
	  "{\"content\":\"Successfully appended 20 bytes to notes.txt\"}" },
	{ NULL },
};

const struct tool tool_append_file = {
	.name = "append_file",
	.title = "Append to File",
	.doc = "Add text at the end of a file, which is created if it does not exist.",
	.families = { "manage" },
	.kind = "edit",
	.fields = fields,
	.out = out,
	.args_size = sizeof(struct rewrite_args),
	.out_size = sizeof(struct append_out),
	.effects = TOOL_APPENDS,
	.run = append_run,
	.text_result = true,
	.error_codes = true,
	.fails_as_result = true,
	.constraints = constraints,
	.examples = examples,
};
