/*
 * store.c - ws_store() for files on the disk.
 *
 * Find and lock the target, compare its version, then replace it atomically
 * (replace.h). A file with several hard links, in a directory that we may not
 * write to, or whose metadata a new file could not get, is overwritten in
 * place under a journal (journal.h).
 */
#include "files/store_op.h"

#include <assert.h>
#include <errno.h>

enum { SMALL = 64 * 1024 };

static enum err store_by_replace(struct store_op *s)
{
	bool is_new = s->t.old.fd < 0;
	char hex[HASH_HEX + 1];
	int fd = -1;
	enum err e;

	if (!is_new)
		fd = tmpfile_pool_take(&s->t.w->tmpfiles, s->t.place.dir);
	e = store_prepare(s, target_salt(&s->t), fd);
	if (e == ERR_LOSSY)
		return e; /* retry in place */
	if (!e)
		e = store_sync(s);
	if (!e)
		e = store_confirm(s, -1);
	if (!e)
		e = replace_commit(&s->r, is_new ? NULL : &s->t.old, hex,
				   s->t.f);
	if (e == ERR_CHANGED && s->t.f->version.len)
		s->t.f->version = arena_copy(s->t.mem, s->t.f->version);
	s->replaced = !e;
	if (!e)
		e = target_sync(&s->t, s->r.fd);
	return e ? e : store_check_replaced(s);
}

/* The directory forbids replacing the file: overwrite it. */
static bool must_overwrite(const struct store_op *s)
{
	return !s->replaced && store_is_forbidden(s);
}

/*
 * A new file would lose the owner or other metadata: overwrite in place, and
 * accept the loss only when the journal cannot be written either.
 */
static enum err store_in_place_or_lose(struct store_op *s)
{
	enum err e;

	replace_drop(&s->r);
	e = store_in_place(s);

	if (!e || e == ERR_CHANGED || !must_overwrite(s))
		return e;
	s->allow_loss = true;
	return store_by_replace(s);
}

static enum err store_content(struct store_op *s)
{
	enum err e;

	if (s->t.old.fd < 0)
		return store_by_replace(s);
	/* The second link may be a temporary file left by a crash. */
	if (s->t.old.st.st_nlink > 1 &&
	    replace_remove_stale(s->t.place.dir, s->t.place.name,
				 target_salt(&s->t)) &&
	    fstat(s->t.old.fd, &s->t.old.st))
		return target_failed(&s->t, errno);
	if (s->t.old.st.st_nlink > 1)
		return store_in_place(s);
	e = store_by_replace(s);
	if (s->refused)
		return e;
	if (e == ERR_LOSSY)
		return store_in_place_or_lose(s);
	if (!e || e == ERR_CHANGED || !must_overwrite(s))
		return e;
	replace_drop(&s->r);
	return store_in_place(s);
}

static enum err store_run(struct store_op *s)
{
	bool same;
	enum err e;

	e = target_find(&s->t);
	if (!e)
		e = store_compare(s, &same);
	if (!e)
		e = same               ? store_mode(s)
		    : s->want->dry_run ? store_can(s)
				       : store_content(s);
	if (e) {
		replace_drop(&s->r);
		target_undo(&s->t);
	}
	if (e == ERR_DISK_FULL)
		s->t.f->bytes = s->want->bytes.len;
	return e;
}

enum err local_store(struct workspace *ws, struct str path,
		     const struct store_want *want, struct arena *mem,
		     struct stored *ret, struct fault *f)
{
	struct ws_local *w = (struct ws_local *)ws;
	auto_roots *roots = local_roots(w);
	struct stored out = { .version = want->hash ? *want->hash
						    : hash_of(want->bytes) };
	auto_store_op s = {
		.t = { .w = w,
		       .roots = roots,
		       .path = path,
		       .key = want->key,
		       .progress = want->progress,
		       .mem = mem,
		       .f = f,
		       .bytes = want->bytes.len,
		       .parents = want->parents,
		       TARGET_INIT },
		.want = want,
		.ret = &out,
		STORE_OP_INIT,
	};
	enum err e;

	assert(!want->dry_run || want->ready);
	e = store_run(&s);
	if (e)
		return e;
	out.created = s.t.old.fd < 0;
	if (s.replaced)
		tmpfile_pool_close_later(&w->tmpfiles, &s.t.old.fd,
					 s.t.old.st.st_size > SMALL);
	out.key = s.t.place.key;
	*ret = out;
	return ERR_OK;
}
