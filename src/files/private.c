#include "files/private.h"

#include "base/fd.h"
#include "files/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * What the variable holds, if it is a directory of this user: after a change
 * of user (su, a service) it is often still that of another.
 */
static struct str directory_in(const char *variable)
{
	const char *dir = getenv(variable);
	struct stat st;

	if (!path_absolute(str_of(dir)) || stat(dir, &st) ||
	    !S_ISDIR(st.st_mode) || st.st_uid != geteuid())
		return STR("");
	return str_of(dir);
}

void private_find(struct private_dirs *ret, struct arena *mem)
{
	struct str run = directory_in("XDG_RUNTIME_DIR");
	struct str state = directory_in("XDG_STATE_HOME");
	struct str home = directory_in("HOME");
	unsigned uid = geteuid();

	if (run.len)
		ret->locks = path_join(mem, run, STR("stet-locks"));
	else
		ret->locks = arena_printf(mem, "/tmp/stet-locks-%u", uid);
	if (state.len)
		ret->journal = path_join(mem, state, STR("stet/journal"));
	else if (home.len)
		ret->journal =
			path_join(mem, home, STR(".local/state/stet/journal"));
	else
		ret->journal = arena_printf(mem, "/var/tmp/stet-%u", uid);
}

static void make_all(struct str dir)
{
	auto_arena mem = ARENA_INIT;
	char *path = arena_cstr(&mem, dir);

	for (size_t i = 1; i <= dir.len; i++) {
		if (i < dir.len && path[i] != '/')
			continue;
		path[i] = '\0';
		(void)mkdir(path, 0700);
		path[i] = i < dir.len ? '/' : '\0';
	}
}

int private_open(struct str dir, bool make)
{
	static const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
	auto_arena mem = ARENA_INIT;
	const char *path = arena_cstr(&mem, dir);
	auto_fd fd = fd_openat(AT_FDCWD, path, flags, 0);
	struct stat st;

	if (fd < 0 && errno == ENOENT && make) {
		make_all(dir);
		fd = fd_openat(AT_FDCWD, path, flags, 0);
	}
	if (fd < 0 || fstat(fd, &st))
		return -1;
	if (st.st_uid != geteuid() || (st.st_mode & 077)) {
		errno = EPERM;
		return -1;
	}
	return fd_take(&fd);
}

void private_name(uint64_t dev, uint64_t ino, char to[PRIVATE_NAME])
{
	const uint64_t both[] = { dev, ino };
	char hex[HASH_HEX + 1];

	hash_hex(hash_of(str_make((const char *)both, sizeof(both))), hex);
	memcpy(to, hex, PRIVATE_NAME - 1);
	to[PRIVATE_NAME - 1] = '\0';
}
