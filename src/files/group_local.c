/*
 * group_local.c - ws_group() for files on the disk.
 *
 * Plan (a record on the disk, group_record.h), create directories, lock all of
 * them in one order, compare every file, prepare a neighbour for each, sync,
 * complete the record, switch the names one after the other, sync, and tidy up.
 * Any failure before the end puts back what was switched, by the same function
 * that a crash is recovered with (group_settle.h).
 */
#include "base/fd.h"
#include "files/beneath.h"
#include "files/content.h"
#include "files/group.h"
#include "files/group_recover.h"
#include "files/group_settle.h"
#include "files/path.h"
#include "files/store_op.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_TRIES = 8 };

/* One file: what stores and removals have in common is in @s. */
struct group_op {
	struct store_op s;
	struct store_want want; /* of the item, without its callbacks */
	struct stored stored;
	struct group_item *item;
	uint64_t dev, ino; /* of its directory */
	bool overlaps;     /* another group with it was to be recovered first */
};

struct group_run {
	struct ws_local *w;
	struct roots *roots;
	struct group_want *want;
	struct arena *mem;
	struct fault *f;
	struct group_op *op;
	size_t n;
	struct group_dirs dirs;
	struct group_record record; /* fd is -1 when it is not on the disk */
	int no_record;              /* errno, why it is not */
};

/* The descriptors of the directories belong to g->dirs. */
static void group_unlock(struct group_run *g)
{
	for (size_t i = g->n; i-- > 0;) {
		struct group_op *op = &g->op[i];

		replace_drop(&op->s.r);
		if (g->dirs.n)
			op->s.t.place.dir = -1;
	}
	group_dirs_drop(&g->dirs);
}

static void group_run_drop(struct group_run *g)
{
	group_unlock(g);
	for (size_t i = 0; i < g->n; i++)
		store_op_drop(&g->op[i].s);
	group_record_drop(&g->record);
	roots_dropp(&g->roots);
}

#define auto_group_run cleanup(group_run_drop) struct group_run

static void op_init(struct group_run *g, size_t i)
{
	struct group_item *item = &g->want->items[i];
	struct group_op *op = &g->op[i];
	const struct store_want *want = &op->want;

	op->item = item;
	op->want = item->want;
	op->want.progress = g->want->progress;
	op->want.ready = NULL;
	op->want.dry_run = false;
	if (!item->remove)
		op->stored.version =
			want->hash ? *want->hash : hash_of(want->bytes);
	op->s = (struct store_op){
		.t = { .w = g->w,
		       .roots = g->roots,
		       .path = item->path,
		       .key = want->key,
		       .progress = want->progress,
		       .mem = g->mem,
		       .f = g->f,
		       .bytes = want->bytes.len,
		       .parents = want->parents && !item->remove,
		       .recovered = true, /* see find_overlaps() */
		       TARGET_INIT },
		.want = want,
		.ret = &op->stored,
		.confirmed = true,
		STORE_OP_INIT,
	};
}

static void file_init(struct group_file *file, const struct group_op *op)
{
	bool existed = op->want.base == STORE_VERSION;

	*file = (struct group_file){
		.key = op->want.key,
		.existed = existed,
		.exists = !op->item->remove,
		.parents = op->s.t.parents,
		.made_ms = op->item->remove ? op->want.made_ms : 0,
		.dir = -1,
	};
	if (existed)
		file->before = op->want.version;
	if (file->exists)
		file->after = op->stored.version;
	file->same =
		existed && file->exists && hash_eq(file->before, file->after);
}

static void run_init(struct group_run *g)
{
	g->n = g->want->count;
	g->op = arena_array(g->mem, struct group_op, g->n);
	g->record = (struct group_record){
		.files = arena_array(g->mem, struct group_file, g->n),
		.count = g->n,
		.journal = &g->w->journal,
		GROUP_RECORD_INIT,
	};
	for (size_t i = 0; i < g->n; i++) {
		op_init(g, i);
		file_init(&g->record.files[i], &g->op[i]);
	}
	group_dirs_init(&g->dirs, g->n, g->mem);
}

/* Without a record a crash could leave a mixture: the caller says so. */
static void make_record(struct group_run *g)
{
	g->want->not_kept = STR("");
	if (g->want->dry_run || !group_record_make(&g->record))
		return;
	g->no_record = errno;
	g->want->not_kept =
		arena_printf(g->mem, "'" STR_FMT "' cannot be written: %s",
			     STR_ARG(g->w->journal.dir),
			     strerror(g->no_record));
}

static enum err lock_all(struct group_run *g)
{
	struct stat st;
	enum err e;

	for (size_t i = 0; i < g->n; i++) {
		struct group_op *op = &g->op[i];

		if (fstat(op->s.t.place.dir, &st))
			return target_failed(&op->s.t, errno);
		op->dev = st.st_dev;
		op->ino = st.st_ino;
	}
	for (size_t i = 0; i < g->n; i++)
		if (group_dirs_add(&g->dirs, &g->op[i].s.t.place.dir))
			return target_failed(&g->op[i].s.t, errno);
	e = group_dirs_lock(&g->dirs, g->w, g->want->progress,
			    g->want->items[0].path, g->f);
	for (size_t i = 0; i < g->n && !e; i++) {
		struct group_op *op = &g->op[i];
		const struct group_dir *dir =
			group_dirs_find(&g->dirs, op->dev, op->ino);

		op->s.t.place.dir = dir->fd;
		op->s.t.waited = g->dirs.waited;
		g->record.files[i].dir = dir->fd;
		g->record.files[i].name = op->s.t.place.name;
		g->record.files[i].salt = g->record.fd < 0
						  ? file_lock_salt(&dir->lock)
						  : g->record.id;
	}
	return e;
}

/* As target_open() does it for one file, with one look at the records. */
static enum err find_overlaps(struct group_run *g)
{
	bool *overlaps = arena_array(g->mem, bool, g->n);
	enum err e = ERR_OK;

	if (!group_pending(&g->w->journal))
		return ERR_OK;
	group_record_overlaps(&g->record, overlaps);
	for (size_t i = 0; i < g->n; i++) {
		struct group_op *op = &g->op[i];

		if (!overlaps[i] || op->overlaps)
			continue;
		op->overlaps = op->s.t.unrecovered = true;
		e = ERR_RETRY;
	}
	return e;
}

static enum err find_all_once(struct group_run *g)
{
	enum err e = ERR_OK;

	for (size_t i = 0; i < g->n && !e; i++)
		e = target_place(&g->op[i].s.t);
	if (!e)
		e = lock_all(g);
	if (!e)
		e = find_overlaps(g);
	for (size_t i = 0; i < g->n && !e; i++)
		e = target_open(&g->op[i].s.t);
	return e;
}

static enum err find_all(struct group_run *g)
{
	enum err e = ERR_RETRY;

	for (int tries = 0; e == ERR_RETRY && tries < MAX_TRIES; tries++) {
		e = ERR_OK;
		group_unlock(g);
		for (size_t i = 0; i < g->n && !e; i++)
			e = target_retry(&g->op[i].s.t);
		if (!e)
			e = find_all_once(g);
	}
	return e == ERR_RETRY ? target_failed(&g->op[0].s.t, ELOOP) : e;
}

static enum err compare_all(struct group_run *g)
{
	enum err e = ERR_OK;

	for (size_t i = 0; i < g->n && !e; i++) {
		bool same;

		e = store_compare(&g->op[i].s, &same);
	}
	return e;
}

/* What can be found out about one change without writing. */
static enum err can_change(struct group_run *g, size_t i)
{
	const struct group_file *file = &g->record.files[i];
	struct store_op *s = &g->op[i].s;
	enum err e;

	if (file->same)
		return ERR_OK;
	if (file->exists)
		return store_can(s);
	e = target_can_create(&s->t);
	if (e == ERR_DISK_FULL) /* a removal needs no space */
		e = ERR_OK;
	return e ? e : store_confirm(s, -1);
}

static enum err dry_run(struct group_run *g)
{
	enum err e = ERR_OK;

	for (size_t i = 0; i < g->n && !e; i++)
		e = can_change(g, i);
	if (!e)
		e = progress_check(g->want->progress, 0, 0, g->f);
	return e ? e : g->want->ready(g->want->ctx, g->f);
}

/* A new file at a free key gets the metadata of another one. */
static void open_like(struct group_run *g, struct group_op *op)
{
	static const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
	auto_resolved p = RESOLVED_INIT;
	auto_fd fd = -1;
	struct fault ignored;

	if (!op->item->like.len || op->s.t.old.fd >= 0 ||
	    beneath_resolve_key(g->roots, op->item->like, g->mem, &p,
				&ignored) ||
	    !p.exists || !S_ISREG(p.st.st_mode))
		return;
	fd = fd_openat(p.dir, p.name, flags, 0);
	if (fd >= 0 && !fstat(fd, &op->s.like.st))
		op->s.like.fd = fd_take(&fd);
}

/* Both contents go beside the record, as recovery needs them. */
static enum err prepare_in_place(struct group_run *g, size_t i)
{
	struct group_file *file = &g->record.files[i];
	struct group_op *op = &g->op[i];

	replace_drop(&op->s.r);
	file->in_place = true;
	file->mode_before = op->s.t.old.st.st_mode & 07777;
	file->mode_after =
		op->want.set_mode ? op->want.mode & 07777 : file->mode_before;
	if (file->same)
		return ERR_OK;
	if (g->record.fd < 0) /* there can be no journal, either */
		return target_failed(&op->s.t, g->no_record);
	if (group_record_keep(&g->record, i, op->s.t.old.fd, op->want.bytes))
		return target_failed(&op->s.t, errno);
	return ERR_OK;
}

static bool is_link_of_ours(struct group_op *op)
{
	return replace_remove_stale(op->s.t.place.dir, op->s.t.place.name,
				    file_lock_salt(&op->s.t.lock));
}

static enum err prepare_content(struct group_run *g, size_t i)
{
	struct group_file *file = &g->record.files[i];
	struct group_op *op = &g->op[i];
	struct store_op *s = &op->s;
	enum err e;

	if (file->existed && s->t.old.st.st_nlink > 1 && is_link_of_ours(op) &&
	    fstat(s->t.old.fd, &s->t.old.st))
		return target_failed(&s->t, errno);
	if (file->existed && s->t.old.st.st_nlink > 1)
		return prepare_in_place(g, i);
	s->allow_loss = g->record.fd < 0;
	e = store_prepare(s, file->salt, -1);
	s->r.keeps = true;
	if (e == ERR_LOSSY ||
	    (e && file->existed && g->record.fd >= 0 && store_is_forbidden(s)))
		return prepare_in_place(g, i);
	return e;
}

static enum err prepare_one(struct group_run *g, size_t i)
{
	struct group_file *file = &g->record.files[i];
	struct group_op *op = &g->op[i];
	const struct stat *st = &op->s.t.old.st;

	if (file->same && (!op->want.set_mode ||
			   (st->st_mode & 07777) == (op->want.mode & 07777)))
		return ERR_OK;
	if (file->same)
		return prepare_in_place(g, i);
	if (file->exists) {
		open_like(g, op);
		return prepare_content(g, i);
	}
	replace_name(&op->s.r, op->s.t.place.dir, op->s.t.place.name,
		     op->s.t.path, file->salt);
	return ERR_OK;
}

/*
 * First have all data on its way, then wait for each: on a journaling
 * filesystem the first fsync() commits what the others need, too.
 */
static enum err sync_all(struct group_run *g)
{
	enum err e = ERR_OK;

	if (g->w->options.durability != DURABLE_POWER)
		return ERR_OK;
	for (size_t i = 0; i < g->n; i++)
		if (g->op[i].s.r.fd >= 0)
			(void)sync_file_range(g->op[i].s.r.fd, 0, 0,
					      SYNC_FILE_RANGE_WRITE);
	for (size_t i = 0; i < g->n && !e; i++)
		if (g->op[i].s.r.fd >= 0)
			e = store_sync(&g->op[i].s);
	return e;
}

static enum err prepare_all(struct group_run *g)
{
	enum err e = ERR_OK;

	for (size_t i = 0; i < g->n && !e; i++)
		e = prepare_one(g, i);
	if (!e)
		e = sync_all(g);
	if (!e)
		e = progress_check(g->want->progress, 0, 0, g->f);
	if (!e && g->want->ready)
		e = g->want->ready(g->want->ctx, g->f);
	if (!e && g->record.fd >= 0 && group_record_begin(&g->record))
		e = fail_os(g->f, errno, g->want->items[0].path);
	return e;
}

static enum err switch_name(struct group_run *g, size_t i)
{
	const struct group_file *file = &g->record.files[i];
	struct store_op *s = &g->op[i].s;
	char hex[HASH_HEX + 1];
	enum err e;

	e = store_confirm(s, -1);
	if (e)
		return e;
	e = !file->exists
		    ? replace_take(&s->r, &s->t.old, hex, g->f)
		    : replace_switch(&s->r, file->existed ? &s->t.old : NULL,
				     hex, g->f);
	if (e == ERR_CHANGED && g->f->version.len)
		g->f->version = arena_copy(g->mem, g->f->version);
	return e;
}

static enum err switch_one(struct group_run *g, size_t i)
{
	const struct group_file *file = &g->record.files[i];
	struct store_op *s = &g->op[i].s;

	if (file->same)
		return file->in_place ? store_mode(s) : ERR_OK;
	return file->in_place ? store_in_place(s) : switch_name(g, i);
}

/*
 * Another program has written to the file right after the switch: the same as if
 * it had written before, so the group fails.
 */
static enum err check_one(struct group_run *g, size_t i)
{
	const struct group_file *file = &g->record.files[i];
	struct store_op *s = &g->op[i].s;
	enum err e;

	if (file->same || file->in_place || !file->exists)
		return ERR_OK;
	e = store_check_replaced(s);
	return e == ERR_OVERTAKEN ? target_changed(&s->t, NULL) : e;
}

static enum err sync_dirs(struct group_run *g)
{
	struct group_op *last = NULL;
	enum err e = ERR_OK;

	for (size_t i = 0; i < g->dirs.n && !e; i++) {
		for (size_t k = 0; k < g->n; k++)
			if (g->op[k].s.t.place.dir == g->dirs.dir[i].fd)
				last = &g->op[k];
		if (!last)
			continue;
		e = target_sync(&last->s.t, last->s.r.fd >= 0
						    ? last->s.r.fd
						    : last->s.t.old.fd);
	}
	return e;
}

static enum err switch_all(struct group_run *g)
{
	enum err e = ERR_OK;

	for (size_t i = 0; i < g->n && !e; i++)
		e = switch_one(g, i);
	if (!e)
		e = sync_dirs(g);
	for (size_t i = 0; i < g->n && !e; i++)
		e = check_one(g, i);
	return e;
}

/*
 * Put back what was switched; @e is why. If that fails, too, the record stays,
 * and the next process that comes along settles the group.
 */
static enum err roll_back(struct group_run *g, enum err e)
{
	const struct fault why = *g->f;
	bool is_new;

	g->record.state = GROUP_BACK;
	if (g->record.fd >= 0)
		(void)!group_record_mark(&g->record, GROUP_BACK);
	if (!group_settle(&g->record, g->mem, &is_new, g->f))
		group_finish(&g->record, g->roots, /* is_new= */ false, g->mem);
	*g->f = why;
	return e;
}

/* The neighbours hold the old contents now, or are gone. */
static void forget_neighbours(struct group_run *g)
{
	for (size_t i = 0; i < g->n; i++)
		g->op[i].s.r.linked = false;
}

static enum err change_all(struct group_run *g)
{
	enum err e = prepare_all(g);

	if (e)
		return e;
	e = switch_all(g);
	forget_neighbours(g);
	if (e)
		return roll_back(g, e);
	if (g->record.fd >= 0)
		(void)!group_record_mark(&g->record, GROUP_DONE);
	g->record.state = GROUP_DONE;
	group_finish(&g->record, g->roots, /* is_new= */ true, g->mem);
	return ERR_OK;
}

/* Nothing was changed: remove what was prepared. */
static void undo_all(struct group_run *g)
{
	for (size_t i = g->n; i-- > 0;) {
		replace_drop(&g->op[i].s.r);
		target_undo(&g->op[i].s.t);
	}
	if (g->record.fd >= 0)
		(void)!group_record_end(&g->record);
}

static void report_all(struct group_run *g)
{
	for (size_t i = 0; i < g->n; i++) {
		struct group_op *op = &g->op[i];

		if (op->item->remove)
			continue;
		op->stored.created = op->s.t.old.fd < 0;
		op->stored.key = op->s.t.place.key;
		op->item->stored = op->stored;
	}
}

enum err local_group(struct workspace *ws, struct group_want *want,
		     struct arena *mem, struct fault *f)
{
	auto_group_run g = { .w = (struct ws_local *)ws,
			     .roots = local_roots((struct ws_local *)ws),
			     .want = want,
			     .mem = mem,
			     .f = f,
			     .record = { GROUP_RECORD_INIT } };
	enum err e;

	assert(!want->dry_run || want->ready);
	run_init(&g);
	if (!g.n)
		return ERR_OK;
	make_record(&g);
	e = find_all(&g);
	if (!e)
		e = compare_all(&g);
	if (!e)
		e = want->dry_run ? dry_run(&g) : change_all(&g);
	if (e && g.record.state == GROUP_PLAN)
		undo_all(&g);
	if (!e)
		report_all(&g);
	return e;
}
