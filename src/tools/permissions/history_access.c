/*
 * history_access.c - how much of the history a caller may see: files beneath
 * its roots that no rule hides.
 */
#include "tools/permissions/history_access.h"

#include "tools/change/recovery.h"
#include "tools/permissions/gate.h"
#include "tools/reading/file_read.h"

enum err history_access_check(struct call *c)
{
	enum err e;

	if (!c->options->store)
		return fail(c->fault, ERR_STORE,
			    .text = STR("it is turned off (--history=off)"));
	e = recovery_run_once(c);
	return e ? e : store_usable(c->options->store, c->fault);
}

enum err history_access_key(struct call *c, struct str path, struct str *ret)
{
	struct file_info info;
	enum err e = gate_check_dotdot(c, path);

	if (!e)
		e = ws_stat(c->ws, path, c->mem, &info, c->fault);
	if (e)
		return e;
	*ret = info.key;
	return file_read_check_access(c, path, info.key);
}

bool history_access_allows(struct call *c, const struct op *op)
{
	struct fault kept = *c->fault;
	struct unread unread = c->unread;
	struct str key;
	bool seen = !history_access_key(c, op->path, &key) &&
		    !file_read_check_access(c, op->path, op->path);

	*c->fault = kept;
	c->unread = unread; /* only its existence is shown, no content */
	return seen;
}

struct str op_rows_text(struct call *c, const struct op_row *rows, size_t n)
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
		if (rows[i].from.len)
			buf_addf(&out, " from " STR_FMT, STR_ARG(rows[i].from));
		if (rows[i].group_size)
			buf_addf(&out, " (one of %lld, group " STR_FMT ")",
				 (long long)rows[i].group_size,
				 STR_ARG(rows[i].group));
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
