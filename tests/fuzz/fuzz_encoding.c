/*
 * Bytes of any kind, in some encodings: they are shown as valid UTF-8, every
 * place in the text is found in the bytes, and an ASCII letter put anywhere
 * is either refused or leaves every other byte as it was and the text with
 * just that letter more. What is detected as text can be shown; what is UTF
 * and has no strays encodes back to the same bytes. In pieces they are the
 * same as in one.
 */
#include "text/codec.h"
#include "text/utf8.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { EACH = 7 };

static void need(bool claim)
{
	if (!claim)
		abort();
}

/* Places ascend, the first and the last are where the text begins and ends. */
static void places_hold(const struct encoding *e, struct str bytes,
			const struct shown *shown)
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
					 const struct shown *shown, size_t at,
					 struct arena *mem)
{
	struct splice splice = { at, at, STR_INIT("q") };
	struct respell r = { .in = { e, CONFIDENCE_CERTAIN },
			     .bytes = bytes,
			     .shown = shown,
			     .splices = &splice,
			     .n = 1 };
	struct splice *s;

	r.text = edit_splice(shown->text, &splice, 1, mem);
	if (encoding_respell(&r, mem))
		return;
	s = r.byte_splices;
	need(str_eq(str_head(r.after, s->from), str_head(bytes, s->from)));
	need(str_eq(str_skip(r.after, s->from + s->with.len),
		    str_skip(bytes, s->to)));
	need(s->to == s->from || e->codec->shift);
}

/* Pieces from @bytes, as small as may be, and of all lengths. */
static struct str some_from(void *ctx, uint64_t at)
{
	const struct str *bytes = ctx;

	return str_head(str_skip(*bytes, (size_t)at), SUPPLY_LEAST + at % 5);
}

static void pieces_are_the_same(const struct encoding *e, struct str bytes,
				const struct shown *shown)
{
	const struct supply s = { .size = bytes.len,
				  .from = some_from,
				  .ctx = &bytes };
	struct pass p = { .of = &s, .at = e->bom.len };
	char text[4 * (SUPPLY_LEAST + 4) + 16];
	struct decoding d = { .e = e };
	struct str left = shown->text;

	for (size_t used = 0; pass_on(&p, used);) {
		struct str some =
			str_make(text, decoding_more(&d, &p, text, &used));

		need(used && str_starts(left, some));
		left = str_skip(left, some.len);
	}
	need(!left.len && d.strays == shown->stray_count);
}

static void detected_the_same(struct str bytes, enum err e,
			      const struct detected *in)
{
	const struct supply s = { .size = bytes.len,
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
	struct shown shown;
	struct str back;
	size_t bad;

	if (encoding_show(e, bytes, &mem, &shown))
		return;
	need(utf8_valid(shown.text));
	places_hold(e, bytes, &shown);
	pieces_are_the_same(e, bytes, &shown);
	for (size_t i = 0; i < 4; i++) {
		size_t at = utf8_head(shown.text, shown.text.len * i / 3).len;

		an_edit_changes_nothing_else(e, bytes, &shown, at, &mem);
	}
	if (e->iconv || shown.stray_count)
		return;
	need(!encoding_encode(e, shown.text, &mem, &back, &bad));
	need(str_eq(str_skip(bytes, e->bom.len), back));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str bytes = str_make((const char *)data, size);
	struct detected in;
	auto_arena mem = ARENA_INIT;
	struct shown shown;
	enum err e = encoding_detect(bytes, NULL, &in);

	if (!e)
		need(!encoding_show(in.encoding, bytes, &mem, &shown));
	detected_the_same(bytes, e, &in);
	/* some of them for each input: more inputs find more */
	for (size_t i = 0; i < encoding_rows_count; i++)
		if (size && i % EACH == data[size / 2] % EACH)
			all_holds(encoding_rows[i], bytes);
	return 0;
}
