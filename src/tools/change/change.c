/*
 * change.c - the one path by which tools change files: rules, question, hooks,
 * history record, workspace, hooks.
 *
 * The changes of one call are a group, mostly of one: each step is done for all
 * of them before the next step begins.
 *
 * The order is the promise: everything that can refuse comes before the intent
 * is written, and the intent is durable before the file changes
 * (store_want.ready). Nothing here holds a lock; the workspace locks the
 * directory.
 */
#include "tools/change/change.h"

#include "base/cancel.h"
#include "base/clock.h"
#include "tools/change/change_set.h"
#include "tools/change/hunks.h"
#include "tools/change/recovery.h"
#include "tools/reading/configured_encoding.h"
#include "tools/reading/file_read.h"

enum err change_stat(struct call *c, struct str path, struct file_info *ret)
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
		e = change_stat(c, change->path, &info);
	if (!e)
		*ret = info.key;
	return e;
}

enum err change_may(struct call *c, struct action_facts *facts, size_t n)
{
	enum err e = gate_change(c, facts, n), lost = ERR_OK;

	if (e && e != ERR_ASK)
		return e;
	for (size_t i = 0; i < n && !lost; i++)
		lost = hooks_check_lost(c, facts[i].key);
	return lost ? lost : e;
}

static void report_effects(struct change_set *s)
{
	struct call *c = s->call;
	struct effect *effects = arena_alloc(c->mem, s->n * sizeof(*effects));

	for (size_t i = 0; i < s->n; i++) {
		const struct change *change = &s->making[i].made;
		const struct changed *changed = &s->ret[i];
		const struct snapshot *before = change->before;

		effects[i] = (struct effect){
			.key = s->facts[i].key,
			.from = s->facts[i].from,
			.before = before ? before->bytes : STR(""),
			.after = changed->rewritten ? changed->now.bytes
						    : change->after,
			.display = configured_display(c, change->path,
						      change->encoding),
			.existed = before,
			.removed = change->remove,
			.moved = s->facts[i].moved,
		};
	}
	c->effects = effects;
	c->effect_count = s->n;
}

/* Only some hunks were approved: put the real content into the result. */
static void report_accepted(struct call *c, const struct change *made,
			    const struct accepted_hunks *taken,
			    struct changed *ret)
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
	c->also = hunks_describe(taken, made, ret->now.bytes, c->mem);
}

/* The parts that were approved, and hooks that may refuse. */
static enum err prepare_changes(struct change_set *s)
{
	enum err e = ERR_OK;

	for (size_t i = 0; i < s->n && !e; i++) {
		struct change *made = &s->making[i].made;

		made->after = s->facts[i].after;
		if (s->facts[i].taken.of)
			made->splices = NULL;
		e = change_set_hooks(s, i, HOOK_BEFORE_EDIT);
	}
	if (!e && cancel_seen()) /* change->after may be incomplete */
		e = fail(s->call->fault, ERR_CANCELLED, .path = s->asked->path);
	return e;
}

/* What the caller knows of the files now; files that are gone come last. */
static void record_reads(struct change_set *s)
{
	for (int gone = 0; gone <= 1; gone++)
		for (size_t i = 0; i < s->n; i++)
			if (s->making[i].made.remove == gone)
				file_read_record_change(s->call,
							&s->making[i].made,
							&s->ret[i]);
}

/* The changes were approved: hooks, history and files. */
static enum err carry_out(struct change_set *s)
{
	struct call *c = s->call;
	enum err e = prepare_changes(s);

	if (!e)
		e = change_set_write(s);
	if (!e)
		cancel_end(); /* the change is made: report it in any case */
	if (e == ERR_BUSY && c->progress.byte_limit)
		return ERR_LATER; /* a worker may wait for the lock */
	c->lost_race = e == ERR_CHANGED;
	if (e)
		return e;
	for (size_t i = 0; i < s->n; i++) {
		s->ret[i].wrote = s->making[i].made.after.len;
		report_accepted(c, &s->making[i].made, &s->facts[i].taken,
				&s->ret[i]);
	}
	record_reads(s);
	report_effects(s);
	return ERR_OK;
}

/* Is it too much for the event loop: large or several files, or a hook? */
static bool may_take_long(const struct call *c, const struct change *changes,
			  size_t n)
{
	const struct hooks *hooks = hooks_of(c);

	return n > 1 || changes->after.len > c->progress.byte_limit ||
	       hooks_any(hooks, HOOK_BEFORE_EDIT) ||
	       hooks_any(hooks, HOOK_AFTER_EDIT);
}

/* The history and the question each copy the new contents. */
static enum err check_memory(struct call *c, const struct change *changes,
			     size_t n)
{
	enum { LITTLE = 64 * 1024 };
	size_t need = 0;

	for (size_t i = 0; i < n; i++)
		need += changes[i].splices ? 0 : changes[i].after.len;
	if (need <= LITTLE || arena_reserve(c->mem, need))
		return ERR_OK;
	return fail_memory(c->fault, STR("this change"), need,
			   c->mem->charge.budget);
}

static struct action_facts facts_of(const struct change *change)
{
	return (struct action_facts){
		.path = change->path,
		.before = change->before,
		.after = change->after,
		.from = change->from,
		.encoding = change->encoding,
		.remove = change->remove,
		.mode = change->set_mode ? change->mode : 0,
		.divisible = change->divisible,
	};
}

/* A file that is removed because another change of the call has its content. */
static void find_moves(struct change_set *s)
{
	for (size_t i = 0; i < s->n; i++)
		for (size_t j = 0; s->facts[i].from.len && j < s->n; j++)
			if (s->facts[j].remove &&
			    str_eq(s->facts[j].key, s->facts[i].from))
				s->facts[j].moved = true;
}

static enum err find_keys(struct change_set *s)
{
	enum err e = ERR_OK;

	for (size_t i = 0; i < s->n && !e; i++) {
		e = find_key(s->call, &s->asked[i], &s->facts[i].key);
		for (size_t j = 0; j < i && !e; j++)
			if (str_eq(s->facts[i].key, s->facts[j].key))
				return fail(
					s->call->fault, ERR_BAD_ARGS,
					.text = arena_printf(
						s->call->mem,
						"one call cannot change '" STR_FMT
						"' twice",
						STR_ARG(s->facts[i].key)));
	}
	if (!e && s->n > 1)
		find_moves(s);
	return e;
}

static struct change_set *set_of(struct call *c, const struct change *changes,
				 size_t n, struct changed *ret)
{
	struct change_set *s = arena_alloc(c->mem, sizeof(*s));

	*s = (struct change_set){
		.call = c,
		.n = n,
		.asked = changes,
		.facts = arena_alloc(c->mem, n * sizeof(*s->facts)),
		.making = arena_alloc(c->mem, n * sizeof(*s->making)),
		.ret = ret,
	};
	for (size_t i = 0; i < n; i++) {
		s->facts[i] = facts_of(&changes[i]);
		s->making[i] = (struct making){ .made = changes[i] };
		ret[i] = (struct changed){ .op_text = STR("") };
	}
	if (n > 1)
		s->group = uuid_new(clock_unix_ms());
	return s;
}

enum err change_group(struct call *c, const struct change *changes, size_t n,
		      struct changed *ret)
{
	struct change_set *s;
	enum err e;

	c->also = STR("");
	if (n > CHANGE_MOST_FILES)
		return fail(c->fault, ERR_MANY_FILES, .count = n,
			    .limit = CHANGE_MOST_FILES);
	if (c->progress.byte_limit && may_take_long(c, changes, n))
		return ERR_LATER;
	e = recovery_run_once(c);
	if (!e)
		e = check_memory(c, changes, n);
	if (e)
		return e;
	s = set_of(c, changes, n, ret);
	c->group = n > 1;
	e = find_keys(s);
	if (!e)
		e = change_may(c, s->facts, n);
	if (e == ERR_ASK)
		return change_set_check(s);
	return e ? e : carry_out(s);
}

enum err change_file(struct call *c, const struct change *change,
		     struct changed *ret)
{
	return change_group(c, change, 1, ret);
}

bool change_is_ignored(struct call *c, struct str path, struct str key)
{
	return gate_ignores(c, path, key);
}
