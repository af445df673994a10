/*
 * fuzz_encoding.c - any bytes in several encodings.
 *
 * They decode to valid UTF-8; every offset of the text maps to one of the
 * bytes; an ASCII letter inserted anywhere is either refused, or changes no
 * other byte and adds just that letter to the text. Detected text can be
 * decoded; a Unicode encoding without undecodable bytes round-trips. Pieces
 * give the same as the whole file.
 */
#include "text/encoding/codec.h"
#include "text/encoding/utf8.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { EACH = 7 };

static void need(bool claim)
{
	if (!claim)
		abort();
}

/* Offsets ascend; the first and the last are the ends of the text. */
static void places_hold(const struct encoding *e, struct str bytes,
			const struct decoded_text *shown)
{
	size_t step = shown->text.len / 16 + 1, places[20], got[20], n = 0;

	for (size_t at = 0; at < shown->text.len; at += step)
		places[n++] = utf8_head(shown->text, at).len;
	places[n++] = shown->text.len;
	encoding_places(e, bytes, places, n, got);
	need(got[0] == e->bom.len || !shown->text.len);
	for (size_t i = 1; i < n; i++)
		need(got[i] >= got[i - 1]);
	need(got[n - 1] <= bytes.len);
	need(got[n - 1] == bytes.len || e->codec->shift);
}

static void an_edit_changes_nothing_else(const struct encoding *e,
					 struct str bytes,
					 const struct decoded_text *shown,
					 size_t at, struct arena *mem)
{
	struct splice splice = { at, at, STR_INIT("q") };
	struct reencode r = { .in = { e, CONFIDENCE_CERTAIN },
			      .bytes = bytes,
			      .shown = shown,
			      .splices = &splice,
			      .n = 1 };
	struct splice *s;

	r.text = edit_splice(shown->text, &splice, 1, mem);
	if (encoding_reencode(&r, mem))
		return;
	s = r.byte_splices;
	need(str_eq(str_head(r.after, s->from), str_head(bytes, s->from)));
	need(str_eq(str_skip(r.after, s->from + s->with.len),
		    str_skip(bytes, s->to)));
	need(s->to == s->from || e->codec->shift);
}

/* Pieces of @bytes of all lengths from the minimum on. */
static struct str some_from(void *ctx, uint64_t at)
{
	const struct str *bytes = ctx;

	return str_head(str_skip(*bytes, (size_t)at),
			BYTE_SOURCE_MIN_PIECE + at % 5);
}

static void pieces_are_the_same(const struct encoding *e, struct str bytes,
				const struct decoded_text *shown)
{
	const struct byte_source s = { .size = bytes.len,
				       .from = some_from,
				       .ctx = &bytes };
	struct byte_reader p = { .of = &s, .at = e->bom.len };
	char text[4 * (BYTE_SOURCE_MIN_PIECE + 4) + 16];
	struct decoding d = { .e = e };
	struct str left = shown->text;

	for (size_t used = 0; byte_reader_next(&p, used);) {
		struct str some =
			str_make(text, decoding_more(&d, &p, text, &used));

		need(used && str_starts(left, some));
		left = str_skip(left, some.len);
	}
	need(!left.len && d.undecodable == shown->undecodable_count);
}

static void detected_the_same(struct str bytes, enum err e,
			      const struct detected *in)
{
	const struct byte_source s = { .size = bytes.len,
				       .from = some_from,
				       .ctx = &bytes };
	struct detected got;

	need(encoding_detect_in(&s, NULL, &got) == e);
	need(e || (got.encoding == in->encoding &&
		   got.confidence == in->confidence));
}

static void all_holds(const struct encoding *e, struct str bytes)
{
	auto_arena mem = ARENA_INIT;
	struct decoded_text shown;
	struct str back;
	size_t bad;

	if (encoding_decode_escaped(e, bytes, &mem, &shown))
		return;
	need(utf8_valid(shown.text));
	places_hold(e, bytes, &shown);
	pieces_are_the_same(e, bytes, &shown);
	for (size_t i = 0; i < 4; i++) {
		size_t at = utf8_head(shown.text, shown.text.len * i / 3).len;

		an_edit_changes_nothing_else(e, bytes, &shown, at, &mem);
	}
	if (e->iconv || shown.undecodable_count)
		return;
	need(!encoding_encode(e, shown.text, &mem, &back, &bad));
	need(str_eq(str_skip(bytes, e->bom.len), back));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str bytes = str_make((const char *)data, size);
	struct detected in;
	auto_arena mem = ARENA_INIT;
	struct decoded_text shown;
	enum err e = encoding_detect(bytes, NULL, &in);

	if (!e)
		need(!encoding_decode_escaped(in.encoding, bytes, &mem,
					      &shown));
	detected_the_same(bytes, e, &in);
	/* a few positions per input */
	for (size_t i = 0; i < encoding_rows_count; i++)
		if (size && i % EACH == data[size / 2] % EACH)
			all_holds(encoding_rows[i], bytes);
	return 0;
}
