/*
 * test_detect.c - detection of encodings, and its confidence.
 */
#include "../unit.h"

#include "scripts.h"
#include "text/encoding/codec.h"
#include "text/lines/kernels.h"
#include "text/lines/lines.h"

static struct str in_encoding(const struct encoding *e, struct str text,
			      struct arena *mem)
{
	auto_buf out = BUF_INIT;
	struct str body;
	size_t bad;

	assert_int_equal(encoding_encode(e, text, mem, &body, &bad), ERR_OK);
	buf_add(&out, e->bom);
	buf_add(&out, body);
	return arena_copy(mem, buf_str(&out));
}

/*
 * A14 C44 C78: a text in its own script is taken for what it is in, or for
 * a row that has all of its letters in the same places.
 */
static void texts_are_recognised(void **state)
{
	for (size_t i = 0; i < COUNT_OF(scripts); i++) {
		const struct script *s = &scripts[i];
		const struct encoding *e = encoding_named(str_of(s->name));
		auto_arena mem = ARENA_INIT;
		struct detected in;
		struct str bytes, text;

		assert_non_null(e);
		bytes = in_encoding(e, str_of(s->text), &mem);
		assert_true(bytes.len >= 200);
		assert_int_equal(encoding_detect(bytes, NULL, &in), ERR_OK);
		assert_string_equal(in.encoding->name,
				    s->taken_for ? s->taken_for : s->name);
		assert_int_equal(in.confidence == CONFIDENCE_LOW, s->low);
		assert_int_equal(encoding_decode(in.encoding, bytes, &mem,
						 &text),
				 ERR_OK);
		assert_str(text, s->text);
	}
}

/* More than thirty encodings, all of them supersets of ASCII. */
static void every_row_can_be_used_and_has_ascii(void **state)
{
	size_t n = 0;

	for (size_t i = 0; i < encoding_rows_count; i++) {
		const struct encoding *e = encoding_rows[i];
		const struct charset *c;

		if (!e->iconv)
			continue;
		c = charset_of(e);
		assert_non_null(c);
		for (uint32_t b = 0; b < 0x80; b++)
			assert_int_equal(c->one[b], b);
		n++;
	}
	assert_true(n >= 30);
}

/* Text encoded in an encoding is detected as it and decodes to the same. */
static void encoding_is_undone_by_decoding(void **state)
{
	for (size_t i = 0; i < encoding_rows_count; i++) {
		const struct encoding *e = encoding_rows[i];
		size_t held = 0;

		for (uint32_t code = 1; code < 0x30000; code++) {
			char to[CODEC_MOST];
			unsigned put = 0, got = 0;
			size_t n, len = 0, at = 0;
			uint32_t back;

			if (code >> 11 == 0x1b)
				continue;
			n = e->codec->put(e, code, &put, to);
			held += n > 0;
			if (!n)
				continue;
			do {
				back = e->codec->next(e,
						      str_make(to + at, n - at),
						      &got, &len);
				at += len;
			} while (back == CODEC_SHIFT);
			assert_int_equal(back, code);
			assert_int_equal(at, n);
			assert_int_equal(put, got);
		}
		assert_true(held > 190);
	}
}

static void names_are_found_however_they_are_spelt(void **state)
{
	static const struct {
		const char *name, *row;
	} rows[] = {
		{ "UTF-8", "utf-8" },
		{ "latin1", "iso-8859-1" },
		{ "CP1252", "windows-1252" },
		{ "Shift-JIS", "shift_jis" },
		{ "windows-31j", "shift_jis" },
		{ "UHC", "euc-kr" },
		{ "GB2312", "gb18030" },
		{ "EUC_JP", "euc-jp" },
		{ "Big5", "big5" },
		{ "macintosh", "macroman" },
		{ "utf-16le", "utf-16le" },
		{ "cp866", "ibm866" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_string_equal(encoding_named(str_of(rows[i].name))->name,
				    rows[i].row);
	assert_null(encoding_named(STR("ebcdic")));
	assert_null(encoding_named(STR("")));
	assert_null(encoding_named(STR("utf-8x")));
}

/*
 * A14: a configured encoding is used, unless there is a BOM, a magic number or
 * a NUL.
 */
static void what_is_named_is_believed(void **state)
{
	static const struct {
		struct str bytes;
		const char *named, *want;
	} rows[] = {
		{ STR_INIT("caf\xe9"), "windows-1252", "windows-1252" },
		{ STR_INIT("caf\xe9"), "koi8-r", "koi8-r" },
		{ STR_INIT("caf\xe9"), "utf-8", "utf-8" },
		{ STR_INIT("caf\xc3\xa9"), "iso-8859-1", "iso-8859-1" },
		{ STR_INIT("caf\xe9 \x01"), "windows-1252", "windows-1252" },
		{ STR_INIT("plain"), "shift_jis", "shift_jis" },
		{ STR_INIT("plain"), "utf-8-bom", "utf-8" },
		{ STR_INIT("o\0k\0"), "utf-16le", "utf-16le-nobom" },
		{ STR_INIT("\0o\0k"), "utf-16be", "utf-16be-nobom" },
		{ STR_INIT("\xff\xfeo\0k\0"), "shift_jis", "utf-16le" },
		{ STR_INIT("\xef\xbb\xbfok"), "shift_jis", "utf-8-bom" },
		{ STR_INIT("a\0b"), "windows-1252", NULL },
		{ STR_INIT("\x89PNG\r\n\x1a\n"), "windows-1252", NULL },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct encoding *named =
			encoding_named(str_of(rows[i].named));
		struct detected in;
		enum err e = encoding_detect(rows[i].bytes, named, &in);

		assert_int_equal(e, rows[i].want ? ERR_OK : ERR_BINARY_READ);
		if (!e) {
			assert_string_equal(in.encoding->name, rows[i].want);
			assert_int_equal(in.confidence, CONFIDENCE_CERTAIN);
		}
	}
}

/* A14: too little evidence gives an encoding of low confidence. */
static void a_handful_of_letters_is_a_guess(void **state)
{
	static const struct str rows[] = {
		STR_INIT("latin-1 \xe9 alone"),
		STR_INIT("caf\xe9\n"),
		STR_INIT("100 \x80\n"),
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct detected in;

		assert_int_equal(encoding_detect(rows[i], NULL, &in), ERR_OK);
		assert_int_equal(in.confidence, CONFIDENCE_LOW);
	}
}

/* DOS box drawings are not taken for Latin letters. */
static void boxes_are_no_letters(void **state)
{
	struct str bytes = STR("\xda\xc4\xc4\xc4\xc4\xc4\xc4\xbf\n"
			       "\xb3 menu \xb3\n"
			       "\xc0\xc4\xc4\xc4\xc4\xc4\xc4\xd9\n");
	auto_arena mem = ARENA_INIT;
	struct detected in;
	struct str text;

	assert_int_equal(encoding_detect(bytes, NULL, &in), ERR_OK);
	assert_int_equal(in.confidence, CONFIDENCE_LOW);
	assert_int_equal(encoding_decode(in.encoding, bytes, &mem, &text),
			 ERR_OK);
	assert_str(text, "┌──────┐\n│ menu │\n└──────┘\n");
}

/* Files with a few bytes of another encoding. */
static void undecodable_bytes_do_not_hide_the_encoding(void **state)
{
	static const struct {
		struct str bytes;
		const char *want;
		size_t undecodable;
	} rows[] = {
		{ STR_INIT("\xc3\xa9t\xc3\xa9 \xc3\xa0 \xc3\xbc \xe9t\n"),
		  "utf-8", 1 },
		{ STR_INIT(
			  "\xef\xbb\xbfsome text that is plain, \xe9, and on\n"),
		  "utf-8-bom", 1 },
		{ STR_INIT("\xff\xfeh\0e\0l\0l\0o\0 \0w\0o\0r\0l\0d\0,\0 \0"
			   "a\0n\0d\0 \0s\0o\0 \0o\0n\0,\0 \0a\0n\0d\0 \0o\0n\0"
			   "x"),
		  "utf-16le", 1 },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		auto_arena mem = ARENA_INIT;
		struct detected in;
		struct decoded_text shown;

		assert_int_equal(encoding_detect(rows[i].bytes, NULL, &in),
				 ERR_OK);
		assert_string_equal(in.encoding->name, rows[i].want);
		assert_int_equal(encoding_decode_escaped(in.encoding,
							 rows[i].bytes, &mem,
							 &shown),
				 ERR_OK);
		assert_int_equal(shown.undecodable_count, rows[i].undecodable);
	}
}

/* Terminal escape sequences are not taken for ISO-2022. */
static void colours_are_no_escape_sequences(void **state)
{
	assert_false(encoding_has_iso2022(STR("\x1b[31mred\x1b[0m\x1b(B")));
	assert_true(encoding_has_iso2022(STR("\x1b[31m \x1b$B;3\x1b(B")));
	assert_false(encoding_has_iso2022(STR("\x1b")));
	assert_false(encoding_has_iso2022(STR("")));
}

/* A14: random bytes without NUL are binary, unless all are letters. */
static void noise_is_binary(void **state)
{
	uint64_t dice = 5;
	char bytes[400];

	for (size_t round = 0; round < 500; round++) {
		struct detected in;

		for (size_t i = 0; i < sizeof(bytes); i++) {
			dice = dice * 6364136223846793005 + 1442695040888963407;
			bytes[i] = (char)((dice >> 33) % 255 + 1);
		}
		assert_int_equal(encoding_detect(str_make(bytes, sizeof(bytes)),
						 NULL, &in),
				 ERR_BINARY_READ);
	}
}

/* A long ASCII prefix does not use up the statistical sample. */
static void letters_at_the_end_are_seen(void **state)
{
	static const char *const names[] = { "shift_jis", "windows-1251",
					     "koi8-r", "euc-kr" };

	for (size_t i = 0; i < COUNT_OF(scripts); i++) {
		const struct script *s = &scripts[i];
		auto_arena mem = ARENA_INIT;
		auto_buf file = BUF_INIT;
		struct detected in;
		bool wanted = false;

		for (size_t n = 0; n < COUNT_OF(names); n++)
			wanted = wanted || !strcmp(names[n], s->name);
		if (!wanted)
			continue;
		while (file.len < 300000)
			buf_lit(&file, "int main(void) { return 0; }\n");
		buf_add(&file, in_encoding(encoding_named(str_of(s->name)),
					   str_of(s->text), &mem));
		assert_int_equal(encoding_detect(buf_str(&file), NULL, &in),
				 ERR_OK);
		assert_string_equal(in.encoding->name, s->name);
	}
}

/* A14: each control character at each position of two vectors. */
static void controls_are_seen_wherever_they_are(void **state)
{
	char text[40];

	for (int c = 0; c < 256; c++) {
		bool odd = c < 0x20 && (c < '\t' || c > '\r') && c != 0x1b;

		for (size_t n = 1; n <= sizeof(text); n++) {
			size_t at = (size_t)c % n;

			memset(text, 'x', sizeof(text));
			text[at] = (char)c;
			assert_int_equal(kernels_controls(text, n), odd);
			/* bytes after the end do not count */
			assert_false(kernels_controls(text, at));
			text[at] = 'x';
			text[n - 1] = (char)c;
			assert_int_equal(kernels_controls(text, n), odd);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_recognised),
		cmocka_unit_test(every_row_can_be_used_and_has_ascii),
		cmocka_unit_test(encoding_is_undone_by_decoding),
		cmocka_unit_test(names_are_found_however_they_are_spelt),
		cmocka_unit_test(what_is_named_is_believed),
		cmocka_unit_test(a_handful_of_letters_is_a_guess),
		cmocka_unit_test(boxes_are_no_letters),
		cmocka_unit_test(undecodable_bytes_do_not_hide_the_encoding),
		cmocka_unit_test(colours_are_no_escape_sequences),
		cmocka_unit_test(noise_is_binary),
		cmocka_unit_test(letters_at_the_end_are_seen),
		cmocka_unit_test(controls_are_seen_wherever_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
