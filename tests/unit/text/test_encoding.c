/*
 * test_encoding.c - decoding, encoding and offsets of every encoding.
 */
#include "../unit.h"

#include "text/encoding/codec.h"
#include "text/encoding/utf8.h"

/* Texts that every Unicode encoding can hold. */
static const char *const texts[] = {
	"",
	"a",
	"hello world\nsecond line\r\n",
	"caf\xc3\xa9 \xe2\x82\xac 5\n",
	"\xe4\xb8\x80\xe4\xba\x8c\xe4\xb8\x89 one\n",
	"emoji \xf0\x9f\x98\x80 and after\n",
	"\xf4\x8f\xbf\xbf\xef\xbf\xbd\xc2\x80",
	"\xef\xbb\xbf two marks",
	"sixteen bytes of\xc3\xa9sixteen bytes of",
};

static const char *const names[] = {
	"utf-8",          "utf-8-bom",      "utf-16le",       "utf-16be",
	"utf-32le",       "utf-32be",       "utf-16le-nobom", "utf-16be-nobom",
	"utf-32le-nobom", "utf-32be-nobom",
};

static struct str in_encoding(const struct encoding *e, struct str text,
			      struct arena *mem)
{
	struct str body;
	size_t bad;
	char *p;

	assert_int_equal(encoding_encode(e, text, mem, &body, &bad), ERR_OK);
	p = arena_alloc(mem, e->bom.len + body.len);
	if (e->bom.len)
		memcpy(p, e->bom.ptr, e->bom.len);
	if (body.len)
		memcpy(p + e->bom.len, body.ptr, body.len);
	return str_make(p, e->bom.len + body.len);
}

/* A48 X16: every encoding round-trips. */
static void decoding_undoes_encoding(void **state)
{
	for (size_t n = 0; n < COUNT_OF(names); n++) {
		const struct encoding *e = encoding_named(str_of(names[n]));

		assert_non_null(e);
		assert_string_equal(e->name, names[n]);
		for (size_t t = 0; t < COUNT_OF(texts); t++) {
			auto_arena mem = ARENA_INIT;
			struct str text = str_of(texts[t]), got;
			struct str bytes = in_encoding(e, text, &mem);

			assert_int_equal(encoding_decode(e, bytes, &mem, &got),
					 ERR_OK);
			assert_str(got, texts[t]);
		}
	}
	assert_null(encoding_named(STR("utf-7")));
	assert_ptr_equal(encoding_named(STR("utf-8")), &encoding_utf8);
}

/* M66: each offset of the text maps to an offset of the bytes. */
static void places_are_where_the_prefix_ends(void **state)
{
	for (size_t n = 0; n < COUNT_OF(names); n++) {
		const struct encoding *e = encoding_named(str_of(names[n]));

		for (size_t t = 0; t < COUNT_OF(texts); t++) {
			auto_arena mem = ARENA_INIT;
			struct str text = str_of(texts[t]);
			struct str bytes = in_encoding(e, text, &mem);
			size_t places[80], got[80], want[80], count = 0;

			for (size_t i = 0; i <= text.len; i++) {
				struct str head = utf8_head(text, i);

				places[count] = head.len;
				want[count++] = in_encoding(e, head, &mem).len;
			}
			encoding_places(e, bytes, places, count, got);
			assert_memory_equal(got, want, count * sizeof(got[0]));
		}
	}
}

static void literal_bytes_are_as_the_standard_has_them(void **state)
{
	/* U+1F600 and "a" */
	static const struct {
		const char *name;
		struct str bytes;
	} rows[] = {
		{ "utf-16le", STR_INIT("\xff\xfe\x3d\xd8\x00\xde\x61\x00") },
		{ "utf-16be", STR_INIT("\xfe\xff\xd8\x3d\xde\x00\x00\x61") },
		{ "utf-32le",
		  STR_INIT("\xff\xfe\0\0\x00\xf6\x01\0\x61\0\0\0") },
		{ "utf-32be",
		  STR_INIT("\0\0\xfe\xff\0\x01\xf6\x00\0\0\0\x61") },
		{ "utf-8-bom", STR_INIT("\xef\xbb\xbf\xf0\x9f\x98\x80"
					"a") },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		auto_arena mem = ARENA_INIT;
		const struct encoding *e;
		struct detected in;
		struct str text;

		assert_int_equal(encoding_detect(rows[i].bytes, NULL, &in),
				 ERR_OK);
		e = in.encoding;
		assert_string_equal(e->name, rows[i].name);
		assert_int_equal(encoding_decode(e, rows[i].bytes, &mem, &text),
				 ERR_OK);
		assert_str(text, "\xf0\x9f\x98\x80"
				 "a");
	}
}

#define RUSSIAN                                                         \
	"\xd0\x9f\xd1\x80\xd0\xb8\xd0\xb2\xd0\xb5\xd1\x82 "             \
	"\xd0\xbc\xd0\xb8\xd1\x80, \xd1\x8d\xd1\x82\xd0\xbe "           \
	"\xd0\xbe\xd0\xb4\xd0\xbd\xd0\xb0 \xd0\xb4\xd0\xbb\xd0\xb8\xd0" \
	"\xbd\xd0\xbd\xd0\xb0\xd1\x8f "                                 \
	"\xd1\x81\xd1\x82\xd1\x80\xd0\xbe\xd0\xba\xd0\xb0\n"
#define CHINESE                                                        \
	"\xe4\xb8\x80\xe4\xb8\xaa\xe4\xb8\xad\xe6\x96\x87\xe6\x96\x87" \
	"\xe4\xbb\xb6\xef\xbc\x8c\xe6\x9c\x89\xe4\xb8\x80\xe4\xba\x9b" \
	"\xe8\xa1\x8c\xe3\x80\x82\n"

/* A14 C44: UTF-16 and UTF-32 without a BOM, long or plain enough. */
static void encodings_without_a_mark_are_recognised(void **state)
{
	static const struct {
		const char *text;
		bool utf32;
	} rows[] = {
		{ "okay", true },
		{ "plain ASCII text, some of it\r\n", true },
		{ "caf\xc3\xa9 au lait, s'il vous pla\xc3\xaet\n", true },
		{ RUSSIAN, false },
		{ CHINESE CHINESE CHINESE, false },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		for (size_t n = 6; n < COUNT_OF(names); n++) {
			auto_arena mem = ARENA_INIT;
			const struct encoding *e;
			struct detected got;
			struct str bytes;

			e = encoding_named(str_of(names[n]));
			if (e->unit == 4 && !rows[i].utf32)
				continue;
			bytes = in_encoding(e, str_of(rows[i].text), &mem);
			assert_int_equal(encoding_detect(bytes, NULL, &got),
					 ERR_OK);
			assert_ptr_equal(got.encoding, e);
		}
	}
}

/* A14 C44: UTF-8 that resembles another format at first. */
static void texts_are_utf8(void **state)
{
	static const struct str rows[] = {
		STR_INIT(""),
		STR_INIT("a"),
		STR_INIT("caf\xc3\xa9"),
		STR_INIT("\x1b[31mred\x1b[0m\f\v\t\r\n"),
		STR_INIT("a\x01 control is no NUL"),
		STR_INIT("%PDF- is how a PDF starts\n"),
		STR_INIT("GIF89a is another\n"),
		STR_INIT("!<arch>\nis a third\n"),
		STR_INIT("RIFF raff\n"),
		STR_INIT("MZ\n"),
		STR_INIT("BZh is Swiss\n"),
		STR_INIT("7z is not a number\n"),
	};
	struct detected in;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		assert_int_equal(encoding_detect(rows[i], NULL, &in), ERR_OK);
		assert_ptr_equal(in.encoding, &encoding_utf8);
		assert_int_equal(in.confidence, CONFIDENCE_CERTAIN);
		assert_false(encoding_magic(rows[i]));
	}
	assert_int_equal(encoding_detect((struct str){ NULL, 0 }, NULL, &in),
			 ERR_OK);
	assert_ptr_equal(in.encoding, &encoding_utf8);
}

/* 16 units that are ASCII and Han in the one byte order and in the other. */
#define EITHER   \
	"a\0\0a" \
	" \0\0 " \
	"b\0\0b" \
	"c\0\0c" \
	"d\0\0d" \
	"e\0\0e" \
	"f\0\0f" \
	"g\0\0g"

static const struct {
	struct str bytes;
	bool magic;
} binaries[] = {
	{ STR_INIT("\x89PNG\r\n\x1a\n"), true },
	{ STR_INIT("\xff\xd8\xff\xe0\0\x10JFIF"), true },
	{ STR_INIT("GIF89a\x01\0\x01\0"), true },
	{ STR_INIT("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj"), true },
	{ STR_INIT("%PDF-1.7\nstream \x01\x02"), true },
	{ STR_INIT("PK\x03\x04\x14\0\0\0"), true },
	{ STR_INIT("\x1f\x8b\x08\0\0\0\0\0"), true },
	{ STR_INIT("BZh91AY&SY\xd9\x7e"), true },
	{ STR_INIT("\xfd"
		   "7zXZ\0\0"),
	  true },
	{ STR_INIT("\x28\xb5\x2f\xfd\x24\x01"), true },
	{ STR_INIT("\x7f"
		   "ELF\x02\x01\x01\0"),
	  true },
	{ STR_INIT("\xcf\xfa\xed\xfe\x07\0\0\x01"), true },
	{ STR_INIT("MZ\x90\0\x03\0\0\0"), true },
	{ STR_INIT("\0asm\x01\0\0\0"), true },
	{ STR_INIT("\xca\xfe\xba\xbe\0\0\0\x34"), true },
	{ STR_INIT("RIFF\x24\0\0\0WAVEfmt "), true },
	{ STR_INIT("OggS\0\x02"), true },
	{ STR_INIT("fLaC\0\0\0\x22"), true },
	{ STR_INIT("\0\0\0\x18"
		   "ftypmp42"),
	  true },
	{ STR_INIT("SQLite format 3\0\x10"), true },
	{ STR_INIT("II*\0\x08\0\0\0"), true },
	{ STR_INIT("MM\0*\0\0\0\x08"), true },
	{ STR_INIT("\0\0\x01\0\x01\0"), true },
	{ STR_INIT("wOF2\0\x01\0\0"), true },
	{ STR_INIT("7z\xbc\xaf\x27\x1c\0\x04"), true },
	{ STR_INIT("Rar!\x1a\x07\0"), true },
	{ STR_INIT("!<arch>\ndebian-binary   \xfd"), true },
	{ STR_INIT("\x04\x22\x4d\x18\x64"), true },
	{ STR_INIT("a\0b"), false },
	{ STR_INIT("\0"), false },
	{ STR_INIT("A\0"), false },
	{ STR_INIT("o\0k\0\n\0"), false }, /* too short */
	{ STR_INIT("\xef\xbb\xbf\0"), false },
	{ STR_INIT("\xef\xbb\xbf\xff"), false },
	{ STR_INIT("latin-1 \xe9 and a \x01 control"), false },
	{ STR_INIT("\x81\x8d nothing has these"), false },
	{ STR_INIT("\xff\xfe\x00\xd8"), false }, /* lone surrogate */
	{ STR_INIT("\xff\xfe"
		   "a\0b"),
	  false },                                     /* half a unit */
	{ STR_INIT("\xfe\xff\xdc\x00"), false },       /* lone low surrogate */
	{ STR_INIT("\0\0\xfe\xff\0\x11\0\0"), false }, /* > U+10FFFF */
	{ STR_INIT("\x01\0\x02\0\x03\0\x04\0"), false }, /* numbers */
	{ STR_INIT("a\0\0\0b\0\0\0\x01\0\0\0"), false },
	{ STR_INIT("a\0b\0\0c\0d"), false },
	{ STR_INIT(EITHER EITHER EITHER), false },
};

/* A14: binary by magic number, by NUL bytes, or because no encoding fits. */
static void binaries_are_binary(void **state)
{
	struct detected in;

	for (size_t i = 0; i < COUNT_OF(binaries); i++) {
		assert_int_equal(encoding_detect(binaries[i].bytes, NULL, &in),
				 ERR_BINARY_READ);
		assert_int_equal(encoding_magic(binaries[i].bytes),
				 binaries[i].magic);
	}
}

static uint64_t dice = 3;

static uint64_t roll(void)
{
	dice ^= dice << 13;
	dice ^= dice >> 7;
	dice ^= dice << 17;
	return dice >> 20;
}

/*
 * A14: random bytes of any length, and tables of small numbers that are no
 * longer tiny, are not taken for UTF-16 or UTF-32.
 */
static void noise_is_not_guessed_to_be_text(void **state)
{
	char bytes[512];

	for (size_t round = 0; round < 60000; round++) {
		size_t width = 1 + round % 4;
		size_t least = width == 1 ? 1 : 96;
		size_t len = least + roll() % (sizeof(bytes) - least);
		const struct byte_source s =
			byte_source_of(str_make(bytes, len));

		for (size_t i = 0; i < len; i++)
			bytes[i] = i % width ? 0 : (char)roll();
		assert_null(encoding_detect_utf16(&s));
	}
}

static void bytes_that_are_not_in_it_do_not_decode(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct str text;

	assert_int_equal(encoding_decode(&encoding_utf8, STR("\xff"), &mem,
					 &text),
			 ERR_BINARY_READ);
	assert_int_equal(encoding_decode(&encoding_utf16le, STR("a\0"), &mem,
					 &text),
			 ERR_BINARY_READ);
	assert_int_equal(encoding_decode(&encoding_utf16le_nobom, STR("a\0b"),
					 &mem, &text),
			 ERR_BINARY_READ);
	assert_int_equal(encoding_decode(&encoding_utf16be_nobom,
					 STR("\xd8\0\0a"), &mem, &text),
			 ERR_BINARY_READ);
	assert_int_equal(encoding_decode(&encoding_utf32le_nobom,
					 STR("\0\xd8\0\0"), &mem, &text),
			 ERR_BINARY_READ);
}

static void text_that_is_no_utf8_is_not_encoded(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct str bytes;
	size_t bad = 0;

	assert_int_equal(encoding_encode(&encoding_utf16le,
					 STR("ab\xed\xa0\x80"), &mem, &bytes,
					 &bad),
			 ERR_UNENCODABLE);
	assert_int_equal(bad, 2);
}

/* What encoding_display_text() shows. */
static const struct {
	struct str bytes;
	const char *written;
	struct str want; /* NULL = binary */
	bool named;      /* by the person */
	bool is_new;     /* the file did not exist before */
} displayed[] = {
	{ STR_INIT("plain"), NULL, STR_INIT("plain") },
	{ STR_INIT("caf\u00e9"), NULL, STR_INIT("caf\u00e9") },
	/* never kanji where a shell reads a command */
	{ STR_INIT("\x1b$B;id>pwned;#a\x1b(B"), NULL,
	  STR_INIT("\x1b$B;id>pwned;#a\x1b(B") },
	{ STR_INIT("\x1b$B;id>pwned;#a\x1b(B"), "utf-8",
	  STR_INIT("\x1b$B;id>pwned;#a\x1b(B") },
	{ STR_INIT("\x1b$B4A;z\x1b(B"), "iso-2022-jp",
	  STR_INIT("\x1b$B4A;z\x1b(B") },
	/* unless the person has named the encoding */
	{ STR_INIT("\x1b$B4A;z\x1b(B"), "iso-2022-jp", STR_INIT("\u6f22\u5b57"),
	  .named = true },
	{ STR_INIT("\x8a\xbf\x8e\x9a"), "shift_jis", STR_INIT("\u6f22\u5b57") },
	{ STR_INIT("\x8a\xbf\x8e\x9a"), "utf-8",
	  STR_INIT("\\x8A\\xBF\\x8E\\x9A") },
	/* shell syntax as part of a letter */
	{ STR_INIT("\x95\\ \x83|id"), "shift_jis",
	  STR_INIT("\u8868<\\x95\\> \u30dd<\\x83|>id") },
	{ STR_INIT("\x95\\ \x83|id"), "shift_jis", STR_INIT("\u8868 \u30ddid"),
	  .named = true },
	{ STR_INIT("\x81`id\x81`"), "gbk",
	  STR_INIT("\u4e63<\\x81`>id\u4e63<\\x81`>") },
	{ STR_INIT("a\0b"), "utf-8", STR_INIT("a\0b") },
	/* with a BOM */
	{ STR_INIT("\xff\xfe\x22\x6f"), NULL, STR_INIT("\u6f22") },
	{ STR_INIT("\xff\xfe\x22\x6f"), "utf-16le", STR_INIT("\u6f22") },
	{ STR_INIT("\xff\xfe\x22\x6f"), "utf-16le", STR_INIT("\u6f22<\"o>"),
	  .is_new = true },
	{ STR_INIT("\xff\xfe\n\0;id>a\n\n\0"), "utf-16le",
	  STR_INIT("\n\u693b\u3e64\u0a61<;id>a\\x0A>\n") },
	{ STR_INIT("\xfe\xff\0\n;id>a\n\0\n"), "utf-16be",
	  STR_INIT("\n\u3b69\u643e\u610a<;id>a\\x0A>\n") },
	{ STR_INIT("\xff\xfe;id>a\n"), "utf-16le",
	  STR_INIT("\u693b\u3e64\u0a61"), .named = true },
	/* hiragana */
	{ STR_INIT("\xff\xfeK0j0h0D0"), NULL,
	  STR_INIT("\u304b\u306a\u3068\u3044") },
	/* without a BOM: ASCII is shown as ASCII */
	{ STR_INIT("ab"), "utf-16le", STR_INIT("ab") },
	{ STR_INIT("\n:;id\n"), "utf-16le-nobom", STR_INIT("\n:;id\n") },
	{ STR_INIT("\n:;id\n"), "utf-16be-nobom", STR_INIT("\n:;id\n") },
	{ STR_INIT("\n:;id\n\n\n"), "utf-32le-nobom",
	  STR_INIT("\n:;id\n\n\n") },
	{ STR_INIT("ab"), "utf-16le-nobom", STR_INIT("\u6261"), .named = true },
	{ STR_INIT("a\0;id#\n\0"), "utf-16le-nobom",
	  STR_INIT("a\u693b\u2364<;id#>\n") },
	{ STR_INIT("a\0;i\xff\xd8\n\0"), "utf-16le-nobom",
	  STR_INIT("a\u693b\\xFF\\xD8<;i\\xFF\\xD8>\n") },
	{ STR_INIT("h\0i\0\n\0"), "utf-16le-nobom", STR_INIT("hi\n") },
	{ STR_INIT("\x89PNG\r\n\x1a\n\0"), NULL, { NULL, 0 } },
};

static void a_person_is_shown_what_is_written(void **state)
{
	auto_arena mem = ARENA_INIT;

	for (size_t i = 0; i < COUNT_OF(displayed); i++) {
		const struct display as = { encoding_named(str_of(
						    displayed[i].written)),
					    displayed[i].named };
		struct str bytes = displayed[i].bytes, text = { NULL, 0 };
		struct str was = displayed[i].is_new ? STR("") : bytes;
		bool shown =
			encoding_display_text(bytes, was, &as, &mem, &text);

		if (shown != !!displayed[i].want.ptr ||
		    !str_eq(text, displayed[i].want))
			print_error("row %zu: " STR_FMT "\n", i, STR_ARG(text));
		assert_int_equal(shown, !!displayed[i].want.ptr);
		assert_true(str_eq(text, displayed[i].want));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decoding_undoes_encoding),
		cmocka_unit_test(places_are_where_the_prefix_ends),
		cmocka_unit_test(literal_bytes_are_as_the_standard_has_them),
		cmocka_unit_test(encodings_without_a_mark_are_recognised),
		cmocka_unit_test(texts_are_utf8),
		cmocka_unit_test(binaries_are_binary),
		cmocka_unit_test(noise_is_not_guessed_to_be_text),
		cmocka_unit_test(bytes_that_are_not_in_it_do_not_decode),
		cmocka_unit_test(text_that_is_no_utf8_is_not_encoded),
		cmocka_unit_test(a_person_is_shown_what_is_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
