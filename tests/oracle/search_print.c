/*
 * search_print.c - search stdin with text/search, to compare it with ripgrep.
 *
 * search_print PATTERN FLAGS BEFORE AFTER BLOCK, with letters in FLAGS: c count,
 * i ignore case, m multiline, o only the matching parts. Prints lines with
 * numbers, or the count; status 2: the pattern is refused, 3: it is too costly.
 */
#include "text/encoding/utf8.h"
#include "text/lines/lines.h"
#include "text/search/search.h"

#include <stdio.h>
#include <stdlib.h>

static size_t number(const char *text)
{
	return (size_t)strtoull(text, NULL, 10);
}

static void read_all(struct buf *text)
{
	char piece[4096];
	size_t n;

	while ((n = fread(piece, 1, sizeof(piece), stdin)))
		buf_add(text, str_make(piece, n));
}

/* Blocks of whole lines, of about @size bytes; 0 = all of the text. */
static void search_blocks(struct searcher *s, struct str text, size_t size)
{
	bool more = true;

	while (more && text.len) {
		size_t n = size && size < text.len ? size : text.len;
		size_t line = str_find(str_skip(text, n - 1), '\n');
		bool ascii;

		n = size_min(n + line, text.len);
		(void)lines_scan(str_head(text, n), &ascii);
		more = search_block(s, str_head(text, n),
				    ascii ? SEARCH_ASCII : 0);
		text = str_skip(text, n);
	}
}

static int print(const struct search_want *want, struct str text, size_t block)
{
	struct search_output out = { 0 };
	struct searcher *s = search_new(want);
	struct search_result r;

	if (!s)
		return 1;
	search_begin(s, STR(""), &out);
	search_blocks(s, text, block);
	r = search_end(s);
	search_free(s);
	if (want->mode == SEARCH_COUNT)
		(void)printf("%llu\n", (unsigned long long)r.count);
	else if (out.text.len)
		(void)fwrite(out.text.ptr, 1, out.text.len, stdout);
	buf_free(&out.text);
	return r.costly ? 3 : 0;
}

int main(int argc, char **argv)
{
	auto_arena mem = ARENA_INIT;
	auto_buf text = BUF_INIT;
	struct regex_options o;
	struct search_want want;
	struct regex_fault f;
	struct regex *r;
	int status;

	if (argc != 6)
		return 1;
	o = (struct regex_options){ .caseless = strchr(argv[2], 'i'),
				    .multiline = strchr(argv[2], 'm') };
	r = regex_new(str_of(argv[1]), &o, &mem, &f);
	if (!r)
		return 2;
	want = (struct search_want){
		.regex = r,
		.mode = strchr(argv[2], 'c') ? SEARCH_COUNT : SEARCH_CONTENT,
		.before = number(argv[3]),
		.after = number(argv[4]),
		.numbers = true,
		.only_matching = strchr(argv[2], 'o'),
	};
	read_all(&text);
	status =
		print(&want, buf_str(&text), o.multiline ? 0 : number(argv[5]));
	regex_free(r);
	return status;
}
