/* write_text_file - the whole content of a text file. */

#include "text/eol.h"
#include "tools/rewriting.h"

struct write_args {
	struct str path, content;
};

struct write_out {
	bool success;
	int64_t bytes_written;
	bool created;
	struct file_meta meta;
};

static void tell(struct call *c, const struct write_args *a,
		 const struct rewrite *t, bool crlf,
		 const struct changed *changed)
{
	struct write_out *out = c->out;

	out->success = true;
	out->bytes_written = (int64_t)changed->wrote;
	out->created = changed->stored.created;
	file_meta_fill(c, changed->stored.version, t->file.in,
		       t->file.shown.stray_count, changed->stored.source,
		       &out->meta);
	file_meta_changed(changed, &out->meta);
	if (crlf)
		out->meta.eol = str_of(eol_name(EOL_CRLF));
	c->line = 1;
	c->say = arena_printf(c->mem, "%s %zu bytes to " STR_FMT,
			      changed->stored.created ? "Created, wrote"
						      : "Wrote",
			      changed->wrote, STR_ARG(a->path));
}

/*
 * Not over a change that the caller has not seen. What it has never read it
 * may overwrite: it cannot mean to keep anything of that.
 */
static enum err check_seen(struct call *c, struct str path,
			   const struct rewrite *t)
{
	enum err e;

	if (t->no_file)
		return ERR_OK;
	if (!t->exists || c->guard.if_version.len || c->options->overwrite)
		return textfile_guard(c, path,
				      t->exists ? &t->file.snap
						: &(struct snapshot){ 0 });
	e = change_check_read(c, path, &t->file.snap);
	if (e == ERR_STALE)
		return c->fault->err = ERR_CHANGED;
	return ERR_OK;
}

/* The contract makes no directories (A01): say who does. */
static enum err explain_parent(struct call *c, enum err e)
{
	if (e == ERR_NO_PARENT)
		c->fault->hint = STR(
			"This tool makes no directories. Write, where it is offered, makes those that are missing");
	return e;
}

static enum err write_run(struct call *c)
{
	const struct write_args *a = c->args;
	struct str content = a->content;
	struct changed changed;
	struct rewrite t;
	bool crlf;
	enum err e;

	e = rewrite_load(c, a->path, &t);
	if (!e)
		e = check_seen(c, a->path, &t);
	if (e)
		return e;
	crlf = eol_of(t.file.shown.text) == EOL_CRLF &&
	       !c->options->write_exact && eol_of(content) == EOL_LF;
	if (crlf)
		content = eol_to_crlf(content, c->mem);
	e = rewrite_spell(c, a->path, &t, content);
	if (e)
		return e;
	e = change_file(c,
			&(struct change){ .path = a->path,
					  .before = t.exists ? &t.file.snap
							     : NULL,
					  .key = t.file.snap.key,
					  .after = t.bytes,
					  .encoding = t.file.in.encoding,
					  .whole = true,
					  .divisible = true },
			&changed);
	if (e)
		return explain_parent(c, e);
	tell(c, a, &t, crlf, &changed);
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
	"A file that the caller has read and that changed since is not overwritten",
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
	.light = true,
	.run = write_run,
	.constraints = constraints,
	.examples = examples,
};
