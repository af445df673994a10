/*
 * scratch.c - temporary directories and helpers for the tests of files.
 */
#include "scratch.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534, MOST = 1024 * 1024 };

static void must(bool done)
{
	if (!done) {
		perror("scratch");
		abort();
	}
}

static void open_workspace(struct scratch *s)
{
	const struct ws_local_options options = { .durability = s->durability,
						  .lock_wait_ms = 2000 };

	ws_local_free(s->ws);
	s->ws = ws_local_new(&options);
	ws_local_roots(s->ws, &s->root, 1, STR("start it with --root"), NULL);
}

static const char *scratch_name(struct arena *mem, const char *in)
{
	return arena_printf(mem, "%s/stet-test-XXXXXX", in).ptr;
}

struct scratch scratch_make(void)
{
	struct scratch s = { .durability = DURABLE_PROCESS };
	const char *tmp = getenv("TMPDIR");

	s.base = strdup(scratch_name(&s.mem, tmp ? tmp : "/tmp"));
	if (!mkdtemp(s.base)) {
		free(s.base);
		s.base = strdup(scratch_name(&s.mem, "/tmp"));
		must(mkdtemp(s.base));
	}
	must(!chmod(s.base, 0755));
	scratch_dir(&s, "root");
	scratch_dir(&s, "outside");
	scratch_dir(&s, "state");
	must(!setenv("XDG_STATE_HOME", scratch_path(&s, "state"), 1));
	must(!setenv("XDG_RUNTIME_DIR", scratch_path(&s, "state"), 1));
	s.root = scratch_str(&s, "root");
	open_workspace(&s);
	return s;
}

static int remove_one(const char *path, const struct stat *st, int kind,
		      struct FTW *at)
{
	return remove(path);
}

static int open_up(const char *path, const struct stat *st, int kind,
		   struct FTW *at)
{
	return kind == FTW_D || kind == FTW_DNR ? chmod(path, 0700) : 0;
}

void scratch_end(struct scratch *s)
{
	ws_local_free(s->ws);
	(void)nftw(s->base, open_up, 16, FTW_PHYS);
	must(!nftw(s->base, remove_one, 16, FTW_PHYS | FTW_DEPTH));
	free(s->base);
	arena_free(&s->mem);
}

char *scratch_path(struct scratch *s, const char *name)
{
	return (char *)arena_printf(&s->mem, "%s/%s", s->base, name).ptr;
}

struct str scratch_str(struct scratch *s, const char *name)
{
	return str_of(scratch_path(s, name));
}

void scratch_put(struct scratch *s, const char *name, const char *content)
{
	FILE *file = fopen(scratch_path(s, name), "w");

	must(file && fputs(content, file) >= 0 && !fclose(file));
}

void scratch_dir(struct scratch *s, const char *name)
{
	must(!mkdir(scratch_path(s, name), 0755));
}

void scratch_link(struct scratch *s, const char *to, const char *name)
{
	must(!symlink(to, scratch_path(s, name)));
}

const char *scratch_get(struct scratch *s, const char *name)
{
	FILE *file = fopen(scratch_path(s, name), "r");
	char *to = arena_alloc(&s->mem, MOST + 1);
	size_t n;

	if (!file)
		return NULL;
	n = fread(to, 1, MOST, file);
	to[n] = '\0';
	(void)fclose(file);
	return to;
}

size_t scratch_names(struct scratch *s, const char *name)
{
	DIR *dir = opendir(scratch_path(s, name));
	struct dirent *entry;
	size_t n = 0;

	if (!dir)
		return 0;
	while ((entry = readdir(dir)))
		n += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	(void)closedir(dir);
	return n;
}

enum err scratch_load(struct scratch *s, const char *name, struct str *ret)
{
	struct snapshot snap;
	enum err e;

	e = ws_load(s->ws, scratch_str(s, name), MOST, NULL, &s->mem, &snap,
		    &s->f);
	if (!e)
		*ret = snap.bytes;
	return e;
}

enum err scratch_store(struct scratch *s, const char *name, const char *content,
		       struct stored *ret)
{
	const struct store_want want = { .bytes = str_of(content) };
	struct stored ignored;

	return ws_store(s->ws, scratch_str(s, name), &want, &s->mem,
			ret ? ret : &ignored, &s->f);
}

enum err scratch_store_over(struct scratch *s, const char *name,
			    const char *old, const char *content)
{
	const struct store_want want = {
		.base = STORE_VERSION,
		.version = hash_of(str_of(old)),
		.bytes = str_of(content),
	};
	struct stored ignored;

	return ws_store(s->ws, scratch_str(s, name), &want, &s->mem, &ignored,
			&s->f);
}

static int nobody(struct scratch *s, int (*fn)(struct scratch *s))
{
	if (!geteuid())
		must(!setgroups(0, NULL) &&
		     !setresgid(NOBODY, NOBODY, NOBODY) &&
		     !setresuid(NOBODY, NOBODY, NOBODY));
	open_workspace(s);
	return fn(s);
}

int scratch_as_nobody(struct scratch *s, int (*fn)(struct scratch *s))
{
	int status;
	pid_t pid;

	if (!geteuid())
		must(!chown(scratch_path(s, "root"), NOBODY, NOBODY) &&
		     !chown(scratch_path(s, "state"), NOBODY, NOBODY));
	pid = fork();
	must(pid >= 0);
	if (!pid) {
		int line = nobody(s, fn);

		if (line)
			(void)fprintf(stderr, "# as nobody: line %d\n", line);
		_exit(line ? 1 : 0);
	}
	must(waitpid(pid, &status, 0) == pid);
	return status;
}
