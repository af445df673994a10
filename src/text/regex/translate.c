/*
 * translate.c - a pattern in PCRE2's syntax, and the literal in it.
 *
 * A recursive descent over alternatives, sequences and their elements copies
 * the pattern and collects on the way what every match contains: the longest
 * run of characters that are neither optional nor one of several alternatives.
 * What is malformed is copied, so that PCRE2 reports it.
 */
#include "text/regex/translate_local.h"

#include "text/encoding/utf8.h"

#include <ctype.h>

enum {
	MAX_DEPTH = 250,   /* of groups, as in PCRE2 */
	MAX_LITERAL = 256, /* bytes; a longer one is searched in part */
};

/* What is known about the text that a part of the pattern matches. */
struct part {
	bool exact; /* it is @run and nothing else */
	bool empty; /* it matches no character: ^ \b */
	struct str run;
	struct str best; /* the longest literal in it */
};

struct quantifier {
	bool is_given;
	size_t least, most;
};

static struct part alternatives(struct translator *t);

void translate_refuse(struct translator *t, size_t at, struct str why)
{
	if (t->failed)
		return;
	t->failed = true;
	*t->f = (struct regex_fault){ .at = at, .text = why };
}

static void translate_mark(struct translator *t)
{
	*arena_add(t->mem, t->places, t->places_count) =
		(struct translation_place){ t->out.len, t->at };
}

void translate_copy(struct translator *t, size_t n)
{
	translate_mark(t);
	n = size_min(n, t->in.len - t->at);
	buf_add(&t->out, str_make(t->in.ptr + t->at, n));
	t->at += n;
}

/* "{2}", "{2,}", "{2,5}" or "{,5}" at the front of @s: its length, or 0. */
static size_t braces(struct str s, struct quantifier *q)
{
	size_t i = 1, digits = 0;

	if (!s.len || s.ptr[0] != '{')
		return 0;
	*q = (struct quantifier){ .is_given = true, .most = SIZE_MAX };
	for (; i < s.len && isdigit((unsigned char)s.ptr[i]); i++, digits++)
		q->least = size_min(q->least * 10 + (size_t)(s.ptr[i] - '0'),
				    100000);
	if (i < s.len && s.ptr[i] == '}') {
		q->most = q->least;
		return digits ? i + 1 : 0;
	}
	if (i == s.len || s.ptr[i++] != ',')
		return 0;
	for (; i < s.len && isdigit((unsigned char)s.ptr[i]); i++)
		digits++;
	return digits && i < s.len && s.ptr[i] == '}' ? i + 1 : 0;
}

/* One quantifier, if there is one. */
static struct quantifier one_quantifier(struct translator *t)
{
	struct quantifier q = { .least = 1, .most = 1 };
	struct str rest = translate_rest(t);
	size_t n = braces(rest, &q);

	if (n && rest.ptr[1] == ',') { /* {,5}: not a quantifier before 10.43 */
		translate_mark(t);
		buf_lit(&t->out, "{0");
		t->at++;
		translate_copy(t, n - 1);
		return q;
	}
	if (n) {
		translate_copy(t, n);
		return q;
	}
	q = (struct quantifier){ .least = 1, .most = 1 };
	if (!rest.len || !strchr("*+?", rest.ptr[0]) || !rest.ptr[0])
		return q;
	q = (struct quantifier){ .is_given = true,
				 .least = rest.ptr[0] == '+',
				 .most = SIZE_MAX };
	translate_copy(t, 1);
	return q;
}

/*
 * A comment, or blanks of (?x). A quantifier behind them belongs to what is
 * before them.
 */
static bool skipped(struct translator *t)
{
	struct str rest = translate_rest(t);

	if (str_starts(rest, STR("(?#")) && str_find(rest, ')') < rest.len) {
		t->at += str_find(rest, ')') + 1;
		return true;
	}
	if (!t->extended || !rest.len)
		return false;
	if (isspace((unsigned char)rest.ptr[0])) {
		translate_copy(t, 1);
		return true;
	}
	if (rest.ptr[0] != '#')
		return false;
	translate_copy(t, str_find(rest, '\n') + 1);
	return true;
}

/* All quantifiers of an element: a{2}{3}, a*?, a++. */
static struct quantifier quantifiers(struct translator *t)
{
	struct quantifier all;

	while (skipped(t))
		;
	all = one_quantifier(t);
	while (!t->failed) {
		struct quantifier more;

		if (all.is_given && translate_is(t, '?')) {
			translate_copy(t, 1);
			continue;
		}
		if (all.is_given && translate_is(t, '+')) {
			t->is_plain = false; /* possessive */
			translate_copy(t, 1);
			continue;
		}
		more = one_quantifier(t);
		if (!more.is_given)
			return all;
		all.least = all.least && more.least;
		all.most = SIZE_MAX;
		all.is_given = true;
	}
	return all;
}

static struct part literal_part(struct translator *t, struct str bytes)
{
	bool letter =
		(bytes.ptr[0] & '\x80') || isalpha((unsigned char)bytes.ptr[0]);

	if ((t->caseless && letter) ||
	    (t->o->caseless && (bytes.ptr[0] & '\x80')))
		return (struct part){ .exact = false };
	return (struct part){ .exact = true, .run = bytes, .best = bytes };
}

static struct part escaped(struct translator *t)
{
	struct pattern_escape e;
	char bytes[4];
	bool boundary;

	boundary = str_starts(translate_rest(t), STR("\\b")) ||
		   str_starts(translate_rest(t), STR("\\B")) ||
		   str_starts(translate_rest(t), STR("\\<")) ||
		   str_starts(translate_rest(t), STR("\\>"));
	translate_mark(t);
	e = translate_escape(t, /* in_set= */ false, /* negated= */ false);
	if (boundary)
		return (struct part){ .empty = true };
	if (!e.is_literal || e.code > 0x10ffff ||
	    (e.code >= 0xd800 && e.code < 0xe000))
		return (struct part){ .exact = false };
	return literal_part(t, arena_copy(t->mem,
					  str_make(bytes,
						   utf8_put(e.code, bytes))));
}

/* The end of a group that is entered by @n bytes. */
static struct part group_body(struct translator *t, size_t n)
{
	bool extended = t->extended, caseless = t->caseless;
	struct part p;

	translate_copy(t, n);
	if (++t->depth > MAX_DEPTH) {
		translate_refuse(t, t->at, STR("groups are nested too deeply"));
		return (struct part){ .exact = false };
	}
	p = alternatives(t);
	t->depth--;
	t->extended = extended;
	t->caseless = caseless;
	if (translate_is(t, ')'))
		translate_copy(t, 1);
	else
		p = (struct part){ .exact = false }; /* PCRE2 refuses it */
	return p;
}

/* A group of which no literal is taken, and which looks around or the like. */
static struct part special_group(struct translator *t, size_t n)
{
	t->is_plain = false;
	(void)group_body(t, n);
	return (struct part){ .exact = false };
}

/* "(?R)", "(?1)", "(*UTF)": up to the next parenthesis. */
static struct part special_item(struct translator *t)
{
	t->is_plain = false;
	translate_copy(t, str_find(translate_rest(t), ')') + 1);
	return (struct part){ .exact = false };
}

/* The settings in "(?i-s)" or "(?i-s:", without "u"; the rest is not copied. */
static void copy_settings(struct translator *t, struct str settings)
{
	bool off = false;

	translate_copy(t, 2);
	for (size_t i = 0; i < settings.len && !t->failed; i++, t->at++) {
		char c = settings.ptr[i];

		if (c == '-')
			off = true;
		if (c == 'u' && off)
			translate_refuse(t, t->at,
					 STR("(?-u) matches bytes, but files "
					     "are searched as text: leave it "
					     "out"));
		if (c == 'i')
			t->caseless = !off;
		if (c == 'x')
			t->extended = !off;
		if (c == '^' || (c == 'm' && off))
			t->is_plain = false;
		if (c != 'u')
			buf_addc(&t->out, c);
	}
}

/* "(?i)", which holds to the end of the group, or "(?i:...)". */
static struct part settings_group(struct translator *t, size_t n)
{
	bool extended = t->extended, caseless = t->caseless;
	struct str settings = str_sub(translate_rest(t), 2, n);
	struct part p;

	copy_settings(t, settings);
	if (translate_is(t, ')')) {
		translate_copy(t, 1);
		return (struct part){ .empty = true };
	}
	p = group_body(t, 1);
	t->extended = extended;
	t->caseless = caseless;
	p.exact = false;
	return p;
}

/* The length of "(?" and settings in front of ")" or ":"; 0 = none. */
static size_t settings_len(struct str rest)
{
	size_t n = 2;

	while (n < rest.len && rest.ptr[n] &&
	       strchr("imsxnUJua^-", rest.ptr[n]))
		n++;
	if (n == rest.len || (rest.ptr[n] != ')' && rest.ptr[n] != ':'))
		return 0;
	return n > 2 || rest.ptr[n] == ')' ? n : 0;
}

/* "(?(condition)yes|no)" */
static struct part conditional(struct translator *t)
{
	translate_copy(t, 2);
	if (str_starts(translate_rest(t), STR("(?")))
		(void)special_group(t, 3);
	else
		(void)special_item(t);
	return special_group(t, 0);
}

static struct part named_group(struct translator *t, struct str rest)
{
	char end = rest.ptr[2] == '\'' ? '\'' : '>';
	size_t n = str_find(str_skip(rest, 3), end) + 3;

	return group_body(t, n + 1);
}

static struct part group(struct translator *t)
{
	struct str rest = translate_rest(t);
	size_t colon = str_find(rest, ':'), close = str_find(rest, ')');
	char c = rest.len > 2 ? rest.ptr[2] : 0,
	     d = rest.len > 3 ? rest.ptr[3] : 0;

	if (str_starts(rest, STR("(*")))
		return colon < close ? special_group(t, colon + 1)
				     : special_item(t);
	if (!str_starts(rest, STR("(?")))
		return group_body(t, 1);
	if (settings_len(rest))
		return settings_group(t, settings_len(rest));
	if (c == ':' || c == '|')
		return group_body(t, 3);
	if (c == '(')
		return conditional(t);
	if (c == '\'' || (c == 'P' && d == '<') ||
	    (c == '<' && d != '=' && d != '!'))
		return named_group(t, rest);
	if (c == '=' || c == '!' || c == '>')
		return special_group(t, 3);
	if (c == '<')
		return special_group(t, 4);
	return special_item(t);
}

static struct part character(struct translator *t)
{
	struct str rest = translate_rest(t);
	struct quantifier q;
	size_t n;

	if (rest.ptr[0] == '\n' && !t->o->multiline)
		translate_refuse(
			t, t->at,
			STR("a newline matches only with multiline: true"));
	if (rest.ptr[0] == '{' && !braces(rest, &q)) {
		translate_mark(t);
		buf_addc(&t->out, '\\'); /* interface{} */
	}
	(void)utf8_any(rest, &n);
	translate_copy(t, n);
	if (strchr("*+?)", rest.ptr[0]) || braces(rest, &q))
		return (struct part){ .exact = false }; /* PCRE2 refuses it */
	return literal_part(t, str_head(rest, n));
}

static struct part element(struct translator *t)
{
	switch (t->in.ptr[t->at]) {
	case '\\':
		return escaped(t);
	case '[':
		translate_mark(t);
		translate_set(t);
		return (struct part){ .exact = false };
	case '(':
		return group(t);
	case '.':
		translate_copy(t, 1);
		return (struct part){ .exact = false };
	case '^':
	case '$':
		translate_copy(t, 1);
		return (struct part){ .empty = true };
	default:
		return character(t);
	}
}

static void take_longer(struct str *best, struct str one)
{
	if (one.len > best->len)
		*best = one;
}

/* Append @e, which occurs as @q says, to the sequence @s. */
static void append_part(struct translator *t, struct part *s, struct part e,
			struct quantifier q)
{
	struct str joined[] = { s->run, e.run };

	if (e.empty) {
		s->exact = false;
		return;
	}
	if (s->run.len + e.run.len > MAX_LITERAL) {
		s->exact = false;
		s->run = joined[0] = (struct str){ 0 };
	}
	if (e.exact && q.least) {
		s->run = arena_join(t->mem, joined, 2);
		take_longer(&s->best, s->run);
	}
	if (q.least)
		take_longer(&s->best, e.best);
	if (e.exact && !q.is_given)
		return;
	s->exact = false;
	s->run = (struct str){ 0 };
}

static struct part sequence(struct translator *t)
{
	struct part s = { .exact = true };

	while (!t->failed && t->at < t->in.len && !translate_is(t, '|') &&
	       !(translate_is(t, ')') && t->depth)) {
		struct part e;

		if (skipped(t)) {
			s.exact = false;
			continue;
		}
		e = element(t);
		append_part(t, &s, e, quantifiers(t));
	}
	return s;
}

static struct part alternatives(struct translator *t)
{
	struct part first = sequence(t);

	if (!translate_is(t, '|'))
		return first;
	while (!t->failed && translate_is(t, '|')) {
		translate_copy(t, 1);
		(void)sequence(t);
	}
	return (struct part){ .exact = false };
}

static size_t characters(struct str s)
{
	size_t n = 0;

	for (size_t len; s.len; n++) {
		(void)utf8_any(s, &len);
		s = str_skip(s, len);
	}
	return n;
}

bool translate(struct str pattern, const struct regex_options *o,
	       struct arena *mem, struct translation *ret,
	       struct regex_fault *ret_f)
{
	struct translator t = {
		.in = pattern, .o = o, .mem = mem, .is_plain = true, .f = ret_f
	};
	struct part p = alternatives(&t);

	if (!t.failed)
		*ret = (struct translation){
			.text = arena_copy(mem, buf_str(&t.out)),
			.literal = p.best,
			.whole = p.exact && p.run.len,
			.is_plain = t.is_plain,
			.places = t.places,
			.places_count = t.places_count,
		};
	else
		ret_f->at = characters(str_head(pattern, ret_f->at));
	buf_free(&t.out);
	return !t.failed;
}

size_t translation_place(const struct translation *t, struct str pattern,
			 size_t at)
{
	size_t from = 0;

	for (size_t i = 0; i < t->places_count && t->places[i].to <= at; i++)
		from = t->places[i].from + (at - t->places[i].to);
	return characters(str_head(pattern, from));
}
