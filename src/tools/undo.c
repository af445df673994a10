#include "tools/undo.h"

#include "base/clock.h"
#include "tools/textfile.h"

static struct str name_of(struct str path)
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

/* Device numbers are given anew when the machine starts. */
static bool is_same_root(const struct look *now, const struct op *op)
{
	return op->root.ino && now->stamp.ino == op->root.ino &&
	       (now->stamp.dev == op->root.dev ||
		op->time_ms < clock_boot_ms());
}

/*
 * Is the root of the operation still the directory that it was? Those of an
 * older stet do not say. From within a part of it nobody can look; then it is
 * enough that no link leads to the file.
 */
static enum err check_root(struct call *c, const struct op *op)
{
	static const struct str hint = STR_INIT(
		"Nothing was written. If it was removed and made again on purpose, --recreated says so");
	struct fault f = { 0 };
	struct look now;
	struct str text;

	if (!op->root.path.len)
		return ERR_OK;
	if (ws_look(c->ws, op->root.path, c->mem, &now, &f)) {
		if (f.reason)
			return ERR_OK;
		now = (struct look){ .key = op->root.path };
	}
	if (now.exists && str_eq(now.key, op->root.path) &&
	    is_same_root(&now, op))
		return ERR_OK;
	text = arena_printf(
		c->mem, "the project's directory " STR_FMT " %s",
		STR_ARG(op->root.path),
		!now.exists ? "is gone"
		: !op->root.ino
			? "may be another one: the operation was imported"
		: str_eq(now.key, op->root.path)
			? "is another one than when the file was changed"
			: "is a symbolic link now");
	return other_place(c, op->path, "other_root", text, hint);
}

/* What a preview has found of the file so far; NULL: it was not looked at. */
static struct preview_file *previewed(const struct call *c, struct str path)
{
	for (size_t i = 0; c->preview && i < c->preview->n; i++)
		if (str_eq(c->preview->files[i].path, path))
			return &c->preview->files[i];
	return NULL;
}

/* The first look at a file: what it is, and would become unless undone. */
static void begin_preview(struct call *c, struct str path,
			  const struct side *now)
{
	struct preview_file *file;

	if (!c->preview || previewed(c, path))
		return;
	file = arena_add(c->mem, c->preview->files, c->preview->n);
	*file = (struct preview_file){ path, *now, *now };
}

/*
 * The file as it is; that there is none is fine. Of the history a path has no
 * links: where it leads elsewhere now, a directory has become a link since.
 */
static enum err load(struct call *c, struct str path, struct snapshot *snap,
		     struct side *ret)
{
	enum err e = change_load(c, path, c->options->max_file, snap);
	const struct preview_file *file = previewed(c, path);
	struct root_id root;
	bool led_out;

	*ret = (struct side){ 0 };
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
			STR("a symbolic link is on the way now, and leads to another file"),
			STR("Nothing was written"));
	if (e && e != ERR_NOT_FOUND)
		return e;
	/* What the history has of a file is as secret as the file. */
	if (e && change_may_see(c, path, path))
		return c->fault->err;
	if (e && c->guard.if_version.len &&
	    !str_is(c->guard.if_version, UNDO_NO_FILE))
		return e;
	if (!e)
		*ret = (struct side){ true, snap->bytes, snap->mode };
	begin_preview(c, path, ret);
	return e ? ERR_OK : textfile_guard(c, path, snap);
}

static enum err conflict(struct call *c, const char *what,
			 const struct revision *r, struct str path)
{
	return fail(
		c->fault, ERR_UNDO_CONFLICT, .path = path, .name = str_of(what),
		.text = r->name, .count = r->count, .changed = r->listing,
		.conflicts = r->places, .reason = "conflict",
		.hint = STR(
			"Nothing was changed. Take back newer operations on the file first, or change it by an edit"));
}

static void describe(struct call *c, struct str path, const struct revision *r,
		     struct undone *ret)
{
	auto_buf out = BUF_INIT;

	if (!revise_diff(r->now.exists ? r->now.bytes : STR(""),
			 r->result.exists ? r->result.bytes : STR(""),
			 /* written= */ NULL, name_of(path), c->mem, &out))
		return;
	ret->diff = arena_copy(c->mem, buf_str(&out));
	c->diff = ret->diff;
}

/* Make the file what came out, unless it is that already. */
static enum err make(struct call *c, struct str path, const struct revision *r,
		     const struct snapshot *snap, const struct op *undoes,
		     struct undone *ret)
{
	const bool creation = undoes && !undoes->existed;
	const struct side *to = &r->result;
	struct change change = { .path = path,
				 .before = r->now.exists ? snap : NULL,
				 .key = path,
				 .after = to->bytes,
				 .remove = !to->exists,
				 .parents = true,
				 .made_ms = creation ? undoes->time_ms : 0,
				 .set_mode = to->exists && to->mode &&
					     to->mode != r->now.mode,
				 .mode = to->mode };

	if (undoes)
		change.undoes = undoes->id;
	*ret = (struct undone){ .how = r->how,
				.conflicts = r->count,
				.created = !r->now.exists && to->exists,
				.removed = r->now.exists && !to->exists };
	if (r->how == REVISE_ALREADY)
		return ERR_OK;
	describe(c, path, r, ret);
	if (c->preview) {
		previewed(c, path)->result = *to;
		return ERR_OK;
	}
	return change_file(c, &change, &ret->changed);
}

/* What was on one side; not asked for when the file is just that. */
static enum err content(struct call *c, const struct op *op,
			enum history_side side, const struct snapshot *snap,
			struct side *ret)
{
	bool before = side == HISTORY_BEFORE;
	struct hash version = before ? op->before : op->after;

	*ret = (struct side){ .exists = before ? op->existed : op->exists,
			      .mode = before ? op->mode_before
					     : op->mode_after };
	if (!ret->exists)
		return ERR_OK;
	if (snap && hash_eq(snap->version, version)) {
		ret->bytes = snap->bytes;
		return ERR_OK;
	}
	return history_content(c->options->store, op, side, c->mem, &ret->bytes,
			       c->fault);
}

/* Exactly the bytes that were appended go, if they are where they were put. */
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
			STR("what was appended is not at its place any more\n");
		return conflict(c, "undo", r, op->path);
	}
	if (!op->existed && n == now.len) {
		r->to = (struct side){ 0 };
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

/* Did it take place, and is it not undone? */
static enum err check(struct call *c, const struct op *op)
{
	struct str hint;

	if (op_active(c->options->store, op))
		return ERR_OK;
	if (op->state == OP_FAILED)
		hint = STR("The operation failed and changed nothing");
	else if (op->state == OP_INTENT)
		hint = STR(
			"Whether the operation took place is not known, as its process ended in the middle of it and the file has changed since");
	else
		hint = arena_printf(c->mem,
				    "It was undone already, by " STR_FMT,
				    STR_ARG(op_id(op->undone, c->mem)));
	return fail(c->fault, ERR_NO_UNDO, .name = STR("undo"),
		    .path = op->path, .hint = hint);
}

/* What the file becomes, and from what: undoing goes back from after. */
static enum err find_sides(struct call *c, const struct op *op,
			   const struct snapshot *snap, struct revision *r)
{
	enum err e;

	if (op->kind == OP_APPEND)
		return without_added(c, op, r);
	e = content(c, op, HISTORY_AFTER, snap, &r->from);
	return e ? e : content(c, op, HISTORY_BEFORE, snap, &r->to);
}

enum err undo_operation(struct call *c, const struct op *op,
			enum conflicts conflicts, struct undone *ret)
{
	struct revision r = { .conflicts = conflicts,
			      .name = op_id(op->id, c->mem) };
	struct snapshot snap;
	enum err e = check(c, op);

	if (!e)
		e = check_root(c, op);
	if (!e)
		e = load(c, op->path, &snap, &r.now);
	if (e)
		return e;
	e = find_sides(c, op, r.now.exists ? &snap : NULL, &r);
	if (e)
		return e;
	revise(&r, c->mem);
	if (r.how == REVISE_CONFLICT)
		return conflict(c, "undo", &r, op->path);
	return make(c, op->path, &r, &snap, op, ret);
}

enum err undo_now(struct call *c, const struct op *last, struct side *ret,
		  struct hash *ret_version)
{
	struct snapshot snap = { 0 };
	enum err e = check_root(c, last);

	if (!e)
		e = load(c, last->path, &snap, ret);
	*ret_version = snap.version;
	return e;
}

static enum err append(struct call *c, const struct op *op, struct side *side)
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

/* One more of them, on what the ones before have made of the file. */
static enum err replay(struct call *c, const struct op *op, struct str path,
		       struct revision *r)
{
	enum err e;

	r->name = op_id(op->id, c->mem);
	if (op->kind == OP_APPEND)
		return append(c, op, &r->now);
	e = content(c, op, HISTORY_BEFORE, NULL, &r->from);
	if (!e)
		e = content(c, op, HISTORY_AFTER, NULL, &r->to);
	if (e)
		return e;
	/* Another file may have another mode: only a change of it counts. */
	if (op->kind == OP_MODE)
		r->from.mode = r->now.mode;
	else if (r->now.exists)
		r->from.mode = r->to.mode = 0;
	revise(r, c->mem);
	if (r->how == REVISE_CONFLICT)
		return conflict(c, "replay", r, path);
	r->now = r->result;
	return ERR_OK;
}

enum err undo_replay(struct call *c, const struct op *ops, size_t n,
		     struct str path, enum conflicts conflicts,
		     struct undone *ret)
{
	struct revision r = { .conflicts = conflicts }, all = { 0 };
	enum revise_how how = REVISE_EXACT;
	struct snapshot snap;
	enum err e = load(c, path, &snap, &all.now);
	size_t settled = 0;

	r.now = all.now;
	for (size_t i = 0; i < n && !e; i++) {
		e = replay(c, &ops[i], path, &r);
		if (!e && ops[i].kind != OP_APPEND && r.how == REVISE_MERGED)
			how = REVISE_MERGED;
		settled += r.count;
	}
	if (e)
		return e;
	all.from = all.now;
	all.to = r.now;
	revise(&all, c->mem);
	if (all.how == REVISE_EXACT)
		all.how = how;
	all.count = settled;
	return make(c, path, &all, &snap, NULL, ret);
}

enum err undo_restore(struct call *c, struct str path, const struct op *last,
		      const struct side *side, struct undone *ret)
{
	struct revision r = { .to = *side };
	struct snapshot snap;
	enum err e = ERR_OK;

	if (last)
		e = check_root(c, last);
	if (!e)
		e = load(c, path, &snap, &r.now);
	if (e)
		return e;
	r.from = r.now;
	revise(&r, c->mem);
	return make(c, path, &r, &snap, NULL, ret);
}
