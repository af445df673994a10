/*
 * t_write_text_file.c - the tool write_text_file: the whole content of a text
 * file, also over one that the caller has never read.
 */
#include "tools/handlers/rewriting.h"

struct write_text_out {
	bool success;
	int64_t bytes_written;
	bool created;
	struct file_meta meta;
};

static void write_text_report(struct call *c, const struct rewrite_args *a,
			      const struct rewrite *t,
			      const struct changed *changed)
{
	struct write_text_out *out = c->out;

	out->success = true;
	out->bytes_written = (int64_t)changed->wrote;
	out->created = changed->stored.created;
	rewrite_meta_fill(c, t, changed, &out->meta);
	c->line = 1;
	c->say = arena_printf(c->mem, "%s %zu bytes to " STR_FMT,
			      changed->stored.created ? "Created, wrote"
						      : "Wrote",
			      changed->wrote, STR_ARG(a->path));
}

static enum err write_text_run(struct call *c)
{
	const struct rewrite_args *a = c->args;
	struct changed changed;
	struct rewrite t;
	enum err e;

	e = rewrite_load(c, a->path, &t);
	if (!e)
		e = rewrite_text(c, a->path, &t, a->content, &changed);
	if (e)
		return e;
	write_text_report(c, a, &t, &changed);
	return ERR_OK;
}

static const struct field fields[] = {
	{ "path", FIELD_PATH, .required = true,
	  .offset = offsetof(struct rewrite_args, path),
	  .doc = "Absolute path to the file" },
	{ "content", FIELD_STR, .required = true,
	  .offset = offsetof(struct rewrite_args, content),
	  .doc = "Complete file content to write" },
	FIELDS_END,
};

static const struct field out[] = {
	{ "success", FIELD_BOOL, .required = true,
	  .offset = offsetof(struct write_text_out, success),
	  .doc = "Always true on success (otherwise error thrown)" },
	{ "bytes_written", FIELD_INT, .required = true,
	  .offset = offsetof(struct write_text_out, bytes_written),
	  .doc = "Number of bytes written" },
	{ "created", FIELD_BOOL, .required = true,
	  .offset = offsetof(struct write_text_out, created),
	  .doc = "True if file was created, false if overwritten" },
	FILE_META(write_text_out),
	FIELDS_END,
};

static const char *const constraints[] = {
	"Only beneath the roots; never creates directories",
	"Atomic: at every instant the file is the old one or the new one",
	"Keeps mode, owner, ACL, extended attributes, symbolic and hard links",
	"Keeps a byte order mark and the encoding of the file",
	"Lines that are not changed keep their bytes, whatever the encoding",
	"A character that the encoding of the file cannot represent is refused",
	"If every line of the existing file ends in CRLF, LF content is written with CRLF",
	"A file without write permission is refused, also in a writable directory",
	"A file that has changed since the caller read it is not overwritten",
	"if_version: refused if the file has another version",
	NULL,
};

static const struct tool_example examples[] = {
	{ "Create a file",
	  "{\"path\":\"/project/new.txt\",\"content\":\"Hello, World!\\n\"}",
	  "{\"success\":true,\"bytes_written\":14,\"created\":true}" },
	{ "Overwrite a file",
	  "{\"path\":\"/project/new.txt\",\"content\":\"Updated content\\n\"}",
	  "{\"success\":true,\"bytes_written\":16,\"created\":false}" },
	{ NULL },
};

const struct tool tool_write_text_file = {
	.name = "write_text_file",
	.title = "Write text file",
	.doc = "Write complete content to a text file (creates or overwrites)",
	.families = { "contract" },
	.kind = "write",
	.fields = fields,
	.out = out,
	.args_size = sizeof(struct rewrite_args),
	.out_size = sizeof(struct write_text_out),
	.effects = TOOL_WRITES,
	.light = true,
	.run = write_text_run,
	.constraints = constraints,
	.examples = examples,
};
