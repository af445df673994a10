/*
 * tree_change.c - the steps of change.c for changes of names: rules, question,
 * hooks, history record, workspace, hooks.
 *
 * The intents are durable before the disk changes; nothing here holds a lock.
 */
#include "tools/change/tree_change.h"

#include "base/cancel.h"
#include "base/clock.h"
#include "files/path.h"
#include "tools/change/change_set.h"
#include "tools/change/describe.h"
#include "tools/change/recovery.h"
#include "tools/change/tree_beneath.h"
#include "tools/history/operations.h"
#include "tools/permissions/gate.h"
#include "tools/reading/readstate.h"

/* ---- what both have in common */

/* A worker only: the walk, the question and the history may take long. */
static enum err tree_begin(struct call *c)
{
	c->also = STR("");
	return c->progress.byte_limit ? ERR_LATER : recovery_run_once(c);
}

static struct str without_slashes(struct str path)
{
	while (path.len > 1 && path.ptr[path.len - 1] == '/')
		path.len--;
	return path;
}

static enum err check_not_hidden(struct call *c, struct str path,
				 struct str key)
{
	if (!key.len || !gate_hides(c, path, key))
		return ERR_OK;
	return fail(c->fault, ERR_DENIED, .path = path, .reason = "rule");
}

/* What has the name, unless a rule hides it from the caller. */
static enum err tree_lstat(struct call *c, struct str path,
			   struct node_info *ret)
{
	enum err e = gate_check_dotdot(c, path), hidden;

	*ret = (struct node_info){ .key = STR("") };
	if (!e)
		e = check_not_hidden(c, path, path);
	if (e)
		return e;
	e = ws_lstat(c->ws, path, c->mem, ret, c->fault);
	hidden = check_not_hidden(c, path, ret->key);
	return hidden ? hidden : e;
}

/* .ready of a dry run: ERR_ASK = everything else succeeded. */
static enum err end_dry_run(void *ctx, struct fault *f)
{
	return fail(f, ERR_ASK, .path = STR(""));
}

/* The rules have said that a person is to be asked; would it succeed? */
static enum err tree_rehearsed(struct call *c, enum err e)
{
	c->lost_race = e == ERR_CHANGED || e == ERR_CHANGED_AT;
	return e ? e : ERR_ASK;
}

/* Rules and approval, and whether a required hook has lost its trust. */
static enum err tree_gate(struct call *c, struct action_facts *facts, size_t n)
{
	enum err e = gate_change(c, facts, n), lost = ERR_OK;

	if (e && e != ERR_ASK)
		return e;
	for (size_t i = 0; i < n && !lost; i++)
		lost = hooks_check_lost(c, facts[i].key);
	return lost ? lost : e;
}

static void note_record(struct record *r, struct tree_changed *ret)
{
	if (r->lost.len)
		ret->not_kept = r->lost;
	else if (r->begun)
		ret->op_text = record_name(r);
}

/* ---- moving */

struct moving {
	struct call *call;
	const struct move *move;
	struct node_info from, to;
	struct str from_path, to_path;
	bool directory;
	struct tree_beneath beneath, after; /* of a directory */
	struct action_facts facts[2];       /* the new name, the old one */
	struct record record;
};

static enum err move_look(struct moving *m)
{
	struct call *c = m->call;
	enum err e;

	m->from_path = without_slashes(m->move->from);
	m->to_path = without_slashes(m->move->to);
	e = tree_lstat(c, m->from_path, &m->from);
	if (!e)
		e = tree_lstat(c, m->to_path, &m->to);
	if (e)
		return e;
	if (!m->from.exists)
		return fail(c->fault, ERR_NOT_FOUND, .path = m->from_path);
	if (m->from.is_root)
		return fail(c->fault, ERR_IS_ROOT, .path = m->from_path,
			    .reason = "root");
	if (m->from.kind == WS_ENTRY_OTHER)
		return fail(c->fault, ERR_NOT_A_FILE, .path = m->from_path);
	if (!m->to.has_parent && !m->to.is_root)
		return fail(c->fault, ERR_NO_PARENT, .path = m->to_path);
	m->directory = m->from.kind == WS_ENTRY_DIRECTORY;
	/* The same file under two names may be a name that differs in case. */
	if (m->to.exists && (m->to.stat.dev != m->from.stat.dev ||
			     m->to.stat.ino != m->from.stat.ino))
		return fail(c->fault, ERR_EXISTS, .path = m->to_path);
	return ERR_OK;
}

/* With if_version only the content that the caller means is moved. */
static enum err move_guard(struct moving *m)
{
	struct call *c = m->call;
	struct snapshot snap;
	struct hash want;
	enum err e;

	if (!c->guard.if_version.len)
		return ERR_OK;
	if (m->from.kind != WS_ENTRY_FILE)
		return fail(c->fault, ERR_BAD_ARGS,
			    .text = STR("if_version is for a file"));
	e = ws_load(c->ws, m->from.key, UINT64_MAX, &c->progress, c->mem, &snap,
		    c->fault);
	if (e)
		return e;
	if (hash_parse(c->guard.if_version, &want) &&
	    hash_eq(want, snap.version))
		return ERR_OK;
	return fail(c->fault, ERR_CHANGED, .path = m->from_path,
		    .version = hash_text(snap.version, c->mem));
}

static void move_facts(struct moving *m)
{
	struct call *c = m->call;
	struct action_facts *to = &m->facts[0], *from = &m->facts[1];

	*to = (struct action_facts){
		.path = m->to_path,
		.key = m->to.key,
		.from = m->from.key,
		.as_is = true,
		.directory = m->directory,
		.held = arena_printf(c->mem, "%llu %llu",
				     (unsigned long long)m->from.stat.dev,
				     (unsigned long long)m->from.stat.ino),
		.summary =
			arena_printf(c->mem,
				     "%s wants to move " STR_FMT " to " STR_FMT,
				     c->tool->name, STR_ARG(m->from.key),
				     STR_ARG(m->to.key)),
	};
	if (m->directory)
		to->does =
			arena_printf(c->mem, "moves a directory with " STR_FMT,
				     STR_ARG(describe_count(m->beneath.n,
							    "file", c->mem)));
	to->beneath = m->after.files;
	to->beneath_count = m->after.n;
	*from = (struct action_facts){
		.path = m->from_path,
		.key = m->from.key,
		.as_is = true,
		.remove = true,
		.moved = true,
		.directory = m->directory,
		.beneath = m->beneath.files,
		.beneath_count = m->beneath.n,
	};
}

static struct move_want move_want_of(struct moving *m)
{
	return (struct move_want){
		.from = m->from.key,
		.to = m->to.key,
		.from_path = m->from_path,
		.to_path = m->to_path,
		.dev = m->from.stat.dev,
		.ino = m->from.stat.ino,
		.progress = &m->call->progress,
	};
}

static enum err move_rehearse(struct moving *m)
{
	struct move_want want = move_want_of(m);
	struct call *c = m->call;

	want.ready = end_dry_run;
	want.dry_run = true;
	return tree_rehearsed(c, ws_move(c->ws, &want, c->mem, c->fault));
}

static enum err move_hooks(struct moving *m, enum hook_when when,
			   struct str operation)
{
	return change_hooks(m->call, when, OP_MOVE,
			    (struct hook_facts){ .path = m->to.key,
						 .from = m->from.key,
						 .operation = operation });
}

static void reads_moved(struct call *c, struct str from, struct str to)
{
	struct read_entry entry = { 0 };

	if (!readstate_get(c->caller->reads, from, c->mem, &entry))
		return;
	readstate_put(c->caller->reads, to, entry.version, &entry.stat,
		      entry.bytes.ptr ? &entry.bytes : NULL);
	readstate_forget(c->caller->reads, from);
}

static void move_reads(struct moving *m)
{
	struct call *c = m->call;

	if (!c->caller->reads)
		return;
	reads_moved(c, m->from.key, m->to.key);
	for (size_t i = 0; i < m->beneath.n; i++)
		reads_moved(c, m->beneath.files[i], m->after.files[i]);
}

static void move_tell(struct moving *m)
{
	struct effect *effect = arena_zero(m->call->mem, 1, sizeof(*effect));

	*effect = (struct effect){ .key = m->to.key,
				   .from = m->from.key,
				   .existed = true,
				   .name_only = true };
	m->call->effects = effect;
	m->call->effect_count = 1;
}

static enum err move_make(struct moving *m, struct tree_changed *ret)
{
	struct move_want want = move_want_of(m);
	struct call *c = m->call;
	const struct op op = { .kind = OP_MOVE,
			       .path = m->to.key,
			       .from = m->from.key,
			       .undoes = m->move->undoes,
			       .existed = true,
			       .exists = true,
			       .mode_before = m->from.mode,
			       .mode_after = m->from.mode,
			       .granted_by = m->facts[0].grant };
	enum err e;

	record_begin(c, &m->record, &op, STR(""), STR(""));
	want.ready = record_ready;
	want.ctx = &m->record;
	e = ws_move(c->ws, &want, c->mem, c->fault);
	record_end(&m->record, e);
	c->lost_race = e == ERR_CHANGED || e == ERR_CHANGED_AT;
	if (e)
		return e;
	cancel_end(); /* the change is made: report it in any case */
	note_record(&m->record, ret);
	if (move_hooks(m, HOOK_AFTER_EDIT, ret->op_text))
		ret->hook = c->fault->text;
	move_reads(m);
	move_tell(m);
	return ERR_OK;
}

enum err change_move(struct call *c, const struct move *move,
		     struct tree_changed *ret)
{
	struct moving *m = arena_zero(c->mem, 1, sizeof(*m));
	enum err e = tree_begin(c);

	*m = (struct moving){ .call = c, .move = move };
	if (!e)
		e = move_look(m);
	if (!e)
		e = move_guard(m);
	if (!e && m->directory)
		e = tree_beneath_read(c, m->from_path, m->from.key,
				      &m->beneath);
	if (e)
		return e;
	m->after = tree_beneath_at(&m->beneath, m->to.key, c->mem);
	*ret = (struct tree_changed){ .key = m->to.key };
	move_facts(m);
	e = tree_gate(c, m->facts, COUNT_OF(m->facts));
	if (e == ERR_ASK)
		return move_rehearse(m);
	if (!e)
		e = move_hooks(m, HOOK_BEFORE_EDIT, STR(""));
	return e ? e : move_make(m, ret);
}

/* ---- making a directory */

struct dir_making {
	struct call *call;
	struct str path;
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
		e = check_not_hidden(c, d->path, d->path);
	if (e)
		return e;
	e = ws_stat(c->ws, d->path, c->mem, &info, c->fault);
	hidden = check_not_hidden(c, d->path, info.key);
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
					    .ready = end_dry_run,
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
		note_record(&d->records[i], ret);
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

enum err change_make_dir(struct call *c, struct str path,
			 struct tree_changed *ret)
{
	struct dir_making d = { .call = c, .path = without_slashes(path) };
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
