/*
 * change.c - the one path by which tools change files: rules, question, hooks,
 * history record, workspace, hooks.
 *
 * The order is the promise: everything that can refuse comes before the intent
 * is written, and the intent is durable before the file changes
 * (store_want.ready). Nothing here holds a lock; the workspace locks the
 * directory.
 */
#include "tools/change/change.h"

#include "base/cancel.h"
#include "tools/change/hooks.h"
#include "tools/change/hunks.h"
#include "tools/change/record.h"
#include "tools/change/recovery.h"
#include "tools/permissions/gate.h"
#include "tools/reading/configured_encoding.h"
#include "tools/reading/file_read.h"
#include "tools/reading/readstate.h"
#include "tools/records/event_log.h"

/* The key of the file, by which rules and history know it. */
static enum err stat_path(struct call *c, struct str path,
			  struct file_info *ret)
{
	enum err e = gate_check_dotdot(c, path);

	*ret = (struct file_info){ .key = path };
	if (e || !c->ws->ops->stat)
		return e;
	return ws_stat(c->ws, path, c->mem, ret, c->fault);
}

static enum err find_key(struct call *c, const struct change *change,
			 struct str *ret)
{
	struct file_info info;
	enum err e = ERR_OK;

	if (change->before)
		info.key = change->before->key;
	else if (change->key.len)
		info.key = change->key;
	else
		e = stat_path(c, change->path, &info);
	if (!e)
		*ret = info.key;
	return e;
}

static enum op_kind op_kind_of(const struct change *change)
{
	const struct snapshot *before = change->before;

	if (change->remove)
		return OP_DELETE;
	if (!before)
		return OP_CREATE;
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

static void begin_record(struct call *c, const struct change *change,
			 struct str key, struct hash after, struct record *r)
{
	const struct snapshot *before = change->before;
	struct op op = { .kind = op_kind_of(change),
			 .path = key,
			 .undoes = change->undoes,
			 .existed = before,
			 .exists = !change->remove,
			 .bytes_after = change->after.len };

	*r = (struct record){ .call = c, .op = op };
	if (!change_has_effect(change))
		return;
	if (before) {
		op.before = before->version;
		op.bytes_before = before->bytes.len;
		op.mode_before = before->mode;
	}
	op.mode_after = change->set_mode ? change->mode : op.mode_before;
	op.after = after;
	record_begin(c, r, &op, before ? before->bytes : STR(""),
		     change->after);
	r->splices = change->splices;
	r->splice_count = change->splice_count;
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

static enum err run_hooks(struct call *c, enum hook_when when, struct str key,
			  enum op_kind kind, struct str op)
{
	static const char *const kinds[] = {
		[OP_CREATE] = "create", [OP_UPDATE] = "update",
		[OP_APPEND] = "append", [OP_DELETE] = "remove",
		[OP_MODE] = "mode",
	};
	struct hook_facts facts = { .tool = str_of(c->tool->name),
				    .path = key,
				    .kind = str_of(kinds[kind]),
				    .client = c->caller->client,
				    .session = c->caller->session,
				    .operation = op };

	return hooks_run(c, when, &facts);
}

/*
 * After_edit hooks, and the editor, may rewrite the file (formatters do). The
 * history and the result then have the content that is there afterwards.
 */
static void run_after_hooks(struct call *c, const struct change *change,
			    struct record *r, struct changed *ret)
{
	bool hooked = hooks_any(hooks_of(c), HOOK_AFTER_EDIT);
	struct fault ignored;

	if (hooked &&
	    run_hooks(c, HOOK_AFTER_EDIT, r->op.path, r->op.kind, ret->op_text))
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

/* Rules and approval, and whether a required hook has lost its trust. */
static enum err may_change(struct call *c, struct action_facts *facts)
{
	enum err e = gate_change(c, facts), lost;

	if (e && e != ERR_ASK)
		return e;
	lost = hooks_check_lost(c, facts->key);
	return lost ? lost : e;
}

/* store_want.ready of a dry run: ERR_ASK = everything else succeeded. */
static enum err end_dry_run(void *ctx, struct fault *f)
{
	return fail(f, ERR_ASK, .path = STR(""));
}

static enum err end_dry_run_at(void *ctx, uint64_t at, struct str bytes,
			       struct fault *f)
{
	return end_dry_run(ctx, f);
}

/*
 * A person is asked only about a change that would otherwise be made (A52):
 * find out what can be found out without writing. Parent directories are not
 * made for that.
 */
static enum err check_change(struct call *c, const struct change *change,
			     struct str key)
{
	struct change checked = *change;
	struct store_want want;
	struct stored ignored;
	enum err e;

	if (!change_has_effect(change))
		return ERR_ASK;
	checked.parents = false;
	want = store_want_of(c, &checked, key);
	want.ready = end_dry_run;
	want.dry_run = true;
	e = store_change(c, &checked, &want, &ignored);
	c->lost_race = e == ERR_CHANGED;
	return e == ERR_NO_PARENT && change->parents ? ERR_ASK : e;
}

static enum err check_append(struct call *c, const struct addition *a,
			     struct str key)
{
	struct append_want want = a->want;
	struct appended ignored;
	enum err e;

	want.key = key;
	want.parents = false;
	want.progress = &c->progress;
	want.ready = end_dry_run_at;
	want.dry_run = true;
	e = ws_append(c->ws, a->path, &want, c->mem, &ignored, c->fault);
	c->lost_race = e == ERR_CHANGED;
	return e == ERR_NO_PARENT && a->want.parents ? ERR_ASK : e;
}

static enum err write_change(struct call *c, const struct change *change,
			     struct str key, struct changed *ret)
{
	struct store_want want = store_want_of(c, change, key);
	const struct hash after = hash_after(change);
	struct record record;
	enum err e;

	begin_record(c, change, key, after, &record);
	want.hash = &after;
	want.ready = record_ready;
	want.ctx = &record;
	e = store_change(c, change, &want, &ret->stored);
	ret->not_kept = record.lost;
	if (record.begun && !record.lost.len) {
		ret->op = record.op.id;
		ret->op_text = record_name(&record);
	}
	if (!e) {
		event_log_change(c, change, ret);
		run_after_hooks(c, change, &record, ret);
	}
	record_end(&record, e);
	return e;
}

static void tell_effect(struct call *c, const struct change *change,
			struct str key, const struct changed *changed)
{
	const struct snapshot *before = change->before;

	c->effect = (struct effect){
		.key = key,
		.before = before ? before->bytes : STR(""),
		.after =
			changed->rewritten ? changed->now.bytes : change->after,
		.display =
			configured_display(c, change->path, change->encoding),
		.existed = before,
		.removed = change->remove,
	};
}

/* Only some hunks were approved: put the real content into the result. */
static void tell_taken(struct call *c, const struct change *made,
		       const struct accepted_hunks *taken, struct changed *ret)
{
	const struct snapshot *before = made->before;

	if (!taken->of)
		return;
	ret->taken = *taken;
	if (!ret->rewritten) {
		ret->rewritten = true;
		ret->now = *before;
		ret->now.bytes = made->after;
		ret->now.version = ret->stored.version;
	}
	c->also = hunks_tell(taken, made, ret->now.bytes, c->mem);
}

/* The change was approved: hooks, history and file. */
static enum err carry_out(struct call *c, const struct change *change,
			  const struct action_facts *facts, struct changed *ret)
{
	struct change made = *change;
	enum err e;

	made.after = facts->after;
	if (facts->taken.of)
		made.splices = NULL;
	e = run_hooks(c, HOOK_BEFORE_EDIT, facts->key, op_kind_of(&made),
		      STR(""));
	if (!e && cancel_seen()) /* change->after may be incomplete */
		e = fail(c->fault, ERR_CANCELLED, .path = change->path);
	if (!e)
		e = write_change(c, &made, facts->key, ret);
	if (!e)
		cancel_end(); /* the change is made: report it in any case */
	if (e == ERR_BUSY && c->progress.byte_limit)
		return ERR_LATER; /* a worker may wait for the lock */
	c->lost_race = e == ERR_CHANGED;
	if (e)
		return e;
	ret->wrote = made.after.len;
	tell_taken(c, &made, &facts->taken, ret);
	file_read_record_change(c, &made, ret);
	tell_effect(c, &made, facts->key, ret);
	return ERR_OK;
}

/* Is it too much for the event loop: a large file, or a hook? */
static bool may_take_long(const struct call *c, const struct change *change)
{
	const struct hooks *hooks = hooks_of(c);

	return change->after.len > c->progress.byte_limit ||
	       hooks_any(hooks, HOOK_BEFORE_EDIT) ||
	       hooks_any(hooks, HOOK_AFTER_EDIT);
}

/* The history and the question each copy the new content. */
static enum err check_memory(struct call *c, const struct change *change)
{
	enum { LITTLE = 64 * 1024 };
	size_t need = change->splices ? 0 : change->after.len;

	if (need <= LITTLE || arena_reserve(c->mem, need))
		return ERR_OK;
	return fail_memory(c->fault, STR("this change"), need,
			   c->mem->charge.budget);
}

enum err change_file(struct call *c, const struct change *change,
		     struct changed *ret)
{
	struct action_facts facts = { .path = change->path,
				      .before = change->before,
				      .after = change->after,
				      .encoding = change->encoding,
				      .remove = change->remove,
				      .mode = change->set_mode ? change->mode
							       : 0,
				      .divisible = change->divisible };
	enum err e;

	*ret = (struct changed){ 0 };
	c->also = STR("");
	if (c->progress.byte_limit && may_take_long(c, change))
		return ERR_LATER;
	e = recovery_run_once(c);
	if (!e)
		e = check_memory(c, change);
	if (!e)
		e = find_key(c, change, &facts.key);
	if (!e)
		e = may_change(c, &facts);
	if (e == ERR_ASK)
		return check_change(c, change, facts.key);
	return e ? e : carry_out(c, change, &facts, ret);
}

static bool has_read(struct call *c, struct str key)
{
	struct readstate *reads = c->caller->reads;
	struct read_entry entry;

	return reads && readstate_get(reads, key, c->mem, &entry);
}

/*
 * If the file was extended as it had been loaded, its new content is known: to
 * events, and to the caller, if it knew the file before.
 */
static void tell_appended(struct call *c, const struct addition *a,
			  const struct appended *appended, struct str bytes,
			  struct changed *ret)
{
	struct str old = a->before ? a->before->bytes : STR("");
	struct change change = { .path = a->path,
				 .before = appended->created ? NULL : a->before,
				 .encoding = a->encoding,
				 .whole = appended->created };
	char *all;

	ret->stored.key = appended->key;
	ret->stored.created = appended->created;
	if (!a->before || old.len != appended->at ||
	    hooks_any(hooks_of(c), HOOK_AFTER_EDIT) ||
	    !arena_reserve(c->mem, old.len + bytes.len))
		return;
	all = arena_alloc(c->mem, old.len + bytes.len);
	if (old.len)
		memcpy(all, old.ptr, old.len);
	if (bytes.len)
		memcpy(all + old.len, bytes.ptr, bytes.len);
	change.after = str_make(all, old.len + bytes.len);
	ret->stored.version = hash_of(change.after);
	ret->stored.source = a->before->source;
	if (appended->created || has_read(c, appended->key))
		file_read_record_change(c, &change, ret);
	tell_effect(c, &change, appended->key, ret);
}

/* The append was approved. */
static enum err append_at(struct call *c, const struct addition *a,
			  const struct file_info *info, struct appended *ret,
			  struct changed *changed)
{
	struct record record = { .call = c };
	struct append_want want = a->want;
	enum err e;

	record.op = (struct op){ .kind = OP_APPEND,
				 .path = info->key,
				 .existed = info->exists,
				 .exists = true,
				 .mode_before = info->mode,
				 .mode_after = info->mode };
	want.key = info->key;
	want.ready = record_ready_at;
	want.ctx = &record;
	want.progress = &c->progress;
	e = ws_append(c->ws, a->path, &want, c->mem, ret, c->fault);
	record_end(&record, e);
	c->lost_race = e == ERR_CHANGED;
	if (e)
		return e;
	cancel_end();
	changed->not_kept = record.lost;
	if (record.begun && !record.lost.len) {
		changed->op = record.op.id;
		changed->op_text = record_name(&record);
	}
	if (run_hooks(c, HOOK_AFTER_EDIT, info->key, OP_APPEND,
		      changed->op_text))
		changed->hook = c->fault->text;
	tell_appended(c, a, ret, record.after, changed);
	return ERR_OK;
}

enum err change_append(struct call *c, const struct addition *a,
		       struct appended *ret, struct changed *changed)
{
	struct action_facts facts = { .path = a->path,
				      .after = a->want.bytes,
				      .encoding = a->encoding ? a->encoding
							      : &encoding_utf8,
				      .summary = a->summary,
				      .as_is = true,
				      .appends = true };
	struct file_info info;
	enum err e = recovery_run_once(c);

	*changed = (struct changed){ 0 };
	if (e)
		return e;
	if (a->info)
		info = *a->info;
	else
		e = stat_path(c, a->path, &info);
	facts.key = info.key;
	if (!e)
		e = may_change(c, &facts);
	if (!e)
		e = run_hooks(c, HOOK_BEFORE_EDIT, info.key, OP_APPEND,
			      STR(""));
	if (e)
		return e == ERR_ASK ? check_append(c, a, info.key) : e;
	return append_at(c, a, &info, ret, changed);
}

bool change_is_ignored(struct call *c, struct str path, struct str key)
{
	return gate_ignores(c, path, key);
}
