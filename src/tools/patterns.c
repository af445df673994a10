/*
 * Finds, reads and compiles files of patterns, and keeps what it compiled. The
 * cache is one for the process: a file is the same whoever asks. The latest
 * use is first; what does not fit is dropped from the end. Files are read and
 * compiled outside the lock, so two threads may do the same work once. Relies
 * on files/stamp.h for when an unchanged stamp means unchanged content.
 */
#include "tools/patterns.h"

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

/* Make what stands at @at the latest. Under the lock. */
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

static struct patterns *find_by_stamp(enum patterns_kind kind,
				      const struct stamp *stamp)
{
	struct patterns *found = NULL;

	(void)pthread_mutex_lock(&patterns_lock);
	for (size_t i = 0; i < cache.count && !found; i++) {
		struct patterns *p = cache.kept[i];

		if (!p->settled || p->kind != (int)kind ||
		    !stamp_eq(&p->stamp, stamp))
			continue;
		found = p;
		(void)atomic_fetch_add(&p->refs, 1);
		move_to_front(i);
	}
	(void)pthread_mutex_unlock(&patterns_lock);
	return found;
}

/* Of two files that both are known by their stamps each has its own. */
static bool may_stand_for(const struct patterns *p, const struct stamp *stamp,
			  bool settled)
{
	return !p->settled || !settled ||
	       (p->stamp.ino == stamp->ino && p->stamp.dev == stamp->dev);
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
		    !may_stand_for(p, &snap->stamp, settled))
			continue;
		found = p;
		p->stamp = snap->stamp;
		p->settled = settled;
		(void)atomic_fetch_add(&p->refs, 1);
		move_to_front(i);
	}
	(void)pthread_mutex_unlock(&patterns_lock);
	return found;
}

static void keep(struct patterns *p)
{
	(void)pthread_mutex_lock(&patterns_lock);
	cache.work.compiles++;
	if (cache.count == PATTERNS_MAX_KEPT_FILES)
		forget_last();
	(void)atomic_fetch_add(&p->refs, 1);
	cache.bytes += p->cost;
	cache.kept[cache.count++] = p;
	move_to_front(cache.count - 1);
	while (cache.bytes > PATTERNS_MAX_KEPT_BYTES)
		forget_last();
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

static struct patterns *compile(enum patterns_kind kind,
				const struct snapshot *snap, bool settled)
{
	struct patterns *p = calloc(1, sizeof(*p));

	if (!p)
		out_of_memory();
	p->refs = 1;
	p->kind = (int)kind;
	p->stamp = snap->stamp;
	p->settled = settled;
	p->version = snap->version;
	p->text = arena_copy(&p->mem, snap->bytes);
	if (kind == PATTERNS_IGNORE)
		p->fault = ignore_parse(p->text, &p->mem, &p->list);
	p->cost = sizeof(*p) + p->text.len +
		  p->list.count * sizeof(p->list.rules[0]);
	keep(p);
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

static enum patterns_got unusable(const struct want *w, struct str why)
{
	*w->why = why;
	return PATTERNS_UNUSABLE;
}

static enum patterns_got too_large(const struct want *w, uint64_t limit)
{
	return unusable(w,
			arena_printf(w->mem, " is too large (limit %llu bytes)",
				     (unsigned long long)limit));
}

static enum patterns_got too_much(const struct want *w, const char *what,
				  uint64_t limit)
{
	return unusable(w, arena_printf(w->mem,
					" and those above it %s (limit "
					"%llu)",
					what, (unsigned long long)limit));
}

static enum patterns_got failed(const struct want *w, enum err e,
				const struct fault *f)
{
	switch ((int)e) {
	case ERR_NOT_FOUND:
	case ERR_NO_PARENT:
		return PATTERNS_ABSENT;
	case ERR_NOT_A_FILE:
	case ERR_IS_DIRECTORY:
		return unusable(w, STR(" is not a regular file"));
	case ERR_TOO_LARGE:
		return too_large(w, PATTERNS_MAX_FILE_BYTES);
	default:
		/* a file of stet's own (own.h) is no file of a project */
		if (f->reason && !strcmp(f->reason, "config"))
			return PATTERNS_ABSENT;
		if (f->reason && !strcmp(f->reason, "outside_roots"))
			return unusable(w, STR(""));
		return unusable(w, STR(" cannot be read"));
	}
}

/*
 * Is the file itself a symbolic link? @key is where its path leads. A link may
 * lead to a file that nobody may read, and what its lines are would show in
 * what they forbid; git takes no such files through a link, either. Links among
 * the directories above are fine.
 */
static bool is_link(const struct want *w, struct str key)
{
	size_t slash = str_rfind(w->path, '/');
	struct fault f = { 0 };
	struct look dir;

	if (!key.len || str_eq(key, w->path) || slash == w->path.len)
		return false;
	if (!w->ws->ops->look ||
	    ws_look(w->ws, str_head(w->path, slash), w->mem, &dir, &f))
		return true;
	return !str_eq(key, path_join(w->mem, dir.key,
				      str_skip(w->path, slash + 1)));
}

static enum patterns_got load(const struct want *w, struct patterns **ret)
{
	/* reading so little is not worth another thread */
	struct errand patient =
		w->left->errand ? *w->left->errand : (struct errand){ 0 };
	int64_t begun = stamp_now();
	struct fault f = { 0 };
	struct snapshot snap;
	bool settled;
	enum err e;

	patient.patience = 0;
	patient.moved = NULL;
	e = ws_load(w->ws, w->path, PATTERNS_MAX_FILE_BYTES, &patient, w->mem,
		    &snap, &f);
	if (e)
		return failed(w, e, &f);
	if (is_link(w, snap.key))
		return unusable(w, STR(" is a link"));
	settled = snap.stamp.ino && stamp_settled(&snap.stamp, begun);
	*ret = find_by_content(w->kind, &snap, settled);
	if (!*ret)
		*ret = compile(w->kind, &snap, settled);
	return PATTERNS_HERE;
}

/*
 * What is kept, if the file is the one it was read from. A workspace that
 * cannot say what is there without reading it (an editor with a text that
 * nobody has saved) has to be asked.
 */
static enum patterns_got find(const struct want *w, struct patterns **ret)
{
	struct fault f = { 0 };
	struct look look;
	enum err e;

	if (!w->ws->ops->present)
		return load(w, ret);
	e = ws_look(w->ws, w->path, w->mem, &look, &f);
	if (e)
		return failed(w, e, &f);
	if (!look.exists)
		return PATTERNS_ABSENT;
	if (is_link(w, look.key))
		return unusable(w, STR(" is a link"));
	if (look.is_file && look.stamp.size > PATTERNS_MAX_FILE_BYTES)
		return too_large(w, PATTERNS_MAX_FILE_BYTES);
	if (look.is_file && look.stamp.size > w->left->bytes)
		return too_much(w, "have too many bytes",
				PATTERNS_MAX_CALL_BYTES);
	*ret = look.is_file ? find_by_stamp(w->kind, &look.stamp) : NULL;
	return *ret ? PATTERNS_HERE : load(w, ret);
}

/* Take it off the budget. */
static enum patterns_got account(const struct want *w, struct patterns *p)
{
	struct patterns_budget *left = w->left;

	switch (p->fault) {
	case IGNORE_TOO_MANY:
		return too_much(w, "have too many patterns",
				IGNORE_MAX_PATTERNS);
	case IGNORE_TOO_LONG:
		return unusable(w, arena_printf(w->mem,
						" has a pattern that is too "
						"long (limit %d bytes)",
						IGNORE_MAX_PATTERN_BYTES));
	case IGNORE_TAKEN:
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
	enum patterns_got got = find(&w, &p);

	if (got == PATTERNS_HERE)
		got = account(&w, p);
	if (got == PATTERNS_HERE)
		*ret = p;
	else
		patterns_drop(p);
	return got;
}
