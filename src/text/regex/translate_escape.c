/*
 * translate_escape.c - translates the escape sequences of a pattern from the
 * syntax of Rust's regex to that of PCRE2.
 *
 * A sequence that both read alike, or that is malformed, is copied: PCRE2 then
 * reports the error.
 */
#include "text/regex/translate_local.h"

#include "text/encoding/utf8.h"

#include <ctype.h>

static const struct str newline_hint =
	STR_INIT("a newline matches only with multiline: true");

/* The hexadecimal number at the front of @s; *@ret_len is its length. */
static uint32_t hex_number(struct str s, size_t most, size_t *ret_len)
{
	uint32_t code = 0;
	size_t n = 0;

	while (n < s.len && n < most && hex_digit(s.ptr[n]) >= 0)
		code = code << 4 | (uint32_t)hex_digit(s.ptr[n++]);
	*ret_len = n;
	return code;
}

/*
 * The code of \x41, \x{41}, \u{41}, \u0041 and \U00000041 at the front of
 * @rest; *@ret_len is the length of the sequence, 0 when it is none of them.
 */
static uint32_t hex_escape(struct str rest, size_t *ret_len)
{
	char kind = rest.ptr[1];
	size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : 8, n;
	uint32_t code;

	*ret_len = 0;
	if (kind != 'x' && kind != 'u' && kind != 'U')
		return 0;
	if (rest.len > 2 && rest.ptr[2] == '{') {
		code = hex_number(str_skip(rest, 3), 8, &n);
		if (!n || n + 3 >= rest.len || rest.ptr[n + 3] != '}')
			return 0;
		*ret_len = n + 4;
		return code;
	}
	code = hex_number(str_skip(rest, 2), digits, &n);
	if (n == digits)
		*ret_len = n + 2;
	return code;
}

/* One character; refused if that is a newline where none can match. */
static struct pattern_escape literal_escape(struct translator *t, uint32_t code,
					    size_t len, bool newline_ok)
{
	if (code == '\n' && !t->o->multiline && !newline_ok)
		translate_refuse(t, t->at, newline_hint);
	buf_addf(&t->out, "\\x{%x}", (unsigned)code);
	t->at += len;
	return (struct pattern_escape){ .is_literal = true, .code = code };
}

/*
 * The control character that a backslash and @c mean in both syntaxes, or -1.
 * \b and \0 are left to PCRE2: they do not always mean one.
 */
static int control_code(char c)
{
	static const char names[] = "abtnvfre0", codes[] = "\a\b\t\n\v\f\r\x1b";
	const char *at = c ? strchr(names, c) : NULL;

	if (!at || c == 'b' || c == '0')
		return -1;
	return codes[at - names];
}

struct escape_rewrite {
	struct str from, to;
};

/* Sequences outside of sets that PCRE2 does not know. */
static const struct escape_rewrite rewrites[] = {
	{ STR_INIT("\\b{start-half}"), STR_INIT("(?<!\\w)") },
	{ STR_INIT("\\b{end-half}"), STR_INIT("(?!\\w)") },
	{ STR_INIT("\\b{start}"), STR_INIT("\\b(?=\\w)") },
	{ STR_INIT("\\b{end}"), STR_INIT("\\b(?<=\\w)") },
	{ STR_INIT("\\<"), STR_INIT("\\b(?=\\w)") },
	{ STR_INIT("\\>"), STR_INIT("\\b(?<=\\w)") },
};

/*
 * Without multiline, classes that match a newline are replaced by ones that do
 * not, so that no match spans lines.
 */
static const struct escape_rewrite one_line[] = {
	{ STR_INIT("\\s"), STR_INIT("[^\\S\\n]") },
	{ STR_INIT("\\D"), STR_INIT("[^\\d\\n]") },
	{ STR_INIT("\\W"), STR_INIT("[^\\w\\n]") },
	{ STR_INIT("\\H"), STR_INIT("[^\\h\\n]") },
};

static bool rewritten(struct translator *t, const struct escape_rewrite *rows,
		      size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!str_starts(translate_rest(t), rows[i].from))
			continue;
		buf_add(&t->out, rows[i].to);
		t->at += rows[i].from.len;
		return true;
	}
	return false;
}

/* Long names of general categories, which PCRE2 knows by their letters only. */
static const struct escape_rewrite categories[] = {
	{ STR_INIT("letter"), STR_INIT("L") },
	{ STR_INIT("lowercaseletter"), STR_INIT("Ll") },
	{ STR_INIT("uppercaseletter"), STR_INIT("Lu") },
	{ STR_INIT("titlecaseletter"), STR_INIT("Lt") },
	{ STR_INIT("modifierletter"), STR_INIT("Lm") },
	{ STR_INIT("otherletter"), STR_INIT("Lo") },
	{ STR_INIT("mark"), STR_INIT("M") },
	{ STR_INIT("number"), STR_INIT("N") },
	{ STR_INIT("decimalnumber"), STR_INIT("Nd") },
	{ STR_INIT("punctuation"), STR_INIT("P") },
	{ STR_INIT("symbol"), STR_INIT("S") },
	{ STR_INIT("mathsymbol"), STR_INIT("Sm") },
	{ STR_INIT("currencysymbol"), STR_INIT("Sc") },
	{ STR_INIT("separator"), STR_INIT("Z") },
	{ STR_INIT("other"), STR_INIT("C") },
	{ STR_INIT("control"), STR_INIT("Cc") },
};

/* Is @name the name of @row, ignoring case, blanks, "-" and "_"? */
static bool loosely_equal(struct str name, struct str row)
{
	size_t k = 0;

	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];

		if (c == ' ' || c == '-' || c == '_')
			continue;
		if (c >= 'A' && c <= 'Z')
			c = (char)(c | 0x20);
		if (k == row.len || c != row.ptr[k++])
			return false;
	}
	return k == row.len;
}

/* \p{...} or \P{...}; false for one of a single letter. */
static bool property(struct translator *t)
{
	struct str rest = translate_rest(t), name;
	size_t end = str_find(rest, '}');

	if (rest.len < 4 || rest.ptr[2] != '{' || end == rest.len)
		return false;
	name = str_sub(rest, 3, end);
	for (size_t i = 0; i < COUNT_OF(categories); i++)
		if (loosely_equal(name, categories[i].from))
			name = categories[i].to;
	buf_addf(&t->out, "\\%c{" STR_FMT "}", rest.ptr[1], STR_ARG(name));
	t->at += end + 1;
	return true;
}

/* Between \Q and \E everything is literal. */
static void quoted(struct translator *t)
{
	t->is_plain = false; /* and no literal is taken from it */
	translate_copy(t, 2);
	while (t->at < t->in.len && !str_starts(translate_rest(t), STR("\\E")))
		translate_copy(t, 1);
	translate_copy(t, size_min(2, t->in.len - t->at));
}

/* The length of what begins with a bracket, up to the closing one; or 0. */
static size_t bracketed_len(struct str s)
{
	static const char open[] = "{<'", closing[] = "}>'";
	const char *at = s.len && s.ptr[0] ? strchr(open, s.ptr[0]) : NULL;
	size_t end;

	if (!at)
		return 0;
	end = str_find(str_skip(s, 1), closing[at - open]) + 2;
	return size_min(end, s.len);
}

static size_t digits_len(struct str s, size_t most, int (*is_one)(int))
{
	size_t n = 0;

	while (n < s.len && n < most && is_one((unsigned char)s.ptr[n]))
		n++;
	return n;
}

/* The bytes behind the letter @c that belong to its escape sequence. */
static size_t escape_tail(char c, struct str rest)
{
	if (c == 'p' || c == 'P' || c == 'c')
		return size_min(rest.len, 1);
	if (c == 'x')
		return digits_len(rest, 2, isxdigit);
	if (isdigit((unsigned char)c))
		return digits_len(rest, SIZE_MAX, isdigit);
	if (!strchr("gkoN", c))
		return 0;
	if (bracketed_len(rest))
		return bracketed_len(rest);
	if (c == 'g' && rest.len && strchr("+-", rest.ptr[0]))
		return 1 + digits_len(str_skip(rest, 1), SIZE_MAX, isdigit);
	return c == 'g' ? digits_len(rest, SIZE_MAX, isdigit) : 0;
}

static void any_other(struct translator *t, char c, bool in_set)
{
	/* Anchors of the whole text, \K, \X, \R and back references. */
	if (!in_set && (strchr("AzZGKXRkg", c) || (c >= '0' && c <= '9')))
		t->is_plain = false;
	translate_copy(t, 2);
	translate_copy(t, escape_tail(c, translate_rest(t)));
}

struct pattern_escape translate_escape(struct translator *t, bool in_set,
				       bool negated)
{
	static const struct pattern_escape none;
	struct str rest = translate_rest(t);
	uint32_t code;
	size_t len;
	char c;

	if (rest.len < 2) {
		translate_copy(t, rest.len);
		return none;
	}
	c = rest.ptr[1];
	code = hex_escape(rest, &len);
	if (len)
		return literal_escape(t, code, len, negated);
	if (control_code(c) >= 0)
		return literal_escape(t, (uint32_t)control_code(c), 2, negated);
	if ((c == 'p' || c == 'P') && property(t))
		return none;
	if (!in_set && rewritten(t, rewrites, COUNT_OF(rewrites)))
		return none;
	if (!in_set && !t->o->multiline &&
	    rewritten(t, one_line, COUNT_OF(one_line)))
		return none;
	if (!in_set && c == 'Q') {
		quoted(t);
		return none;
	}
	if (c > 0 && !isalnum((unsigned char)c)) {
		translate_copy(t, 2);
		return (struct pattern_escape){ .is_literal = true,
						.code = (unsigned char)c };
	}
	if (c < 0) { /* a character beyond ASCII after the backslash */
		translate_copy(t, 1);
		return none;
	}
	any_other(t, c, in_set);
	return none;
}
