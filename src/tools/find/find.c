/*
 * find.c - runs a search: decides about every entry of the walk.
 *
 * The decisions per file are ordered by their cost: the globs of the call, then
 * rules, then ignore files. Nothing is allocated per file; the key of an entry
 * is put together in one buffer.
 */
#include "tools/find/find.h"

#include "base/cancel.h"
#include "base/clock.h"
#include "files/path.h"
#include "tools/change/change.h"
#include "tools/find/find_local.h"
#include "tools/find/scope.h"
#include "tools/permissions/gate.h"
#include "tools/reading/file_read.h"

#include <stdlib.h>

/* Reading the clock is cheap; a costly glob can take 30 ms per entry. */
enum { ENTRIES_PER_POLL = 4 };

static bool is_cancelled(const struct find *find)
{
	const struct progress *p = &find->call->progress;

	return p->stop && p->stop(p->ctx);
}

bool find_is_over(struct find *find)
{
	return is_cancelled(find) || clock_ms() >= find->deadline;
}

/* Polled on the thread of the call. */
static bool find_stop(void *ctx)
{
	struct find_state *s = ctx;

	s->entries = 0;
	if (is_cancelled(s->find))
		s->find->ended = FIND_CANCELLED;
	else if (clock_ms() >= s->find->deadline)
		s->find->ended = FIND_TIMED_OUT;
	return s->find->ended != FIND_COMPLETE;
}

static void set_path(struct find_state *s, struct tree_dir *dir,
		     struct str name)
{
	if (s->dir != dir) {
		buf_clear(&s->path, SIZE_MAX);
		buf_add(&s->path, dir->key);
		if (!str_ends(dir->key, STR("/")))
			buf_addc(&s->path, '/');
		s->dir_len = s->path.len;
		s->dir = dir;
	}
	s->path.len = s->dir_len;
	buf_add(&s->path, name);
}

static enum tree_next report(struct find_state *s, struct tree_dir *dir,
			     const struct tree_entry *e, bool asks)
{
	struct find_file file = { .dir = dir,
				  .name = e->name,
				  .kind = e->kind,
				  .asks = asks,
				  .start = s->start };
	enum tree_next next;

	s->find->seen++;
	next = s->sink->file(s->sink->ctx, &file);
	if (next == TREE_STOP)
		s->find->ended = FIND_ENOUGH;
	return next;
}

/* The path of the current entry that globs are matched with. */
static struct str glob_path(const struct find_state *s, size_t i)
{
	return str_skip(buf_str(&s->path), s->origin[i]);
}

static enum find_fit fit_of(const struct find_state *s)
{
	const struct find_globs *globs = s->find->want->globs;
	enum find_fit best = FIND_NO_FIT, fit;

	if (!globs)
		return FIND_FITS;
	for (size_t i = 0; i < s->origins; i++) {
		struct glob_budget budget = { .steps = IGNORE_MAX_STEPS };

		fit = find_globs_fit(globs, glob_path(s, i), &budget);
		best = fit > best ? fit : best;
	}
	return best;
}

/* May something in the current directory fit the globs? */
static bool leads_on(const struct find_state *s)
{
	const struct find_globs *globs = s->find->want->globs;

	for (size_t i = 0; globs && i < s->origins; i++) {
		struct glob_budget budget = { .steps = IGNORE_MAX_STEPS };

		if (find_globs_lead(globs, glob_path(s, i)) &&
		    !find_globs_prune(globs, glob_path(s, i), &budget))
			return true;
	}
	return !globs;
}

static bool is_wanted(const struct find_state *s, enum tree_kind kind)
{
	return s->find->want->kinds & FIND_KIND(kind);
}

/* Has the caller named entries of this name, so that they are not skipped? */
static bool is_named(const struct find_state *s, struct str name)
{
	const struct find_want *want = s->find->want;

	return want->everything ||
	       (want->globs && find_globs_name(want->globs, name));
}

/* A ".git" that is a file leads to a repository elsewhere. */
static bool is_repository(const struct tree_entry *e)
{
	return e->kind == TREE_DIRECTORY ? skip_is_repository(e->name)
					 : str_is(e->name, ".git");
}

/* Do ignore files leave the entry out? Counting is up to the caller. */
static bool is_ignored(const struct find_state *s, const struct tree_entry *e)
{
	return !s->find->want->everything &&
	       skip_has(&s->skip, buf_str(&s->path), e->name,
			e->kind == TREE_DIRECTORY);
}

static enum tree_next see_file(struct find_state *s, struct tree_dir *dir,
			       const struct tree_entry *e)
{
	enum find_fit fit;
	struct str key = buf_str(&s->path);
	enum visibility seen;

	if (is_repository(e) && !is_named(s, e->name))
		return TREE_GO;
	fit = fit_of(s);
	if (fit == FIND_NO_FIT)
		return TREE_GO;
	seen = visible_is(&s->visible, key, e->name, false);
	if (seen == VISIBLE_NOT)
		return TREE_GO;
	if (!is_wanted(s, e->kind)) {
		s->find->counts.special += e->kind == TREE_OTHER;
		return TREE_GO;
	}
	if (fit != FIND_NAMED && is_ignored(s, e)) {
		s->find->counts.ignored_files++;
		return TREE_GO;
	}
	if (seen == VISIBLE_ASKS && s->find->want->opens) {
		s->find->counts.need_approval++;
		return TREE_GO;
	}
	return report(s, dir, e, seen == VISIBLE_ASKS);
}

/* Another root is walked on its own. */
static bool is_other_root(const struct find_state *s)
{
	if (s->find->want->path.len)
		return false; /* only this place is walked */
	for (size_t i = 0; s->root_count > 1 && i < s->root_count; i++)
		if (str_eq(s->roots[i], buf_str(&s->path)))
			return true;
	return false;
}

static enum tree_next see_directory(struct find_state *s, struct tree_dir *dir,
				    const struct tree_entry *e)
{
	enum visibility seen;

	if (is_other_root(s) || (is_repository(e) && !is_named(s, e->name)))
		return TREE_SKIP;
	if (!leads_on(s))
		return TREE_SKIP;
	seen = visible_is(&s->visible, buf_str(&s->path), e->name, true);
	if (seen == VISIBLE_NOT)
		return TREE_SKIP;
	if (!is_named(s, e->name) && is_ignored(s, e)) {
		s->find->counts.ignored_dirs++;
		return TREE_SKIP;
	}
	return is_wanted(s, TREE_DIRECTORY)
		       ? report(s, dir, e, seen == VISIBLE_ASKS)
		       : TREE_GO;
}

static enum tree_next see_entry(void *ctx, struct tree_dir *dir,
				const struct tree_entry *e)
{
	struct find_state *s = ctx;

	if (++s->entries == ENTRIES_PER_POLL && find_stop(s))
		return TREE_STOP;
	set_path(s, dir, e->name);
	return e->kind == TREE_DIRECTORY ? see_directory(s, dir, e)
					 : see_file(s, dir, e);
}

static struct str key_last_name(struct str key)
{
	return str_skip(key, str_rfind(key, '/') + 1);
}

static enum tree_next enter(void *ctx, struct tree_dir *dir,
			    const struct tree_list *list)
{
	struct find_state *s = ctx;
	struct str name = key_last_name(dir->key);

	if (dir->depth)
		visible_enter(&s->visible, name);
	if (s->find->want->everything)
		return TREE_GO;
	skip_enter(&s->skip, dir, list);
	if (dir->depth && is_named(s, name))
		skip_exempt(&s->skip, dir->key, name, true);
	return TREE_GO;
}

static void leave(void *ctx, struct tree_dir *dir)
{
	struct find_state *s = ctx;

	if (dir->depth)
		visible_leave(&s->visible);
	if (!s->find->want->everything)
		skip_leave(&s->skip);
}

static void count_not_entered(void *ctx, struct tree_dir *dir, struct str name,
			      enum tree_refusal why)
{
	struct find_state *s = ctx;

	if (why == TREE_UNREADABLE)
		s->find->counts.unreadable++;
	else
		s->find->counts.special++;
}

static void sink_waits(void *ctx)
{
	struct find_state *s = ctx;

	if (s->sink->waits)
		s->sink->waits(s->sink->ctx);
}

/* The bytes of a key in front of what is below @dir. */
static size_t key_prefix(struct str dir)
{
	return dir.len + !str_ends(dir, STR("/"));
}

/* The base directory if @key is beneath it, else its root. */
static struct str anchor_of(const struct find_state *s, struct str key)
{
	const struct find *find = s->find;
	struct str rest, best = STR("/");

	if (!find->absolute && path_beneath(key, find->base, &rest))
		return find->base;
	for (size_t i = 0; i < s->root_count; i++)
		if (path_beneath(key, s->roots[i], &rest) &&
		    s->roots[i].len > best.len)
			best = s->roots[i];
	return best;
}

static void set_origins(struct find_state *s, struct str key)
{
	enum find_anchor anchor = s->find->want->anchor;

	s->origins = 0;
	if (anchor != FIND_FROM_PATH)
		s->origin[s->origins++] = key_prefix(anchor_of(s, key));
	if (anchor != FIND_FROM_BASE)
		s->origin[s->origins++] = key_prefix(key);
	if (s->origins == 2 && s->origin[0] == s->origin[1])
		s->origins = 1;
}

static void run_start(struct find_state *s, struct find_start *start)
{
	struct tree_place *place = &start->place;
	const struct tree_visitor v = { .entry = see_entry,
					.enter = enter,
					.leave = leave,
					.not_entered = count_not_entered,
					.stop = find_stop,
					.waits = sink_waits,
					.ctx = s };
	struct tree_entry e = { place->name, place->kind };

	s->start = start;
	s->dir = NULL;
	set_origins(s, place->key);
	visible_begin(&s->visible, place->key, start->path);
	if (!s->find->want->everything)
		skip_begin(&s->skip, place, s->roots, s->root_count);
	if (place->kind == TREE_DIRECTORY)
		(void)tree_walk(place, &v);
	else
		(void)report(s, place->dir, &e, /* asks= */ false);
}

enum err find_run(struct find *find, const struct find_sink *sink)
{
	struct find_state s = { .find = find, .sink = sink };

	s.roots = ws_roots(find->call->ws, find->call->mem, &s.root_count);
	s.skip = (struct skip){ .rules = find->call->options->rules,
				.only_own = find->call->options->find.ignored,
				.unreadable = &find->counts.unreadable };
	if (s.skip.rules) {
		s.skip.rules = rules_now(s.skip.rules);
		s.skip.only_own = s.skip.only_own || s.skip.rules->find_ignored;
	}
	visible_init(&s.visible, find->call, s.roots, s.root_count);
	for (size_t i = 0; i < find->starts; i++)
		if (find->ended == FIND_COMPLETE)
			run_start(&s, &find->start[i]);
	buf_free(&s.path);
	skip_free(&s.skip);
	visible_free(&s.visible);
	(void)cancel_asked(); /* so that dispatch knows */
	if (find->ended == FIND_CANCELLED)
		return fail(find->call->fault, ERR_CANCELLED, .path = STR(""));
	return ERR_OK;
}

static enum err not_found(struct find *find, struct str path)
{
	return fail(find->call->fault,
		    find->want->only_directory ? ERR_NO_DIRECTORY
					       : ERR_NOT_FOUND,
		    .path = path);
}

/* May the caller see the place? A single file may need approval. */
static enum err judge_start(struct find *find, struct str path,
			    const struct tree_place *place)
{
	struct call *c = find->call;

	if (place->kind != TREE_DIRECTORY && find->want->opens)
		return file_read_check_access(c, path, place->key);
	if (!gate_hides(c, path, place->key))
		return ERR_OK;
	return file_read_check_access(c, path, place->key);
}

/* Take back the latest start. */
static void drop_start(struct find *find)
{
	tree_place_drop(&find->start[--find->starts].place);
}

static enum err add_start(struct find *find, struct str path)
{
	struct find_start *start = &find->start[find->starts];
	struct call *c = find->call;
	enum err e;

	e = file_read_check_access(c, path, STR(""));
	if (e)
		return e;
	e = ws_tree(c->ws, path, c->mem, &start->place, c->fault);
	if (e == ERR_NOT_FOUND && find->want->may_miss)
		return ERR_OK;
	if (e == ERR_NOT_FOUND)
		return not_found(find, path);
	if (e)
		return e;
	find->starts++;
	e = judge_start(find, path, &start->place);
	if (e)
		return e;
	start->path = path_join(c->mem, STR("/"), path);
	if (path_has(path, ".."))
		start->path = start->place.key;
	if (start->place.kind == TREE_DIRECTORY)
		return ERR_OK;
	if (find->want->may_miss) {
		drop_start(find);
		return ERR_OK;
	}
	if (find->want->only_directory)
		return fail(c->fault, ERR_NOT_A_DIRECTORY, .path = path);
	if (start->place.kind != TREE_FILE)
		return fail(c->fault, ERR_NOT_A_FILE, .path = path);
	find->one_file = true;
	return ERR_OK;
}

/* Was a symlink followed, or is it no directory? Then nothing fits there. */
static bool is_beside(const struct find *find, const struct find_start *start)
{
	return find->want->below.len && !str_eq(start->place.key, start->path);
}

/* Look in all roots, or in one directory of each. */
static enum err add_roots(struct find *find)
{
	struct call *c = find->call;
	const struct str *roots;
	struct str at;
	size_t n, before;
	enum err e;

	roots = ws_roots(c->ws, c->mem, &n);
	if (find->want->below.len && n == 1)
		roots = &find->base;
	find->start = arena_array(c->mem, struct find_start, n);
	for (size_t i = 0; i < n; i++) {
		before = find->starts;
		at = roots[i];
		if (find->want->below.len)
			at = path_join(c->mem, at, find->want->below);
		e = add_start(find, at);
		/* A root may be gone, or hidden by a rule. */
		if (e && e != ERR_NO_DIRECTORY && e != ERR_NOT_FOUND &&
		    e != ERR_DENIED && e != ERR_NOT_A_DIRECTORY)
			return e;
		if (find->starts > before &&
		    (e || is_beside(find, &find->start[find->starts - 1])))
			drop_start(find);
	}
	return ERR_OK;
}

enum err find_begin(struct find *find, struct call *c,
		    const struct find_want *want)
{
	uint64_t timeout = c->options->find.timeout_ms;
	struct str path;
	size_t roots;
	enum err e;

	*find = (struct find){ .call = c, .want = want };
	find->deadline = clock_ms() + (timeout ? timeout : FIND_TIMEOUT_MS);
	find->base = find_base(c, &roots);
	find->absolute = roots > 1;
	if (c->progress.byte_limit)
		return ERR_LATER;
	if (!want->path.len)
		return add_roots(find);
	e = find_absolute(c, want->path, &path);
	if (e)
		return e;
	find->start = arena_new(c->mem, struct find_start);
	return add_start(find, path);
}

void find_drop(struct find *find)
{
	for (size_t i = 0; i < find->starts; i++)
		tree_place_drop(&find->start[i].place);
	find->starts = 0;
}
