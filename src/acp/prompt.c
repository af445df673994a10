/*
 * prompt.c - converts the content blocks of an ACP prompt to Codex's input.
 */
#include "acp/agent_local.h"

static void put_input_text(struct json_out *o, struct str text)
{
	json_open(o, '{');
	json_text_member(o, "type", STR("text"));
	json_text_member(o, "text", text);
	json_key(o, "text_elements");
	json_put_raw(o, STR("[]"));
	json_close(o, '}');
}

static bool put_said(struct json_out *o, struct json block, struct arena *mem,
		     struct str *why)
{
	struct str text;

	*why = STR("A text block of the prompt has no text");
	if (!json_text(json_get(block, "text"), mem, &text))
		return false;
	put_input_text(o, text);
	return true;
}

static void put_picture(struct json_out *o, struct str type, struct str data)
{
	auto_buf url = BUF_INIT;

	buf_lit(&url, "data:");
	buf_add(&url, type);
	buf_lit(&url, ";base64,");
	buf_add(&url, data);
	json_open(o, '{');
	json_text_member(o, "type", STR("image"));
	json_text_member(o, "url", buf_str(&url));
	json_close(o, '}');
}

static bool put_image(struct json_out *o, struct json block, struct arena *mem,
		      struct str *why)
{
	struct str data = text_at(block, "data", mem),
		   type = text_at(block, "mimeType", mem);

	*why = STR("An image of the prompt has no data or no mimeType");
	if (!data.len || !type.len)
		return false;
	put_picture(o, type, data);
	return true;
}

/* The path of a file: URI, percent-decoded; "" for other URIs. */
static struct str file_path(struct str uri, struct arena *mem)
{
	struct str rest = str_skip(uri, STR("file://").len);
	char *path = arena_alloc(mem, rest.len + 1);
	size_t n = 0;

	if (!str_starts(uri, STR("file:///")))
		return STR("");
	for (size_t i = 0; i < rest.len; i++) {
		int high = rest.ptr[i] == '%' && i + 2 < rest.len
				   ? hex_digit(rest.ptr[i + 1])
				   : -1;
		int low = high >= 0 ? hex_digit(rest.ptr[i + 2]) : -1;

		if (rest.ptr[i] == '#' || rest.ptr[i] == '?')
			break;
		path[n++] = low >= 0 ? (char)(high * 16 + low) : rest.ptr[i];
		i += low >= 0 ? 2 : 0;
	}
	return str_make(path, n);
}

/* A mention, written as a Markdown link. */
static bool put_link(struct json_out *o, struct json block, struct arena *mem,
		     struct str *why)
{
	struct str uri = text_at(block, "uri", mem),
		   name = text_at(block, "name", mem),
		   path = file_path(uri, mem);

	*why = STR("A link of the prompt has no uri");
	if (!uri.len)
		return false;
	put_input_text(o, arena_printf(mem, "[@" STR_FMT "](" STR_FMT ")",
				       STR_ARG(name.len ? name : uri),
				       STR_ARG(path.len ? path : uri)));
	return true;
}

static bool put_resource(struct json_out *o, struct json block,
			 struct arena *mem, struct str *why)
{
	struct json resource = json_get(block, "resource");
	struct str uri = text_at(resource, "uri", mem), text,
		   type = text_at(resource, "mimeType", mem),
		   path = file_path(uri, mem);
	auto_buf whole = BUF_INIT;

	*why = STR("A resource of the prompt has neither text nor an image");
	if (str_starts(type, STR("image/")) &&
	    json_is(json_get(resource, "blob"), JSON_STRING)) {
		put_picture(o, type, text_at(resource, "blob", mem));
		return true;
	}
	if (!json_text(json_get(resource, "text"), mem, &text))
		return false;
	buf_addf(&whole, "<context ref=\"" STR_FMT "\">\n",
		 STR_ARG(path.len ? path : uri));
	buf_add(&whole, text);
	buf_lit(&whole, "\n</context>");
	put_input_text(o, buf_str(&whole));
	return true;
}

static bool no_audio(struct json_out *o, struct json block, struct arena *mem,
		     struct str *why)
{
	*why = STR("Codex does not support audio");
	return false;
}

static const struct {
	const char *type;
	bool (*put)(struct json_out *o, struct json block, struct arena *mem,
		    struct str *why);
} blocks_known[] = {
	{ "text", put_said },          { "image", put_image },
	{ "resource_link", put_link }, { "resource", put_resource },
	{ "audio", no_audio },
};

static bool put_block(struct json_out *o, struct json block, struct arena *mem,
		      struct str *why)
{
	struct str type = text_at(block, "type", mem);

	for (size_t i = 0; i < COUNT_OF(blocks_known); i++)
		if (str_is(type, blocks_known[i].type))
			return blocks_known[i].put(o, block, mem, why);
	*why = STR("A block of the prompt has an unknown type");
	return false;
}

bool prompt_put(struct json_out *o, struct json blocks, struct arena *mem,
		struct str *why)
{
	struct json_walk w = json_walk(blocks);

	*why = STR("The prompt is empty");
	if (!json_is(blocks, JSON_ARRAY) || !json_count(blocks))
		return false;
	json_open(o, '[');
	while (json_step(&w))
		if (!put_block(o, w.value, mem, why))
			return false;
	json_close(o, ']');
	return true;
}
