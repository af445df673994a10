#include "text/visible.h"

#include "text/utf8.h"

/* Ranges of code points that are not shown as they are. */
static const struct {
	uint32_t from, to;
} hidden[] = {
	{ 0x00, 0x08 },       { 0x0b, 0x1f },     { 0x7f, 0x9f },
	{ 0xad, 0xad },       { 0x061c, 0x061c }, { 0x180e, 0x180e },
	{ 0x200b, 0x200b },   { 0x200e, 0x200f }, { 0x2028, 0x202e },
	{ 0x2060, 0x206f },   { 0xfeff, 0xfeff }, { 0xfff9, 0xfffb },
	{ 0xe0000, 0xe007f },
};

static bool is_hidden(uint32_t code)
{
	for (size_t i = 0; i < COUNT_OF(hidden); i++)
		if (code >= hidden[i].from && code <= hidden[i].to)
			return true;
	return false;
}

static void add_code(struct buf *out, struct str at, uint32_t code)
{
	if (!is_hidden(code))
		buf_add(out, at);
	else if (code < 0x80)
		buf_addf(out, "\\x%02x", (unsigned)code);
	else
		buf_addf(out, "\\u{%x}", (unsigned)code);
}

/* Valid UTF-8. */
static void add_valid(struct buf *out, struct str text)
{
	size_t len;

	for (; text.len; text = str_skip(text, len)) {
		uint32_t code = utf8_next(text, &len);

		if (code != '\r' || !str_starts(text, STR("\r\n")))
			add_code(out, str_head(text, len), code);
	}
}

void visible_add(struct buf *out, struct str text)
{
	size_t good;

	while (text.len) {
		good = utf8_check(text);
		add_valid(out, str_head(text, good));
		text = str_skip(text, good);
		if (text.len)
			buf_addf(out, "\\x%02x", (unsigned char)text.ptr[0]);
		text = str_skip(text, 1);
	}
}
