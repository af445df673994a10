/*
 * recovery.c - finds out how operations of processes that died have ended.
 *
 * Runs on a worker thread, at most once at a time for each workspace
 * (workspace.recovered). Open operations are listed in batches and files are
 * loaded one by one, on the budget of the call, so that the memory in use does
 * not grow with the number of operations. Files are read, never changed.
 */
#include "tools/change/recovery.h"

#include "base/cancel.h"
#include "files/path.h"
#include "tools/history/operations.h"

/*
 * An append is done when its bytes are where they were to go, and has failed
 * when the file still ends there.
 */
static bool append_outcome(struct store *s, const struct op *op,
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

/* A directory, or what was moved: is it there, and not where it was? */
static bool tree_outcome(const struct recovery *r, const struct op *op,
			 struct arena *mem, enum op_state *ret)
{
	struct node_info now, from = { 0 };
	struct fault ignored = { 0 };

	if (ws_lstat(r->ws, op->path, mem, &now, &ignored) ||
	    !str_eq(now.key, op->path))
		return false;
	if (op->kind == OP_MOVE &&
	    (ws_lstat(r->ws, op->from, mem, &from, &ignored) ||
	     !str_eq(from.key, op->from) || from.exists == now.exists))
		return false;
	*ret = now.exists == op->exists ? OP_DONE : OP_FAILED;
	return true;
}

static bool mode_fits(unsigned want, unsigned mode)
{
	return !want || !mode || want == mode;
}

static bool content_outcome(const struct op *op, const struct snapshot *snap,
			    enum op_state *ret)
{
	if (op->exists && hash_eq(snap->version, op->after) &&
	    mode_fits(op->mode_after, snap->mode))
		*ret = OP_DONE;
	else if (op->existed && hash_eq(snap->version, op->before) &&
		 mode_fits(op->mode_before, snap->mode))
		*ret = OP_FAILED;
	else
		return false;
	return true;
}

/* False when the operation stays open. */
static bool recover_one(const struct recovery *r, const struct op *op,
			struct arena *mem)
{
	struct snapshot snap = { 0 };
	struct fault ignored = { 0 };
	enum op_state state;
	bool known, bring;
	enum err e;

	if (!op_has_content(op) || op->kind == OP_LINK) {
		if (!tree_outcome(r, op, mem, &state))
			return false;
		history_end(r->store, op, state, NULL);
		return true;
	}
	e = ws_load(r->ws, op->path, r->max_file, /* progress= */ NULL, mem,
		    &snap, &ignored);
	if (e == ERR_NOT_FOUND) {
		state = op->exists ? OP_FAILED : OP_DONE;
		known = op->exists != op->existed;
	} else if (e || !str_eq(snap.key, op->path)) {
		return false;
	} else if (op->kind == OP_APPEND) {
		known = append_outcome(r->store, op, &snap, mem, &state);
	} else {
		known = content_outcome(op, &snap, &state);
	}
	if (!known)
		return false;
	/* Only the intent of an append has the new content; see record.c. */
	bring = state == OP_DONE && op->exists && op->kind != OP_APPEND;
	history_end(r->store, op, state, bring ? &snap.bytes : NULL);
	return true;
}

/* What has to be reached for it: of a move, the directory of both names. */
static struct str op_reach(const struct op *op)
{
	struct str dir = op->path, rest;

	while (op->kind == OP_MOVE && !path_beneath(op->from, dir, &rest))
		dir = path_parent(dir);
	return dir;
}

/* One batch behind *@at, which moves on; false when it was the last one. */
static bool recover_batch(const struct recovery *r, struct uuid *at)
{
	auto_arena mem = ARENA_INIT;
	struct fault ignored = { 0 };
	struct op *ops;
	size_t n;

	arena_charge(&mem, r->budget);
	if (history_open_intents(r->store, *at, RECOVERY_BATCH, &mem, &ops, &n,
				 &ignored))
		return false;
	for (size_t i = 0; i < n && !cancel_asked(); i++) {
		auto_arena one = ARENA_INIT;

		arena_charge(&one, r->budget);
		if (r->reach)
			r->reach(r->ctx, op_reach(&ops[i]));
		(void)recover_one(r, &ops[i], &one);
		*at = ops[i].id;
	}
	return n == RECOVERY_BATCH && !cancel_seen();
}

void recovery_run(const struct recovery *r)
{
	struct uuid at = { 0 };

	(void)ws_recover(r->ws, r->progress);
	while (r->store && recover_batch(r, &at))
		;
}

enum err recovery_run_once(struct call *c)
{
	const struct recovery r = { .ws = c->ws,
				    .store = c->options->store,
				    .max_file = c->options->max_file,
				    .budget = c->mem->charge.budget,
				    .progress = &c->progress };

	if (atomic_load(&c->ws->recovered))
		return ERR_OK;
	if (c->progress.byte_limit)
		return r.store ? ERR_LATER : ws_recover(c->ws, &c->progress);
	if (atomic_exchange(&c->ws->recovered, true))
		return ERR_OK;
	recovery_run(&r);
	if (cancel_seen()) /* the next call goes on from the beginning */
		atomic_store(&c->ws->recovered, false);
	return ERR_OK;
}
