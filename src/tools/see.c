#include "tools/see.h"

#include "tools/change.h"
#include "tools/gate.h"
#include "tools/settle.h"

enum err see_history(struct call *c)
{
	if (!c->options->store)
		return fail(c->fault, ERR_STORE,
			    .text = STR("it is turned off (--history=off)"));
	history_settle_once(c->ws, c->options->store);
	return store_usable(c->options->store, c->fault);
}

enum err see_key(struct call *c, struct str path, struct str *ret)
{
	struct look look;
	enum err e = gate_way(c, path);

	if (!e)
		e = ws_look(c->ws, path, c->mem, &look, c->fault);
	if (e)
		return e;
	*ret = look.key;
	return change_may_see(c, path, look.key);
}

bool see_operation(struct call *c, const struct op *op)
{
	struct fault kept = *c->fault;
	struct unread unread = c->unread;
	struct str key;
	bool seen = !see_key(c, op->path, &key) &&
		    !change_may_see(c, op->path, op->path);

	*c->fault = kept;
	c->unread = unread; /* of it no more is told than that it is there */
	return seen;
}

struct str see_say(struct call *c, const struct op_row *rows, size_t n)
{
	auto_buf out = BUF_INIT;

	for (size_t i = 0; i < n; i++) {
		buf_add(&out, rows[i].id);
		buf_addc(&out, ' ');
		buf_add(&out, rows[i].time);
		buf_addc(&out, ' ');
		buf_add(&out, rows[i].kind);
		buf_addc(&out, ' ');
		buf_add(&out, rows[i].path);
		if (!rows[i].active)
			buf_addf(&out, " (%s)",
				 rows[i].undone.len ? "undone"
						    : rows[i].state.ptr);
		buf_addc(&out, '\n');
	}
	if (!n)
		buf_lit(&out, "No operations");
	return arena_copy(c->mem, buf_str(&out));
}
