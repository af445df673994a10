/*
 * test_encodings.c - the tools on files in every encoding: bytes outside an
 * edit stay as they are.
 */
#include "../memory.h"
#include "../parsed.h"
#include "../text/scripts.h"
#include "../unit.h"

#include "text/encoding/utf8.h"
#include "tools/call/dispatch.h"
#include "tools/call/result.h"

/* A file in memory, and the options of the call. */
struct bench {
	struct memory memory;
	struct tool_options options;
	struct encoding_rule rule; /* for every file, if it names one */
	struct arena mem;
	struct fault fault;
};

static void bench_drop(struct bench *b)
{
	arena_free(&b->memory.mem);
	arena_free(&b->mem);
}

#define auto_bench cleanup(bench_drop) struct bench
#define BENCH(bytes_, named)                                              \
	{                                                                 \
		.memory = MEMORY({ "/f", bytes_ }),                       \
		.options = { .max_file = 1 << 20, .max_reply = 1 << 20 }, \
		.rule = {                                                 \
			STR_INIT("*"),                                    \
			named                                             \
		}                                                         \
	}

/* Call @tool on the file with up to two more arguments. */
static enum err call(struct bench *b, const char *tool, const char *const *keys,
		     const struct str *values, struct json *ret)
{
	struct dispatch d = { .options = &b->options,
			      .ws = &b->memory.ws,
			      .mem = &b->mem };
	auto_buf text = BUF_INIT, payload = BUF_INIT;
	struct json_out o = json_out(&text);
	enum err e;

	b->options.encodings = &b->rule;
	b->options.encoding_count = b->rule.encoding != NULL;
	json_open(&o, '{');
	json_key(&o, "path");
	json_put_str(&o, STR("/f"));
	for (size_t i = 0; i < 2 && keys[i]; i++) {
		json_key(&o, keys[i]);
		json_put_str(&o, values[i]);
	}
	json_close(&o, '}');
	e = dispatch_begin(&d, str_of(tool),
			   parsed(arena_copy(&b->mem, buf_str(&text)),
				  &b->mem));
	if (!e)
		e = dispatch_run(&d, 0);
	b->fault = d.fault;
	if (e)
		return e;
	result_payload(&d.call, &payload);
	*ret = parsed(arena_copy(&b->mem, buf_str(&payload)), &b->mem);
	return ERR_OK;
}

static enum err edit(struct bench *b, struct str old, struct str with)
{
	static const char *const keys[] = { "old_string", "new_string" };
	struct json payload;

	return call(b, "edit_text_file", keys, (struct str[]){ old, with },
		    &payload);
}

static enum err write_all(struct bench *b, struct str content)
{
	static const char *const keys[] = { "content", NULL };
	struct json payload;

	return call(b, "write_text_file", keys, (struct str[]){ content },
		    &payload);
}

static struct str read_all(struct bench *b, struct json *ret_meta)
{
	static const char *const none[] = { NULL, NULL };
	struct json payload;
	struct str text;

	assert_int_equal(call(b, "read_text_file", none, NULL, &payload),
			 ERR_OK);
	assert_true(json_text(json_get(payload, "content"), &b->mem, &text));
	*ret_meta = json_get(payload, "_meta");
	return text;
}

static void holds(struct bench *b, struct str want)
{
	struct str got = b->memory.files[0].bytes;

	assert_int_equal(got.len, want.len);
	assert_memory_equal(got.ptr, want.ptr, want.len);
}

enum shape { LF, CRLF, MIXED, NO_END };

/* @text with other line endings. */
static struct str shaped(const char *text, enum shape shape, struct arena *mem)
{
	auto_buf out = BUF_INIT;
	size_t line = 0;

	for (; *text; text++) {
		if (*text == '\n' &&
		    (shape == CRLF || (shape == MIXED && line++ % 2)))
			buf_addc(&out, '\r');
		if (*text != '\n' || text[1] || shape != NO_END)
			buf_addc(&out, *text);
	}
	return arena_copy(mem, buf_str(&out));
}

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

/* @text with the one @old in it replaced. */
static struct str replaced(struct str text, const char *old, struct str with,
			   struct arena *mem)
{
	const char *at = memmem(text.ptr, text.len, old, strlen(old));
	struct splice splice = { .with = with };

	assert_non_null(at);
	splice.from = (size_t)(at - text.ptr);
	splice.to = splice.from + strlen(old);
	return edit_splice(text, &splice, 1, mem);
}

/*
 * One ASCII edit, one in the script of the text, one write of what was read:
 * after each the file is what the whole text in that encoding would be.
 */
static void one_file(const struct script *s, enum shape shape)
{
	const struct encoding *e = encoding_named(str_of(s->name));
	auto_arena mem = ARENA_INIT;
	struct str text = shaped(s->text, shape, &mem), got;
	auto_bench b = BENCH(in_encoding(e, text, &mem), e);
	struct json meta;

	got = read_all(&b, &meta);
	assert_true(str_eq(got, text));
	assert_true(json_str_is(json_get(meta, "encoding"), s->name));
	assert_int_equal(write_all(&b, got), ERR_OK);
	holds(&b, in_encoding(e, text, &mem));

	assert_int_equal(edit(&b, STR("title ="), STR("subject =")), ERR_OK);
	text = replaced(text, "title =", STR("subject ="), &mem);
	holds(&b, in_encoding(e, text, &mem));

	assert_int_equal(edit(&b, STR("note ="), str_of(s->letter)), ERR_OK);
	text = replaced(text, "note =", str_of(s->letter), &mem);
	holds(&b, in_encoding(e, text, &mem));

	text = replaced(text, "help =", str_of(s->letter), &mem);
	assert_int_equal(write_all(&b, text), ERR_OK);
	holds(&b, in_encoding(e, text, &mem));
}

/* W56 A48 C71 X16 R59: 39 encodings in four shapes. */
static void every_other_byte_stays(void **state)
{
	assert_true(COUNT_OF(scripts) >= 30);
	for (size_t i = 0; i < COUNT_OF(scripts); i++)
		for (enum shape shape = LF; shape <= NO_END; shape++)
			one_file(&scripts[i], shape);
}

/* The same without a configured encoding. */
static void what_is_detected_can_be_edited(void **state)
{
	for (size_t i = 0; i < COUNT_OF(scripts); i++) {
		const struct script *s = &scripts[i];
		const struct encoding *e = encoding_named(str_of(s->name));
		auto_arena mem = ARENA_INIT;
		struct str text = str_of(s->text);
		auto_bench b = BENCH(in_encoding(e, text, &mem), NULL);
		struct json meta;

		assert_true(str_eq(read_all(&b, &meta), text));
		assert_int_equal(edit(&b, STR("help ="), STR("hint =")),
				 ERR_OK);
		text = replaced(text, "help =", STR("hint ="), &mem);
		holds(&b, in_encoding(e, text, &mem));
		if (s->low) {
			assert_true(json_str_is(json_get(meta,
							 "encoding_confidence"),
						"low"));
			assert_int_equal(edit(&b, STR("hint"),
					      str_of(s->letter)),
					 ERR_UNCERTAIN);
			assert_int_equal(b.fault.number, 4);
			assert_true(b.fault.hint.len > 0);
			continue;
		}
		assert_int_equal(edit(&b, STR("hint"), str_of(s->letter)),
				 ERR_OK);
		text = replaced(text, "hint", str_of(s->letter), &mem);
		holds(&b, in_encoding(e, text, &mem));
	}
}

/* A14 R59: the result says what the file is in, and how sure that is. */
static void results_name_the_encoding(void **state)
{
	static const struct {
		struct str bytes;
		const char *encoding, *confidence;
		int64_t undecodable;
		const char *text;
	} rows[] = {
		{ STR_INIT("plain\n"), "utf-8", NULL, 0, "plain\n" },
		{ STR_INIT("caf\xe9\n"), "windows-1252", "low", 0, "café\n" },
		{ STR_INIT("\xc3\xa9\xc3\xa0\xc3\xa8\xc3\xbc \xe9.\n"), "utf-8",
		  "likely", 1, "éàèü \\xE9.\n" },
		{ STR_INIT("\x1b$BF|K\\\x1b(B\n"), "iso-2022-jp", "likely", 0,
		  "日本\n" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		auto_bench b = BENCH(rows[i].bytes, NULL);
		struct json meta;
		int64_t n = 0;

		assert_str(read_all(&b, &meta), rows[i].text);
		assert_true(json_str_is(json_get(meta, "encoding"),
					rows[i].encoding));
		if (rows[i].confidence)
			assert_true(json_str_is(json_get(meta,
							 "encoding_confidence"),
						rows[i].confidence));
		else
			assert_true(
				json_is(json_get(meta, "encoding_confidence"),
					JSON_NONE));
		(void)!json_int(json_get(meta, "undecodable"), &n);
		assert_int_equal(n, rows[i].undecodable);
	}
}

/* A48: lines whose bytes the codec would not give back keep them. */
static void a_write_keeps_the_bytes_of_other_lines(void **state)
{
	/* 0x8790 and 0xed40 have another spelling each */
	struct str before = STR("a \x87\x90\nold\nb \xed\x40\n");
	struct str after = STR("a \x87\x90\nnew\nmore\nb \xed\x40\n");
	auto_bench b = BENCH(before, encoding_named(STR("shift_jis")));
	struct json meta;
	struct str text = read_all(&b, &meta);

	assert_int_equal(write_all(&b, text), ERR_OK);
	holds(&b, before);
	text = replaced(text, "old", STR("new\nmore"), &b.mem);
	assert_int_equal(write_all(&b, text), ERR_OK);
	holds(&b, after);
}

/* A48: what the encoding lacks is named, with its line, and not written. */
static void what_it_cannot_hold_is_refused(void **state)
{
	struct str before = STR("one\ncaf\xe9\n");
	auto_bench b = BENCH(before, encoding_named(STR("windows-1252")));

	assert_int_equal(edit(&b, STR("café"), STR("x\ny → z")),
			 ERR_UNENCODABLE);
	assert_str(fault_text(&b.fault, &b.mem),
		   "Cannot encode '→' (U+2192) (line 3) in windows-1252: /f");
	assert_true(b.fault.hint.len > 0);
	assert_int_equal(write_all(&b, STR("one\ncafé\nlast → line\n")),
			 ERR_UNENCODABLE);
	assert_int_equal(b.fault.number, 3);
	assert_int_equal(b.memory.stores, 0);
	holds(&b, before);
}

/* Undecodable bytes prevent only edits that touch them. */
static void undecodable_bytes_are_not_touched(void **state)
{
	struct str before = STR("one\ncaf\xe9 \x81 two\nthree\n");
	auto_bench b = BENCH(before, encoding_named(STR("windows-1252")));
	struct json meta;
	struct str text = read_all(&b, &meta);

	assert_str(text, "one\ncafé \\x81 two\nthree\n");
	assert_int_equal(edit(&b, STR("\\x81"), STR("!")), ERR_UNDECODABLE);
	assert_int_equal(b.fault.number, 2);
	assert_int_equal(write_all(&b, STR("one\n")), ERR_UNDECODABLE);
	assert_int_equal(b.fault.number, 2);
	assert_int_equal(b.memory.stores, 0);
	assert_int_equal(write_all(&b, text), ERR_OK);
	holds(&b, before);
	assert_int_equal(edit(&b, STR("café"), STR("thé")), ERR_OK);
	holds(&b, STR("one\nth\xe9 \x81 two\nthree\n"));
}

/* A14: a guessed encoding is enough to write back the same text, and ASCII. */
static void a_guess_is_not_written_with(void **state)
{
	struct str before = STR("one\ncaf\xe9\n");
	auto_bench b = BENCH(before, NULL);

	assert_int_equal(write_all(&b, STR("one\ncafé\n")), ERR_OK);
	holds(&b, before);
	assert_int_equal(write_all(&b, STR("1\ncafé\n")), ERR_OK);
	holds(&b, STR("1\ncaf\xe9\n"));
	assert_int_equal(write_all(&b, STR("1\nthé\n")), ERR_UNCERTAIN);
	assert_int_equal(b.fault.number, 2);
	assert_int_equal(edit(&b, STR("café"), STR("tea")), ERR_UNCERTAIN);
	holds(&b, STR("1\ncaf\xe9\n"));
}

/* A48: a new file is in what the configuration says, mark and all. */
static void new_files_follow_the_configuration(void **state)
{
	static const struct {
		const char *named;
		struct str want;
	} rows[] = {
		{ NULL, STR_INIT("\xc3\xa9\n") },
		{ "utf-8", STR_INIT("\xc3\xa9\n") },
		{ "utf-8-bom", STR_INIT("\xef\xbb\xbf\xc3\xa9\n") },
		{ "latin1", STR_INIT("\xe9\n") },
		{ "utf-16le", STR_INIT("\xff\xfe\xe9\0\n\0") },
		{ "utf-16be-nobom", STR_INIT("\0\xe9\0\n") },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct encoding *e =
			rows[i].named ? encoding_named(str_of(rows[i].named))
				      : NULL;
		auto_bench b = BENCH(STR_INIT(""), e);

		b.memory.files[0] = (struct memory_file){ 0 };
		assert_int_equal(write_all(&b, STR("é\n")), ERR_OK);
		holds(&b, rows[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_other_byte_stays),
		cmocka_unit_test(what_is_detected_can_be_edited),
		cmocka_unit_test(results_name_the_encoding),
		cmocka_unit_test(a_write_keeps_the_bytes_of_other_lines),
		cmocka_unit_test(what_it_cannot_hold_is_refused),
		cmocka_unit_test(undecodable_bytes_are_not_touched),
		cmocka_unit_test(a_guess_is_not_written_with),
		cmocka_unit_test(new_files_follow_the_configuration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
