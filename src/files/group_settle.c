/*
 * group_settle.c - decides the direction of a stopped group, and goes there.
 *
 * There are three transitions: the neighbour takes a free name, a file takes
 * the neighbour's name, or both exchange their names (replace.h). The first two
 * are inverse to each other, the third to itself. A file that is overwritten in
 * place has its contents beside the record.
 */
#include "files/group_settle.h"

#include "base/fd.h"
#include "files/content.h"
#include "files/metadata.h"
#include "files/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Which content a name has. */
enum group_at { AT_NOTHING, AT_BEFORE, AT_AFTER, AT_OTHER };

struct group_now {
	enum group_at file, beside;
	bool is_old, is_new;
	bool ready; /* not changed yet, and it can be */
};

static const int reading = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
static const int writing = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

static enum err settle_failed(const struct group_file *file, struct fault *f)
{
	return fail_os(f, errno, file->key);
}

static void name_neighbour(const struct group_file *file, struct replace *r)
{
	*r = (struct replace){ .fd = -1, .keeps = true };
	replace_name(r, file->dir, file->name, file->key, file->salt);
}

/* 0, or -1 with errno when it cannot be determined. */
static int look_at(const struct group_file *file, const char *name,
		   enum group_at *ret)
{
	auto_fd fd = fd_openat(file->dir, name, reading, 0);
	struct hash now;
	struct stat st;

	*ret = AT_NOTHING;
	if (fd < 0 && errno == ENOENT)
		return 0;
	*ret = AT_OTHER;
	if (fd < 0)
		return errno == ELOOP || errno == ENXIO ? 0 : -1;
	if (fstat(fd, &st))
		return -1;
	if (!S_ISREG(st.st_mode))
		return 0;
	if (content_hash(fd, st.st_size, &now))
		return -1;
	if (file->existed && hash_eq(now, file->before))
		*ret = AT_BEFORE;
	else if (file->exists && hash_eq(now, file->after))
		*ret = AT_AFTER;
	return 0;
}

/* A file that a crash may have left torn: its own journal comes first. */
static int look_in_place(const struct group_record *r,
			 const struct group_file *file, struct group_now *ret)
{
	auto_fd fd = fd_openat(file->dir, file->name, writing, 0);
	struct stat st;

	if (fd >= 0 && !file->same && journal_recover(r->journal, fd, NULL))
		return -1;
	if (look_at(file, file->name, &ret->file))
		return -1;
	if (fd < 0 || fstat(fd, &st))
		return ret->file == AT_OTHER || ret->file == AT_NOTHING ? 0
									: -1;
	st.st_mode &= 07777;
	ret->is_old = ret->file == AT_BEFORE && st.st_mode == file->mode_before;
	ret->is_new = (ret->file == AT_AFTER ||
		       (file->same && ret->file == AT_BEFORE)) &&
		      st.st_mode == file->mode_after;
	ret->ready = ret->file == AT_BEFORE || ret->file == AT_AFTER;
	return 0;
}

/* Two links to one file: without renameat2() a new file is linked first. */
static bool is_one_file(const struct group_file *file, const struct replace *n)
{
	struct stat a, b;

	return !fstatat(file->dir, file->name, &a, AT_SYMLINK_NOFOLLOW) &&
	       !fstatat(file->dir, n->temp, &b, AT_SYMLINK_NOFOLLOW) &&
	       a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

static int look_beside(const struct group_file *file, struct group_now *ret)
{
	struct replace n;

	name_neighbour(file, &n);
	replace_recover_aside(&n);
	if (look_at(file, file->name, &ret->file) ||
	    look_at(file, n.temp, &ret->beside))
		return -1;
	ret->is_old = ret->file == (file->existed ? AT_BEFORE : AT_NOTHING);
	ret->is_new = ret->file == (file->exists ? AT_AFTER : AT_NOTHING);
	/* One with the new content beside ours is somebody else's. */
	if (!file->existed && ret->is_new && ret->beside != AT_NOTHING)
		ret->is_new = is_one_file(file, &n);
	if (ret->is_old)
		ret->ready = !file->exists || ret->beside == AT_AFTER;
	else /* changed by the group, and then perhaps by somebody else */
		ret->ready =
			ret->beside == (file->existed ? AT_BEFORE : AT_NOTHING);
	return 0;
}

static int look_at_one(const struct group_record *r,
		       const struct group_file *file, struct group_now *ret)
{
	*ret = (struct group_now){ 0 };
	if (file->dir < 0) { /* there is no such directory */
		ret->is_old = !file->existed;
		ret->is_new = !file->exists;
		return 0;
	}
	if (file->same && !file->in_place) {
		ret->is_old = ret->is_new = true;
		return 0;
	}
	if (file->in_place)
		return look_in_place(r, file, ret);
	return look_beside(file, ret);
}

/* Open the file that is to be displaced, and the one to take its place. */
static enum err open_both(const struct group_file *file, bool back,
			  struct replace *n, struct replace_old *old,
			  struct fault *f)
{
	bool had = back ? file->exists : file->existed;
	bool gets = back ? file->existed : file->exists;

	name_neighbour(file, n);
	n->version = back ? file->before : file->after;
	old->exact = true;
	old->version = back ? file->after : file->before;
	if (gets) {
		n->fd = fd_openat(file->dir, n->temp, reading, 0);
		if (n->fd < 0)
			return settle_failed(file, f);
	}
	if (!had)
		return ERR_OK;
	old->fd = fd_openat(file->dir, file->name, reading, 0);
	if (old->fd < 0 || fstat(old->fd, &old->st))
		return settle_failed(file, f);
	return ERR_OK;
}

static enum err move_name(const struct group_file *file, bool back,
			  struct fault *f)
{
	struct replace_old old = { .fd = -1 };
	char hex[HASH_HEX + 1];
	struct replace n;
	enum err e;

	e = open_both(file, back, &n, &old, f);
	if (!e)
		e = n.fd < 0 ? replace_take(&n, &old, hex, f)
			     : replace_switch(&n, old.fd < 0 ? NULL : &old, hex,
					      f);
	fd_drop(&n.fd);
	fd_drop(&old.fd);
	/* Somebody else was faster: that file is theirs now. */
	return e == ERR_CHANGED ? ERR_OK : e;
}

static enum err overwrite_file(const struct group_record *r, size_t i,
			       bool back, struct arena *mem, struct fault *f)
{
	const struct group_file *file = &r->files[i];
	auto_fd fd = fd_openat(file->dir, file->name, writing, 0);
	struct journal_want want = {
		.path = file->key,
		.base = back ? &file->after : &file->before,
	};
	unsigned mode = back ? file->mode_before : file->mode_after;
	unsigned lost = 0;

	if (fd < 0)
		return settle_failed(file, f);
	if (!file->same) {
		if (group_record_kept(r, i, back, mem, &want.bytes))
			return settle_failed(file, f);
		if (journal_write(r->journal, fd, &want) && errno != ESTALE)
			return settle_failed(file, f);
	}
	if (metadata_set_mode(fd, mode, &lost))
		return settle_failed(file, f);
	return ERR_OK;
}

/*
 * A file is moved only from the state at the other end; one that is in between,
 * with the content of one state and the mode of the other, is overwritten.
 */
static enum err settle_one(const struct group_record *r, size_t i,
			   const struct group_now *now, bool back,
			   struct arena *mem, struct fault *f)
{
	const struct group_file *file = &r->files[i];

	if (file->dir < 0 || (back ? now->is_old : now->is_new))
		return ERR_OK;
	if (file->in_place)
		return now->ready ? overwrite_file(r, i, back, mem, f) : ERR_OK;
	if (!(back ? now->is_new : now->is_old))
		return ERR_OK;
	/* The old file is gone already: nothing can be put back. */
	if (back && file->existed && now->beside != AT_BEFORE)
		return ERR_OK;
	return move_name(file, back, f);
}

static enum err sync_dirs(const struct group_record *r, struct fault *f)
{
	if (!r->journal->durable)
		return ERR_OK;
	for (size_t i = 0; i < r->count; i++) {
		const struct group_file *file = &r->files[i];

		if (file->dir < 0 || (i && file->dir == file[-1].dir))
			continue;
		if (fd_fsync(file->dir) && errno != EBADF)
			return settle_failed(file, f);
	}
	return ERR_OK;
}

enum err group_settle(struct group_record *r, struct arena *mem, bool *ret_new,
		      struct fault *f)
{
	struct group_now *now = arena_array(mem, struct group_now, r->count);
	bool back = r->state == GROUP_BACK;
	struct fault ignored = { 0 };
	enum err one, e = ERR_OK;

	for (size_t i = 0; i < r->count; i++) {
		if (!look_at_one(r, &r->files[i], &now[i]))
			back = back || !(now[i].is_new || now[i].ready);
		else if (r->fd < 0) /* nobody can do it later: do the rest */
			now[i] = (struct group_now){ 0 };
		else
			return settle_failed(&r->files[i], f);
	}
	for (size_t k = 0; k < r->count; k++) {
		size_t i = back ? r->count - 1 - k : k;

		one = settle_one(r, i, &now[i], back, mem, &ignored);
		if (one && !e)
			e = fault_set(f, &ignored);
	}
	if (!e)
		e = sync_dirs(r, f);
	*ret_new = !back;
	return e;
}

int group_tidy(const struct group_record *r)
{
	int failed = 0;

	for (size_t i = 0; i < r->count; i++) {
		const struct group_file *file = &r->files[i];
		struct replace n;

		if (file->dir < 0 || file->in_place)
			continue;
		name_neighbour(file, &n);
		if (unlinkat(file->dir, n.temp, 0) && errno != ENOENT)
			failed = -1;
	}
	return failed;
}
