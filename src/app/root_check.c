/*
 * root_check.c - decides whether a directory may be a root.
 *
 * A directory is compared by device and inode after all symlinks are resolved,
 * never by its spelling.
 */
#include "app/root_check.h"

#include "files/path.h"
#include "tools/permissions/sensitive.h"

#include <dirent.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Kernel file systems: writing a file there changes the system. */
static const struct {
	uint32_t type; /* f_type of statfs() */
	const char *name;
} kernel_types[] = {
	{ 0x00009fa0, "proc" },       { 0x62656572, "sysfs" },
	{ 0x0027e0eb, "cgroup" },     { 0x63677270, "cgroup2" },
	{ 0x64626720, "debugfs" },    { 0x74726163, "tracefs" },
	{ 0x73636673, "securityfs" }, { 0x62656570, "configfs" },
	{ 0xcafe4a11, "bpf" },        { 0x6165676c, "pstore" },
	{ 0xde5e81e4, "efivarfs" },   { 0x00001cd1, "devpts" },
	{ 0x65735543, "fusectl" },    { 0x42494e4d, "binfmt_misc" },
	{ 0x19800202, "mqueue" },     { 0xf97cff8c, "selinuxfs" },
	{ 0x43415d53, "smackfs" },    { 0x5a3c69f0, "apparmorfs" },
	{ 0x6e736673, "nsfs" },       { 0x07655821, "resctrl" },
	{ 0x6c6f6f70, "binder" },     { 0x6e667364, "nfsd" },
	{ 0x67596969, "rpc_pipefs" }, { 0xabba1974, "xenfs" },
};

/* Directories of system programs and settings. */
static const struct str system_dirs[] = {
	STR_INIT("/etc"),   STR_INIT("/usr"),       STR_INIT("/bin"),
	STR_INIT("/sbin"),  STR_INIT("/lib"),       STR_INIT("/lib32"),
	STR_INIT("/lib64"), STR_INIT("/libx32"),    STR_INIT("/boot"),
	STR_INIT("/dev"),   STR_INIT("/var/spool"), STR_INIT("/run"),
};

/* The kernel's name of @dir; "" when it cannot be opened. */
static struct str real_dir(struct str dir, struct arena *mem)
{
	char *c = realpath(arena_cstr(mem, dir), NULL);
	struct str real = c ? arena_copy(mem, str_of(c)) : STR("");

	free(c);
	return real;
}

/* A /proc magic link may lead elsewhere than its text says. */
static bool is_same(struct str dir, struct str real, struct arena *mem)
{
	struct stat a, b;

	return !stat(arena_cstr(mem, dir), &a) &&
	       !stat(arena_cstr(mem, real), &b) && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

static const char *holds_home(struct str real)
{
	const struct passwd *user = getpwuid(getuid());
	const char *homes[] = { getenv("HOME"), user ? user->pw_dir : NULL };

	for (size_t i = 0; i < COUNT_OF(homes); i++)
		if (homes[i] && homes[i][0] == '/' &&
		    own_is_above(real, str_of(homes[i])))
			return own_is_above(str_of(homes[i]), real)
				       ? "it is your home directory"
				       : "your home directory is in it";
	return NULL;
}

/* Is @real equal to @dir or beneath it, after resolving @dir? */
static bool is_in(struct str real, struct str dir, struct arena *mem)
{
	struct str rest, at = real_dir(dir, mem);

	return dir.len && at.len > 1 && path_beneath(real, at, &rest);
}

static const char *is_of_kernel(struct str real, struct arena *mem)
{
	struct statfs fs;

	if (is_in(real, STR("/proc"), mem) || is_in(real, STR("/sys"), mem))
		return "it is a virtual file system of the kernel";
	if (statfs(arena_cstr(mem, real), &fs))
		return NULL;
	for (size_t i = 0; i < COUNT_OF(kernel_types); i++)
		if ((uint32_t)fs.f_type == kernel_types[i].type)
			return arena_printf(
				       mem,
				       "it is a virtual file system of the kernel (%s)",
				       kernel_types[i].name)
				.ptr;
	return NULL;
}

/*
 * A service's home may be inside a system directory: its contents belong to the
 * user. A home above the system directories exempts nothing.
 */
static bool is_of_system(struct str real, struct arena *mem)
{
	struct str home = str_of(getenv("HOME"));

	if (is_in(real, STR("/run/user"), mem))
		return false;
	for (size_t i = 0; i < COUNT_OF(system_dirs); i++) {
		struct str dir = real_dir(system_dirs[i], mem);

		if (is_in(real, dir, mem))
			return is_in(dir, home, mem) || !is_in(real, home, mem);
	}
	return false;
}

/* /sbin may be a symlink to /usr/sbin: compare the resolved directories. */
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

static const char *is_wide(enum root_source source, struct str real,
			   struct arena *mem)
{
	if (own_is_above(real, STR("/")))
		return "it is the whole disk";
	if (holds_home(real))
		return holds_home(real);
	if (source == ROOT_DECLARED && is_at_top(real, mem))
		return "it is directly beneath /";
	if (source == ROOT_DECLARED && is_of_system(real, mem))
		return "it is in a system directory";
	return NULL;
}

const char *root_check(enum root_source source, struct str dir,
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
	if (source == ROOT_NAMED)
		return NULL;
	if (!is_same(dir, real, mem))
		return "its location cannot be determined";
	why = is_wide(source, real, mem);
	if (!why)
		why = is_of_kernel(real, mem);
	if (why)
		return why;
	if (source == ROOT_DECLARED && own_has_above(own, real))
		return "it contains files of stet itself";
	if (path_has(real, ".stet"))
		return "it contains the settings of stet";
	row = sensitive_place(real);
	return row ? arena_cstr(mem, arena_printf(mem, "it is sensitive: %s",
						  row->reason))
		   : NULL;
}
