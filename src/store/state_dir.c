/*
 * state_dir.c - the state directory: create, check, lock; and the database
 * file.
 *
 * Nothing here opens the database once it exists: closing a descriptor of it
 * would drop the POSIX locks that SQLite holds in this process.
 */
#include "store/state_dir.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/log.h"
#include "store/local.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define STATE_DIR_LINK "it is a symlink that another user may have created"

enum { LOCK_WAIT_MS = 10000, LOCK_STEP_MS = 2 };

static enum err fail_at(struct store *s, const char *path, int error,
			struct fault *f)
{
	char words[128] = "";

	return fail(f, ERR_STORE,
		    .text = store_message(s, "%s: %s", path,
					  strerror_r(error, words,
						     sizeof(words))),
		    .os = error);
}

/* The value of the variable, if it is a directory of this user. */
static struct str own_directory(const char *variable)
{
	const char *dir = getenv(variable);
	struct stat st;

	if (!dir || dir[0] != '/' || stat(dir, &st) || !S_ISDIR(st.st_mode) ||
	    st.st_uid != geteuid())
		return STR("");
	return str_of(dir);
}

struct str store_default_dir(struct arena *mem)
{
	struct str dir = own_directory("XDG_STATE_HOME");

	if (dir.len)
		return arena_printf(mem, STR_FMT "/stet", STR_ARG(dir));
	dir = own_directory("HOME");
	if (dir.len)
		return arena_printf(mem, STR_FMT "/.local/state/stet",
				    STR_ARG(dir));
	return arena_printf(mem, "/var/tmp/stet-%u", geteuid());
}

/* A new directory survives a loss of power when its parent is synced. */
static void sync_parent(char *path)
{
	char *slash = strrchr(path, '/');

	*slash = '\0';
	auto_fd parent = fd_openat(AT_FDCWD, slash == path ? "/" : path,
				   O_RDONLY | O_DIRECTORY, 0);
	*slash = '/';
	if (parent >= 0)
		(void)!fd_fsync(parent);
}

/* 0, or the errno when it neither exists nor could be created. */
static int make_directory(char *path, bool durable)
{
	int error;

	if (!mkdir(path, 0700)) {
		if (durable)
			sync_parent(path);
		return 0;
	}
	error = errno; /* EROFS or EACCES even if the directory exists */
	return error != EEXIST && access(path, F_OK) ? error : 0;
}

static int make_directories(char *path, bool durable)
{
	int error = 0;

	for (char *at = path + 1; *at && !error; at++) {
		if (*at != '/')
			continue;
		*at = '\0';
		error = make_directory(path, durable);
		*at = '/';
	}
	return error ? error : make_directory(path, durable);
}

static enum err check_ours(struct store *s, const char *path,
			   const struct stat *st, struct fault *f)
{
	const char *why = NULL;

	if (st->st_uid != geteuid())
		why = "it belongs to another user";
	else if (st->st_mode & 077)
		why = "other users can access it (fix: chmod go= on it)";
	if (!why)
		return ERR_OK;
	return fail(f, ERR_STORE,
		    .text = store_message(s, "%s: %s", path, why));
}

bool state_dir_is_strange_link(struct str path, struct arena *mem)
{
	struct stat st, dir;
	struct str above;

	while (path.len > 1 && path.ptr[path.len - 1] == '/')
		path.len--;
	if (lstat(arena_cstr(mem, path), &st) || !S_ISLNK(st.st_mode))
		return false;
	above = str_head(path, str_rfind(path, '/') + 1);
	if (str_rfind(path, '/') == path.len)
		above = STR(".");
	return (st.st_uid != geteuid() && st.st_uid != 0) ||
	       stat(arena_cstr(mem, above), &dir) || (dir.st_mode & S_IWOTH);
}

static void state_dir_mark(int dir, int flags, struct str bytes)
{
	auto_fd fd = fd_openat(dir, STATE_DIR_LOCK,
			       O_WRONLY | O_NOFOLLOW | O_NONBLOCK | flags, 0);

	if (fd >= 0)
		(void)!fd_write(fd, bytes);
}

void state_dir_mark_made(int dir)
{
	state_dir_mark(dir, O_TRUNC, STR("made\n"));
}

bool state_dir_is_emptied(int dir)
{
	struct stat db, lock;

	return !fstatat(dir, STATE_DIR_DB, &db, AT_SYMLINK_NOFOLLOW) &&
	       !db.st_size &&
	       !fstatat(dir, STATE_DIR_LOCK, &lock, AT_SYMLINK_NOFOLLOW) &&
	       lock.st_size;
}

/*
 * Creates the database's file, O_EXCL, if there is none, and checks it by its
 * name: see the head of this file.
 */
static enum err check_file(struct store *s, int dir, const char *path,
			   struct fault *f)
{
	struct stat st;

	if (!s->options.read_only) {
		auto_fd made = fd_openat(dir, STATE_DIR_DB,
					 O_WRONLY | O_CREAT | O_EXCL, 0600);

		if (made < 0 && errno != EEXIST && errno != EROFS &&
		    errno != EACCES)
			return fail_at(s, path, errno, f);
		if (made >= 0)
			state_dir_mark(dir, O_TRUNC, STR(""));
	}
	if (fstatat(dir, STATE_DIR_DB, &st, AT_SYMLINK_NOFOLLOW))
		return fail_at(s, path, errno, f);
	if (!S_ISREG(st.st_mode))
		return fail(f, ERR_STORE,
			    .text = store_message(s, "%s: it is not a file",
						  path));
	return check_ours(s, path, &st, f);
}

enum err state_dir_open(struct store *s, struct arena *mem, int *ret_dir,
			char **ret_path, struct fault *f)
{
	struct str name = s->options.dir;
	char *path, *real;
	struct stat st;
	enum err e;

	path = arena_cstr(mem, name.len ? name : store_default_dir(mem));
	if (!s->options.read_only) {
		int error = make_directories(path, s->options.durable);

		if (error)
			return fail_at(s, path, error, f);
	}
	*ret_dir = -1;
	if (state_dir_is_strange_link(str_of(path), mem))
		return fail(f, ERR_STORE,
			    .text = store_message(s, "%s: " STATE_DIR_LINK,
						  path));
	auto_fd dir = fd_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0);
	if (dir < 0 && errno == ENOENT && s->options.read_only)
		return ERR_OK;
	if (dir < 0 || fstat(dir, &st))
		return fail_at(s, path, errno, f);
	e = check_ours(s, path, &st, f);
	if (e)
		return e;
	real = realpath(path, NULL);
	if (!real)
		return fail_at(s, path, errno, f);
	*ret_path =
		arena_cstr(mem, arena_printf(mem, "%s/" STATE_DIR_DB, real));
	free(real);
	if (s->options.read_only && faccessat(dir, STATE_DIR_DB, F_OK, 0) &&
	    errno == ENOENT)
		return ERR_OK;
	e = check_file(s, dir, *ret_path, f);
	if (!e)
		*ret_dir = fd_take(&dir);
	return e;
}

DIR *state_dir_list(int dir, const char *name)
{
	auto_fd fd =
		fd_openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);

	if (list)
		(void)fd_take(&fd);
	return list;
}

void state_dir_list_end(DIR **list)
{
	if (*list)
		(void)closedir(*list);
}

enum err state_dir_lock(struct store *s, int dir, int *ret, struct fault *f)
{
	static const struct timespec step = { 0, LOCK_STEP_MS * 1000000L };
	auto_fd fd = fd_openat(dir, STATE_DIR_LOCK,
			       O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
	uint64_t until = clock_ms() + LOCK_WAIT_MS;

	if (fd < 0)
		return fail_at(s, STATE_DIR_LOCK, errno, f);
	while (flock(fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return fail_at(s, STATE_DIR_LOCK, errno, f);
		if (clock_ms() > until)
			return fail(
				f, ERR_STORE,
				.text = STR(
					STATE_DIR_LOCK
					": another program holds its lock"));
		(void)nanosleep(&step, NULL);
	}
	*ret = fd_take(&fd);
	return ERR_OK;
}

struct state_dir_db_id state_dir_db_id(int dir)
{
	struct stat st;

	if (fstatat(dir, STATE_DIR_DB, &st, AT_SYMLINK_NOFOLLOW))
		return (struct state_dir_db_id){ 0 };
	return (struct state_dir_db_id){ st.st_dev, st.st_ino };
}

bool state_dir_db_is(int dir, struct state_dir_db_id id)
{
	struct state_dir_db_id now = state_dir_db_id(dir);

	return now.dev == id.dev && now.ino == id.ino && id.ino;
}

/*
 * The -wal first: beside a new database SQLite would take it for its own. A
 * missing file counts as moved.
 */
enum err state_dir_put_aside(struct store *s, int dir, struct arena *mem,
			     const char **ret_path, struct fault *f)
{
	static const char *const ends[] = { "-wal", "-shm", "" };
	char stamp[CLOCK_STAMP], from[64], to[128];
	const unsigned ms = (unsigned)(clock_unix_ms() % 1000);
	struct str base = s->options.dir;

	clock_stamp(stamp);
	for (size_t i = 0; i < COUNT_OF(ends); i++) {
		(void)snprintf(from, sizeof(from), STATE_DIR_DB "%s", ends[i]);
		(void)snprintf(to, sizeof(to),
			       STATE_DIR_DB ".corrupt-%s.%03u%s", stamp, ms,
			       ends[i]);
		if (renameat(dir, from, dir, to) && errno != ENOENT)
			return fail_at(s, from, errno, f);
	}
	if (!base.len)
		base = store_default_dir(mem);
	*ret_path = arena_printf(mem, STR_FMT "/%s", STR_ARG(base), to).ptr;
	store_note_aside(s, *ret_path);
	log_always(
		"the history was damaged and was moved to %s; the new one has what could be recovered ('stet doctor' lists quarantined files)",
		*ret_path);
	return ERR_OK;
}
