/*
 * fuzz_regex.c - a pattern and a text, separated by a NUL byte; the first byte
 * has the options.
 *
 * A pattern is refused at a place in it, or the text is searched: every match
 * lies in the text and contains the literal of the pattern, and a line is found
 * in a block as it is found alone.
 */
#include "fuzz.h"

#include "text/encoding/utf8.h"
#include "text/match/match.h"
#include "text/search/search.h"

enum { CASELESS = 1, MULTILINE = 2, ASCII = 0x80 };

static bool is_ascii(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if ((s.ptr[i] & ASCII) || !s.ptr[i])
			return false;
	return true;
}

/* Every match is in the text and has the literal in it. */
static void check_matches(const struct regex *r, struct str text)
{
	struct regex_matcher *m = regex_matcher_new(r);
	struct regex_span span;
	size_t from = 0;

	must(m);
	while (from <= text.len &&
	       regex_find(m, REGEX_UTF8, text, from, &span) == REGEX_FOUND) {
		struct str got = str_sub(text, span.start, span.end);

		must(span.start <= span.end && span.end <= text.len);
		if (regex_facts(r)->literal.len && regex_facts(r)->is_plain &&
		    !regex_options(r)->caseless)
			must(match_find(got, regex_facts(r)->literal, 0) !=
			     MATCH_NONE);
		from = size_max(span.end, from) + 1;
		while (from < text.len && (text.ptr[from] & 0xc0) == ASCII)
			from++;
	}
	regex_matcher_free(m);
}

/* The number of lines that match, block by block of @size bytes. */
static struct search_result count(const struct regex *r, struct str text,
				  size_t size)
{
	const struct search_want want = { .regex = r, .mode = SEARCH_COUNT };
	struct searcher *s = search_new(&want);
	struct search_result result;
	bool more = true;

	must(s);
	search_begin(s, STR(""), NULL);
	while (more && text.len) {
		size_t n = size < text.len ? size : text.len;
		size_t line = str_find(str_skip(text, n - 1), '\n');
		struct str block;

		block = str_head(text, size_min(n + line, text.len));
		more = search_block(s, block,
				    is_ascii(block) ? SEARCH_ASCII : 0);
		text = str_skip(text, block.len);
	}
	result = search_end(s);
	search_free(s);
	return result;
}

static void check_search(const struct regex *r, struct str text)
{
	struct search_result whole = count(r, text, SIZE_MAX);
	struct search_result lines = count(r, text, 1);

	if (!whole.costly && !lines.costly && !regex_options(r)->multiline)
		must(whole.count == lines.count);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	auto_arena mem = ARENA_INIT;
	struct str all = str_make((const char *)bytes, size_min(len, 4096));
	uint8_t first = len ? bytes[0] : 0;
	struct str rest = str_skip(all, 1), pattern, text;
	const struct regex_options o = { .caseless = first & CASELESS,
					 .multiline = first & MULTILINE };
	struct regex_fault f = { 0 };
	struct regex *r;
	size_t nul = str_find(rest, '\0');

	pattern = str_head(rest, nul);
	text = str_skip(rest, nul + 1);
	if (!utf8_valid(pattern) || !utf8_valid(text))
		return 0;
	r = regex_new(pattern, &o, &mem, &f);
	if (!r) {
		must(f.at <= pattern.len && f.text.len);
		return 0;
	}
	check_matches(r, text);
	check_search(r, text);
	regex_free(r);
	return 0;
}
