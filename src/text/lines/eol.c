/*
 * eol.c - detect and convert line endings.
 *
 * Counting uses the SIMD kernels; a text without anything to convert is
 * returned as it is, without a copy.
 */
#include "text/lines/eol.h"

#include "base/cancel.h"
#include "text/lines/kernels.h"

size_t eol_crlfs(struct str text)
{
	if (!text.len)
		return 0;
	return kernels()->count_pair(text.ptr, text.len, '\r', '\n');
}

static size_t newlines(struct str text)
{
	return text.len ? kernels()->count(text.ptr, text.len, '\n') : 0;
}

enum eol eol_of(struct str text)
{
	size_t all = newlines(text), crlf = eol_crlfs(text);

	if (!all)
		return EOL_NONE;
	if (!crlf)
		return EOL_LF;
	return crlf == all ? EOL_CRLF : EOL_MIXED;
}

enum eol eol_join(enum eol a, enum eol b)
{
	if (a == EOL_NONE || a == b)
		return b;
	return b == EOL_NONE ? a : EOL_MIXED;
}

const char *eol_name(enum eol e)
{
	static const char *const names[] = {
		[EOL_NONE] = "none",
		[EOL_LF] = "lf",
		[EOL_CRLF] = "crlf",
		[EOL_MIXED] = "mixed",
	};

	return names[e];
}

struct str eol_to_crlf(struct str text, struct arena *mem)
{
	size_t bare = newlines(text) - eol_crlfs(text), from = 0;
	char *to, *p;

	if (!bare)
		return text;
	p = to = arena_alloc(mem, size_add(text.len, bare));
	while (from < text.len) {
		size_t lf = from + str_find(str_skip(text, from), '\n');

		memcpy(p, text.ptr + from, lf - from);
		p += lf - from;
		if (lf == text.len)
			break;
		if (!lf || text.ptr[lf - 1] != '\r')
			*p++ = '\r';
		*p++ = '\n';
		from = lf + 1;
	}
	return str_make(to, (size_t)(p - to));
}

size_t eol_copy_lf(struct str text, char *ret)
{
	size_t ask = CANCEL_STRIDE;
	char *p = ret;

	while (text.len && !cancel_every((size_t)(p - ret), &ask)) {
		size_t cr = str_find(text, '\r');
		size_t skip = cr + (cr < text.len);

		memcpy(p, text.ptr, cr);
		p += cr;
		if (cr < text.len &&
		    (skip == text.len || text.ptr[skip] != '\n'))
			*p++ = '\r';
		text = str_skip(text, skip);
	}
	return (size_t)(p - ret);
}

struct str eol_to_lf(struct str text, struct arena *mem)
{
	size_t crlf = eol_crlfs(text);
	char *p;

	if (!crlf)
		return text;
	p = arena_alloc(mem, text.len);
	return str_make(p, eol_copy_lf(text, p));
}
