/*
 * change_append.c - change_append(): bytes are added at the end of a file.
 *
 * The same order as in change.c; only the offset, and whether a last line has
 * to be completed, are known no sooner than under the lock.
 */
#include "base/cancel.h"
#include "tools/change/change_set.h"
#include "tools/change/recovery.h"
#include "tools/reading/configured_encoding.h"
#include "tools/reading/file_read.h"
#include "tools/reading/readstate.h"

/* append_want.ready of a dry run: ERR_ASK = everything else succeeded. */
static enum err end_dry_run_at(void *ctx, uint64_t at, struct str bytes,
			       struct fault *f)
{
	return fail(f, ERR_ASK, .path = STR(""));
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

static bool has_read(struct call *c, struct str key)
{
	struct readstate *reads = c->caller->reads;
	struct read_entry entry;

	return reads && readstate_get(reads, key, c->mem, &entry);
}

static void tell_effect(struct call *c, const struct change *change,
			struct str key)
{
	struct effect *effect = arena_new(c->mem, struct effect);
	const struct snapshot *before = change->before;

	*effect = (struct effect){
		.key = key,
		.before = before ? before->bytes : STR(""),
		.after = change->after,
		.display =
			configured_display(c, change->path, change->encoding),
		.existed = before,
	};
	c->effects = effect;
	c->effect_count = 1;
}

/*
 * If the file was extended as it had been loaded, its new content is known: to
 * events, and to the caller, if it knew the file before.
 */
static void append_report(struct call *c, const struct addition *a,
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
	tell_effect(c, &change, appended->key);
}

/* The append was approved. */
static enum err append_at(struct call *c, const struct addition *a,
			  const struct file_info *info, struct uuid grant,
			  struct appended *ret, struct changed *changed)
{
	struct record record = { .call = c };
	struct append_want want = a->want;
	enum err e;

	record.op = (struct op){ .kind = OP_APPEND,
				 .path = info->key,
				 .existed = info->exists,
				 .exists = true,
				 .mode_before = info->mode,
				 .mode_after = info->mode,
				 .granted_by = grant };
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
	if (change_hooks(c, HOOK_AFTER_EDIT, OP_APPEND,
			 (struct hook_facts){ .path = info->key,
					      .operation = changed->op_text }))
		changed->hook = c->fault->text;
	append_report(c, a, ret, record.after, changed);
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
		e = change_stat(c, a->path, &info);
	facts.key = info.key;
	if (!e)
		e = change_may(c, &facts, 1);
	if (!e)
		e = change_hooks(c, HOOK_BEFORE_EDIT, OP_APPEND,
				 (struct hook_facts){ .path = info.key });
	if (e)
		return e == ERR_ASK ? check_append(c, a, info.key) : e;
	return append_at(c, a, &info, facts.grant, ret, changed);
}
