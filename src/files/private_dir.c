/*
 * private_dir.c - finds, creates and checks the private directories.
 *
 * Trusts environment variables only as far as the directory they name belongs
 * to the effective user.
 */
#include "files/private_dir.h"

#include "base/fd.h"
#include "files/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The directory that @variable names, if it belongs to this user: after su or
 * in a service the variable often still names that of another user.
 */
static struct str directory_in(const char *variable)
{
	const char *dir = getenv(variable);
	struct stat st;

	if (!dir || !path_absolute(str_of(dir)) || stat(dir, &st) ||
	    !S_ISDIR(st.st_mode) || st.st_uid != geteuid())
		return STR("");
	return str_of(dir);
}

/*
 * Can @dir be created or used? HOME in a service or under sudo often belongs
 * to another user. Nothing is created: starting stet leaves no traces.
 */
static bool is_usable(struct str dir)
{
	auto_arena mem = ARENA_INIT;

	while (faccessat(AT_FDCWD, arena_cstr(&mem, dir), W_OK | X_OK,
			 AT_EACCESS)) {
		if (errno != ENOENT || str_is(dir, "/"))
			return false;
		dir = path_parent(dir);
	}
	return true;
}

/* @name below the directory that @variable names; "" when unusable. */
static struct str dir_below(const char *variable, const char *name,
			    struct arena *mem)
{
	struct str dir = directory_in(variable);

	if (!dir.len)
		return dir;
	dir = path_join(mem, dir, str_of(name));
	return is_usable(dir) ? dir : STR("");
}

void private_dirs_find(struct private_dirs *ret, struct arena *mem)
{
	unsigned uid = geteuid();

	ret->locks = dir_below("XDG_STATE_HOME", "stet/locks", mem);
	if (!ret->locks.len)
		ret->locks = dir_below("HOME", ".local/state/stet/locks", mem);
	if (!ret->locks.len)
		ret->locks = dir_below("XDG_RUNTIME_DIR", "stet-locks", mem);
	if (!ret->locks.len)
		ret->locks = arena_printf(mem, "/tmp/stet-locks-%u", uid);
	ret->journal = dir_below("XDG_STATE_HOME", "stet/journal", mem);
	if (!ret->journal.len)
		ret->journal =
			dir_below("HOME", ".local/state/stet/journal", mem);
	if (!ret->journal.len)
		ret->journal = arena_printf(mem, "/var/tmp/stet-%u", uid);
}

/* 0, or the errno value of the last directory that could not be created. */
static int make_all(struct str dir)
{
	auto_arena mem = ARENA_INIT;
	char *path = arena_cstr(&mem, dir);
	int error = 0;

	for (size_t i = 1; i <= dir.len; i++) {
		if (i < dir.len && path[i] != '/')
			continue;
		path[i] = '\0';
		if (mkdir(path, 0700) && errno != EEXIST && errno != ENOENT)
			error = errno;
		path[i] = i < dir.len ? '/' : '\0';
	}
	return error;
}

int private_dir_open(struct str dir, bool make)
{
	static const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
	auto_arena mem = ARENA_INIT;
	const char *path = arena_cstr(&mem, dir);
	auto_fd fd = fd_openat(AT_FDCWD, path, flags, 0);
	struct stat st;
	int error;

	if (fd < 0 && errno == ENOENT && make) {
		error = make_all(dir);
		fd = fd_openat(AT_FDCWD, path, flags, 0);
		if (fd < 0 && errno == ENOENT && error)
			errno = error;
	}
	if (fd < 0 || fstat(fd, &st))
		return -1;
	if (st.st_uid != geteuid() || (st.st_mode & 077)) {
		errno = EPERM;
		return -1;
	}
	return fd_take(&fd);
}

void private_dir_name(uint64_t dev, uint64_t ino, char to[PRIVATE_DIR_NAME])
{
	const uint64_t both[] = { dev, ino };
	char hex[HASH_HEX + 1];

	hash_hex(hash_of(str_make((const char *)both, sizeof(both))), hex);
	memcpy(to, hex, PRIVATE_DIR_NAME - 1);
	to[PRIVATE_DIR_NAME - 1] = '\0';
}
