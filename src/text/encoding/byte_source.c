/*
 * byte_source.c - the front of a source, for checks of magic numbers and BOMs.
 */
#include "text/encoding/byte_source.h"

struct str byte_source_head(const struct byte_source *s, size_t n,
			    struct buf *room)
{
	struct byte_reader p = { .of = s };

	if (!s->from)
		return str_head(s->held, n);
	for (size_t used = 0; room->len < n && byte_reader_next(&p, used);) {
		used = p.piece.len;
		buf_add(room, str_head(p.piece, n - room->len));
	}
	return buf_str(room);
}
