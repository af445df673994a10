/*
 * undo.c - undoes, replays and restores operations, through change_file().
 * Several that one call made are undone in undo_group.c.
 *
 * The path of an operation must still lead to the same file in the same root,
 * else ERR_OTHER_PLACE and nothing is written.
 */
#include "base/clock.h"
#include "tools/history/undo_local.h"
#include "tools/reading/textfile.h"

static struct str last_name(struct str path)
{
	size_t slash = str_rfind(path, '/');

	return slash == path.len ? path : str_skip(path, slash + 1);
}

static enum err other_place(struct call *c, struct str path, const char *reason,
			    struct str text, struct str hint)
{
	return fail(c->fault, ERR_OTHER_PLACE, .path = path, .reason = reason,
		    .text = text, .hint = hint);
}

/* Device numbers may change at boot: compare them only since then. */
static bool is_same_root(const struct file_info *now, const struct op *op)
{
	return op->root.ino && now->stat.ino == op->root.ino &&
	       (now->stat.dev == op->root.dev || op->time_ms < clock_boot_ms());
}

/*
 * Is the root of the operation still the same directory? Operations of older
 * versions have no root. If the present roots are only a part of it, it cannot
 * be checked; then it is enough that no symlink leads to the file.
 */
static enum err check_root(struct call *c, const struct op *op)
{
	static const struct str hint = STR_INIT(
		"Nothing was written. If the directory was created again on purpose, use --recreated");
	struct fault f = { 0 };
	struct file_info now;
	struct str text;

	if (!op->root.path.len)
		return ERR_OK;
	if (ws_stat(c->ws, op->root.path, c->mem, &now, &f)) {
		if (f.reason)
			return ERR_OK;
		now = (struct file_info){ .key = op->root.path };
	}
	if (now.exists && str_eq(now.key, op->root.path) &&
	    is_same_root(&now, op))
		return ERR_OK;
	text = arena_printf(
		c->mem, "the project's directory " STR_FMT " %s",
		STR_ARG(op->root.path),
		!now.exists ? "does not exist any more"
		: !op->root.ino
			? "may be a different one: the operation was imported"
		: str_eq(now.key, op->root.path)
			? "is not the same as when the file was changed"
			: "is a symlink now");
	return other_place(c, op->path, "other_root", text, hint);
}

/* The entry of the file in the preview, or NULL. */
static struct undo_preview_file *find_previewed(const struct call *c,
						struct str path)
{
	for (size_t i = 0; c->preview && i < c->preview->n; i++)
		if (str_eq(c->preview->files[i].path, path))
			return &c->preview->files[i];
	return NULL;
}

/* Add the file to the preview, with its present content. */
static void begin_preview(struct call *c, struct str path,
			  const struct file_content *now)
{
	struct undo_preview_file *file;

	if (!c->preview || find_previewed(c, path))
		return;
	file = arena_add(c->mem, c->preview->files, c->preview->n);
	*file = (struct undo_preview_file){ path, *now, *now };
}

/*
 * Load the file; it need not exist. Paths in the history have no symlinks: if
 * one leads elsewhere, a directory has become a symlink since.
 */
static enum err load_now(struct call *c, struct str path, struct snapshot *snap,
			 struct file_content *ret)
{
	enum err e = file_read_load(c, path, c->options->max_file, snap);
	const struct undo_preview_file *file = find_previewed(c, path);
	struct root_id root;
	bool led_out;

	*ret = (struct file_content){ 0 };
	if (file && (!e || e == ERR_NOT_FOUND)) {
		*ret = file->result;
		snap->bytes = ret->bytes;
		snap->version = hash_of(ret->bytes);
		return ERR_OK;
	}
	led_out = e == ERR_DENIED && c->fault->reason &&
		  !strcmp(c->fault->reason, "outside_roots") &&
		  ws_root_of(c->ws, path, c->mem, &root);
	if (e == ERR_LATER || e == ERR_CANCELLED ||
	    (e == ERR_DENIED && !led_out))
		return e;
	if (led_out || (snap->key.len && !str_eq(snap->key, path)))
		return other_place(
			c, path, "symlink",
			STR("the path leads through a symlink to another file now"),
			STR("Nothing was written"));
	if (e && e != ERR_NOT_FOUND)
		return e;
	/* Old content in the history is as secret as the file. */
	if (e && file_read_check_access(c, path, path))
		return c->fault->err;
	if (e && c->guard.if_version.len &&
	    !str_is(c->guard.if_version, UNDO_NO_FILE))
		return e;
	if (!e)
		*ret = (struct file_content){ true, snap->bytes, snap->mode };
	begin_preview(c, path, ret);
	return e ? ERR_OK : textfile_guard(c, path, snap);
}

static enum err fail_conflict(struct call *c, const char *what,
			      const struct revision *r, struct str path)
{
	return fail(
		c->fault, ERR_UNDO_CONFLICT, .path = path, .name = str_of(what),
		.text = r->name, .count = r->count, .changed = r->listing,
		.conflicts = r->places, .reason = "conflict",
		.hint = STR(
			"Nothing was changed. Undo newer operations on the file first, or edit the file"));
}

static void describe_undone(struct call *c, const struct revision *r,
			    struct str name, struct undone *ret)
{
	auto_buf out = BUF_INIT;

	if (!revise_diff(r->now.exists ? r->now.bytes : STR(""),
			 r->result.exists ? r->result.bytes : STR(""),
			 /* written= */ NULL, name, c->mem, &out))
		return;
	ret->diff = arena_copy(c->mem, buf_str(&out));
	c->diff = ret->diff;
}

void undo_plan(struct call *c, struct undo_step *step, struct str name)
{
	const bool creation = step->op && !step->op->existed;
	const struct revision *r = &step->r;
	const struct file_content *to = &r->result;

	step->change = (struct change){
		.path = step->path,
		.before = r->now.exists ? &step->snap : NULL,
		.key = step->path,
		.after = to->bytes,
		.remove = !to->exists,
		.parents = true,
		.made_ms = creation ? step->op->time_ms : 0,
		.set_mode = to->exists && to->mode && to->mode != r->now.mode,
		.mode = to->mode,
	};
	if (step->op)
		step->change.undoes = step->op->id;
	step->undone = (struct undone){ .how = r->how,
					.conflicts = r->count,
					.created = !r->now.exists && to->exists,
					.removed = r->now.exists && !to->exists,
					.left = step->left };
	step->writes = r->how != REVISE_ALREADY;
	if (!step->writes)
		return;
	describe_undone(c, r, name, &step->undone);
	if (!c->preview)
		return;
	find_previewed(c, step->path)->result = *to;
	step->writes = false;
}

/* Write the result, unless the file has it already. */
static enum err undo_write(struct call *c, struct undo_step *step,
			   struct undone *ret)
{
	undo_plan(c, step, last_name(step->path));
	*ret = step->undone;
	return step->writes ? change_file(c, &step->change, &ret->changed)
			    : ERR_OK;
}

/* One side of an operation; taken from @snap if the versions match. */
static enum err load_content(struct call *c, const struct op *op,
			     enum history_side side,
			     const struct snapshot *snap,
			     struct file_content *ret)
{
	bool before = side == HISTORY_BEFORE;
	struct hash version = before ? op->before : op->after;

	*ret = (struct file_content){
		.exists = before ? op->existed : op->exists,
		.mode = before ? op->mode_before : op->mode_after
	};
	if (!ret->exists)
		return ERR_OK;
	if (snap && hash_eq(snap->version, version)) {
		ret->bytes = snap->bytes;
		return ERR_OK;
	}
	return history_content(c->options->store, op, side, c->mem, &ret->bytes,
			       c->fault);
}

/* Remove exactly the appended bytes, if they are still in their place. */
static enum err without_added(struct call *c, const struct op *op,
			      struct revision *r)
{
	struct str added, now = r->now.bytes;
	size_t at = op->bytes_before, n;
	char *bytes;
	enum err e;

	r->from = r->to = r->now;
	if (!r->now.exists || now.len <= at)
		return ERR_OK;
	e = history_content(c->options->store, op, HISTORY_AFTER, c->mem,
			    &added, c->fault);
	if (e)
		return e;
	n = op_added(str_skip(now, at), added);
	if (!n) {
		r->count = 1;
		r->listing =
			STR("the appended text is no longer where it was\n");
		return fail_conflict(c, "undo", r, op->path);
	}
	if (!op->existed && n == now.len) {
		r->to = (struct file_content){ 0 };
		return ERR_OK;
	}
	bytes = arena_alloc(c->mem, now.len - n);
	if (at)
		memcpy(bytes, now.ptr, at);
	if (now.len > at + n)
		memcpy(bytes + at, now.ptr + at + n, now.len - at - n);
	r->to.bytes = str_make(bytes, now.len - n);
	return ERR_OK;
}

/* ERR_NO_UNDO unless the operation was done and is not undone. */
static enum err check_active(struct call *c, const struct op *op)
{
	struct str hint;

	if (op_active(c->options->store, op))
		return ERR_OK;
	if (op->state == OP_FAILED)
		hint = STR("The operation failed and changed nothing");
	else if (op->state == OP_INTENT)
		hint = STR(
			"It is unknown whether the change was made: its process ended in the middle of it, and the file has changed since");
	else
		hint = arena_printf(c->mem,
				    "It was undone already, by " STR_FMT,
				    STR_ARG(op_id(op->undone, c->mem)));
	return fail(c->fault, ERR_NO_UNDO, .name = STR("undo"),
		    .path = op->path, .hint = hint);
}

/* Undo goes from the content after the operation to the one before. */
static enum err find_sides(struct call *c, const struct op *op,
			   const struct snapshot *snap, struct revision *r)
{
	enum err e;

	if (op->kind == OP_APPEND)
		return without_added(c, op, r);
	e = load_content(c, op, HISTORY_AFTER, snap, &r->from);
	return e ? e : load_content(c, op, HISTORY_BEFORE, snap, &r->to);
}

/* A copy that was changed since is nobody's copy any more: it stays. */
static bool is_changed_copy(const struct undo_step *step)
{
	return step->op->kind == OP_COPY && step->r.now.exists &&
	       step->r.how == REVISE_CONFLICT;
}

enum err undo_check_place(struct call *c, const struct op *op)
{
	enum err e = check_active(c, op);

	return e ? e : check_root(c, op);
}

enum err undo_prepare(struct call *c, const struct op *op,
		      enum conflicts conflicts, struct undo_step *ret)
{
	struct revision *r = &ret->r;
	enum err e = undo_check_place(c, op);

	*ret = (struct undo_step){
		.path = op->path,
		.op = op,
		.r = { .conflicts = conflicts, .name = op_id(op->id, c->mem) },
	};
	if (!e)
		e = load_now(c, op->path, &ret->snap, &r->now);
	if (!e)
		e = find_sides(c, op, r->now.exists ? &ret->snap : NULL, r);
	if (e)
		return e;
	revise(r, c->mem);
	ret->left = is_changed_copy(ret);
	if (ret->left)
		r->how = REVISE_ALREADY;
	return ERR_OK;
}

enum err undo_operation(struct call *c, const struct op *op,
			enum conflicts conflicts, struct undone *ret)
{
	struct undo_step step;
	enum err e = undo_prepare(c, op, conflicts, &step);

	if (e)
		return e;
	if (step.r.how == REVISE_CONFLICT)
		return fail_conflict(c, "undo", &step.r, op->path);
	return undo_write(c, &step, ret);
}

enum err undo_now(struct call *c, const struct op *last,
		  struct file_content *ret, struct hash *ret_version)
{
	struct snapshot snap = { 0 };
	enum err e = check_root(c, last);

	if (!e)
		e = load_now(c, last->path, &snap, ret);
	*ret_version = snap.version;
	return e;
}

static enum err append_added(struct call *c, const struct op *op,
			     struct file_content *side)
{
	struct str added;
	enum err e = history_content(c->options->store, op, HISTORY_AFTER,
				     c->mem, &added, c->fault);
	char *bytes;

	if (e)
		return e;
	bytes = arena_alloc(c->mem, side->bytes.len + added.len);
	if (side->bytes.len)
		memcpy(bytes, side->bytes.ptr, side->bytes.len);
	if (added.len)
		memcpy(bytes + side->bytes.len, added.ptr, added.len);
	side->bytes = str_make(bytes, side->bytes.len + added.len);
	side->exists = true;
	return ERR_OK;
}

/* Apply one operation to the result of the ones before. */
static enum err replay_one(struct call *c, const struct op *op, struct str path,
			   struct revision *r)
{
	enum err e;

	r->name = op_id(op->id, c->mem);
	if (op->kind == OP_APPEND)
		return append_added(c, op, &r->now);
	e = load_content(c, op, HISTORY_BEFORE, NULL, &r->from);
	if (!e)
		e = load_content(c, op, HISTORY_AFTER, NULL, &r->to);
	if (e)
		return e;
	/* The mode of another file is kept, unless the operation set it. */
	if (op->kind == OP_MODE)
		r->from.mode = r->now.mode;
	else if (r->now.exists)
		r->from.mode = r->to.mode = 0;
	revise(r, c->mem);
	if (r->how == REVISE_CONFLICT)
		return fail_conflict(c, "replay", r, path);
	r->now = r->result;
	return ERR_OK;
}

enum err undo_replay(struct call *c, const struct op *ops, size_t n,
		     struct str path, enum conflicts conflicts,
		     struct undone *ret)
{
	struct revision r = { .conflicts = conflicts };
	struct undo_step all = { .path = path };
	enum revise_how how = REVISE_EXACT;
	enum err e = load_now(c, path, &all.snap, &all.r.now);
	size_t settled = 0;

	r.now = all.r.now;
	for (size_t i = 0; i < n && !e; i++) {
		e = replay_one(c, &ops[i], path, &r);
		if (!e && ops[i].kind != OP_APPEND && r.how == REVISE_MERGED)
			how = REVISE_MERGED;
		settled += r.count;
	}
	if (e)
		return e;
	all.r.from = all.r.now;
	all.r.to = r.now;
	revise(&all.r, c->mem);
	if (all.r.how == REVISE_EXACT)
		all.r.how = how;
	all.r.count = settled;
	return undo_write(c, &all, ret);
}

enum err undo_restore(struct call *c, struct str path, const struct op *last,
		      const struct file_content *side, struct undone *ret)
{
	struct undo_step step = { .path = path, .r = { .to = *side } };
	enum err e = ERR_OK;

	if (last)
		e = check_root(c, last);
	if (!e)
		e = load_now(c, path, &step.snap, &step.r.now);
	if (e)
		return e;
	step.r.from = step.r.now;
	revise(&step.r, c->mem);
	return undo_write(c, &step, ret);
}
