#include "tools/change.h"

#include "base/cancel.h"
#include "tools/gate.h"
#include "tools/hooks.h"
#include "tools/hunks.h"
#include "tools/record.h"
#include "tools/settle.h"
#include "tools/told.h"
#include "tools/watch.h"

/* Where the file is or will be, without links: what rules and history name. */
static enum err look_at(struct call *c, struct str path, struct look *ret)
{
	enum err e = gate_way(c, path);

	*ret = (struct look){ .key = path };
	if (e || !c->ws->ops->look)
		return e;
	return ws_look(c->ws, path, c->mem, ret, c->fault);
}

static enum err find_key(struct call *c, const struct change *change,
			 struct str *ret)
{
	struct look look;
	enum err e = ERR_OK;

	if (change->before)
		look.key = change->before->key;
	else if (change->key.len)
		look.key = change->key;
	else
		e = look_at(c, change->path, &look);
	if (!e)
		*ret = look.key;
	return e;
}

static enum op_kind kind_of(const struct change *change)
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

/* A file that is written as it was has no history of it. */
static bool is_something(const struct change *change)
{
	return change->remove || !change->before || change->set_mode ||
	       !str_eq(change->before->bytes, change->after);
}

static void begin_record(struct call *c, const struct change *change,
			 struct str key, struct record *r)
{
	const struct snapshot *before = change->before;
	struct op op = { .kind = kind_of(change),
			 .path = key,
			 .undoes = change->undoes,
			 .existed = before,
			 .exists = !change->remove,
			 .bytes_after = change->after.len };

	*r = (struct record){ .call = c, .op = op };
	if (!is_something(change))
		return;
	if (before) {
		op.before = before->version;
		op.bytes_before = before->bytes.len;
		op.mode_before = before->mode;
	}
	op.mode_after = change->set_mode ? change->mode : op.mode_before;
	if (op.exists)
		op.after = hash_of(change->after);
	record_begin(c, r, &op, before ? before->bytes : STR(""),
		     change->after);
	r->splices = change->splices;
	r->splice_count = change->splice_count;
}

static enum err store(struct call *c, const struct change *change,
		      struct str key,
		      enum err (*ready)(void *ctx, struct fault *), void *ctx,
		      struct stored *ret)
{
	const struct snapshot *before = change->before;
	struct store_want want = {
		.key = key,
		.base = before ? STORE_VERSION : STORE_ABSENT,
		.bytes = change->after,
		.errand = &c->errand,
		.parents = change->parents,
		.made_ms = change->made_ms,
		.set_mode = change->set_mode,
		.mode = change->mode,
		.ready = ready,
		.ctx = ctx,
	};

	if (before)
		want.version = before->version;
	if (change->remove)
		return ws_remove(c->ws, change->path, want.version, &want,
				 c->mem, c->fault);
	return ws_store(c->ws, change->path, &want, c->mem, ret, c->fault);
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
 * The hook after the change, which may have rewritten the file: a formatter
 * does, and so does an editor that has one. What the file is then is what was
 * changed.
 */
static void finish(struct call *c, const struct change *change,
		   struct record *r, struct changed *ret)
{
	bool hooked = hooks_any(hooks_of(c), HOOK_AFTER_EDIT);
	struct fault ignored;

	if (hooked &&
	    run_hooks(c, HOOK_AFTER_EDIT, r->op.path, r->op.kind, ret->op_text))
		ret->hook = c->fault->text;
	if (change->remove || (!hooked && !ret->stored.rewritten) ||
	    ws_load(c->ws, change->path, c->options->max_file, &c->errand,
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

/* What the rules say, and whether a hook that must be asked can be. */
static enum err may_change(struct call *c, struct deed_facts *facts)
{
	enum err e = gate_change(c, facts), lost;

	if (e && e != ERR_ASK)
		return e;
	lost = hooks_check_lost(c, facts->key);
	return lost ? lost : e;
}

static enum err not_yet(void *ctx, struct fault *f)
{
	return fail(f, ERR_ASK, .path = STR(""));
}

static enum err not_yet_at(void *ctx, uint64_t at, struct fault *f)
{
	return not_yet(ctx, f);
}

/*
 * A person is asked only about what would otherwise be done (A52): all of it
 * but the last step, to see what fails. Directories are not made for that.
 */
static enum err rehearse(struct call *c, const struct change *change,
			 struct str key)
{
	struct change quiet = *change;
	struct stored ignored;
	enum err e;

	if (!is_something(change))
		return ERR_ASK;
	quiet.parents = false;
	e = store(c, &quiet, key, not_yet, NULL, &ignored);
	c->raced = e == ERR_CHANGED;
	return e == ERR_NO_PARENT && change->parents ? ERR_ASK : e;
}

static enum err rehearse_append(struct call *c, const struct addition *a,
				struct str key)
{
	struct append_want want = a->want;
	struct appended ignored;
	enum err e;

	want.key = key;
	want.parents = false;
	want.errand = &c->errand;
	want.ready = not_yet_at;
	e = ws_append(c->ws, a->path, &want, c->mem, &ignored, c->fault);
	c->raced = e == ERR_CHANGED;
	return e == ERR_NO_PARENT && a->want.parents ? ERR_ASK : e;
}

static enum err make(struct call *c, const struct change *change,
		     struct str key, struct changed *ret)
{
	struct record record;
	enum err e;

	history_settle_once(c->ws, c->options->store);
	begin_record(c, change, key, &record);
	e = store(c, change, key, record_ready, &record, &ret->stored);
	ret->not_kept = record.lost;
	if (record.begun && !record.lost.len) {
		ret->op = record.op.id;
		ret->op_text = record_name(&record);
	}
	if (!e) {
		watch_change(c, change, ret);
		finish(c, change, &record, ret);
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
		.display = told_display(c, change->path, change->encoding),
		.existed = before,
		.removed = change->remove,
	};
}

/* The person took some hunks only: what the file is now, and words of it. */
static void tell_taken(struct call *c, const struct change *made,
		       const struct taken *taken, struct changed *ret)
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

/* What may be done of it is known. */
static enum err carry_out(struct call *c, const struct change *change,
			  const struct deed_facts *facts, struct changed *ret)
{
	struct change made = *change;
	enum err e;

	made.after = facts->after;
	if (facts->taken.of)
		made.splices = NULL;
	e = run_hooks(c, HOOK_BEFORE_EDIT, facts->key, kind_of(&made), STR(""));
	if (!e && cancel_seen()) /* what led here may have been cut short */
		e = fail(c->fault, ERR_CANCELLED, .path = change->path);
	if (!e)
		e = make(c, &made, facts->key, ret);
	if (!e)
		cancel_end(); /* it is done, and what follows says so */
	if (e == ERR_BUSY && c->errand.patience)
		return ERR_LATER; /* where it may wait for the lock */
	c->raced = e == ERR_CHANGED;
	if (e)
		return e;
	ret->wrote = made.after.len;
	tell_taken(c, &made, &facts->taken, ret);
	change_remember(c, &made, ret);
	tell_effect(c, &made, facts->key, ret);
	return ERR_OK;
}

/* More than a caller with little patience waits for. */
static bool may_take_long(const struct call *c, const struct change *change)
{
	const struct hooks *hooks = hooks_of(c);

	return change->after.len > c->errand.patience ||
	       hooks_any(hooks, HOOK_BEFORE_EDIT) ||
	       hooks_any(hooks, HOOK_AFTER_EDIT);
}

/* The history, or the question to the person, takes a copy. */
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
	struct deed_facts facts = { .path = change->path,
				    .before = change->before,
				    .after = change->after,
				    .encoding = change->encoding,
				    .remove = change->remove,
				    .mode = change->set_mode ? change->mode : 0,
				    .divisible = change->divisible };
	enum err e;

	*ret = (struct changed){ 0 };
	c->also = STR("");
	if (c->errand.patience && may_take_long(c, change))
		return ERR_LATER;
	e = check_memory(c, change);
	if (!e)
		e = find_key(c, change, &facts.key);
	if (!e)
		e = may_change(c, &facts);
	if (e == ERR_ASK)
		return rehearse(c, change, facts.key);
	return e ? e : carry_out(c, change, &facts, ret);
}

/* The place is known, and everything is done there. */
static enum err append_at(struct call *c, const struct addition *a,
			  const struct look *look, struct appended *ret)
{
	struct record record = { .call = c, .after = a->want.bytes };
	struct append_want want = a->want;
	enum err e;

	record.op = (struct op){ .kind = OP_APPEND,
				 .path = look->key,
				 .existed = look->exists,
				 .exists = true,
				 .mode_before = look->mode,
				 .mode_after = look->mode,
				 .after = hash_of(want.bytes),
				 .bytes_after = want.bytes.len };
	want.key = look->key;
	want.ready = record_ready_at;
	want.ctx = &record;
	want.errand = &c->errand;
	history_settle_once(c->ws, c->options->store);
	e = ws_append(c->ws, a->path, &want, c->mem, ret, c->fault);
	record_end(&record, e);
	c->raced = e == ERR_CHANGED;
	if (!e)
		cancel_end();
	if (!e) /* its words have no place in the result of an addition */
		(void)!run_hooks(c, HOOK_AFTER_EDIT, look->key, OP_APPEND,
				 record.begun ? record_name(&record) : STR(""));
	return e;
}

enum err change_append(struct call *c, const struct addition *a,
		       struct appended *ret)
{
	struct deed_facts facts = { .path = a->path,
				    .after = a->want.bytes,
				    .encoding = &encoding_utf8,
				    .summary = a->summary,
				    .as_is = true,
				    .appends = true };
	struct look look;
	enum err e = ERR_OK;

	if (a->look)
		look = *a->look;
	else
		e = look_at(c, a->path, &look);
	facts.key = look.key;
	if (!e)
		e = may_change(c, &facts);
	if (!e)
		e = run_hooks(c, HOOK_BEFORE_EDIT, look.key, OP_APPEND,
			      STR(""));
	if (e)
		return e == ERR_ASK ? rehearse_append(c, a, look.key) : e;
	return append_at(c, a, &look, ret);
}

enum err change_may_see(struct call *c, struct str path, struct str key)
{
	enum err e = key.len ? ERR_OK : gate_way(c, path);

	return e ? e : gate_see(c, path, key);
}

bool change_is_ignored(struct call *c, struct str path, struct str key)
{
	return gate_ignores(c, path, key);
}
