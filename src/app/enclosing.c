/*
 * enclosing.c - finds and caches the settings and ignore files above a root.
 *
 * Relies on app/trust.h, which opens a project's settings without following
 * symlinks, and on files/stat_data.h for the identity of a file.
 */
#include "app/enclosing.h"

#include "app/trust.h"
#include "base/fd.h"
#include "files/path.h"
#include "files/stat_data.h"
#include "tools/permissions/patterns.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file that was read; either settings or list is set. */
struct enclosing_file {
	struct str path;
	struct stat_data stat;
	const struct config_file *settings;
	struct ignore_list list;
};

bool enclosing_dirs(struct str root, struct str home, struct arena *mem,
		    struct str *ret, size_t *ret_n)
{
	*ret_n = 0;
	while (!str_eq(root, home) && !str_is(root, "/")) {
		if (*ret_n == ENCLOSING_MAX_DIRS)
			return false;
		root = path_parent(root);
		ret[(*ret_n)++] = arena_copy(mem, root);
	}
	return true;
}

static bool has_trusted_owner(const struct stat *st)
{
	return st->st_uid == geteuid() || st->st_uid == 0;
}

/*
 * Unlike patterns.c, this trusts stat data however recent: only a change
 * within the same clock tick as the first read, before the server has answered
 * anything, would be missed.
 */
static struct enclosing_file *find_known(const struct enclosing *known,
					 struct str path, const struct stat *st)
{
	struct stat_data stat = stat_data_of(st);

	for (size_t i = 0; i < known->count; i++)
		if (str_eq(known->file[i].path, path) &&
		    stat_data_eq(&known->file[i].stat, &stat))
			return &known->file[i];
	return NULL;
}

static struct enclosing_file *add_known(struct enclosing *known,
					struct str path, const struct stat *st)
{
	struct enclosing_file *file =
		arena_add(known->mem, known->file, known->count);

	*file = (struct enclosing_file){ .path = path,
					 .stat = stat_data_of(st) };
	return file;
}

/* Does @dir have a .stet/config.json that counts? */
static bool has_settings(struct str dir, struct arena *mem, struct stat *ret)
{
	struct str name = path_join(mem, dir, STR(".stet"));
	auto_fd fd = fd_openat(AT_FDCWD, arena_cstr(mem, name),
			       O_PATH | O_NOFOLLOW, 0);

	if (fd < 0 || fstat(fd, ret) || !has_trusted_owner(ret))
		return false;
	/* a symlink is reported by trust_read_project() */
	if (S_ISLNK(ret->st_mode))
		return true;
	return !fstatat(fd, "config.json", ret, AT_SYMLINK_NOFOLLOW) &&
	       has_trusted_owner(ret);
}

enum err enclosing_settings(struct enclosing *known, struct str dir,
			    const struct config_file **ret, struct fault *f)
{
	struct str path = trust_project_path(dir, known->mem), text;
	struct enclosing_file *file;
	struct config_file *settings;
	struct stat st;
	enum err e;

	if (!has_settings(dir, known->mem, &st))
		return fail(f, ERR_NOT_FOUND, .path = path);
	file = find_known(known, path, &st);
	if (file) {
		*ret = file->settings;
		return ERR_OK;
	}
	e = trust_read_project(dir, known->mem, &text, f);
	if (e)
		return e;
	settings = arena_new(known->mem, struct config_file);
	settings->path = path;
	settings->digest = trust_digest(text, known->mem);
	e = configfile_read(path, text, known->mem, settings, f);
	if (e)
		return e;
	add_known(known, path, &st)->settings = settings;
	*ret = settings;
	return ERR_OK;
}

static bool unusable(struct ignore_above *ret, struct str path,
		     struct arena *mem, const char *why)
{
	ret->unusable = arena_printf(mem, "the ignore file " STR_FMT " %s",
				     STR_ARG(path), why);
	return true;
}

/* Reads the lines of the open file; returns NULL or the reason. */
static const char *read_list(int fd, const struct stat *st, struct arena *mem,
			     struct ignore_list *ret)
{
	char *to;
	ssize_t got;

	if (!S_ISREG(st->st_mode))
		return "is not a regular file";
	if (st->st_size > PATTERNS_MAX_FILE_BYTES)
		return "is too large";
	to = arena_alloc(mem, (size_t)st->st_size + 1);
	got = fd < 0 ? -1 : fd_pread(fd, to, (size_t)st->st_size, 0);
	if (got < 0)
		return "cannot be read";
	if (ignore_parse(str_make(to, (size_t)got), mem, ret) != IGNORE_OK)
		return "has too many patterns, or one that is too long";
	return NULL;
}

bool enclosing_ignore(struct enclosing *known, struct str dir, const char *name,
		      struct ignore_above *ret)
{
	struct str path = path_join(known->mem, dir, str_of(name));
	const char *file = arena_cstr(known->mem, path), *why;
	struct enclosing_file *kept;
	auto_fd fd = -1;
	struct stat st;

	if (fstatat(AT_FDCWD, file, &st, AT_SYMLINK_NOFOLLOW) ||
	    !has_trusted_owner(&st))
		return false;
	ret->unusable = STR("");
	if (S_ISLNK(st.st_mode))
		return unusable(ret, path, known->mem, "is a link");
	kept = find_known(known, path, &st);
	if (!kept) {
		struct ignore_list list = { 0 };

		if (S_ISREG(st.st_mode))
			fd = fd_openat(AT_FDCWD, file,
				       O_RDONLY | O_NONBLOCK | O_NOFOLLOW, 0);
		why = read_list(fd, &st, known->mem, &list);
		if (why)
			return unusable(ret, path, known->mem, why);
		kept = add_known(known, path, &st);
		kept->list = list;
		kept->list.source = path;
	}
	ret->list = kept->list;
	return true;
}
