/*
 * patterns.c - a bounded cache of compiled pattern files (.gitignore,
 * .editorconfig ...), shared by all calls.
 *
 * Least recently used entries go first. patterns_lock guards the cache; files
 * are read and compiled outside of it, so two threads may do the same work
 * once. An entry in use is kept alive by its reference count. Relies on
 * files/stat_data.h for when unchanged stat data mean unchanged content.
 */
#include "tools/permissions/patterns.h"

#include "files/path.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t patterns_lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
	struct patterns *kept[PATTERNS_MAX_KEPT_FILES];
	size_t count, bytes;
	struct patterns_work work;
} cache; /* under patterns_lock */

void patterns_drop(struct patterns *p)
{
	if (!p || atomic_fetch_sub(&p->refs, 1) != 1)
		return;
	arena_free(&p->mem);
	free(p);
}

/* Move the entry at @at to the front of the LRU list. Under the lock. */
static void move_to_front(size_t at)
{
	struct patterns *p = cache.kept[at];

	for (; at; at--)
		cache.kept[at] = cache.kept[at - 1];
	cache.kept[0] = p;
}

/* Under the lock. */
static void forget_last(void)
{
	struct patterns *p = cache.kept[--cache.count];

	cache.bytes -= p->cost;
	patterns_drop(p);
}

static struct patterns *find_by_stat(enum patterns_kind kind,
				     const struct stat_data *stat)
{
	struct patterns *found = NULL;

	(void)pthread_mutex_lock(&patterns_lock);
	for (size_t i = 0; i < cache.count && !found; i++) {
		struct patterns *p = cache.kept[i];

		if (!p->settled || p->kind != (int)kind ||
		    !stat_data_eq(&p->stat, stat))
			continue;
		found = p;
		(void)atomic_fetch_add(&p->refs, 1);
		move_to_front(i);
	}
	(void)pthread_mutex_unlock(&patterns_lock);
	return found;
}

/* Two files that are both known by their stat data each have their own. */
static bool may_stand_for(const struct patterns *p,
			  const struct stat_data *stat, bool settled)
{
	return !p->settled || !settled ||
	       (p->stat.ino == stat->ino && p->stat.dev == stat->dev);
}

/* The same content, read again: remember where it was seen last. */
static struct patterns *find_by_content(enum patterns_kind kind,
					const struct snapshot *snap,
					bool settled)
{
	struct patterns *found = NULL;

	(void)pthread_mutex_lock(&patterns_lock);
	cache.work.loads++;
	for (size_t i = 0; i < cache.count && !found; i++) {
		struct patterns *p = cache.kept[i];

		if (p->kind != (int)kind || p->text.len != snap->bytes.len ||
		    !hash_eq(p->version, snap->version) ||
		    !may_stand_for(p, &snap->stat, settled))
			continue;
		found = p;
		p->stat = snap->stat;
		p->settled = settled;
		(void)atomic_fetch_add(&p->refs, 1);
		move_to_front(i);
	}
	(void)pthread_mutex_unlock(&patterns_lock);
	return found;
}

static void cache_add(struct patterns *p)
{
	(void)pthread_mutex_lock(&patterns_lock);
	cache.work.compiles++;
	while (cache.count && (cache.count == PATTERNS_MAX_KEPT_FILES ||
			       cache.bytes + p->cost > PATTERNS_MAX_KEPT_BYTES))
		forget_last();
	(void)atomic_fetch_add(&p->refs, 1);
	cache.bytes += p->cost;
	cache.kept[cache.count++] = p;
	move_to_front(cache.count - 1);
	(void)pthread_mutex_unlock(&patterns_lock);
}

struct patterns_work patterns_work(void)
{
	struct patterns_work work;

	(void)pthread_mutex_lock(&patterns_lock);
	work = cache.work;
	work.kept_bytes = cache.bytes;
	work.kept_files = cache.count;
	(void)pthread_mutex_unlock(&patterns_lock);
	return work;
}

static struct patterns *patterns_compile(enum patterns_kind kind,
					 const struct snapshot *snap,
					 bool settled)
{
	struct patterns *p = calloc(1, sizeof(*p));

	if (!p)
		out_of_memory();
	p->refs = 1;
	p->kind = (int)kind;
	p->stat = snap->stat;
	p->settled = settled;
	p->version = snap->version;
	p->text = arena_copy(&p->mem, snap->bytes);
	if (kind == PATTERNS_IGNORE)
		p->fault = ignore_parse(p->text, &p->mem, &p->list);
	p->cost = sizeof(*p) + p->text.len +
		  p->list.count * sizeof(p->list.rules[0]);
	cache_add(p);
	return p;
}

/* For PATTERNS_UNUSABLE. */
struct want {
	struct workspace *ws;
	struct str path;
	enum patterns_kind kind;
	struct patterns_budget *left;
	struct arena *mem;
	struct str *why;
};

static enum patterns_got patterns_unusable(const struct want *w, struct str why)
{
	*w->why = why;
	return PATTERNS_UNUSABLE;
}

static enum patterns_got too_large(const struct want *w, uint64_t limit)
{
	return patterns_unusable(
		w, arena_printf(w->mem, " is too large (limit %llu bytes)",
				(unsigned long long)limit));
}

static enum patterns_got too_much(const struct want *w, const char *what,
				  uint64_t limit)
{
	return patterns_unusable(w,
				 arena_printf(w->mem,
					      " and those above it %s (limit "
					      "%llu)",
					      what, (unsigned long long)limit));
}

static enum patterns_got patterns_failed(const struct want *w, enum err e,
					 const struct fault *f)
{
	switch ((int)e) {
	case ERR_NOT_FOUND:
	case ERR_NO_PARENT:
		return PATTERNS_ABSENT;
	case ERR_NOT_A_FILE:
	case ERR_IS_DIRECTORY:
		return patterns_unusable(w, STR(" is not a regular file"));
	case ERR_TOO_LARGE:
		return too_large(w, PATTERNS_MAX_FILE_BYTES);
	default:
		/* a file of stet's own (own.h) is no file of a project */
		if (f->reason && !strcmp(f->reason, "config"))
			return PATTERNS_ABSENT;
		if (f->reason && !strcmp(f->reason, "outside_roots"))
			return patterns_unusable(w, STR(""));
		return patterns_unusable(w, STR(" cannot be read"));
	}
}

/*
 * Is the file itself a symbolic link? @key is where its path leads. A link may
 * lead to a file that may not be read, whose lines would be revealed by what
 * they forbid; git does not follow such links, either. Links among the
 * directories above are fine.
 */
static bool is_link(const struct want *w, struct str key)
{
	size_t slash = str_rfind(w->path, '/');
	struct fault f = { 0 };
	struct file_info dir;

	if (!key.len || str_eq(key, w->path) || slash == w->path.len)
		return false;
	if (!w->ws->ops->stat ||
	    ws_stat(w->ws, str_head(w->path, slash), w->mem, &dir, &f))
		return true;
	return !str_eq(key, path_join(w->mem, dir.key,
				      str_skip(w->path, slash + 1)));
}

static enum patterns_got patterns_load(const struct want *w,
				       struct patterns **ret)
{
	/* reading so little is not worth another thread */
	struct progress patient =
		w->left->progress ? *w->left->progress : (struct progress){ 0 };
	int64_t begun = stat_data_now();
	struct fault f = { 0 };
	struct snapshot snap;
	bool settled;
	enum err e;

	patient.byte_limit = 0;
	patient.report = NULL;
	e = ws_load(w->ws, w->path, PATTERNS_MAX_FILE_BYTES, &patient, w->mem,
		    &snap, &f);
	if (e)
		return patterns_failed(w, e, &f);
	if (is_link(w, snap.key))
		return patterns_unusable(w, STR(" is a link"));
	settled = snap.stat.ino && stat_data_settled(&snap.stat, begun);
	*ret = find_by_content(w->kind, &snap, settled);
	if (!*ret)
		*ret = patterns_compile(w->kind, &snap, settled);
	return PATTERNS_HERE;
}

/*
 * The cached entry, if the file is still the same. If a workspace has no
 * identity of the file without reading it (unsaved text of an editor), the file
 * is read.
 */
static enum patterns_got patterns_find(const struct want *w,
				       struct patterns **ret)
{
	struct fault f = { 0 };
	struct file_info info;
	enum err e;

	if (!w->ws->ops->present)
		return patterns_load(w, ret);
	e = ws_stat(w->ws, w->path, w->mem, &info, &f);
	if (e)
		return patterns_failed(w, e, &f);
	if (!info.exists)
		return PATTERNS_ABSENT;
	if (is_link(w, info.key))
		return patterns_unusable(w, STR(" is a link"));
	if (info.is_file && info.stat.size > PATTERNS_MAX_FILE_BYTES)
		return too_large(w, PATTERNS_MAX_FILE_BYTES);
	if (info.is_file && info.stat.size > w->left->bytes)
		return too_much(w, "have too many bytes",
				PATTERNS_MAX_CALL_BYTES);
	*ret = info.is_file ? find_by_stat(w->kind, &info.stat) : NULL;
	return *ret ? PATTERNS_HERE : patterns_load(w, ret);
}

/* Subtract its size from the budget. */
static enum patterns_got patterns_charge(const struct want *w,
					 struct patterns *p)
{
	struct patterns_budget *left = w->left;

	switch (p->fault) {
	case IGNORE_TOO_MANY:
		return too_much(w, "have too many patterns",
				IGNORE_MAX_PATTERNS);
	case IGNORE_TOO_LONG:
		return patterns_unusable(
			w, arena_printf(w->mem,
					" has a pattern that is too "
					"long (limit %d bytes)",
					IGNORE_MAX_PATTERN_BYTES));
	case IGNORE_OK:
		break;
	}
	if (p->text.len > left->bytes)
		return too_much(w, "have too many bytes",
				PATTERNS_MAX_CALL_BYTES);
	if (p->list.count > left->rules)
		return too_much(w, "have too many patterns",
				IGNORE_MAX_PATTERNS);
	left->bytes -= p->text.len;
	left->rules -= p->list.count;
	return PATTERNS_HERE;
}

enum patterns_got patterns_get(struct workspace *ws, struct str path,
			       enum patterns_kind kind,
			       struct patterns_budget *left, struct arena *mem,
			       struct patterns **ret, struct str *why)
{
	const struct want w = { ws, path, kind, left, mem, why };
	struct patterns *p = NULL;
	enum patterns_got got = patterns_find(&w, &p);

	if (got == PATTERNS_HERE)
		got = patterns_charge(&w, p);
	if (got == PATTERNS_HERE)
		*ret = p;
	else
		patterns_drop(p);
	return got;
}

/* The limits of one file hold; a list over one of them has no rules. */
static enum patterns_got patterns_use(struct patterns *p, struct patterns **ret)
{
	if (p->fault == IGNORE_OK) {
		*ret = p;
		return PATTERNS_HERE;
	}
	patterns_drop(p);
	return PATTERNS_UNUSABLE;
}

enum patterns_got patterns_in(struct tree_dir *dir, const char *name,
			      struct patterns **ret)
{
	auto_arena mem = ARENA_INIT;
	int64_t begun = stat_data_now();
	struct snapshot snap = { 0 };
	struct patterns *p;
	struct stat st;
	bool settled;
	enum err e;

	if (!tree_stat(dir, name, &st))
		return PATTERNS_ABSENT;
	snap.stat = stat_data_of(&st);
	p = S_ISREG(st.st_mode) ? find_by_stat(PATTERNS_IGNORE, &snap.stat)
				: NULL;
	if (p)
		return patterns_use(p, ret);
	e = tree_read(dir, name, PATTERNS_MAX_FILE_BYTES, &mem, &snap.bytes,
		      &snap.stat);
	if (e)
		return e == ERR_NOT_FOUND && S_ISREG(st.st_mode)
			       ? PATTERNS_ABSENT
			       : PATTERNS_UNUSABLE;
	snap.version = hash_of(snap.bytes);
	settled = stat_data_settled(&snap.stat, begun);
	p = find_by_content(PATTERNS_IGNORE, &snap, settled);
	return patterns_use(p ? p
			      : patterns_compile(PATTERNS_IGNORE, &snap,
						 settled),
			    ret);
}
