/*
 * git_dirs.c - finds the git directory where ".git" is not a directory.
 *
 * Where ".git" is a symlink, or a file that says "gitdir: PATH", git reads
 * hooks and settings from another directory, which is sensitive too.
 */
#include "app/git_dirs.h"

#include "base/fd.h"
#include "files/path.h"
#include "tools/permissions/sensitive.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

/* The path in a "gitdir:" file; "" if there is none. */
static struct str named_in(const char *file, struct arena *mem)
{
	static const struct str start = STR_INIT("gitdir: ");
	auto_fd fd = fd_openat(AT_FDCWD, file, O_RDONLY | O_NONBLOCK, 0);
	char text[PATH_MAX + 16];
	ssize_t n = fd < 0 ? -1 : fd_read(fd, text, sizeof(text));
	struct str s = str_make(text, n > 0 ? (size_t)n : 0);

	s = str_head(s, str_find(s, '\n'));
	if (!str_starts(s, start))
		return STR("");
	return arena_copy(mem, str_skip(s, start.len));
}

static void add_git(struct str root, struct arena *mem)
{
	struct str at = path_join(mem, root, STR(".git")), to;
	const char *name = arena_cstr(mem, at);
	struct stat st, link;
	char *real = NULL;

	if (lstat(name, &link) || stat(name, &st))
		return;
	if (S_ISREG(st.st_mode)) {
		to = named_in(name, mem);
		if (to.len)
			real = realpath(to.ptr[0] == '/'
						? arena_cstr(mem, to)
						: arena_cstr(mem,
							     path_join(mem,
								       root,
								       to)),
					NULL);
	} else if (S_ISLNK(link.st_mode)) {
		real = realpath(name, NULL);
	}
	if (real)
		sensitive_add_git(str_of(real));
	free(real);
}

void git_dirs_note(const struct str *roots, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		auto_arena mem = ARENA_INIT;

		add_git(roots[i], &mem);
	}
}
