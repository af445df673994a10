/*
 * read_page.c - the _meta of a reply that has lines of a file.
 */
#include "tools/handlers/read_page.h"

void read_page_meta_fill(struct call *c, const struct page *page, int64_t line,
			 size_t lines, struct read_page_meta *ret)
{
	struct file_meta file = { 0 };

	file_meta_fill(c, page->version, page->in, page->undecodable,
		       page->source, &file);
	*ret = (struct read_page_meta){
		.total_lines = (int64_t)page->total_lines,
		.returned_lines = (int64_t)lines,
		.has_more =
			lines && (size_t)line - 1 + lines < page->total_lines,
		.version = file.version,
		.encoding = file.encoding,
		.confidence = file.confidence,
		.undecodable = file.undecodable,
		.source = file.source,
	};
	if (ret->has_more)
		ret->next_line = line + (int64_t)lines;
}
