/* write_text_file - the whole content of a text file. */

#include "text/diff.h"
#include "text/eol.h"
#include "text/lines.h"
#include "tools/textfile.h"
#include "tools/told.h"

struct write_args {
	struct str path, content;
};

struct write_out {
	bool success;
	int64_t bytes_written;
	bool created;
	struct file_meta meta;
};

/* What is there now, and how what is written has to look to match it. */
struct target {
	struct textfile file;
	bool exists;
	struct str bytes; /* that it is to have */
	bool crlf;
};

static const struct str feff = STR_INIT("\xef\xbb\xbf");

/* Of a file that is not there, what it would be if it were, and empty. */
static enum err inspect(struct call *c, struct str path, struct target *ret)
{
	struct textfile *file = &ret->file;
	enum err e;

	*ret = (struct target){ .file.in.encoding = told_encoding(c, path) };
	if (!file->in.encoding)
		file->in.encoding = &encoding_utf8;
	file->snap.bytes = file->in.encoding->bom;
	e = ws_load(c->ws, path, c->options->max_file, &c->errand, c->mem,
		    &file->snap, c->fault);
	if (e == ERR_NOT_FOUND)
		return textfile_guard(c, path, &(struct snapshot){ 0 });
	if (e)
		return e;
	ret->exists = true;
	/* Bytes that are no text lend nothing to the text that replaces them. */
	if (!textfile_show(c, path, file))
		ret->crlf = eol_of(file->shown.text) == EOL_CRLF;
	else
		file->in = (struct detected){ &encoding_utf8 };
	return textfile_guard(c, path, &file->snap);
}

/* Go on by @n lines from @at. */
static size_t lines_on(struct str text, size_t at, size_t n)
{
	return at + lines_after(str_skip(text, at), n);
}

/*
 * The lines that differ, as splices of the old text: those that do not keep
 * their bytes, whatever the encoding would make of them.
 */
static void differing(struct call *c, struct str old_text, struct respell *r)
{
	size_t a = 0, b = 0, line = 0, start;
	struct splice *splices;
	struct diff diff;

	diff_texts(old_text, r->text, c->mem, &diff);
	splices = arena_array(c->mem, struct splice, diff.count);
	for (size_t i = 0; i < diff.count; i++) {
		const struct diff_change *d = &diff.changes[i];

		b = lines_on(r->text, b, d->a - line);
		a = lines_on(old_text, a, d->a - line);
		start = b;
		b = lines_on(r->text, b, d->b_count);
		splices[i].from = a;
		a = lines_on(old_text, a, d->a_count);
		splices[i].to = a;
		splices[i].with = str_sub(r->text, start, b);
		line = d->a + d->a_count;
	}
	r->splices = splices;
	r->n = diff.count;
}

/* The file's bytes with the lines of @content that are new in it. */
static enum err respell(struct call *c, struct str path, struct target *t,
			struct str content)
{
	const struct shown *old = &t->file.shown;
	struct respell r = { .text = content };
	enum err e;

	differing(c, old->text, &r);
	if (r.n && old->stray_count)
		return fail(
			c->fault, ERR_UNDECODABLE, .path = path,
			.name = str_of(t->file.in.encoding->name),
			.number = (int64_t)lines_at(old->text, old->strays[0]),
			.hint = STR(
				"Edit the lines that are meant instead of writing the whole file, or remove it first"));
	e = textfile_respell(c, path, &t->file, &r);
	t->bytes = r.after;
	return e;
}

/*
 * The bytes of @content in the file's encoding, behind its mark; a mark that
 * the content brings along is not doubled.
 */
static enum err spell(struct call *c, struct str path, struct target *t,
		      struct str content)
{
	struct str bom = t->file.in.encoding->bom;
	char *joined;

	if (bom.len && !str_starts(t->file.shown.text, feff) &&
	    str_starts(content, feff))
		content = str_skip(content, feff.len);
	t->bytes = content;
	if (!encoding_is_utf8(t->file.in.encoding) || t->file.shown.stray_count)
		return respell(c, path, t, content);
	if (!bom.len)
		return ERR_OK;
	joined = arena_alloc(c->mem, bom.len + content.len);
	memcpy(joined, bom.ptr, bom.len);
	if (content.len)
		memcpy(joined + bom.len, content.ptr, content.len);
	t->bytes = str_make(joined, bom.len + content.len);
	return ERR_OK;
}

static void tell(struct call *c, const struct write_args *a,
		 const struct target *t, const struct changed *changed)
{
	struct write_out *out = c->out;

	out->success = true;
	out->bytes_written = (int64_t)t->bytes.len;
	out->created = changed->stored.created;
	file_meta_fill(c, changed->stored.version, t->file.in,
		       t->file.shown.stray_count, &out->meta);
	file_meta_changed(changed, &out->meta);
	if (t->crlf)
		out->meta.eol = str_of(eol_name(EOL_CRLF));
	c->line = 1;
	c->say = arena_printf(c->mem, "%s %zu bytes to " STR_FMT,
			      changed->stored.created ? "Created, wrote"
						      : "Wrote",
			      t->bytes.len, STR_ARG(a->path));
}

static enum err write_run(struct call *c)
{
	const struct write_args *a = c->args;
	struct str content = a->content;
	struct changed changed;
	struct target t;
	enum err e;

	e = inspect(c, a->path, &t);
	/* A directory or a device: the store has words for it. */
	if (e && e != ERR_NOT_A_FILE)
		return e;
	t.crlf =
		t.crlf && !c->options->write_exact && eol_of(content) == EOL_LF;
	if (t.crlf)
		content = eol_to_crlf(content, c->mem);
	e = spell(c, a->path, &t, content);
	if (e)
		return e;
	e = change_file(c,
			&(struct change){ .path = a->path,
					  .before = t.exists ? &t.file.snap
							     : NULL,
					  .after = t.bytes },
			&changed);
	if (e)
		return e;
	tell(c, a, &t, &changed);
	return ERR_OK;
}

static const struct field fields[] = {
	{ "path", FIELD_PATH, .required = true,
	  .offset = offsetof(struct write_args, path),
	  .doc = "Absolute path to the file" },
	{ "content", FIELD_STR, .required = true,
	  .offset = offsetof(struct write_args, content),
	  .doc = "Complete file content to write" },
	FIELDS_END,
};

static const struct field out[] = {
	{ "success", FIELD_BOOL, .required = true,
	  .offset = offsetof(struct write_out, success),
	  .doc = "Always true on success (otherwise error thrown)" },
	{ "bytes_written", FIELD_INT, .required = true,
	  .offset = offsetof(struct write_out, bytes_written),
	  .doc = "Number of bytes written" },
	{ "created", FIELD_BOOL, .required = true,
	  .offset = offsetof(struct write_out, created),
	  .doc = "True if file was created, false if overwritten" },
	FILE_META(write_out),
	FIELDS_END,
};

static const char *const constraints[] = {
	"Only beneath the roots; never creates directories",
	"One step: at every instant the file is the old one or the new one",
	"Keeps mode, owner, ACL, extended attributes, symbolic and hard links",
	"Keeps a byte order mark and the encoding of the file",
	"Lines that are not changed keep their bytes, whatever the encoding",
	"A character that the encoding of the file lacks is refused",
	"LF content over a file that ends every line in CRLF is written with CRLF",
	"A file without write permission is refused, also in a writable directory",
	"if_version: refused when the file has another version by now",
	NULL,
};

static const struct tool_example examples[] = {
	{ "Create a file",
	  "{\"path\":\"/project/new.txt\",\"content\":\"Hello, World!\\n\"}",
	  "{\"success\":true,\"bytes_written\":14,\"created\":true}" },
	{ "Overwrite it",
	  "{\"path\":\"/project/new.txt\",\"content\":\"Updated content\\n\"}",
	  "{\"success\":true,\"bytes_written\":16,\"created\":false}" },
	{ NULL },
};

const struct tool tool_write_text_file = {
	.name = "write_text_file",
	.title = "Write text file",
	.doc = "Write complete content to a text file (creates or overwrites)",
	.family = "contract",
	.kind = "write",
	.fields = fields,
	.out = out,
	.args_size = sizeof(struct write_args),
	.out_size = sizeof(struct write_out),
	.effects = TOOL_WRITES,
	.run = write_run,
	.constraints = constraints,
	.examples = examples,
};
