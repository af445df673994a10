/*
 * tree_dirs.c - the steps of change.c for directories that are made, or removed
 * when they are empty: rules, question, hooks, history records, workspace, hooks.
 */
#include "base/cancel.h"
#include "base/clock.h"
#include "files/path.h"
#include "tools/change/tree_local.h"
#include "tools/history/operations.h"

/* ---- making */

struct dir_making {
	struct call *call;
	struct str path;
	struct uuid undoes;
	struct str *missing; /* keys, from the top down */
	size_t n;
	struct action_facts facts;
	struct record *records;
};

/* Which directories have to be made? */
static enum err dirs_missing(struct dir_making *d, struct str key)
{
	struct call *c = d->call;
	struct file_info info = { 0 };
	struct str at = key;
	size_t n = 0;
	enum err e = ERR_OK;

	for (; at.len > 1; at = path_parent(at), n++) {
		e = ws_stat(c->ws, at, c->mem, &info, c->fault);
		if (e)
			return e;
		if (info.exists)
			break;
	}
	d->missing = arena_array(c->mem, struct str, n + 1);
	d->n = n;
	for (at = key; n > 0; at = path_parent(at))
		d->missing[--n] = at;
	return ERR_OK;
}

static enum err dir_look(struct dir_making *d, struct tree_changed *ret)
{
	struct call *c = d->call;
	struct file_info info = { .key = STR("") };
	enum err e = gate_check_dotdot(c, d->path), hidden;

	if (!e)
		e = tree_check_hidden(c, d->path, d->path);
	if (e)
		return e;
	e = ws_stat(c->ws, d->path, c->mem, &info, c->fault);
	hidden = tree_check_hidden(c, d->path, info.key);
	if (hidden || e)
		return hidden ? hidden : e;
	ret->key = info.key;
	return dirs_missing(d, info.key);
}

static enum err dirs_ready(void *ctx, struct fault *f)
{
	struct dir_making *d = ctx;
	enum err e = ERR_OK;

	for (size_t i = 0; i < d->n && !e; i++)
		e = record_ready(&d->records[i], f);
	return e;
}

static enum err dir_rehearse(struct dir_making *d, struct str key)
{
	const struct make_dir_want want = { .key = key,
					    .ready = tree_end_dry_run,
					    .dry_run = true };
	struct call *c = d->call;
	struct made_dirs made;

	return tree_rehearsed(c, ws_make_dir(c->ws, d->path, &want, c->mem,
					     &made, c->fault));
}

static void dirs_record(struct dir_making *d, struct tree_changed *ret)
{
	struct uuid group = { 0 };

	if (d->n > 1)
		group = uuid_new(clock_unix_ms());
	ret->group = op_id(group, d->call->mem);
	d->records = arena_array(d->call->mem, struct record, d->n);
	for (size_t i = 0; i < d->n; i++) {
		struct op op = { .kind = OP_MKDIR,
				 .path = d->missing[i],
				 .group = group,
				 .undoes = d->undoes,
				 .exists = true,
				 .granted_by = d->facts.grant };

		if (!i)
			op.id = group;
		record_begin(d->call, &d->records[i], &op, STR(""), STR(""));
	}
}

static bool was_made(const struct made_dirs *made, struct str key)
{
	for (size_t i = 0; i < made->n; i++)
		if (str_eq(made->key[i], key))
			return true;
	return false;
}

static enum err dirs_hooks(struct dir_making *d, enum hook_when when,
			   const struct tree_changed *ret)
{
	enum err e = ERR_OK;

	for (size_t i = 0; i < d->n && !e; i++)
		e = change_hooks(d->call, when, OP_MKDIR,
				 (struct hook_facts){ .path = d->missing[i],
						      .group = ret->group,
						      .operation =
							      ret->op_text });
	return e;
}

static void dirs_tell(struct call *c, const struct made_dirs *made)
{
	struct effect *effects = arena_array(c->mem, struct effect, made->n);

	for (size_t i = 0; i < made->n; i++)
		effects[i] = (struct effect){ .key = made->key[i],
					      .name_only = true };
	c->effects = effects;
	c->effect_count = made->n;
}

static enum err dirs_make(struct dir_making *d, struct tree_changed *ret)
{
	struct make_dir_want want = { .key = ret->key,
				      .ready = dirs_ready,
				      .ctx = d };
	struct made_dirs made = { 0 };
	struct call *c = d->call;
	enum err e;

	dirs_record(d, ret);
	e = ws_make_dir(c->ws, d->path, &want, c->mem, &made, c->fault);
	for (size_t i = 0; i < d->n; i++) {
		tree_note_record(&d->records[i], ret);
		record_end(&d->records[i], e ? e
					   : was_made(&made, d->missing[i])
						   ? ERR_OK
						   : ERR_CHANGED);
	}
	c->lost_race = e == ERR_CHANGED;
	if (e)
		return e;
	cancel_end();
	ret->made = made.n;
	if (dirs_hooks(d, HOOK_AFTER_EDIT, ret))
		ret->hook = c->fault->text;
	dirs_tell(c, &made);
	return ERR_OK;
}

static void dir_facts(struct dir_making *d, struct str key)
{
	struct call *c = d->call;

	d->facts = (struct action_facts){
		.path = d->path,
		.key = key,
		.as_is = true,
		.directory = true,
		.does = d->n > 1 ? arena_printf(c->mem, "makes %zu directories",
						d->n)
				 : STR(""),
		.summary =
			arena_printf(c->mem,
				     "%s wants to make the directory " STR_FMT,
				     c->tool->name, STR_ARG(key)),
	};
}

enum err change_make_dir(struct call *c, struct str path, struct uuid undoes,
			 struct tree_changed *ret)
{
	struct dir_making d = { .call = c,
				.path = tree_without_slashes(path),
				.undoes = undoes };
	struct make_dir_want nothing = { 0 };
	struct made_dirs made;
	enum err e = tree_begin(c);

	*ret = (struct tree_changed){ .key = STR("") };
	if (!e)
		e = dir_look(&d, ret);
	if (e)
		return e;
	nothing.key = ret->key;
	if (!d.n) /* it exists; or a file does */
		return ws_make_dir(c->ws, d.path, &nothing, c->mem, &made,
				   c->fault);
	dir_facts(&d, ret->key);
	e = tree_gate(c, &d.facts, 1);
	if (e == ERR_ASK)
		return dir_rehearse(&d, ret->key);
	if (!e)
		e = dirs_hooks(&d, HOOK_BEFORE_EDIT, ret);
	return e ? e : dirs_make(&d, ret);
}

/* ---- removing */

struct dir_removing {
	const struct dir_removal *asked;
	struct str path;
	struct node_info node;
	bool left; /* of if_empty */
	struct action_facts *facts;
	struct record record;
};

struct dirs_removing {
	struct call *call;
	struct dir_removing *dir;
	size_t n;
	struct action_facts *facts; /* of those that are there */
	struct uuid group;          /* id of the first operation; zero: one */
	size_t begun;               /* operations that were recorded */
};

static enum err removal_look(struct call *c, struct dir_removing *d)
{
	enum err e;

	d->path = tree_without_slashes(d->asked->path);
	e = tree_look(c, d->path, &d->node);
	if (e)
		return e;
	if (!d->node.exists && d->asked->if_empty) {
		d->left = true;
		return ERR_OK;
	}
	if (!d->node.exists)
		return fail(c->fault, ERR_NOT_FOUND, .path = d->path);
	if (d->node.is_root)
		return fail(c->fault, ERR_IS_ROOT, .path = d->path,
			    .reason = "root");
	if (d->node.kind != WS_ENTRY_DIRECTORY)
		return fail(c->fault, ERR_NOT_A_DIRECTORY, .path = d->path);
	return ERR_OK;
}

static struct action_facts removal_facts(struct call *c,
					 const struct dir_removing *d)
{
	return (struct action_facts){
		.path = d->path,
		.key = d->node.key,
		.as_is = true,
		.remove = true,
		.directory = true,
		.summary = arena_printf(
			c->mem, "%s wants to remove the directory " STR_FMT,
			c->tool->name, STR_ARG(d->node.key)),
	};
}

static struct name_want removal_want(struct call *c,
				     const struct dir_removing *d)
{
	return (struct name_want){ .key = d->node.key,
				   .dev = d->node.stat.dev,
				   .ino = d->node.stat.ino,
				   .progress = &c->progress };
}

/*
 * Only the removal of the first directory is rehearsed: the directories above it
 * become empty by that.
 */
static enum err removal_rehearse(struct dirs_removing *r)
{
	struct call *c = r->call;
	struct dir_removing *d = r->dir;
	struct name_want want;

	while (d->left)
		d++;
	want = removal_want(c, d);
	want.ready = tree_end_dry_run;
	want.dry_run = true;
	return tree_rehearsed(c, ws_remove_name(c->ws, d->path, &want, c->mem,
						c->fault));
}

static enum err removal_hooks(struct call *c, const struct dir_removing *d,
			      enum hook_when when, struct str operation)
{
	return change_hooks(c, when, OP_RMDIR,
			    (struct hook_facts){ .path = d->node.key,
						 .operation = operation });
}

static enum err removal_make(struct dirs_removing *r, size_t i,
			     struct tree_changed *ret)
{
	struct dir_removing *d = &r->dir[i];
	struct call *c = r->call;
	struct name_want want = removal_want(c, d);
	struct op op = { .kind = OP_RMDIR,
			 .path = d->node.key,
			 .group = r->group,
			 .undoes = d->asked->undoes,
			 .existed = true,
			 .mode_before = d->node.mode,
			 .granted_by = d->facts->grant };
	enum err e;

	if (!r->begun++)
		op.id = r->group;
	record_begin(c, &d->record, &op, STR(""), STR(""));
	want.ready = record_ready;
	want.ctx = &d->record;
	e = ws_remove_name(c->ws, d->path, &want, c->mem, c->fault);
	record_end(&d->record, e);
	c->lost_race = e == ERR_CHANGED_AT;
	if (e == ERR_NOT_EMPTY && d->asked->if_empty)
		return ERR_OK;
	if (e)
		return e;
	cancel_end();
	tree_note_record(&d->record, ret);
	ret->removed = true;
	if (removal_hooks(c, d, HOOK_AFTER_EDIT, ret->op_text))
		ret->hook = c->fault->text;
	return ERR_OK;
}

static void removal_tell(struct call *c, const struct tree_changed *ret,
			 size_t n)
{
	struct effect *effects = arena_array(c->mem, struct effect, n);

	c->effect_count = 0;
	for (size_t i = 0; i < n; i++)
		if (ret[i].removed)
			effects[c->effect_count++] =
				(struct effect){ .key = ret[i].key,
						 .existed = true,
						 .removed = true,
						 .name_only = true };
	c->effects = effects;
}

static enum err removal_carry_out(struct dirs_removing *r,
				  struct tree_changed *ret)
{
	struct call *c = r->call;
	enum err e = ERR_OK;

	for (size_t i = 0; i < r->n && !e; i++)
		if (!r->dir[i].left)
			e = removal_hooks(c, &r->dir[i], HOOK_BEFORE_EDIT,
					  STR(""));
	for (size_t i = 0; i < r->n && !e; i++)
		if (!r->dir[i].left)
			e = removal_make(r, i, &ret[i]);
	if (!e)
		removal_tell(c, ret, r->n);
	return e;
}

enum err change_remove_dirs(struct call *c, const struct dir_removal *dirs,
			    size_t n, struct tree_changed *ret)
{
	struct dirs_removing r = { .call = c, .n = n };
	size_t there = 0;
	enum err e = tree_begin(c);

	r.dir = arena_array(c->mem, struct dir_removing, n);
	r.facts = arena_array(c->mem, struct action_facts, n);
	for (size_t i = 0; i < n && !e; i++) {
		r.dir[i] = (struct dir_removing){ .asked = &dirs[i] };
		e = removal_look(c, &r.dir[i]);
		ret[i] = (struct tree_changed){ .key = r.dir[i].node.key };
		if (e || r.dir[i].left)
			continue;
		r.dir[i].facts = &r.facts[there++];
		*r.dir[i].facts = removal_facts(c, &r.dir[i]);
	}
	if (e || !there)
		return e;
	if (there > 1)
		r.group = uuid_new(clock_unix_ms());
	e = tree_gate(c, r.facts, there);
	return e == ERR_ASK ? removal_rehearse(&r)
	       : e          ? e
			    : removal_carry_out(&r, ret);
}
