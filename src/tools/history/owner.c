/*
 * owner.c - undo and restore for the person who owns the files: stet undo,
 * stet restore and the page.
 *
 * Uses a workspace of its own whose root is set for each file, so no rule
 * applies; not for two threads at once.
 */
#include "tools/history/owner.h"

#include "base/clock.h"
#include "files/ws_local.h"

#include <sys/stat.h>

enum { TRIES = 16 };

static struct str new_id(struct arena *mem)
{
	return op_id(uuid_new(clock_unix_ms()), mem);
}

void owner_begin(struct owner *o, const struct owner_options *options)
{
	struct arena *mem = options->mem;

	if (!o->ws)
		o->ws = ws_local_new(&(struct ws_local_options){ 0 });
	o->tool = (struct tool){
		.name = arena_cstr(mem, options->tool),
		.effects = TOOL_EDITS,
	};
	o->options = (struct tool_options){ .max_file = 1 << 30,
					    .max_reply = 1 << 30,
					    .store = options->store,
					    .store_must = true };
	o->caller = (struct caller){
		.client = options->client,
		.session = new_id(mem),
	};
	o->call = (struct call){ .tool = &o->tool,
				 .options = &o->options,
				 .ws = o->ws,
				 .mem = mem,
				 .fault = options->fault,
				 .caller = &o->caller,
				 .id = new_id(mem) };
}

void owner_end(struct owner *o)
{
	if (o->ws)
		ws_local_free(o->ws);
	o->ws = NULL;
}

static bool is_directory(struct str path)
{
	auto_arena mem = ARENA_INIT;
	struct stat st;

	return path.len && !stat(arena_cstr(&mem, path), &st) &&
	       S_ISDIR(st.st_mode);
}

/* "" when no directory is named before the last slash. */
static struct str parent_of(struct str path)
{
	size_t slash = str_rfind(path, '/');

	return str_head(path, slash == path.len ? 0 : slash);
}

/* The nearest existing directory above the file. */
static struct str nearest_dir(struct str path)
{
	struct str dir = path;

	do
		dir = parent_of(dir);
	while (dir.len && !is_directory(dir));
	return dir.len ? dir : STR("/");
}

void owner_reach(struct owner *o, struct str path)
{
	const struct str dir = nearest_dir(path);

	ws_local_roots(o->ws, &dir, 1, STR(""), NULL);
}

static bool has_str(const struct str *list, size_t n, struct str s)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(list[i], s))
			return true;
	return false;
}

/* Use the roots of the operations, so that check_root() can compare them. */
static void reach_roots(struct owner *o, struct op *ops, size_t n)
{
	struct str *roots = arena_array(o->call.mem, struct str, n);
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		struct str root;

		if (o->recreated)
			ops[i].root = (struct op_root){ 0 };
		root = is_directory(ops[i].root.path)
			       ? ops[i].root.path
			       : nearest_dir(ops[i].path);
		if (!has_str(roots, count, root))
			roots[count++] = root;
	}
	ws_local_roots(o->ws, roots, count, STR(""), NULL);
}

enum err owner_undo(struct owner *o, const struct op *op, bool only,
		    enum conflicts conflicts, struct undo_group *ret)
{
	struct fault *f = o->call.fault;
	int tries = 0;
	enum err e = undo_group_find(o->options.store, op, only, o->call.mem,
				     ret, f);

	if (e)
		return e;
	reach_roots(o, ret->ops, ret->n);
	do {
		*f = (struct fault){ 0 };
		e = undo_group(&o->call, ret, conflicts);
	} while (e == ERR_CHANGED && ++tries < TRIES);
	return e;
}

enum err owner_now(struct owner *o, struct str path, struct file_content *ret,
		   struct hash *ret_version)
{
	struct op last;
	enum err e = history_last(o->options.store, path, o->call.mem, &last,
				  o->call.fault);

	if (e)
		return e;
	reach_roots(o, &last, 1);
	return undo_now(&o->call, &last, ret, ret_version);
}

enum err owner_restore(struct owner *o, struct str path,
		       const struct file_content *side, struct undone *ret)
{
	struct op last = { .path = path };
	struct fault ignored;
	int tries = 0;
	enum err e;

	if (history_last(o->options.store, path, o->call.mem, &last, &ignored))
		last = (struct op){ .path = path };
	reach_roots(o, &last, 1);
	do {
		*o->call.fault = (struct fault){ 0 };
		e = undo_restore(&o->call, path, &last, side, ret);
	} while (e == ERR_CHANGED && ++tries < TRIES);
	return e;
}

enum err owner_undoing(struct owner *o, const struct op *op, struct op *ret)
{
	struct store *store = o->options.store;
	struct arena *mem = o->call.mem;

	if (op_role(store, op) == OP_UNDOES) {
		*ret = *op;
		return ERR_OK;
	}
	if (op_active(store, op) || uuid_is_zero(op->undone))
		return fail(o->call.fault, ERR_NO_UNDO, .name = STR("redo"),
			    .path = op->path);
	return history_find(store, op_id(op->undone, mem), mem, ret,
			    o->call.fault);
}

/* The operations on exactly that file, newest first. */
static enum err owner_list(struct owner *o, struct history_query *q,
			   struct op **ret, size_t *ret_n)
{
	size_t n = 0;
	enum err e;

	q->limit = SIZE_MAX / 2;
	e = history_list(o->options.store, q, o->call.mem, ret, ret_n,
			 o->call.fault);
	if (e)
		return e;
	for (size_t i = 0; i < *ret_n; i++)
		if (str_eq((*ret)[i].path, q->path))
			(*ret)[n++] = (*ret)[i];
	*ret_n = n;
	return ERR_OK;
}

/* The content before the first operation in the history. */
static enum err before_all(struct owner *o, struct str path,
			   struct file_content *ret)
{
	struct history_query q = { .path = path };
	struct op *ops, *first;
	size_t n;
	enum err e = owner_list(o, &q, &ops, &n);

	if (e)
		return e;
	if (!n)
		return fail(o->call.fault, ERR_NO_OP, .path = path,
			    .text = arena_printf(
				    o->call.mem,
				    "the history has no version of " STR_FMT,
				    STR_ARG(path)));
	first = &ops[n - 1];
	/* Before a move there was nothing at the new name. */
	*ret = (struct file_content){ .exists = first->existed &&
						first->kind != OP_MOVE,
				      .mode = first->mode_before };
	if (!ret->exists)
		return ERR_OK;
	return history_content(o->options.store, first, HISTORY_BEFORE,
			       o->call.mem, &ret->bytes, o->call.fault);
}

enum err owner_at_time(struct owner *o, struct str path, uint64_t time_ms,
		       struct file_content *ret)
{
	struct history_query q = { .path = path, .until_ms = time_ms };
	struct op *ops;
	size_t n;
	enum err e = owner_list(o, &q, &ops, &n);

	if (e)
		return e;
	return n ? undo_content(&o->call, &ops[0], ret)
		 : before_all(o, path, ret);
}

enum err owner_at_op(struct owner *o, struct str path, const struct op *op,
		     struct file_content *ret)
{
	if (str_eq(op->path, path) && op->state == OP_DONE)
		return undo_content(&o->call, op, ret);
	return owner_at_time(o, path, op->time_ms, ret);
}
