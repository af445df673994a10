/*
 * regex.h - regular expressions: PCRE2 with Unicode and limits.
 *
 * A struct regex is compiled once and may be used by several threads, each with
 * its own struct regex_matcher. Text is UTF-8. An attempt that exceeds a limit
 * (1,000,000 calls of the matcher, a depth of 10,000, 16 MiB) ends with
 * REGEX_COSTLY. When the call is cancelled (base/cancel.h), nothing more is
 * found.
 *
 * A pattern that is a literal is searched for without PCRE2. For any other,
 * regex_facts() has a literal that callers can search for first.
 */
#ifndef STET_REGEX_H
#define STET_REGEX_H

#include "text/regex/translate.h"

enum { REGEX_MAX_PATTERN = 10000 }; /* bytes */

struct regex;
struct regex_matcher;

enum regex_result {
	REGEX_NONE,
	REGEX_FOUND,
	REGEX_COSTLY,
};

/* Offsets of a match. */
struct regex_span {
	size_t start, end;
};

/*
 * Compile @pattern, which is UTF-8. NULL when it is refused: *@ret_f says where
 * and why, in @mem.
 */
must_check struct regex *regex_new(struct str pattern,
				   const struct regex_options *o,
				   struct arena *mem,
				   struct regex_fault *ret_f);
void regex_free(struct regex *r);

/* What regex_new() found out about the pattern; see translate.h. */
const struct translation *regex_facts(const struct regex *r);
const struct regex_options *regex_options(const struct regex *r);

/* Is it compiled to machine code? For tests. */
bool regex_has_jit(const struct regex *r);

/* What one thread needs to match; NULL when memory is short. */
must_check struct regex_matcher *regex_matcher_new(const struct regex *r);
void regex_matcher_free(struct regex_matcher *m);

/*
 * From now on texts are pieces of a line: their start or end is not that of the
 * line, and ^ or $ does not match there.
 */
void regex_matcher_cut(struct regex_matcher *m, bool start, bool end);

enum regex_text {
	REGEX_UTF8,
	REGEX_ASCII, /* known to be ASCII: the fastest */
	/* with bytes that are no UTF-8, and match nothing: slow */
	REGEX_INVALID,
};

/*
 * The first match in @text at or after @from, with @text as all there is:
 * anchors and look-behind see what is before @from.
 */
enum regex_result regex_find(struct regex_matcher *m, enum regex_text kind,
			     struct str text, size_t from,
			     struct regex_span *ret);

#endif
