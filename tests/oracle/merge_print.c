/*
 * merge_print.c - merge texts for merge_git.py: triples in, merged texts out.
 *
 *	in	<base bytes> <ours bytes> <theirs bytes>\n, then the three texts
 *	out	<conflicts> <bytes>\n, then the text
 */
#include "text/edit/merge.h"

#include <stdio.h>
#include <stdlib.h>

static void need(bool ok)
{
	if (ok)
		return;
	(void)fputs("merge_print: bad input\n", stderr);
	exit(1);
}

static struct str take(struct arena *mem, size_t n)
{
	char *p = arena_alloc(mem, n);

	need(fread(p, 1, n, stdin) == n);
	return str_make(p, n);
}

static bool print_one(struct arena *mem)
{
	const struct merge_labels labels = { STR("ours"), STR("base"),
					     STR("theirs") };
	size_t base_len, ours_len, theirs_len;
	struct str base, ours, theirs;
	struct merged m;

	if (scanf("%zu %zu %zu", &base_len, &ours_len, &theirs_len) != 3)
		return false;
	need(getchar() == '\n');
	base = take(mem, base_len);
	ours = take(mem, ours_len);
	theirs = take(mem, theirs_len);
	merge_texts(base, ours, theirs, &labels, mem, &m);
	printf("%zu %zu\n", m.count, m.text.len);
	(void)fwrite(m.text.ptr, 1, m.text.len, stdout);
	return true;
}

int main(void)
{
	auto_arena mem = ARENA_INIT;

	while (print_one(&mem))
		arena_reset(&mem, 1 << 20);
	need(feof(stdin));
	return 0;
}
