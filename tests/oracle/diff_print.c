/*
 * diff_print.c - print diffs for diff_apply.py: pairs of texts in, diffs out.
 *
 *	in	<context> <splices> <old bytes> <new bytes> <name bytes>\n
 *		then for each splice <from> <to> <bytes>\n
 *		then the name, the old and the new text
 *	out	<bytes of the diff> <bytes of the one by splices>\n
 *		then both
 */
#include "text/diff/unified.h"

#include <stdio.h>
#include <stdlib.h>

static void need(bool ok)
{
	if (ok)
		return;
	(void)fputs("diff_print: bad input\n", stderr);
	exit(1);
}

static struct str take(struct arena *mem, size_t n)
{
	char *p = arena_alloc(mem, n);

	need(fread(p, 1, n, stdin) == n);
	return str_make(p, n);
}

/*
 * Read the splices; their replacements are in the new text, which comes later.
 */
static struct splice *take_splices(struct arena *mem, size_t n)
{
	struct splice *s = arena_array(mem, struct splice, n);

	for (size_t i = 0; i < n; i++) {
		need(scanf("%zu %zu %zu", &s[i].from, &s[i].to,
			   &s[i].with.len) == 3);
		need(getchar() == '\n');
	}
	return s;
}

static void point_into(struct splice *s, size_t n, struct str new_text)
{
	size_t shift = 0; /* may wrap */

	for (size_t i = 0; i < n; i++) {
		s[i].with.ptr = new_text.ptr + (s[i].from + shift);
		shift += s[i].with.len - (s[i].to - s[i].from);
	}
}

static bool print_pair(struct arena *mem)
{
	size_t context, n, old_len, new_len, name_len;
	auto_buf whole = BUF_INIT;
	auto_buf spliced = BUF_INIT;
	struct str name, old_text, new_text;
	struct splice *s;
	struct diff d;

	if (scanf("%zu %zu %zu %zu %zu", &context, &n, &old_len, &new_len,
		  &name_len) != 5)
		return false;
	need(getchar() == '\n');
	s = take_splices(mem, n);
	name = take(mem, name_len);
	old_text = take(mem, old_len);
	new_text = take(mem, new_len);
	point_into(s, n, new_text);

	diff_texts(old_text, new_text, mem, &d);
	unified_print(&d, name, context, &whole);
	if (n) {
		diff_splices(old_text, new_text, s, n, mem, &d);
		unified_print(&d, name, context, &spliced);
	}
	printf("%zu %zu\n", whole.len, spliced.len);
	(void)fwrite(buf_str(&whole).ptr, 1, whole.len, stdout);
	(void)fwrite(buf_str(&spliced).ptr, 1, spliced.len, stdout);
	return true;
}

int main(void)
{
	auto_arena mem = ARENA_INIT;

	while (print_pair(&mem))
		arena_reset(&mem, 1 << 20);
	need(feof(stdin));
	return 0;
}
