/*
 * test_lenient.c - lenient matching for Edit.
 *
 * The requirement: "a ladder of looser matches may apply, never silently in the
 * wrong place".
 */
#include "../unit.h"

#include "base/buf.h"
#include "text/match/lenient.h"
#include "text/match/match.h"

#define LDQ "\xe2\x80\x9c"
#define RDQ "\xe2\x80\x9d"
#define RSQ "\xe2\x80\x99"
#define EN  "\xe2\x80\x93"
#define EM  "\xe2\x80\x94"

/* want: the whole text afterwards; NULL: no match. */
static const struct {
	const char *text, *old, *with;
	enum lenient_rule rule;
	const char *want;
} rows[] = {
	/* trailing blanks: of the text, of the string, of both */
	{ "a  \nb\n", "a\nb\n", "x\nb\n", LENIENT_TRAILING, "x\nb\n" },
	{ "a\nb  \nc\n", "a\nb\nc\n", "a\nb\nd\n", LENIENT_TRAILING,
	  "a\nb  \nd\n" },
	{ "a\t\nb\n", "a\nb", "a\nc", LENIENT_TRAILING, "a\t\nc\n" },
	{ "a\nb\n", "a  \nb", "a  \nc", LENIENT_TRAILING, "a\nc\n" },
	{ "a \nb\n", "a  \nb", "a\nc", LENIENT_TRAILING, "a\nc\n" },
	{ "a\nb\n", "b ", "c ", LENIENT_TRAILING, "a\nc\n" },
	{ "a\nb", "b ", "c ", LENIENT_TRAILING, "a\nc" },
	{ "a\nb c\n", "b  ", "x", LENIENT_NONE, NULL },
	{ "a\nb\nc\nb\n", "b ", "x", LENIENT_NONE, NULL },
	{ "f(x); \n\ng(y);\n", "f(x);\n\ng(y);\n", "h();\n\ng(y);\n",
	  LENIENT_TRAILING, "h();\n\ng(y);\n" },
	{ "f();\n    \ng();\n", "f();\n\ng();\n", "f();\n\nh();\n",
	  LENIENT_TRAILING, "f();\n    \nh();\n" },
	{ "f();\n\ng();\n", "f();\n    \ng();\n", "f();\n    \nh();\n",
	  LENIENT_TRAILING, "f();\n\nh();\n" },
	{ "int x = f(a);  \nint y;\n", "f(a);\nint y;", "f(b);\nint y;",
	  LENIENT_TRAILING, "int x = f(b);\nint y;\n" },
	{ "a  \nb\na\t\nb\n", "a\nb\n", "x\n", LENIENT_NONE, NULL },
	{ "a  \r\nb\r\n", "a\nb\n", "x\nb\n", LENIENT_TRAILING, "x\r\nb\r\n" },
	{ "a  \r\nb\r\nc\n", "a\nb\n", "x\ny\nz\n", LENIENT_TRAILING,
	  "x\r\ny\r\nz\r\nc\n" },
	{ "a  \nb\n", "a\r\nb\r\n", "a\r\nc\r\n", LENIENT_TRAILING,
	  "a  \nc\n" },
	{ "a  \nb\n", "a\nb\n", "", LENIENT_TRAILING, "" },
	{ "x\na  \nb\ny", "a\nb\n", "", LENIENT_TRAILING, "x\ny" },
	{ "k  \nk  \nk\nz\n", "k\nk\n", "x\n", LENIENT_NONE, NULL },
	{ "a \n\nb\n", "a\nb\n", "x\n", LENIENT_NONE, NULL },

	/* one shift for all lines */
	{ "\tif (x)\n\t\tf();\n", "    if (x)\n        f();\n",
	  "    if (y)\n        f();\n", LENIENT_INDENT,
	  "\tif (y)\n\t\tf();\n" },
	{ "\tif (x)\n\t\tf();\n", "  if (x)\n    f();\n",
	  "  if (x) {\n    f();\n  }\n", LENIENT_INDENT,
	  "\tif (x) {\n\t\tf();\n\t}\n" },
	{ "\tif (x)\n\t\tf();\n", "        if (x)\n                f();\n",
	  "        if (x)\n                g();\n", LENIENT_INDENT,
	  "\tif (x)\n\t\tg();\n" },
	{ "    if (x)\n        f();\n", "\tif (x)\n\t\tf();\n",
	  "\tif (x)\n\t\tg();\n\t\th();\n", LENIENT_INDENT,
	  "    if (x)\n        g();\n        h();\n" },
	{ "if (x)\n\tf();\n", "if (x)\n    f();\n", "if (x)\n    g();\n",
	  LENIENT_INDENT, "if (x)\n\tg();\n" },
	{ "    a:\n        b\n", "a:\n    b\n", "a:\n    c\n", LENIENT_INDENT,
	  "    a:\n        c\n" },
	{ "a:\n    b\n", "    a:\n        b\n", "    a:\n        c\n",
	  LENIENT_INDENT, "a:\n    c\n" },
	{ "    a:\n        b\n", "        a:\n            b\n",
	  "        a:\n            c\n        d\n", LENIENT_INDENT,
	  "    a:\n        c\n    d\n" },
	{ "\t\ta:\n\t\t\tb\n", "\ta:\n\t\tb\n", "\ta:\n\t\tc\n", LENIENT_INDENT,
	  "\t\ta:\n\t\t\tc\n" },
	{ "  a\n\n  b\n", "a\n\nb\n", "a\n\nc\n", LENIENT_INDENT,
	  "  a\n\n  c\n" },
	{ "\tx = 1;\n", "    x = 1;", "    x = 2;", LENIENT_INDENT,
	  "\tx = 2;\n" },
	{ "\tx = 1;  \n", "    x = 1;", "    x = 2;", LENIENT_INDENT,
	  "\tx = 2;  \n" },
	{ "\tx = 1;  \n\ty;\n", "    x = 1;\n    y;\n", "    x = 1;\n    z;\n",
	  LENIENT_INDENT, "\tx = 1;  \n\tz;\n" },
	{ "\tx;\r\n\ty;\r\n", "    x;\n    y;\n", "    x;\n    z;\n",
	  LENIENT_INDENT, "\tx;\r\n\tz;\r\n" },
	{ "\tx;\n\ty;", "    x;\n    y;", "", LENIENT_INDENT, "" },
	{ "q\n\tx;\n\ty;\nr\n", "    x;\n    y;\n", "", LENIENT_INDENT,
	  "q\nr\n" },
	/* no common shift, or ambiguous */
	{ "\tx;\n  y;\n", "    x;\n    y;\n", "z\n", LENIENT_NONE, NULL },
	{ "\tx;\n\t\ty;\n", "    x;\n      y;\n", "z\n", LENIENT_NONE, NULL },
	{ "    x;\n    y;\n", "  x;\n      y;\n", "z\n", LENIENT_NONE, NULL },
	{ "a\n    b\n", "    a\n    b\n", "z\n", LENIENT_NONE, NULL },
	{ "\tx;\nm\n\t\tx;\n", "    x;\n", "    y;\n", LENIENT_NONE, NULL },
	{ "\tx;\n\n\tx;\n", "    x;\n", "    y;\n", LENIENT_NONE, NULL },
	{ "\tx; y;\n", "    x;\n", "    y;\n", LENIENT_NONE, NULL },
	{ "\tx;\n", "    x;\n", "   y;\n", LENIENT_NONE, NULL },
	{ "\tx;\n", "    x;\n", "\ty;\n", LENIENT_NONE, NULL },
	{ "a:\n  b\n", "  a:\n    b\n", "  a:\nc\n", LENIENT_NONE, NULL },
	{ "\tx;", "    x;\n", "    y;\n", LENIENT_NONE, NULL },
	{ "\tx;\n", "    x;\n    ", "    y;\n    ", LENIENT_NONE, NULL },
	{ "\t\n", "    \n", "x\n", LENIENT_NONE, NULL },
	{ "a\n\t\nb\n", "\n  \n", "x\n", LENIENT_NONE, NULL },

	/* quotes and dashes */
	{ "say " LDQ "hi" RDQ " now\n", "say \"hi\" now", "say \"ho\" now",
	  LENIENT_QUOTES, "say " LDQ "ho" RDQ " now\n" },
	{ "it" RSQ "s one\n", "it's one", "it's two", LENIENT_QUOTES,
	  "it" RSQ "s two\n" },
	{ "it's one\n", "it" RSQ "s one", "it" RSQ "s two", LENIENT_QUOTES,
	  "it's two\n" },
	{ "1 " EN " 2\n", "1 - 2", "1 - 3", LENIENT_QUOTES, "1 " EN " 3\n" },
	{ "a " EM " b\n", "a " EN " b", "a " EN " c", LENIENT_QUOTES,
	  "a " EM " c\n" },
	{ LDQ "a" RDQ "\n" LDQ "b" RDQ "\n", "\"a\"\n\"b\"\n", "\"a\"\n\"c\"\n",
	  LENIENT_QUOTES, LDQ "a" RDQ "\n" LDQ "c" RDQ "\n" },
	{ LDQ "a" RDQ "  \r\n" LDQ "b" RDQ "\r\n", "\"a\"\n\"b\"\n",
	  "\"a\"\n\"c\"\n", LENIENT_QUOTES,
	  LDQ "a" RDQ "  \r\n" LDQ "c" RDQ "\r\n" },
	{ "x " LDQ "a" RDQ " y\n", "\"a\"", "\"b\"", LENIENT_QUOTES,
	  "x " LDQ "b" RDQ " y\n" },
	{ "x " LDQ "a" RDQ " y\n", "\"a\"", "", LENIENT_QUOTES, "x  y\n" },
	{ LDQ "a" RDQ " " LDQ "a" RDQ "\n", "\"a\"", "\"b\"", LENIENT_NONE,
	  NULL },
	{ LDQ "a" RDQ " \"a" RDQ "\n", "\"a\"", "\"b\"", LENIENT_NONE, NULL },
	{ "a\xc2\xa0"
	  "b\n",
	  "a b", "c", LENIENT_NONE, NULL },
	{ "\xff" LDQ "a" RDQ "\xfe\n", "\"a\"", "\"b\"", LENIENT_QUOTES,
	  "\xff" LDQ "b" RDQ "\xfe\n" },

	/* no rule applies */
	{ "a\nb\n", "a\nb\n", "c", LENIENT_NONE, NULL },
	{ "a\r\nb\r\n", "a\nb\n", "c", LENIENT_NONE, NULL },
	{ "a\n", "", "c", LENIENT_NONE, NULL },
	{ "", "a", "c", LENIENT_NONE, NULL },
	{ "a  b\n", "a b", "c", LENIENT_NONE, NULL },
	{ "Foo\n", "foo", "c", LENIENT_NONE, NULL },
	{ "foobar\n", "foo bar", "c", LENIENT_NONE, NULL },
	{ "a\rb\n", "a\nb\n", "c", LENIENT_NONE, NULL },
	{ "   \n", "  x  ", "c", LENIENT_NONE, NULL },
};

static struct str with_it(struct str text, const struct lenient_match *l,
			  struct arena *mem)
{
	return edit_splice(text, &l->splice, 1, mem);
}

static void the_ladder_follows_its_table(void **state)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		auto_arena mem = ARENA_INIT;
		struct str text = str_of(rows[i].text);
		struct lenient_match l = { 0 };
		bool found = lenient_find(text, str_of(rows[i].old),
					  str_of(rows[i].with), &mem, &l);

		if (found != !!rows[i].want)
			print_error("row %zu\n", i);
		assert_int_equal(found, !!rows[i].want);
		assert_int_equal(l.rule, rows[i].rule);
		if (found)
			assert_str(with_it(text, &l, &mem), rows[i].want);
	}
}

/*
 * Blocks of real files, one word of each to be changed. Each is placed in a
 * text without anything similar; the caller sends it altered.
 */
static const struct {
	const char *block, *word, *put;
} blocks[] = {
	{ "\tfor (int i = 0; i < n; i++) {\n\t\tadd(i, \"it's\");\n\t}\n",
	  "add", "subtract" },
	{ "\tdef run(self):\n\t\tx = 'a' - 1\n\n\t\treturn x\n", "run", "go" },
	{ "\tcase A:\n\t\tputs(\"a-b\");\n\t\tbreak;\n", "break", "return" },
	{ "\t<li class=\"one\">\n\t\t<b>it's - so</b>\n\t</li>\n", "li", "td" },
	{ "\tserver:\n\t\tport: 80\n\t\thost: \"x-y\"\n", "80", "8080" },
	{ "\tlet a = \"1\";\n\tlet b = a - 1;\n", "let b", "var b" },
	{ "\t\tif (deep) {\n\t\t\treturn '-';\n\t\t}\n", "deep", "flat" },
	{ "\t- \"item\"\n\t\t- sub\n\t\t\t- leaf\n", "sub", "main" },
	{ "\t# it's a list\n\talpha\n\tbeta\n\tgamma\n\tdelta - 4\n", "gamma",
	  "G" },
	{ "\tSELECT 'x'\n\t\tFROM t\n\t\tWHERE a - 1\n", "FROM t", "FROM u" },
	{ "\tfn main() {\n\t\tprintln!(\"-\");\n\t}\n", "main", "start" },
	{ "\t\"key\": \"v-1\",\n\t\"other\": 2\n", "other", "last" },
};

enum alteration {
	ALTER_BLANKS_OUT, /* the text has trailing blanks */
	ALTER_BLANKS_IN,  /* the string has trailing blanks */
	ALTER_TWO,        /* the string has 2, 4 or 8 spaces for a tab */
	ALTER_FOUR,
	ALTER_EIGHT,
	ALTER_TABS, /* the text has spaces, the string tabs */
	ALTER_LESS, /* the string lacks a tab in front of each line */
	ALTER_MORE, /* the string has a tab too many */
	ALTER_SMART_TEXT,
	ALTER_SMART_STRING,
	BENDS,
};

static const enum lenient_rule rung_of[BENDS] = {
	LENIENT_TRAILING, LENIENT_TRAILING, LENIENT_INDENT, LENIENT_INDENT,
	LENIENT_INDENT,   LENIENT_INDENT,   LENIENT_INDENT, LENIENT_INDENT,
	LENIENT_QUOTES,   LENIENT_QUOTES,
};

/* @s with every @from replaced by @to. */
static struct str swap(struct str s, const char *from, const char *to,
		       struct arena *mem)
{
	struct str f = str_of(from);
	auto_buf out = BUF_INIT;
	size_t at = 0, next;

	while ((next = match_find(s, f, at)) != MATCH_NONE) {
		buf_add(&out, str_sub(s, at, next));
		buf_add(&out, str_of(to));
		at = next + f.len;
	}
	buf_add(&out, str_skip(s, at));
	return arena_copy(mem, buf_str(&out));
}

static struct str smart(struct str s, struct arena *mem)
{
	s = swap(s, "'", RSQ, mem);
	s = swap(s, "\"", LDQ, mem);
	return swap(s, "-", EN, mem);
}

static struct str less(struct str s, struct arena *mem)
{
	s = arena_printf(mem, "\n" STR_FMT, STR_ARG(s));
	s = swap(s, "\n\t", "\n", mem);
	return str_skip(s, 1);
}

static struct str more(struct str s, struct arena *mem)
{
	s = arena_printf(mem, "\n" STR_FMT, STR_ARG(s));
	s = str_head(swap(s, "\n", "\n\t", mem), SIZE_MAX);
	s = swap(s, "\n\t\n", "\n\n", mem);
	return str_sub(s, 1, s.len - 1);
}

/* The block in the text, and as the caller sends it. */
static struct str in_text(struct str s, enum alteration bend, struct arena *mem)
{
	if (bend == ALTER_BLANKS_OUT)
		return swap(s, "\n", " \t \n", mem);
	if (bend == ALTER_TABS)
		return swap(s, "\t", "   ", mem);
	return bend == ALTER_SMART_TEXT ? smart(s, mem) : s;
}

static struct str as_sent(struct str s, enum alteration bend, struct arena *mem)
{
	static const char *const spaces[BENDS] = {
		[ALTER_TWO] = "  ",
		[ALTER_FOUR] = "    ",
		[ALTER_EIGHT] = "        ",
	};

	if (spaces[bend])
		return swap(s, "\t", spaces[bend], mem);
	if (bend == ALTER_BLANKS_IN)
		return swap(s, "\n", "  \n", mem);
	if (bend == ALTER_LESS)
		return less(s, mem);
	if (bend == ALTER_MORE)
		return more(s, mem);
	return bend == ALTER_SMART_STRING ? smart(s, mem) : s;
}

struct altered {
	struct str block;     /* in the text */
	struct str old, with; /* as sent */
	struct str want;      /* the block afterwards */
};

/*
 * A line that is changed has no blanks at its end when the new string has
 * none; all other bytes of the block stay.
 */
static struct altered alter_block(size_t i, enum alteration bend,
				  struct arena *mem)
{
	struct str block = str_of(blocks[i].block);
	struct str new = swap(block, blocks[i].word, blocks[i].put, mem);
	struct altered b = {
		.block = in_text(block, bend, mem),
		.old = as_sent(block, bend, mem),
		.with = as_sent(new, bend, mem),
		.want = in_text(new, bend, mem),
	};
	struct str rest = new, line;
	auto_buf out = BUF_INIT;

	if (bend != ALTER_BLANKS_OUT && bend != ALTER_BLANKS_IN)
		return b;
	while (str_split(&rest, '\n', &line)) {
		bool same =
			!line.len || match_find(block, line, 0) != MATCH_NONE;

		if (!rest.len && !line.len)
			break;
		buf_add(&out, line);
		if (bend == ALTER_BLANKS_OUT && same)
			buf_lit(&out, " \t ");
		if (bend == ALTER_BLANKS_IN && !same)
			buf_lit(&out, "  ");
		buf_addc(&out, '\n');
	}
	b.want = arena_copy(mem, buf_str(&out));
	return b;
}

static const char *const around[][2] = {
	{ "", "" },
	{ "before\n\n", "\nafter\n" },
	{ "zero\n\tone\n", "    two  \n" LDQ "three" RDQ "\nno newline" },
};

static struct str join3(struct str a, struct str b, struct str c, bool crlf,
			struct arena *mem)
{
	auto_buf out = BUF_INIT;

	buf_add(&out, a);
	buf_add(&out, b);
	buf_add(&out, c);
	a = arena_copy(mem, buf_str(&out));
	return crlf ? eol_to_crlf(a, mem) : a;
}

static void must_land(size_t i, enum alteration bend, size_t place, bool crlf)
{
	auto_arena mem = ARENA_INIT;
	struct altered b = alter_block(i, bend, &mem);
	struct str head = str_of(around[place][0]);
	struct str tail = str_of(around[place][1]);
	struct str text = join3(head, b.block, tail, crlf, &mem), got;
	struct str want = join3(head, b.want, tail, crlf, &mem);
	struct lenient_match l = { 0 };
	bool found = lenient_find(text, b.old, b.with, &mem, &l);

	if (!found || !str_eq(with_it(text, &l, &mem), want))
		print_error("block %zu, bend %d, place %zu\n", i, bend, place);
	assert_true(found);
	assert_int_equal(l.rule, rung_of[bend]);
	got = with_it(text, &l, &mem);
	assert_int_equal(got.len, want.len);
	assert_memory_equal(got.ptr, want.ptr, want.len);
	/* bytes outside the block are unchanged */
	assert_true(l.splice.from >=
		    (crlf ? eol_to_crlf(head, &mem) : head).len);
	assert_true(text.len - l.splice.to >=
		    (crlf ? eol_to_crlf(tail, &mem) : tail).len);
}

/* With a second place there is no match. */
static void must_refuse(size_t i, enum alteration bend, size_t place, bool crlf)
{
	auto_arena mem = ARENA_INIT;
	struct altered b = alter_block(i, bend, &mem);
	struct str head = str_of(around[place][0]);
	struct str twice =
		join3(b.block, STR("between\n"), b.block, crlf, &mem);
	struct str text = join3(crlf ? eol_to_crlf(head, &mem) : head, twice,
				str_of(around[place][1]), crlf, &mem);
	struct lenient_match l = { 0 };

	assert_false(lenient_find(text, b.old, b.with, &mem, &l));
	assert_int_equal(l.rule, LENIENT_NONE);
}

/*
 * 12 blocks x 10 alterations x 3 places x 2 line endings, once and twice: 1440.
 */
static void bent_blocks_land_in_their_place_or_nowhere(void **state)
{
	for (size_t i = 0; i < COUNT_OF(blocks); i++)
		for (enum alteration bend = 0; bend < BENDS; bend++)
			for (size_t place = 0; place < COUNT_OF(around);
			     place++) {
				must_land(i, bend, place, false);
				must_land(i, bend, place, true);
				must_refuse(i, bend, place, false);
				must_refuse(i, bend, place, true);
			}
}

/* A block that is not in the text does not match another one. */
static void another_block_is_never_taken(void **state)
{
	for (size_t i = 0; i < COUNT_OF(blocks); i++) {
		for (enum alteration bend = 0; bend < BENDS; bend++) {
			auto_arena mem = ARENA_INIT;
			struct altered b = alter_block(i, bend, &mem);
			auto_buf text = BUF_INIT;
			struct lenient_match l;

			for (size_t k = 0; k < COUNT_OF(blocks); k++)
				if (k != i)
					buf_add(&text, str_of(blocks[k].block));
			/* the block itself with one word changed */
			buf_add(&text, b.want);
			assert_false(lenient_find(buf_str(&text), b.old, b.with,
						  &mem, &l));
		}
	}
}

static void rungs_have_names(void **state)
{
	assert_string_equal(lenient_rule_name(LENIENT_TRAILING),
			    "trailing blanks");
	assert_string_equal(lenient_rule_name(LENIENT_INDENT), "indentation");
	assert_string_equal(lenient_rule_name(LENIENT_QUOTES), "quotes");
}

/* Without limits these would run into the timeout of the test. */
static void hostile_texts_cost_little(void **state)
{
	enum { TEXT = 8 << 20, OLD = 100000 };
	static const struct {
		struct str text, old, tail;
	} hostile[] = {
		{ STR_INIT("a"), STR_INIT("a"), STR_INIT(" ") },
		{ STR_INIT("\tx\n"), STR_INIT("    x\n"), STR_INIT("    y\n") },
		{ STR_INIT(" "), STR_INIT("x "), STR_INIT("\n") },
		{ STR_INIT(" \t"), STR_INIT("\t \n"), STR_INIT("x") },
		{ STR_INIT(RDQ), STR_INIT("\""), STR_INIT("x") },
	};
	auto_arena all = ARENA_INIT;
	char *text = arena_alloc(&all, TEXT), *old = arena_alloc(&all, OLD + 8);

	for (size_t i = 0; i < COUNT_OF(hostile); i++) {
		auto_arena mem = ARENA_INIT;
		struct lenient_match l;

		for (size_t k = 0; k < TEXT; k++)
			text[k] = hostile[i].text.ptr[k % hostile[i].text.len];
		for (size_t k = 0; k < OLD; k++)
			old[k] = hostile[i].old.ptr[k % hostile[i].old.len];
		memcpy(old + OLD, hostile[i].tail.ptr, hostile[i].tail.len);
		assert_false(
			lenient_find(str_make(text, TEXT),
				     str_make(old, OLD + hostile[i].tail.len),
				     STR("z"), &mem, &l));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_ladder_follows_its_table),
		cmocka_unit_test(bent_blocks_land_in_their_place_or_nowhere),
		cmocka_unit_test(another_block_is_never_taken),
		cmocka_unit_test(rungs_have_names),
		cmocka_unit_test(hostile_texts_cost_little),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
