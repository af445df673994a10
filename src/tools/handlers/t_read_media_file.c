/*
 * t_read_media_file.c - the tool read_media_file: an image, audio or any other
 * file as base64.
 *
 * The extension decides about the type of the content item. There is no
 * structured result, so that the data is sent only once.
 */
#include "base/base64.h"
#include "tools/call/result.h"
#include "tools/change/change.h"
#include "tools/handlers/listing.h"
#include "tools/reading/file_read.h"

struct media_args {
	struct str path;
};

static const struct media_type {
	const char *extension, *item, *mime;
} media_types[] = {
	{ "png", "image", "image/png" },     { "jpg", "image", "image/jpeg" },
	{ "jpeg", "image", "image/jpeg" },   { "gif", "image", "image/gif" },
	{ "webp", "image", "image/webp" },   { "bmp", "image", "image/bmp" },
	{ "svg", "image", "image/svg+xml" }, { "mp3", "audio", "audio/mpeg" },
	{ "wav", "audio", "audio/wav" },     { "ogg", "audio", "audio/ogg" },
	{ "flac", "audio", "audio/flac" },
};

static bool same_letters(struct str a, const char *lower)
{
	if (a.len != strlen(lower))
		return false;
	for (size_t i = 0; i < a.len; i++) {
		char c = a.ptr[i];

		if (c >= 'A' && c <= 'Z')
			c = (char)(c + ('a' - 'A'));
		if (c != lower[i])
			return false;
	}
	return true;
}

/* NULL for any other file; ".png" has no extension. */
static const struct media_type *media_type_of(struct str key)
{
	struct str name = str_skip(key, str_rfind(key, '/') + 1);
	size_t dot = str_rfind(name, '.');

	for (size_t i = 0; dot && i < COUNT_OF(media_types); i++)
		if (same_letters(str_skip(name, dot + 1),
				 media_types[i].extension))
			return &media_types[i];
	return NULL;
}

/* The path as a file: URI, escaped as Node's pathToFileURL() does. */
static struct str file_uri(struct str path, struct arena *mem)
{
	static const char escaped[] = "\"#%<>?[\\]^`{|}~";
	auto_buf uri = BUF_INIT;

	buf_lit(&uri, "file://");
	for (size_t i = 0; i < path.len; i++) {
		unsigned char c = (unsigned char)path.ptr[i];

		if (c <= ' ' || c >= 0x7f || strchr(escaped, c))
			buf_addf(&uri, "%%%02X", (unsigned)c);
		else
			buf_addc(&uri, (char)c);
	}
	return arena_copy(mem, buf_str(&uri));
}

static void put_base64(struct json_out *o, const char *key, struct str bytes)
{
	json_key(o, key);
	json_str_open(o);
	json_str_close(o);
	o->buf->len--; /* base64 needs no escapes: put it between the quotes */
	base64_add(o->buf, bytes);
	buf_addc(o->buf, '"');
}

static void put_media(struct json_out *o, const struct snapshot *snap,
		      struct arena *mem)
{
	const struct media_type *type = media_type_of(snap->key);

	json_open(o, '{');
	json_text_member(o, "type", str_of(type ? type->item : "resource"));
	if (type) {
		put_base64(o, "data", snap->bytes);
		json_text_member(o, "mimeType", str_of(type->mime));
	} else {
		json_key(o, "resource");
		json_open(o, '{');
		json_text_member(o, "uri", file_uri(snap->key, mem));
		json_text_member(o, "mimeType",
				 STR("application/octet-stream"));
		put_base64(o, "blob", snap->bytes);
		json_close(o, '}');
	}
	json_close(o, '}');
}

static enum err media_run(struct call *c)
{
	const struct media_args *a = c->args;
	uint64_t most = result_room(c) / 4 * 3; /* bytes, before base64 */
	struct snapshot snap = { .key = STR("") };
	auto_buf item = BUF_INIT;
	struct json_out o = json_out(&item);
	struct str path;
	enum err e;

	e = find_absolute(c, a->path, &path);
	if (!e)
		e = file_read_load(c, path, most, &snap);
	if (e == ERR_TOO_LARGE)
		c->fault->hint = STR(
			"It does not fit into one reply: start stet with a larger --max-reply if the client takes longer messages");
	if (e)
		return e;
	if (!arena_reserve(c->mem, snap.bytes.len / 3 * 8)) /* base64, twice */
		return fail_memory(c->fault, STR("this file as base64"),
				   snap.bytes.len / 3 * 8,
				   c->mem->charge.budget);
	put_media(&o, &snap, c->mem);
	c->items = arena_copy(c->mem, buf_str(&item));
	c->fits = true;
	return ERR_OK;
}

static const struct field fields[] = {
	LISTING_PATH_FIELD(media_args, "File to read"),
	FIELDS_END,
};

static const char *const constraints[] = {
	"The extension decides, regardless of case: png, jpg, jpeg, gif, webp, bmp and svg are sent as an image item, mp3, wav, ogg and flac as an audio item",
	"Any other file is sent as a resource item with a file: URI and the type application/octet-stream",
	"There is no structured result, so that the data is sent only once",
	"A file that does not fit into one reply is refused (-32006)",
	NULL,
};

static const struct tool_example examples[] = {
	{ "An image", "{\"path\":\"logo.png\"}",
	  "{\"content\":[{\"type\":\"image\",\"data\":\"iVBORw0KGgo=\",\"mimeType\":\"image/png\"}]}" },
	{ NULL },
};

const struct tool tool_read_media_file = {
	.name = "read_media_file",
	.title = "Read Media File",
	.doc = "Read an image, audio or any other binary file as base64 with its MIME type.",
	.families = { "filesystem" },
	.kind = "read",
	.fields = fields,
	.args_size = sizeof(struct media_args),
	.effects = TOOL_READS,
	.run = media_run,
	.text_result = true,
	.fails_as_result = true,
	.constraints = constraints,
	.examples = examples,
};
