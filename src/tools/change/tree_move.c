/*
 * tree_move.c - the steps of change.c for a move: rules, question, hooks, history
 * record, workspace, hooks, read state.
 *
 * The intent is durable before the disk changes; nothing here holds a lock.
 */
#include "base/cancel.h"
#include "tools/change/describe.h"
#include "tools/change/tree_beneath.h"
#include "tools/change/tree_local.h"
#include "tools/reading/readstate.h"

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

	m->from_path = tree_without_slashes(m->move->from);
	m->to_path = tree_without_slashes(m->move->to);
	e = tree_look(c, m->from_path, &m->from);
	if (!e)
		e = tree_look(c, m->to_path, &m->to);
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
	to->dirs_beneath = m->after.dirs;
	to->dirs_beneath_count = m->after.dir_count;
	*from = (struct action_facts){
		.path = m->from_path,
		.key = m->from.key,
		.as_is = true,
		.remove = true,
		.moved = true,
		.directory = m->directory,
		.beneath = m->beneath.files,
		.beneath_count = m->beneath.n,
		.dirs_beneath = m->beneath.dirs,
		.dirs_beneath_count = m->beneath.dir_count,
	};
}

/*
 * Under the new name nobody may be asked before it is read, so whoever moves it
 * needs permission to read it, too. A failure reveals nothing of it.
 */
static enum err move_gate(struct moving *m)
{
	struct call *c = m->call;
	enum err e = gate_read(c, m->from_path, m->from.key);

	if (!e)
		e = gate_read_tree(c, m->from_path, m->from.key,
				   m->beneath.files, m->beneath.n);
	if (!e)
		e = tree_gate(c, m->facts, COUNT_OF(m->facts));
	c->unread = (struct unread){ 0 };
	return e;
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

	want.ready = tree_end_dry_run;
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
	tree_note_record(&m->record, ret);
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
	e = move_gate(m);
	if (e == ERR_ASK)
		return move_rehearse(m);
	if (!e)
		e = move_hooks(m, HOOK_BEFORE_EDIT, STR(""));
	return e ? e : move_make(m, ret);
}
