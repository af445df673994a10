/*
 * Bytes of any kind: what is detected as text decodes and encodes back to
 * the same bytes, and every place in the text is found in the bytes. The
 * same for each encoding by name that accepts the bytes.
 */
#include "text/encoding.h"
#include "text/utf8.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool claim)
{
	if (!claim)
		abort();
}

/* How many bytes @text takes in @e, the mark counted. */
static size_t size_in(const struct encoding *e, struct str text,
		      struct arena *mem)
{
	struct str bytes;
	size_t bad;

	need(!encoding_encode(e, text, mem, &bytes, &bad));
	return e->bom.len + bytes.len;
}

static void places_hold(const struct encoding *e, struct str bytes,
			struct str text, struct arena *mem)
{
	size_t step = text.len / 16 + 1, places[20], got[20], n = 0;

	for (size_t at = 0; at < text.len; at += step)
		places[n++] = utf8_head(text, at).len;
	places[n++] = text.len;
	encoding_places(e, bytes, places, n, got);
	for (size_t i = 0; i < n; i++)
		need(got[i] == size_in(e, str_head(text, places[i]), mem));
}

static void round_trip_holds(const struct encoding *e, struct str bytes)
{
	auto_arena mem = ARENA_INIT;
	struct str text, back;
	size_t bad;

	if (encoding_decode(e, bytes, &mem, &text))
		return;
	need(utf8_valid(text));
	need(!encoding_encode(e, text, &mem, &back, &bad));
	need(str_starts(bytes, e->bom));
	need(str_eq(str_skip(bytes, e->bom.len), back));
	places_hold(e, bytes, text, &mem);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {
		"utf-8",    "utf-8-bom",      "utf-16le-nobom",
		"utf-16be", "utf-32le-nobom", "utf-32be",
	};
	struct str bytes = str_make((const char *)data, size), text;
	const struct encoding *e;
	auto_arena mem = ARENA_INIT;

	if (!encoding_detect(bytes, &e)) {
		need(!encoding_decode(e, bytes, &mem, &text));
		round_trip_holds(e, bytes);
	}
	for (size_t i = 0; i < COUNT_OF(names); i++)
		round_trip_holds(encoding_named(str_of(names[i])), bytes);
	return 0;
}
