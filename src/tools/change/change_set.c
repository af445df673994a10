/*
 * change_set.c - the changes of a call with all that goes with them: records of
 * the history, hooks, and the workspace.
 *
 * One change goes through ws_store(), several through ws_group().
 */
#include "tools/change/change_set.h"

#include "files/group.h"
#include "tools/history/operations.h"
#include "tools/records/event_log.h"

static enum op_kind op_kind_of(const struct change *change)
{
	const struct snapshot *before = change->before;

	if (change->remove)
		return OP_DELETE;
	if (!before)
		return !change->from.len ? OP_CREATE
		       : change->copies  ? OP_COPY
					 : OP_MOVE;
	if (change->set_mode && str_eq(before->bytes, change->after))
		return OP_MODE;
	return OP_UPDATE;
}

/* False = bytes and mode are there already: no operation is recorded. */
static bool change_has_effect(const struct change *change)
{
	return change->remove || !change->before || change->set_mode ||
	       !str_eq(change->before->bytes, change->after);
}

/* The version of the new content; computed once per change. */
static struct hash hash_after(const struct change *change)
{
	const struct snapshot *before = change->before;

	if (change->remove)
		return (struct hash){ 0 };
	if (before && str_eq(before->bytes, change->after))
		return before->version;
	return hash_of(change->after);
}

static void begin_record(struct change_set *s, size_t i)
{
	struct making *m = &s->making[i];
	const struct change *change = &m->made;
	const struct snapshot *before = change->before;
	struct op op = { .kind = op_kind_of(change),
			 .path = s->facts[i].key,
			 .from = change->from,
			 .undoes = change->undoes,
			 .existed = before,
			 .exists = !change->remove,
			 .bytes_after = change->after.len,
			 .granted_by = s->facts[i].grant };

	m->after = hash_after(change);
	if (!change_has_effect(change)) {
		m->record = (struct record){ .call = s->call, .op = op };
		return;
	}
	if (before) {
		op.before = before->version;
		op.bytes_before = before->bytes.len;
		op.mode_before = before->mode;
	}
	op.mode_after = change->set_mode ? change->mode : op.mode_before;
	op.after = m->after;
	op.group = s->group;
	if (!s->begun++)
		op.id = s->group;
	record_begin(s->call, &m->record, &op, before ? before->bytes : STR(""),
		     change->after);
	m->record.splices = change->splices;
	m->record.splice_count = change->splice_count;
}

/* All but store_want.ready, which the caller has to set. */
static struct store_want store_want_of(struct call *c,
				       const struct change *change,
				       struct str key)
{
	const struct snapshot *before = change->before;
	struct store_want want = {
		.key = key,
		.base = before ? STORE_VERSION : STORE_ABSENT,
		.bytes = change->after,
		.progress = &c->progress,
		.parents = change->parents,
		.made_ms = change->made_ms,
		.set_mode = change->set_mode,
		.mode = change->mode,
	};

	if (before)
		want.version = before->version;
	return want;
}

static enum err store_change(struct call *c, const struct change *change,
			     const struct store_want *want, struct stored *ret)
{
	if (change->remove)
		return ws_remove(c->ws, change->path, want->version, want,
				 c->mem, c->fault);
	return ws_store(c->ws, change->path, want, c->mem, ret, c->fault);
}

static struct group_item group_item_of(const struct change_set *s, size_t i)
{
	const struct making *m = &s->making[i];
	const struct change *change = &m->made;
	struct group_item item = {
		.path = change->path,
		.want = store_want_of(s->call, change, s->facts[i].key),
		.remove = change->remove,
		.like = change->like,
	};

	item.want.hash = &m->after;
	if (change->before)
		item.before = change->before->bytes;
	return item;
}

/*
 * Through ws_group(): changes without effect are left out. The result of the
 * others is in the items, the number of which is want->count.
 */
static enum err group_changes(struct change_set *s, struct group_want *want)
{
	struct call *c = s->call;

	want->items = arena_array(c->mem, struct group_item, s->n);
	want->progress = &c->progress;
	for (size_t i = 0; i < s->n; i++)
		if (change_has_effect(&s->making[i].made))
			want->items[want->count++] = group_item_of(s, i);
	return want->count ? ws_group(c->ws, want, c->mem, c->fault) : ERR_OK;
}

/* ws_group() can do more than ws_store(), which is cheaper. */
static bool is_single(const struct change_set *s)
{
	return s->n == 1 && !s->asked->like.len;
}

/* A set whose group is about to change: the intents of its operations. */
struct group_ready {
	struct change_set *set;
	const struct group_want *want;
};

static enum err group_records_ready(void *ctx, struct fault *f)
{
	struct group_ready *r = ctx;
	struct change_set *s = r->set;
	enum err e = ERR_OK;

	if (r->want->not_kept.len && s->call->options->store_must)
		return fail(f, ERR_STORE, .text = r->want->not_kept);
	for (size_t i = 0; i < s->n && !e; i++)
		e = record_ready(&s->making[i].record, f);
	return e;
}

static enum err store_group(struct change_set *s)
{
	struct group_want want = { .count = 0 };
	struct group_ready ready = { s, &want };
	size_t at = 0;
	enum err e;

	want.ready = group_records_ready;
	want.ctx = &ready;
	e = group_changes(s, &want);
	for (size_t i = 0; i < s->n; i++) {
		const struct change *made = &s->making[i].made;

		s->ret[i].not_kept = want.not_kept;
		if (change_has_effect(made))
			s->ret[i].stored = want.items[at++].stored;
		else
			s->ret[i].stored =
				(struct stored){ .version = s->making[i].after,
						 .key = s->facts[i].key };
	}
	return e;
}

static enum err store_single(struct change_set *s)
{
	struct making *m = s->making;
	struct store_want want =
		store_want_of(s->call, &m->made, s->facts->key);

	want.hash = &m->after;
	want.ready = record_ready;
	want.ctx = &m->record;
	return store_change(s->call, &m->made, &want, &s->ret->stored);
}

enum err change_hooks(struct call *c, enum hook_when when, enum op_kind kind,
		      struct hook_facts facts)
{
	static const char *const kinds[] = {
		[OP_CREATE] = "create", [OP_UPDATE] = "update",
		[OP_APPEND] = "append", [OP_DELETE] = "remove",
		[OP_MODE] = "mode",     [OP_MOVE] = "move",
		[OP_MKDIR] = "mkdir",   [OP_RMDIR] = "rmdir",
		[OP_COPY] = "copy",     [OP_LINK] = "link",
	};

	facts.tool = str_of(c->tool->name);
	facts.kind = str_of(kinds[kind]);
	facts.client = c->caller->client;
	facts.session = c->caller->session;
	return hooks_run(c, when, &facts);
}

enum err change_set_hooks(struct change_set *s, size_t i, enum hook_when when)
{
	if (!hooks_any(hooks_of(s->call), when))
		return ERR_OK;
	return change_hooks(s->call, when, op_kind_of(&s->making[i].made),
			    (struct hook_facts){
				    .path = s->facts[i].key,
				    .from = s->facts[i].from,
				    .group = op_id(s->group, s->call->mem),
				    .operation = s->ret[i].op_text,
			    });
}

/*
 * After_edit hooks, and the editor, may rewrite the file (formatters do). The
 * history and the result then have the content that is there afterwards.
 */
static void run_after_hooks(struct change_set *s, size_t i)
{
	struct call *c = s->call;
	const struct change *change = &s->making[i].made;
	struct record *r = &s->making[i].record;
	struct changed *ret = &s->ret[i];
	bool hooked = hooks_any(hooks_of(c), HOOK_AFTER_EDIT);
	struct fault ignored;

	if (hooked && change_set_hooks(s, i, HOOK_AFTER_EDIT))
		ret->hook = c->fault->text;
	if (change->remove || (!hooked && !ret->stored.rewritten) ||
	    ws_load(c->ws, change->path, c->options->max_file, &c->progress,
		    c->mem, &ret->now, &ignored) ||
	    !str_eq(ret->now.key, r->op.path) ||
	    (!ret->stored.rewritten &&
	     hash_eq(ret->now.version, ret->stored.version)))
		return;
	ret->rewritten = true;
	ret->stored.version = ret->now.version;
	r->after = ret->now.bytes;
	r->splices = NULL;
	r->op.after = ret->now.version;
	r->op.bytes_after = ret->now.bytes.len;
}

/* store_want.ready of a dry run: ERR_ASK = everything else succeeded. */
static enum err end_dry_run(void *ctx, struct fault *f)
{
	return fail(f, ERR_ASK, .path = STR(""));
}

static enum err check_single(struct change_set *s)
{
	struct change checked = *s->asked;
	struct store_want want;
	struct stored ignored;
	enum err e;

	if (!change_has_effect(&checked))
		return ERR_ASK;
	checked.parents = false;
	want = store_want_of(s->call, &checked, s->facts->key);
	want.ready = end_dry_run;
	want.dry_run = true;
	e = store_change(s->call, &checked, &want, &ignored);
	return e == ERR_NO_PARENT && s->asked->parents ? ERR_ASK : e;
}

/*
 * A person is asked only about changes that would otherwise be made (A52):
 * find out what can be found out without writing. Parent directories are not
 * made for that.
 */
enum err change_set_check(struct change_set *s)
{
	struct group_want want = { .ready = end_dry_run, .dry_run = true };
	enum err e = is_single(s) ? check_single(s) : group_changes(s, &want);

	s->call->lost_race = e == ERR_CHANGED;
	return e ? e : ERR_ASK;
}

static void note_operation(struct record *r, struct changed *ret)
{
	if (r->lost.len)
		ret->not_kept = r->lost;
	if (!r->begun || r->lost.len)
		return;
	ret->op = r->op.id;
	ret->op_text = record_name(r);
}

static void log_changes(struct change_set *s)
{
	struct event_log_sum sum = { 0 };

	if (s->n == 1) {
		event_log_change(s->call, &s->making->made, s->ret);
		return;
	}
	for (size_t i = 0; i < s->n; i++)
		event_log_add(s->call, &s->making[i].made, &sum);
	event_log_group(s->call, &sum);
}

static size_t count_effective(const struct change_set *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += change_has_effect(&s->making[i].made);
	return n;
}

enum err change_set_write(struct change_set *s)
{
	enum err e;

	if (count_effective(s) < 2)
		s->group = (struct uuid){ 0 };
	for (size_t i = 0; i < s->n; i++)
		begin_record(s, i);
	e = is_single(s) ? store_single(s) : store_group(s);
	for (size_t i = 0; i < s->n; i++)
		note_operation(&s->making[i].record, &s->ret[i]);
	if (!e)
		log_changes(s);
	for (size_t i = 0; i < s->n && !e; i++)
		run_after_hooks(s, i);
	for (size_t i = 0; i < s->n; i++)
		record_end(&s->making[i].record, e);
	return e;
}
