/*
 * fuzz_lenient.c - lenient matching of texts of blanks, quotes and line
 * endings.
 *
 * A match equals the string but for those; there is none when the string occurs
 * twice; and a string replaced by itself changes no byte.
 *
 * Each byte stands for some of the text, by its lowest bits; FIELD ends the
 * text and each string. A missing string is the text with careless blanks.
 */
#include "fuzz.h"
#include "text/encoding/utf8.h"
#include "text/match/confusable.h"
#include "text/match/lenient.h"
#include "text/match/match.h"

#include "base/buf.h"

enum { FIELD = 31 };

static const char *const units[FIELD] = {
	"a",
	"b",
	"c",
	" ",
	"\t",
	"\n",
	"\r\n",
	"    ",
	"\"",
	"'",
	"-",
	"\xe2\x80\x9c",
	"\n\t",
	"\n  ",
	"\n    ",
	"foo",
	"x;\n",
	"\xe2\x80\x99",
	" \n",
	"\t\n",
	"\r",
	"a\n",
	"\tb\n",
	"    b\n",
	"\xff",
	"\n\t\t",
	"\"a\"",
	"\xe2",
	"\xe2\x80\x93",
	"d",
	"e\n",
};

static struct str take_str(struct str *in, struct arena *mem)
{
	auto_buf out = BUF_INIT;

	while (in->len) {
		size_t unit = (unsigned char)in->ptr[0] & FIELD;

		*in = str_skip(*in, 1);
		if (unit == FIELD)
			break;
		buf_add(&out, str_of(units[unit]));
	}
	return arena_copy(mem, buf_str(&out));
}

/* Tabs for spaces or spaces for tabs, and some trailing blanks. */
static struct str careless(struct str text, struct arena *mem)
{
	bool tabs = match_find(text, STR("\t"), 0) != MATCH_NONE;
	auto_buf out = BUF_INIT;

	for (size_t i = 0; i < text.len; i++) {
		if (tabs && text.ptr[i] == '\t')
			buf_lit(&out, "    ");
		else if (!tabs && text.ptr[i] == '\n')
			buf_lit(&out, " \n");
		else
			buf_addc(&out, text.ptr[i]);
	}
	return arena_copy(mem, buf_str(&out));
}

/* @s without what lenient matching ignores. */
static struct str bare(struct str s, struct arena *mem)
{
	auto_buf out = BUF_INIT;
	struct confusable a;
	size_t len;

	for (size_t at = 0; at < s.len; at += len) {
		uint32_t code = utf8_any(str_skip(s, at), &len);

		if (code == ' ' || code == '\t' ||
		    str_starts(str_skip(s, at), STR("\r\n")))
			continue;
		if (code < UTF8_NOT && confusable_find(code, &a) &&
		    (a.kind == CONFUSABLE_QUOTE || a.kind == CONFUSABLE_DASH))
			buf_addc(&out, (char)a.plain);
		else
			buf_add(&out, str_sub(s, at, at + len));
	}
	return arena_copy(mem, buf_str(&out));
}

static bool starts_line(struct str s, size_t at)
{
	return !at || s.ptr[at - 1] == '\n';
}

static void must_be_sound(struct str text, struct str old,
			  const struct lenient_match *l, struct arena *mem)
{
	const struct splice *s = &l->splice;
	struct str was = str_sub(text, s->from, s->to), twice;
	auto_buf both = BUF_INIT;
	struct lenient_match other;

	must(l->rule != LENIENT_NONE);
	must(s->from < s->to && s->to <= text.len);
	must(str_eq(bare(was, mem), bare(old, mem)));
	must(!str_eq(was, old));
	if (l->rule == LENIENT_INDENT)
		must(starts_line(text, s->from));
	buf_add(&both, text);
	buf_lit(&both, "q\n"); /* in no string */
	buf_add(&both, text);
	twice = buf_str(&both);
	/* the boundary of the two copies may match a later rule */
	must(!str_ends(text, STR("\n")) ||
	     !lenient_find(twice, old, STR("z"), mem, &other) ||
	     other.rule < l->rule);
	if (!lenient_find(text, old, old, mem, &other))
		return;
	must(other.splice.from == s->from && other.splice.to == s->to);
	must(str_eq(other.splice.with, was));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct str in = str_make((const char *)bytes, size_min(len, 400));
	auto_arena mem = ARENA_INIT;
	struct str text = take_str(&in, &mem), old, with;
	struct lenient_match l;

	old = in.len ? take_str(&in, &mem) : careless(text, &mem);
	with = take_str(&in, &mem);
	if (lenient_find(text, old, with, &mem, &l))
		must_be_sound(text, old, &l, &mem);
	return 0;
}
