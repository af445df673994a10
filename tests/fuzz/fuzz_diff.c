/*
 * fuzz_diff.c - diffs of any two texts.
 *
 * The changes keep the promises of diff.h, the unified diff applied to the old
 * text gives the new one, and the same holds for diff_splices().
 *
 * The first byte selects: the context in its low bits, then whether the rest is
 * taken as it is (cut in two at its first NUL) or as a recipe for long texts
 * (each byte a few lines out of a small set), which drives the search to its
 * limits.
 */
#include "../unit/text/diff_check.h"
#include "text/diff/myers.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CONTEXT = 7, RECIPE = 8, LONG = 16, MOST_BYTES = 1024 };

static void must_be_right(const struct diff *d, size_t context,
			  struct arena *mem)
{
	const char *wrong = check_diff(d, context, mem);

	if (!wrong)
		return;
	(void)fprintf(stderr, "%s\n", wrong);
	abort();
}

static const char *const stock[] = { "",     "a",    "b",     "c",
				     "a\r",  "long", "\r",    "{",
				     "}",    "\tx;", "1",     "2",
				     "\xff", " ",    "\\ No", "@@" };

/* Low nibble of each byte: which line; high nibble: how often. */
static struct str cook(struct str recipe, bool many, struct arena *mem)
{
	auto_buf out = BUF_INIT;

	for (size_t i = 0; i < recipe.len && out.len < MOST_BYTES; i++) {
		unsigned byte = (unsigned char)recipe.ptr[i];
		unsigned times = many ? byte / 4 + 1 : byte / 16 + 1;

		for (unsigned n = 0; n < times; n++) {
			buf_add(&out, str_of(stock[(byte + n * n) % 16]));
			buf_addc(&out, '\n');
		}
	}
	if (out.len && recipe.len % 2)
		out.len--;
	return arena_copy(mem, buf_str(&out));
}

/* The search with limits that small texts reach. */
static void try_limits(struct str old, struct str new, unsigned how,
		       struct arena *mem)
{
	struct myers_limits limits = { 1 + (int32_t)how / 32 % 4, 1, how / 128,
				       0 };
	uint64_t hash_mask = how & 64 ? 0xf : UINT64_MAX;
	const char *wrong;
	struct intern_side a, b;

	intern_split(&a, old, mem);
	intern_split(&b, new, mem);
	intern_number(&a, &b, hash_mask, mem);
	myers_mark(&a, &b, &limits, mem);
	wrong = check_marks(&a, &b);
	if (!wrong)
		return;
	(void)fprintf(stderr, "%s\n", wrong);
	abort();
}

/* Take a number below @limit off the front of @s. */
static size_t take_number(struct str *s, size_t limit)
{
	size_t n = 0;

	for (int i = 0; i < 2 && s->len; i++) {
		n = n * 256 + (unsigned char)*s->ptr;
		*s = str_skip(*s, 1);
	}
	return limit ? n % limit : 0;
}

/* Splices of @old that @recipe describes, with replacements from it. */
static void try_splices(struct str old, struct str recipe, size_t context,
			struct arena *mem)
{
	auto_buf text = BUF_INIT;
	struct splice s[16];
	size_t n = 0, at = 0;
	struct diff d;

	while (recipe.len && n < COUNT_OF(s) && at <= old.len) {
		size_t from = at + take_number(&recipe, old.len - at + 1);
		size_t to = from + take_number(&recipe, old.len - from + 1);
		size_t put = take_number(&recipe, 9);

		s[n++] = (struct splice){ from, to, str_head(recipe, put) };
		recipe = str_skip(recipe, put);
		buf_add(&text, str_sub(old, at, from));
		buf_add(&text, s[n - 1].with);
		at = to;
	}
	buf_add(&text, str_skip(old, at));
	diff_splices(old, buf_str(&text), s, n, mem, &d);
	must_be_right(&d, context, mem);
	diff_texts(old, buf_str(&text), mem, &d);
	must_be_right(&d, context, mem);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_arena mem = ARENA_INIT;
	struct str all = { (const char *)data + 1, size - 1 }, a, b, raw;
	unsigned how = size ? *data : 0;
	struct diff d;
	size_t cut;

	if (!size)
		return 0;
	cut = str_find(all, '\0');
	a = str_head(all, cut);
	b = raw = str_skip(all, cut + 1);
	if (how & RECIPE) {
		a = cook(a, how & LONG, &mem);
		b = cook(b, how & LONG, &mem);
	}
	diff_texts(a, b, &mem, &d);
	must_be_right(&d, how & CONTEXT, &mem);
	try_limits(a, b, how, &mem);
	try_splices(a, raw, how & CONTEXT, &mem);
	return 0;
}
