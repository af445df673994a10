#include "text/supply.h"

struct str supply_head(const struct supply *s, size_t n, struct buf *room)
{
	struct pass p = { .of = s };

	if (!s->from)
		return str_head(s->held, n);
	for (size_t used = 0; room->len < n && pass_on(&p, used);) {
		used = p.piece.len;
		buf_add(room, str_head(p.piece, n - room->len));
	}
	return buf_str(room);
}
