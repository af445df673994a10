/*
 * translate.h - a pattern as models write it for ripgrep, in PCRE2's syntax.
 *
 * Rust's regex and PCRE2 agree about most of what a pattern can say. What PCRE2
 * would refuse although it has one meaning is translated (\u{41}, (?u), \<,
 * {,3}); what PCRE2 would silently read as something else is refused with what
 * to write instead ([a&&b], (?-u)). All else is PCRE2's: look-around, back
 * references, recursion.
 *
 * Without @multiline a match never spans lines, so that negated classes and \s
 * leave out the newline, and a pattern that spells one is refused.
 */
#ifndef STET_TRANSLATE_H
#define STET_TRANSLATE_H

#include "base/arena.h"

struct regex_options {
	bool caseless;
	bool multiline; /* a match may span lines, and "." matches newlines */
};

/* Why a pattern was refused. */
struct regex_fault {
	size_t at;       /* offset in the pattern, in characters */
	struct str text; /* the reason */
};

struct translation {
	struct str text; /* for PCRE2 */
	/*
	 * Bytes that every match contains, for a search that is faster than any
	 * regular expression; "" = none known. With @whole the pattern is this
	 * literal and nothing else. With regex_options.caseless it is ASCII, and
	 * its letters stand for both cases.
	 */
	struct str literal;
	bool whole;
	/*
	 * No look-around, possessive quantifier or the like: what matches in a
	 * line alone matches in any text with that line in it.
	 */
	bool is_plain;

	/* Pairs of offsets in @text and in the pattern, ascending. */
	const struct translation_place *places;
	size_t places_count;
};

struct translation_place {
	size_t to, from;
};

/* False when the pattern is refused; *@ret_f says why. */
must_check bool translate(struct str pattern, const struct regex_options *o,
			  struct arena *mem, struct translation *ret,
			  struct regex_fault *ret_f);

/* The place in @pattern, in characters, of offset @at of the translation. */
size_t translation_place(const struct translation *t, struct str pattern,
			 size_t at);

#endif
