/*
 * client_name.c - the display name of a client.
 *
 * A declared name is not truncated, but the dot separates the parts: in a name
 * it becomes a full stop, and characters that look like it are escaped, so that
 * no client can imitate a part. web/client.js has the same characters.
 */
#include "store/client_name.h"

#define DOT "\xc2\xb7"

struct str client_token(struct str scope)
{
	const struct str http = STR("http:");

	if (!str_starts(scope, http))
		return STR("");
	scope = str_skip(scope, http.len);
	return str_head(scope, str_find(scope, ':'));
}

/* Characters that look like the dot, in UTF-8, and their replacements. */
static const struct {
	const char *bytes, *shown;
} dots[] = {
	{ DOT, "." },
	{ "\xce\x87", "\\u{387}" },           /* Greek ano teleia */
	{ "\xe1\x90\xa7", "\\u{1427}" },      /* Canadian final middle dot */
	{ "\xe1\x9b\xab", "\\u{16eb}" },      /* runic single punctuation */
	{ "\xe2\x80\xa2", "\\u{2022}" },      /* bullet */
	{ "\xe2\x80\xa7", "\\u{2027}" },      /* hyphenation point */
	{ "\xe2\x88\x99", "\\u{2219}" },      /* bullet operator */
	{ "\xe2\x8b\x85", "\\u{22c5}" },      /* dot operator */
	{ "\xe2\xb8\xb1", "\\u{2e31}" },      /* word separator middle dot */
	{ "\xe2\xb8\xb3", "\\u{2e33}" },      /* raised dot */
	{ "\xe3\x83\xbb", "\\u{30fb}" },      /* katakana middle dot */
	{ "\xe3\x86\x8d", "\\u{318d}" },      /* Hangul araea */
	{ "\xea\x9e\x8f", "\\u{a78f}" },      /* sinological dot */
	{ "\xef\xbd\xa5", "\\u{ff65}" },      /* halfwidth middle dot */
	{ "\xf0\x90\x84\x81", "\\u{10101}" }, /* Aegean separator dot */
};

static size_t ascii_length(struct str s)
{
	size_t n = 0;

	while (n < s.len && (unsigned char)s.ptr[n] < 0x80)
		n++;
	return n;
}

/* The row of dots[] that @s begins with, or COUNT_OF(dots). */
static size_t find_dot(struct str s)
{
	size_t i = 0;

	while (i < COUNT_OF(dots) && !str_starts(s, str_of(dots[i].bytes)))
		i++;
	return i;
}

struct str client_name(struct str declared, struct arena *mem)
{
	auto_buf out = BUF_INIT;
	size_t n = ascii_length(declared);

	/* Called for each call of a tool; nearly every name is ASCII. */
	if (n == declared.len)
		return arena_copy(mem, declared);
	for (; declared.len; n = ascii_length(declared)) {
		size_t row;

		buf_add(&out, str_head(declared, n));
		declared = str_skip(declared, n);
		if (!declared.len)
			break;
		row = find_dot(declared);
		n = row < COUNT_OF(dots) ? strlen(dots[row].bytes) : 1;
		buf_add(&out, row < COUNT_OF(dots) ? str_of(dots[row].shown)
						   : str_head(declared, n));
		declared = str_skip(declared, n);
	}
	return arena_copy(mem, buf_str(&out));
}

struct str client_unnamed(void)
{
	return STR("an unnamed client");
}

struct str client_words_of(struct str token, struct str declared,
			   struct arena *mem)
{
	const struct str name = client_name(declared, mem);

	if (!token.len && !name.len)
		return client_unnamed();
	if (!token.len)
		return arena_printf(mem, STR_FMT " " DOT " only declared",
				    STR_ARG(name));
	if (!name.len)
		return arena_printf(mem, STR_FMT " " DOT " gives no name",
				    STR_ARG(token));
	return arena_printf(mem, STR_FMT " " DOT " calls itself " STR_FMT,
			    STR_ARG(token), STR_ARG(name));
}

struct str client_words(struct str scope, struct str declared,
			struct arena *mem)
{
	if (!scope.len)
		return declared.len ? client_name(declared, mem)
				    : client_unnamed();
	return client_words_of(client_token(scope), declared, mem);
}

void client_put(struct json_out *o, struct str scope, struct str declared)
{
	const struct str token = client_token(scope);
	auto_arena mem = ARENA_INIT;

	json_text_member(o, "client", declared);
	if (token.len)
		json_text_member(o, "token", token);
	json_text_member(o, "who", client_words(scope, declared, &mem));
}
