/*
 * ignore_check.c - decide about paths by ignore files, to compare with git.
 *
 * Records come on stdin: a letter, the length of the content in four bytes (low
 * byte first), and the content.
 *
 *	N	a new project, without rules
 *	I	a directory, a NUL byte, and the text of its ignore file
 *	F, D	the path of a file, of a directory: is it excluded?
 *
 * Ignore files come from the root down. For each path a line goes to stdout:
 * the directory and line of the rule that decided and whether the path is
 * excluded, "src:3:1"; or "-".
 */
#include "base/buf.h"
#include "text/pattern/ignore.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_LISTS = 64 };

struct project {
	struct arena mem;
	struct ignore_list lists[MOST_LISTS];
	size_t n;
};

static void add_list(struct project *p, struct str record)
{
	size_t nul = str_find(record, '\0');
	struct ignore_list *list;

	if (p->n == MOST_LISTS)
		abort();
	list = &p->lists[p->n++];
	list->dir = str_head(record, nul);
	ignore_parse(str_skip(record, nul + 1), &p->mem, list);
}

static void answer(const struct project *p, struct str path, bool is_dir,
		   struct buf *out)
{
	struct ignore_cause cause;
	bool ignored = ignore_decide(p->lists, p->n, path, is_dir, &cause);

	if (cause.rule)
		buf_addf(out, STR_FMT ":%zu:%d\n", STR_ARG(cause.list->dir),
			 cause.rule->line, ignored);
	else
		buf_lit(out, "-\n");
}

static void take(struct project *p, int kind, struct str record,
		 struct buf *out)
{
	switch (kind) {
	case 'N':
		arena_reset(&p->mem, 1 << 20);
		p->n = 0;
		return;
	case 'I':
		add_list(p, arena_copy(&p->mem, record));
		return;
	case 'F':
	case 'D':
		answer(p, record, kind == 'D', out);
		return;
	}
	abort();
}

int main(void)
{
	struct project p = { .mem = ARENA_INIT };
	auto_buf record = BUF_INIT;
	auto_buf out = BUF_INIT;
	uint8_t head[5];

	while (fread(head, 1, sizeof(head), stdin) == sizeof(head)) {
		size_t len = head[1] | (size_t)head[2] << 8 |
			     (size_t)head[3] << 16 | (size_t)head[4] << 24;

		buf_clear(&record, 1 << 20);
		if (fread(buf_room(&record, len + 1), 1, len, stdin) != len)
			return 1;
		record.len = len;
		take(&p, head[0], buf_str(&record), &out);
	}
	arena_free(&p.mem);
	return fwrite(out.ptr, 1, out.len, stdout) != out.len;
}
