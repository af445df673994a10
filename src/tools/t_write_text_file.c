/* write_text_file - the whole content of a text file. */

#include "text/eol.h"
#include "tools/textfile.h"

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
	struct store_want want;
	const struct encoding *encoding;
	bool crlf;
	bool marked; /* the text has a mark of its own, too */
};

static const struct str feff = STR_INIT("\xef\xbb\xbf");

static enum err inspect(struct call *c, struct str path, struct target *ret)
{
	struct snapshot snap;
	struct str text = STR("");
	enum err e;

	*ret = (struct target){ .want = { .base = STORE_ABSENT,
					  .errand = &c->errand },
				.encoding = &encoding_utf8 };
	e = ws_load(c->ws, path, c->options->max_file, &c->errand, c->mem,
		    &snap, c->fault);
	if (e == ERR_NOT_FOUND)
		return textfile_guard(c, path, &(struct snapshot){ 0 });
	if (e)
		return e;
	ret->want.base = STORE_VERSION;
	ret->want.version = snap.version;
	/* Bytes that are no text lend nothing to the text that replaces them. */
	if (!encoding_detect(snap.bytes, &ret->encoding) &&
	    !encoding_decode(ret->encoding, snap.bytes, c->mem, &text))
		ret->crlf = eol_of(text) == EOL_CRLF;
	else
		ret->encoding = &encoding_utf8;
	ret->marked = str_starts(text, feff);
	return textfile_guard(c, path, &snap);
}

/*
 * The bytes of @content in the file's encoding, behind its mark; a mark that
 * the content brings along is not doubled.
 */
static enum err encode(struct call *c, const struct write_args *a,
		       const struct target *t, struct str content,
		       struct str *ret)
{
	struct str bom = t->encoding->bom, bytes;
	char *joined;
	size_t bad;

	if (bom.len && !t->marked && str_starts(content, feff))
		content = str_skip(content, feff.len);
	if (encoding_encode(t->encoding, content, c->mem, &bytes, &bad))
		return fail(c->fault, ERR_UNENCODABLE, .path = a->path,
			    .name = str_of(t->encoding->name));
	*ret = bytes;
	if (!bom.len)
		return ERR_OK;
	joined = arena_alloc(c->mem, bom.len + bytes.len);
	memcpy(joined, bom.ptr, bom.len);
	if (bytes.len)
		memcpy(joined + bom.len, bytes.ptr, bytes.len);
	*ret = str_make(joined, bom.len + bytes.len);
	return ERR_OK;
}

static void tell(struct call *c, const struct write_args *a,
		 const struct target *t, const struct stored *stored)
{
	struct write_out *out = c->out;

	out->success = true;
	out->bytes_written = (int64_t)t->want.bytes.len;
	out->created = stored->created;
	file_meta_fill(c, stored->version, t->encoding, &out->meta);
	out->meta.kept = stored->kept;
	out->meta.lost = stored->lost;
	if (t->crlf)
		out->meta.eol = str_of(eol_name(EOL_CRLF));
	c->line = 1;
	c->say = arena_printf(c->mem, "%s %zu bytes to " STR_FMT,
			      stored->created ? "Created, wrote" : "Wrote",
			      t->want.bytes.len, STR_ARG(a->path));
}

static enum err write_run(struct call *c)
{
	const struct write_args *a = c->args;
	struct str content = a->content;
	struct stored stored;
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
	e = encode(c, a, &t, content, &t.want.bytes);
	if (e)
		return e;
	e = ws_store(c->ws, a->path, &t.want, c->mem, &stored, c->fault);
	if (e)
		return e;
	tell(c, a, &t, &stored);
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
