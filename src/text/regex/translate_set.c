/*
 * translate_set.c - sets in brackets.
 *
 * Rust has operators in sets and sets in sets, which PCRE2 reads as the
 * characters they are written with. POSIX classes are ASCII in Rust.
 */
#include "text/regex/translate_local.h"

struct posix_class {
	struct str name, members;
};

static const struct posix_class posix_classes[] = {
	{ STR_INIT("[:alnum:]"), STR_INIT("0-9A-Za-z") },
	{ STR_INIT("[:alpha:]"), STR_INIT("A-Za-z") },
	{ STR_INIT("[:ascii:]"), STR_INIT("\\x00-\\x7f") },
	{ STR_INIT("[:blank:]"), STR_INIT("\\t ") },
	{ STR_INIT("[:cntrl:]"), STR_INIT("\\x00-\\x1f\\x7f") },
	{ STR_INIT("[:digit:]"), STR_INIT("0-9") },
	{ STR_INIT("[:graph:]"), STR_INIT("!-~") },
	{ STR_INIT("[:lower:]"), STR_INIT("a-z") },
	{ STR_INIT("[:print:]"), STR_INIT(" -~") },
	{ STR_INIT("[:punct:]"), STR_INIT("!-\\/:-@\\[-`{-~") },
	{ STR_INIT("[:space:]"), STR_INIT("\\t-\\r ") },
	{ STR_INIT("[:upper:]"), STR_INIT("A-Z") },
	{ STR_INIT("[:word:]"), STR_INIT("0-9A-Za-z_") },
	{ STR_INIT("[:xdigit:]"), STR_INIT("0-9A-Fa-f") },
};

/* A "[" in a set. */
static void bracket(struct translator *t)
{
	struct str rest = translate_rest(t);

	for (size_t i = 0; i < COUNT_OF(posix_classes); i++) {
		if (!str_starts(rest, posix_classes[i].name))
			continue;
		buf_add(&t->out, posix_classes[i].members);
		t->at += posix_classes[i].name.len;
		return;
	}
	if (str_starts(rest, STR("[:^"))) {
		translate_copy(t, str_find(rest, ']') + 1);
		return;
	}
	translate_refuse(t, t->at,
			 STR("a set in a set: write \\[ for the character, or "
			     "put all members into one set"));
}

static bool set_operator(struct str rest, struct str *ret)
{
	static const struct {
		struct str sign, why;
	} operators[] = {
		{ STR_INIT("&&"),
		  STR_INIT("&& in a set: write (?=[a])[b] for the "
			   "intersection, or \\& for the character") },
		{ STR_INIT("--"),
		  STR_INIT("-- in a set: write (?![b])[a] for the "
			   "difference, or \\- for the character") },
		{ STR_INIT("~~"),
		  STR_INIT("~~ in a set: write (?![b])[a]|(?![a])[b] for the "
			   "symmetric difference, or \\~ for the character") },
	};

	for (size_t i = 0; i < COUNT_OF(operators); i++) {
		if (str_starts(rest, operators[i].sign)) {
			*ret = operators[i].why;
			return true;
		}
	}
	return false;
}

static void member(struct translator *t, bool negated)
{
	struct str why;

	if (set_operator(translate_rest(t), &why)) {
		translate_refuse(t, t->at, why);
		return;
	}
	if (translate_is(t, '[')) {
		bracket(t);
		return;
	}
	if (translate_is(t, '\\')) {
		(void)translate_escape(t, /* in_set= */ true, negated);
		return;
	}
	if (translate_is(t, '\n') && !t->o->multiline && !negated) {
		translate_refuse(
			t, t->at,
			STR("a newline matches only with multiline: true"));
		return;
	}
	translate_copy(t, 1);
}

void translate_set(struct translator *t)
{
	bool negated;

	translate_copy(t, 1);
	negated = translate_is(t, '^');
	if (negated)
		translate_copy(t, 1);
	if (negated && !t->o->multiline)
		buf_lit(&t->out, "\\n");
	if (translate_is(t, ']')) { /* the first one is a member */
		buf_lit(&t->out, "\\]");
		t->at++;
	}
	while (!t->failed && t->at < t->in.len && !translate_is(t, ']'))
		member(t, negated);
	if (!t->failed && t->at < t->in.len)
		translate_copy(t, 1);
}
