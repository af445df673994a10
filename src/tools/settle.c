#include "tools/settle.h"

#include "tools/operations.h"

#include <stdatomic.h>

enum { MOST_BYTES = 1 << 30 };

/* Its bytes are at their place, or nothing is there yet. */
static bool settle_append(struct store *s, const struct op *op,
			  const struct snapshot *snap, struct arena *mem,
			  enum op_state *ret)
{
	struct fault ignored = { 0 };
	struct str added, there;

	if (snap->bytes.len <= op->bytes_before) {
		*ret = OP_FAILED;
		return snap->bytes.len == op->bytes_before;
	}
	if (history_content(s, op, HISTORY_AFTER, mem, &added, &ignored))
		return false;
	there = str_skip(snap->bytes, op->bytes_before);
	*ret = OP_DONE;
	return op_added(there, added) > 0;
}

static bool is_mode(unsigned want, unsigned mode)
{
	return !want || !mode || want == mode;
}

static bool settle_content(const struct op *op, const struct snapshot *snap,
			   enum op_state *ret)
{
	if (op->exists && hash_eq(snap->version, op->after) &&
	    is_mode(op->mode_after, snap->mode))
		*ret = OP_DONE;
	else if (op->existed && hash_eq(snap->version, op->before) &&
		 is_mode(op->mode_before, snap->mode))
		*ret = OP_FAILED;
	else
		return false;
	return true;
}

bool history_settle_one(struct workspace *ws, struct store *s,
			const struct op *op, struct arena *mem)
{
	struct snapshot snap = { 0 };
	struct fault ignored = { 0 };
	enum op_state state;
	bool known, bring;
	enum err e;

	e = ws_load(ws, op->path, MOST_BYTES, NULL, mem, &snap, &ignored);
	if (e == ERR_NOT_FOUND) {
		state = op->exists ? OP_FAILED : OP_DONE;
		known = op->exists != op->existed;
	} else if (e || !str_eq(snap.key, op->path)) {
		return false;
	} else if (op->kind == OP_APPEND) {
		known = settle_append(s, op, &snap, mem, &state);
	} else {
		known = settle_content(op, &snap, &state);
	}
	if (!known)
		return false;
	/* What it was to be comes with the end: it is in the file. */
	bring = state == OP_DONE && op->exists && op->kind != OP_APPEND;
	history_end(s, op, state, bring ? &snap.bytes : NULL);
	return true;
}

void history_settle(struct workspace *ws, struct store *s)
{
	auto_arena mem = ARENA_INIT;
	struct fault ignored = { 0 };
	struct op *ops;
	size_t n;

	if (history_open_intents(s, &mem, &ops, &n, &ignored))
		return;
	for (size_t i = 0; i < n; i++) {
		auto_arena one = ARENA_INIT;

		(void)history_settle_one(ws, s, &ops[i], &one);
	}
}

void history_settle_once(struct workspace *ws, struct store *s)
{
	static atomic_flag done = ATOMIC_FLAG_INIT;

	if (s && !atomic_flag_test_and_set(&done))
		history_settle(ws, s);
}
