/*
 * any_bytes.h - random file contents in any encoding: text of a language that
 * uses it, any of its characters, both line endings, and undecodable bytes.
 */
#ifndef STET_ANY_BYTES_H
#define STET_ANY_BYTES_H

#include "text/encoding/codec.h"

#include "scripts.h"

static uint32_t roll(void)
{
	static uint64_t state = 20260111;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33);
}

static const char *text_for(const struct encoding *e)
{
	for (size_t i = 0; i < COUNT_OF(scripts); i++)
		if (encoding_named(str_of(scripts[i].name)) == e)
			return scripts[i].text;
	return "plain \xc3\xa4\xe6\x97\xa5\xf0\x9f\x98\x80 text\r\nof lines\n";
}

/* Add a few characters of a text, or something else that @e can encode. */
static void add_some(const struct encoding *e, struct buf *out, unsigned *shift)
{
	struct str text = str_of(text_for(e));
	size_t bad;

	switch (roll() % 4) {
	case 0: /* any character of the encoding */
		for (int i = 0; i < 8; i++) {
			uint32_t code = roll() % 0x110000 >> roll() % 13;
			char bytes[CODEC_MOST];

			if (code >> 11 == 0x1b)
				continue;
			buf_add(out,
				str_make(bytes,
					 e->codec->put(e, code, shift, bytes)));
		}
		return;
	case 1:
		(void)!encoding_put(e, STR("\r\nabc, "), shift, out, &bad);
		return;
	default:
		(void)!encoding_put(e, text, shift, out, &bad);
	}
}

/* Once in @rare, bytes that may be undecodable or change the shift state. */
static void add_odd(struct buf *out, unsigned rare)
{
	static const struct str odd[] = {
		STR_INIT("\x1b$B"), STR_INIT("\x1b(J~"), STR_INIT("\x1b(I1"),
		STR_INIT("\x1b$"),  STR_INIT("\x1b"),    STR_INIT("\xff"),
		STR_INIT("\x80"),   STR_INIT("\xe6"),    STR_INIT("\x81\x30"),
		STR_INIT("\r"),     STR_INIT("\xd8"),    STR_INIT("\0"),
	};

	if (roll() % rare)
		return;
	if (roll() % 2)
		buf_add(out, odd[roll() % COUNT_OF(odd)]);
	else
		buf_addc(out, (char)roll());
}

static struct str any_bytes(const struct encoding *e, size_t size,
			    struct arena *mem)
{
	static const unsigned rares[] = { 1, 4, 32, 1000000 };
	unsigned rare = rares[roll() % COUNT_OF(rares)], shift = 0;
	auto_buf out = BUF_INIT;

	buf_add(&out, e->bom);
	while (out.len < size) {
		add_some(e, &out, &shift);
		add_odd(&out, rare);
	}
	return arena_copy(mem, str_head(buf_str(&out), size));
}

#endif
