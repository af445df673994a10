/*
 * Which directories may be served. Looks at the directory that a name leads
 * to, through all links and through /proc, and never at its spelling.
 */
#include "app/vet.h"

#include "files/path.h"
#include "tools/sensitive.h"

#include <dirent.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Its own name, as the kernel has it: "" when it cannot be opened. */
static struct str real_dir(struct str dir, struct arena *mem)
{
	char *c = realpath(arena_cstr(mem, dir), NULL);
	struct str real = c ? arena_copy(mem, str_of(c)) : STR("");

	free(c);
	return real;
}

/* A link of /proc may lead to where its text does not say. */
static bool is_same(struct str dir, struct str real, struct arena *mem)
{
	struct stat a, b;

	return !stat(arena_cstr(mem, dir), &a) &&
	       !stat(arena_cstr(mem, real), &b) && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

static bool holds_home(struct str real)
{
	const struct passwd *user = getpwuid(getuid());
	const char *homes[] = { getenv("HOME"), user ? user->pw_dir : NULL };

	for (size_t i = 0; i < COUNT_OF(homes); i++)
		if (homes[i] && homes[i][0] == '/' &&
		    own_is_above(real, str_of(homes[i])))
			return true;
	return false;
}

static bool is_in_settings(struct str real)
{
	struct str name;

	while (path_next(&real, &name))
		if (str_is(name, ".stet"))
			return true;
	return false;
}

/* /sbin may be a link to /usr/sbin, which is the same directory. */
static bool is_at_top(struct str real, struct arena *mem)
{
	DIR *list = opendir("/");
	bool found = str_is(path_parent(real), "/");
	const struct dirent *e;

	while (list && !found && (e = readdir(list)))
		found = e->d_name[0] != '.' &&
			is_same(arena_printf(mem, "/%s", e->d_name), real, mem);
	if (list)
		(void)closedir(list);
	return found;
}

static const char *is_wide(enum vet_source source, struct str real,
			   struct arena *mem)
{
	if (own_is_above(real, STR("/")))
		return "it is the whole disk";
	if (holds_home(real))
		return "it is your home directory or has it in it";
	if (source == VET_DECLARED && is_at_top(real, mem))
		return "it lies directly in /";
	return NULL;
}

const char *vet_root(enum vet_source source, struct str dir,
		     const struct own_items *own, struct arena *mem,
		     struct str *ret_real)
{
	struct str real = real_dir(dir, mem);
	const struct sensitive *row;
	const char *why;

	*ret_real = real;
	if (!real.len)
		return NULL;
	if (own_is_inside(own, real))
		return "it belongs to stet itself";
	if (source == VET_NAMED)
		return NULL;
	if (!is_same(dir, real, mem))
		return "where it is cannot be told";
	why = is_wide(source, real, mem);
	if (why)
		return why;
	if (source == VET_DECLARED && own_has_above(own, real))
		return "files of stet itself are in it";
	if (is_in_settings(real))
		return "it has the settings of stet";
	row = sensitive_place(real);
	return row ? arena_cstr(mem, arena_printf(mem, "it is sensitive: %s",
						  row->reason))
		   : NULL;
}
