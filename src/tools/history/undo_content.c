/*
 * undo_content.c - what a file held after an operation, and the diff of an
 * operation.
 *
 * Most operations keep both contents. An append keeps only what it added: its
 * content is put together from the operations before it.
 */
#include "tools/history/undo.h"

#include "text/diff/unified.h"

enum { PAGE = 200 };

/* A run of appends, newest first, and the content they were added to. */
struct chain {
	struct op *ops;
	size_t n;
	bool whole; /* @start is complete */
	struct str start;
};

static enum err no_content(struct call *c, const struct op *op)
{
	return fail(c->fault, ERR_NO_CONTENT, .path = op->path,
		    .text = op_id(op->id, c->mem));
}

/* Add the next older operation; *@ended when the start is known. */
static enum err chain_step(struct call *c, const struct op *op,
			   struct chain *chain, bool *ended)
{
	if (op->kind == OP_APPEND) {
		chain->ops =
			arena_grow(c->mem, chain->ops, chain->n * sizeof(*op),
				   (chain->n + 1) * sizeof(*op));
		chain->ops[chain->n++] = *op;
		*ended = chain->whole = !op->existed;
		return ERR_OK;
	}
	*ended = chain->whole = true;
	if (!op->exists)
		return ERR_OK;
	return history_content(c->options->store, op, HISTORY_AFTER, c->mem,
			       &chain->start, c->fault);
}

static enum err chain_gather(struct call *c, const struct op *last,
			     struct chain *chain)
{
	struct history_query q = { .path = last->path,
				   .until_ms = last->time_ms,
				   .limit = PAGE };
	bool ended = false, met = false;
	size_t got = PAGE;
	struct op *ops;
	enum err e;

	for (; got == PAGE && !ended; q.skip += PAGE) {
		e = history_list(c->options->store, &q, c->mem, &ops, &got,
				 c->fault);
		if (e)
			return e;
		for (size_t i = 0; i < got && !ended; i++) {
			met = met || uuid_eq(ops[i].id, last->id);
			if (!met || !str_eq(ops[i].path, last->path))
				continue;
			e = chain_step(c, &ops[i], chain, &ended);
			if (e)
				return e;
		}
	}
	return ERR_OK;
}

/* The start is not in the history: take it from the file. */
static enum err from_file(struct call *c, const struct op *op, struct str *ret)
{
	struct snapshot snap;
	struct str added;
	enum err e = history_content(c->options->store, op, HISTORY_AFTER,
				     c->mem, &added, c->fault);
	size_t n;

	if (!e)
		e = ws_load(c->ws, op->path, c->options->max_file, &c->progress,
			    c->mem, &snap, c->fault);
	if (e)
		return e;
	if (!str_eq(snap.key, op->path)) /* a symlink to another file */
		return no_content(c, op);
	n = op_added(str_skip(snap.bytes, op->bytes_before), added);
	if (!n)
		return no_content(c, op);
	*ret = str_head(snap.bytes, op->bytes_before + n);
	return ERR_OK;
}

static enum err chain_join(struct call *c, const struct op *op,
			   const struct chain *chain, struct str *ret)
{
	auto_buf all = BUF_INIT;
	struct str added;
	enum err e;

	buf_add(&all, chain->start);
	for (size_t i = chain->n; i-- > 0;) {
		if (chain->ops[i].bytes_before != all.len)
			return no_content(c, op);
		/* An append completes a last line without newline first. */
		if (all.len && all.ptr[all.len - 1] != '\n')
			buf_addc(&all, '\n');
		e = history_content(c->options->store, &chain->ops[i],
				    HISTORY_AFTER, c->mem, &added, c->fault);
		if (e)
			return e;
		buf_add(&all, added);
	}
	*ret = arena_copy(c->mem, buf_str(&all));
	return ERR_OK;
}

/* A rename changed nothing: what its file held is with the old name. */
static enum err renamed_content(struct call *c, const struct op *op,
				struct file_content *ret)
{
	const struct history_query q = { .path = op->from,
					 .until_ms = op->time_ms,
					 .limit = PAGE };
	struct op *ops;
	size_t n;
	enum err e =
		history_list(c->options->store, &q, c->mem, &ops, &n, c->fault);

	for (size_t i = 0; i < n && !e; i++)
		if (str_eq(ops[i].path, op->from) && op_has_content(&ops[i]))
			return undo_content(c, &ops[i], ret);
	return e ? e : no_content(c, op);
}

enum err undo_content(struct call *c, const struct op *op,
		      struct file_content *ret)
{
	struct chain chain = { 0 };
	enum err e;

	if (op->kind == OP_MOVE && op->existed)
		return renamed_content(c, op, ret);
	*ret = (struct file_content){ .exists = op->exists,
				      .mode = op->mode_after };
	if (!op->exists)
		return ERR_OK;
	if (op->kind != OP_APPEND)
		return history_content(c->options->store, op, HISTORY_AFTER,
				       c->mem, &ret->bytes, c->fault);
	e = chain_gather(c, op, &chain);
	if (e)
		return e;
	return chain.whole ? chain_join(c, op, &chain, &ret->bytes)
			   : from_file(c, op, &ret->bytes);
}

/* Both sides of an operation; for an append, only what was added. */
static enum err load_contents(struct store *s, const struct op *op,
			      struct arena *mem, struct str *before,
			      struct str *after, struct fault *f)
{
	enum err e = ERR_OK;

	*before = *after = STR("");
	if (!op_has_content(op))
		return ERR_OK;
	if (op->existed && op->kind != OP_APPEND)
		e = history_content(s, op, HISTORY_BEFORE, mem, before, f);
	if (!e && op->exists)
		e = history_content(s, op, HISTORY_AFTER, mem, after, f);
	return e;
}

enum err undo_lines(struct store *s, const struct op *op, struct arena *mem,
		    size_t *ret_added, size_t *ret_removed, bool *text,
		    struct fault *f)
{
	struct str before, after;
	enum err e = load_contents(s, op, mem, &before, &after, f);

	if (!e)
		*text = revise_count(before, after, mem, ret_added,
				     ret_removed);
	return e;
}

/* What no content shows: a name, or a directory. */
static void describe_tree(const struct op *op, struct arena *mem,
			  struct description *ret)
{
	*ret = (struct description){ .does = STR("makes a directory") };
	if (op->kind == OP_RMDIR)
		ret->does = STR("removes a directory");
	if (op->kind == OP_MOVE)
		ret->does = arena_printf(mem, "moved from " STR_FMT,
					 STR_ARG(op->from));
}

enum err undo_diff(struct store *s, const struct op *op, struct str name,
		   struct arena *mem, struct buf *out, struct description *ret,
		   struct fault *f)
{
	const bool appends = op->kind == OP_APPEND;
	struct described d = { .before = { op->existed && !appends,
					   .mode = op->mode_before },
			       .after = { op->exists, .mode = op->mode_after },
			       .appends = appends };
	struct diff diff;
	enum err e;

	if (!op_has_content(op)) {
		describe_tree(op, mem, ret);
		return ERR_OK;
	}
	e = load_contents(s, op, mem, &d.before.bytes, &d.after.bytes, f);
	if (e)
		return e;
	describe_change(&d, mem, ret);
	if (ret->after.exists && !ret->after.text)
		return ERR_OK;
	diff_texts(ret->before.shown, ret->after.shown, mem, &diff);
	unified_print(&diff, name, UNIFIED_CONTEXT, out);
	for (size_t i = 0; i < diff.count; i++) {
		ret->added += diff.changes[i].b_count;
		ret->removed += diff.changes[i].a_count;
	}
	return ERR_OK;
}
