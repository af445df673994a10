/*
 * fuzz_path.c - paths through a tree of symlinks, one name per byte.
 *
 * What is opened is what realpath() gives, beneath a root; openat2() and the
 * fallback walk agree.
 */
#include "base/fd.h"
#include "files/beneath.h"
#include "files/path.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char base[] = "/tmp/stet-fuzz-XXXXXX";
static struct roots *roots;

/* A name and its symlink target; NULL = a directory, "" = a file. */
static const struct {
	const char *name, *to;
} tree[] = {
	{ "one", NULL },
	{ "one/dir", NULL },
	{ "one/dir/deep", NULL },
	{ "two", NULL },
	{ "two/dir", NULL },
	{ "out", NULL },
	{ "out/dir", NULL },
	{ "one-more", NULL },
	{ "one/file", "" },
	{ "one/dir/file", "" },
	{ "one/dir/deep/file", "" },
	{ "two/file", "" },
	{ "two/dir/file", "" },
	{ "out/file", "" },
	{ "out/dir/file", "" },
	{ "one-more/file", "" },
	{ "one/in", "dir" },
	{ "one/up", ".." },
	{ "one/self", "." },
	{ "one/leave", "../out" },
	{ "one/other", "../two/dir" },
	{ "one/loop", "loop/x" },
	{ "one/dir/in", "../in/deep" },
	{ "one/dir/up", "../../one" },
	{ "one/dir/other", "../../two" },
	{ "one/dir/leave", "/etc" },
	{ "two/in", "dir/../dir" },
	{ "two/other", "../one/dir" },
	{ "out/back", "../one" },
	{ "out/dir/back", "../../two" },
};

/* A name for each byte. */
static const char *const names[] = {
	"one", "two",  "out", "one-more", "dir",  "deep",   "file", "in",
	"up",  "self", "..",  "other",    "loop", "leave",  "back", ".",
	"",    "new",  "..",  "x/",       "/",    "../one", "tmp",  "...",
};

static void need(bool claim)
{
	if (!claim)
		abort();
}

static void at_base(char *to, const char *name)
{
	(void)snprintf(to, PATH_MAX, "%s/%s", base, name);
}

static void remove_tree(void)
{
	char path[PATH_MAX];

	for (size_t i = COUNT_OF(tree); i--;) {
		at_base(path, tree[i].name);
		(void)remove(path);
	}
	(void)remove(base);
}

static void plant_one(const char *name, const char *to)
{
	char path[PATH_MAX];
	FILE *file;

	at_base(path, name);
	if (!to) {
		need(!mkdir(path, 0755));
	} else if (*to) {
		need(!symlink(to, path));
	} else {
		file = fopen(path, "w");
		need(file && !fclose(file));
	}
}

static void plant(void)
{
	char one[PATH_MAX], two[PATH_MAX];

	need(mkdtemp(base) != NULL);
	need(!atexit(remove_tree));
	for (size_t i = 0; i < COUNT_OF(tree); i++)
		plant_one(tree[i].name, tree[i].to);
	at_base(one, "one");
	at_base(two, "two");
	roots = roots_open((const struct str[]){ str_of(one), str_of(two) }, 2,
			   STR(""));
	need(roots->n == 2);
}

static enum err open_file(struct str path, struct arena *mem, bool slowly,
			  struct opened *ret)
{
	struct fault f;

	beneath_slowly(slowly);
	return beneath_open(roots, path, mem, ret, &f);
}

static void check_file(struct str path, struct arena *mem)
{
	auto_opened quick = { .fd = -1 }, slow = { .fd = -1 };
	enum err a = open_file(path, mem, false, &quick);
	enum err b = open_file(path, mem, true, &slow);
	char real[PATH_MAX];
	struct str rest;

	need(a == b);
	if (a)
		return;
	need(realpath(path.ptr, real) != NULL);
	need(str_is(quick.key, real) && str_is(slow.key, real));
	need(path_beneath(str_of(real), roots->root[0].real, &rest) ||
	     path_beneath(str_of(real), roots->root[1].real, &rest));
	need(quick.st.st_ino == slow.st.st_ino);
}

static enum err find_place(struct str path, struct arena *mem, bool slowly,
			   struct resolved *ret)
{
	struct fault f;

	beneath_slowly(slowly);
	return beneath_resolve(roots, path, mem, ret, &f);
}

/* The directory of a place is beneath a root, and the key says which. */
static void check_place(struct str path, struct arena *mem)
{
	auto_resolved quick = RESOLVED_INIT, slow = RESOLVED_INIT;
	enum err a = find_place(path, mem, false, &quick);
	enum err b = find_place(path, mem, true, &slow);
	struct stat here, there;
	struct str rest;

	need(a == b);
	if (a)
		return;
	need(str_eq(quick.key, slow.key));
	need(roots_find(roots, quick.key, &rest) != NULL);
	if (!quick.name[0])
		return;
	need(!fstat(quick.dir, &here));
	need(!stat(arena_cstr(mem, path_parent(quick.key)), &there));
	need(here.st_ino == there.st_ino && here.st_dev == there.st_dev);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_arena mem = ARENA_INIT;
	auto_buf path = BUF_INIT;

	if (!roots)
		plant();
	buf_add(&path, str_of(base));
	for (size_t i = 0; i < size && path.len < 3000; i++) {
		buf_addc(&path, '/');
		buf_add(&path, str_of(names[data[i] % COUNT_OF(names)]));
	}
	buf_addc(&path, '\0');
	path.len--;
	check_file(buf_str(&path), &mem);
	check_place(buf_str(&path), &mem);
	return 0;
}
