/*
 * test_reencode.c - splices of a text as splices of its bytes: no other byte
 * changes.
 */
#include "../unit.h"

#include "text/encoding/codec.h"
#include "text/encoding/utf8.h"
#include "text/lines/lines.h"

/* Replace the only @old in the text of @bytes by @with. */
static enum err change(struct detected in, struct str bytes, const char *old,
		       const char *with, struct arena *mem, struct reencode *r)
{
	struct decoded_text *shown = arena_new(mem, struct decoded_text);
	struct splice *splice = arena_new(mem, struct splice);
	const char *at;

	assert_int_equal(encoding_decode_escaped(in.encoding, bytes, mem,
						 shown),
			 ERR_OK);
	at = memmem(shown->text.ptr, shown->text.len, old, strlen(old));
	assert_non_null(at);
	splice->from = (size_t)(at - shown->text.ptr);
	splice->to = splice->from + strlen(old);
	splice->with = str_of(with);
	*r = (struct reencode){ .in = in,
				.bytes = bytes,
				.shown = shown,
				.splices = splice,
				.n = 1 };
	r->text = edit_splice(shown->text, splice, 1, mem);
	return encoding_reencode(r, mem);
}

static void assert_bytes(struct str got, struct str want)
{
	assert_int_equal(got.len, want.len);
	assert_memory_equal(got.ptr, want.ptr, want.len);
}

/* All 1- and 2-byte codes, each on a line of its own, MARK in between. */
static struct str every_code(struct arena *mem, struct str *ret_after)
{
	auto_buf out = BUF_INIT, after = BUF_INIT;

	for (unsigned a = 0x80; a < 0x100; a++) {
		buf_addc(&out, (char)a);
		buf_addc(&out, '\n');
		for (unsigned b = 1; b < 0x100; b++) {
			buf_addc(&out, (char)a);
			buf_addc(&out, (char)b);
			buf_addc(&out, '\n');
		}
		if (a == 0xc0)
			buf_lit(&out, "MARK\n");
	}
	for (size_t i = 0; i < out.len; i++) {
		struct str rest = str_skip(buf_str(&out), i);

		if (str_starts(rest, STR("MARK\n"))) {
			buf_lit(&after, "changed\n");
			i += 4;
		} else {
			buf_addc(&after, out.ptr[i]);
		}
	}
	*ret_after = arena_copy(mem, buf_str(&after));
	return arena_copy(mem, buf_str(&out));
}

/*
 * A48: an edit elsewhere changes no other byte, including sequences that do not
 * round-trip and undecodable ones.
 */
static void every_code_survives_an_edit_elsewhere(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct str after, bytes = every_code(&mem, &after);

	for (size_t i = 0; i < encoding_rows_count; i++) {
		struct detected in = { encoding_rows[i], CONFIDENCE_CERTAIN };
		struct reencode r;

		if (!in.encoding->iconv || in.encoding->codec->shift)
			continue;
		assert_int_equal(change(in, bytes, "MARK", "changed", &mem, &r),
				 ERR_OK);
		assert_bytes(r.after, after);
		arena_reset(&mem, 0);
		bytes = every_code(&mem, &after);
	}
}

/* Some codes do not round-trip, so the test above is not trivial. */
static void some_codes_would_not_come_back(void **state)
{
	static const struct {
		const char *name;
		unsigned least;
	} rows[] = { { "shift_jis", 390 }, { "big5", 2 }, { "euc-jp", 1 } };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct encoding *e = encoding_named(str_of(rows[i].name));
		unsigned lost = 0;

		for (unsigned a = 0x80; a < 0x100; a++) {
			for (unsigned b = 1; b < 0x100; b++) {
				char in[2] = { (char)a, (char)b };
				char out[CODEC_MOST];
				unsigned shift = 0;
				size_t len = 0, n;
				uint32_t code =
					e->codec->next(e, str_make(in, 2),
						       &shift, &len);

				if (code == CODEC_BAD || len != 2)
					continue;
				n = e->codec->put(e, code, &shift, out);
				lost += !str_eq(str_make(in, 2),
						str_make(out, n));
			}
		}
		assert_true(lost >= rows[i].least);
	}
}

/* Random bytes around an ASCII line that is edited. */
static void random_bytes_survive_an_edit(void **state)
{
	uint64_t dice = 11;

	for (size_t round = 0; round < 300; round++) {
		auto_arena mem = ARENA_INIT;
		auto_buf bytes = BUF_INIT, want = BUF_INIT;
		struct detected in;
		struct reencode r;

		for (size_t i = 0; i < 600; i++) {
			dice = dice * 6364136223846793005 + 1442695040888963407;
			if (i == 300) {
				buf_lit(&bytes, "\none line\n");
				buf_lit(&want, "\none more\n");
			}
			buf_addc(&bytes, (char)(0x80 | dice >> 40));
			buf_addc(&want, (char)(0x80 | dice >> 40));
		}
		assert_int_equal(encoding_detect(buf_str(&bytes), NULL, &in),
				 ERR_OK);
		assert_int_equal(change(in, buf_str(&bytes), "line", "more",
					&mem, &r),
				 ERR_OK);
		assert_bytes(r.after, buf_str(&want));
	}
}

/* The shift state after an edit is the one that the following bytes need. */
static void shift_states_are_kept(void **state)
{
	/* 日本 is F|K\ in JIS X 0208, 語 is 8l */
	static const struct {
		struct str before;
		const char *old, *with;
		struct str after;
	} rows[] = {
		{ STR_INIT("a \x1b$BF|K\\8l\x1b(B b\n"), "本", "語",
		  STR_INIT("a \x1b$BF|8l8l\x1b(B b\n") },
		{ STR_INIT("a \x1b$BF|K\\8l\x1b(B b\n"), "本", "x",
		  STR_INIT("a \x1b$BF|\x1b(Bx\x1b$B8l\x1b(B b\n") },
		{ STR_INIT("a \x1b$BF|K\\\x1b(B b\n"), "日本", "xyz",
		  STR_INIT("a xyz b\n") },
		{ STR_INIT("a \x1b$BF|K\\\x1b(B b\n"), " b", "語",
		  STR_INIT("a \x1b$BF|K\\8l\x1b(B\n") },
		{ STR_INIT("a \x1b$BF|K\\\x1b(B b\n"), "b", "日",
		  STR_INIT("a \x1b$BF|K\\\x1b(B \x1b$BF|\x1b(B\n") },
		{ STR_INIT("a \x1b$@F|K\\\x1b(J b\n"), "本", "語",
		  STR_INIT("a \x1b$@F|8l\x1b(J b\n") },
		{ STR_INIT("\x1b$BF|\x1b(B"), "日", "", STR_INIT("") },
		{ STR_INIT("\x1b$BF|K\\"), "日", "a", STR_INIT("a\x1b$BK\\") },
		{ STR_INIT("\x1b(I1\x1b(B x"), "x", "y",
		  STR_INIT("\x1b(I1\x1b(B y") },
	};
	struct detected in = { &encoding_iso_2022_jp, CONFIDENCE_LIKELY };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		auto_arena mem = ARENA_INIT;
		struct reencode r;

		assert_int_equal(change(in, rows[i].before, rows[i].old,
					rows[i].with, &mem, &r),
				 ERR_OK);
		assert_bytes(r.after, rows[i].after);
	}
}

static const struct {
	const char *name;
	enum confidence confidence;
	struct str before;
	const char *old, *with;
	enum err want;
	size_t bad;
} rules[] = {
	/* characters that the encoding lacks */
	{ "windows-1252", CONFIDENCE_CERTAIN, STR_INIT("a\nb \xe9\n"), "b",
	  "b\n→", ERR_UNENCODABLE, 4 },
	{ "iso-2022-jp", CONFIDENCE_CERTAIN, STR_INIT("a\n"), "a", "ｱ",
	  ERR_UNENCODABLE, 0 },
	{ "tis-620", CONFIDENCE_CERTAIN, STR_INIT("a\n"), "a", "aé",
	  ERR_UNENCODABLE, 1 },
	/* undecodable bytes */
	{ "windows-1252", CONFIDENCE_CERTAIN, STR_INIT("a\x81z q\n"), "q", "r",
	  ERR_OK, 0 },
	{ "windows-1252", CONFIDENCE_CERTAIN, STR_INIT("a\x81z q\n"), "z", "y",
	  ERR_OK, 0 },
	{ "windows-1252", CONFIDENCE_CERTAIN, STR_INIT("a\x81z q\n"), "\\x81",
	  "y", ERR_UNDECODABLE, 1 },
	{ "windows-1252", CONFIDENCE_CERTAIN, STR_INIT("a\x81z q\n"), "a\\x81z",
	  "y", ERR_UNDECODABLE, 1 },
	{ "windows-1252", CONFIDENCE_CERTAIN, STR_INIT("a\x81z q\n"), "81z",
	  "y", ERR_UNDECODABLE, 1 },
	{ "windows-1252", CONFIDENCE_CERTAIN, STR_INIT("a\x81z q\n"), "a\\x",
	  "y", ERR_UNDECODABLE, 1 },
	/* the same characters as literal text of the file */
	{ "windows-1252", CONFIDENCE_CERTAIN, STR_INIT("a\\x81z \xe9\n"),
	  "\\x81", "y", ERR_OK, 0 },
	/* an undecodable byte that would combine with the insertion */
	{ "shift_jis", CONFIDENCE_CERTAIN, STR_INIT("a\x81\n q\n"), "\n q", "A",
	  ERR_UNDECODABLE, 5 },
	{ "shift_jis", CONFIDENCE_CERTAIN, STR_INIT("a\x81\n q\n"), "q", "A",
	  ERR_OK, 0 },
	{ "utf-8", CONFIDENCE_CERTAIN, STR_INIT("\xc3 \xc3\xa9 q\n"), "é", "è",
	  ERR_OK, 0 },
	{ "utf-8", CONFIDENCE_CERTAIN, STR_INIT("\xc3 \xc3\xa9 q\n"), "\\xC3",
	  "è", ERR_UNDECODABLE, 0 },
	/* low confidence: ASCII between ASCII is allowed */
	{ "windows-1252", CONFIDENCE_LOW, STR_INIT("\xe9 old\n"), "old", "new",
	  ERR_OK, 0 },
	{ "windows-1252", CONFIDENCE_LOW, STR_INIT("\xe9 old\n"), "old", "é",
	  ERR_UNCERTAIN, 3 },
	{ "windows-1252", CONFIDENCE_LOW, STR_INIT("\xe9old\n"), "old", "new",
	  ERR_UNCERTAIN, 2 },
	{ "windows-1252", CONFIDENCE_LOW, STR_INIT("\xe9 old\n"), "é", "e",
	  ERR_UNCERTAIN, 0 },
	{ "windows-1252", CONFIDENCE_LIKELY, STR_INIT("\xe9 old\n"), "é", "e",
	  ERR_OK, 0 },
};

/* A48 A14: an edit that cannot be encoded is refused, with its offset. */
static void reencoding_follows_its_rules(void **state)
{
	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		auto_arena mem = ARENA_INIT;
		struct detected in = { encoding_named(str_of(rules[i].name)),
				       rules[i].confidence };
		struct reencode r;

		assert_int_equal(change(in, rules[i].before, rules[i].old,
					rules[i].with, &mem, &r),
				 rules[i].want);
		if (rules[i].want)
			assert_int_equal(r.bad, rules[i].bad);
	}
}

/* Each undecodable byte is escaped, counted and located. */
static void undecodable_bytes_are_shown_and_found(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct str bytes = STR("a\x81 \x8d\x8f"
			       "b\xe9");
	size_t places[] = { 0, 1, 5, 6, 10, 14, 15, 17 };
	size_t want[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	size_t got[COUNT_OF(places)];
	struct decoded_text shown;

	assert_int_equal(encoding_decode_escaped(&encoding_windows_1252, bytes,
						 &mem, &shown),
			 ERR_OK);
	assert_str(shown.text, "a\\x81 \\x8D\\x8Fbé");
	assert_int_equal(shown.undecodable_count, 3);
	assert_int_equal(shown.undecodable[0], 1);
	assert_int_equal(shown.undecodable[1], 6);
	assert_int_equal(shown.undecodable[2], 10);
	encoding_places(&encoding_windows_1252, bytes, places, COUNT_OF(places),
			got);
	assert_memory_equal(got, want, sizeof(want));
}

/* Decoding at once and step by step gives the same. */
static void places_agree_with_the_text(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct str after, bytes = every_code(&mem, &after);

	for (size_t i = 0; i < encoding_rows_count; i++) {
		const struct encoding *e = encoding_rows[i];
		struct decoded_text shown;
		size_t end, back;

		if (e->bom.len ||
		    encoding_decode_escaped(e, bytes, &mem, &shown) != ERR_OK)
			continue;
		assert_true(utf8_valid(shown.text));
		end = shown.text.len;
		encoding_places(e, bytes, &end, 1, &back);
		assert_int_equal(back, bytes.len);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_code_survives_an_edit_elsewhere),
		cmocka_unit_test(some_codes_would_not_come_back),
		cmocka_unit_test(random_bytes_survive_an_edit),
		cmocka_unit_test(shift_states_are_kept),
		cmocka_unit_test(reencoding_follows_its_rules),
		cmocka_unit_test(undecodable_bytes_are_shown_and_found),
		cmocka_unit_test(places_agree_with_the_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
