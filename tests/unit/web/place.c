/*
 * place.c - a temporary state directory for the tests of this folder.
 */
#include "place.h"

#include "base/fd.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct place place_make(void)
{
	struct place p = { 0 };
	char name[] = "/tmp/stet-web-XXXXXX";

	assert_non_null(mkdtemp(name));
	p.base = arena_cstr(&p.mem, str_of(name));
	p.dir = arena_printf(&p.mem, "%s/stet", name);
	return p;
}

void place_end(struct place *p)
{
	DIR *dir = opendir(p->dir.ptr);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		(void)unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		(void)closedir(dir);
	(void)rmdir(p->dir.ptr);
	assert_int_equal(rmdir(p->base), 0);
	arena_free(&p->mem);
}

const char *place_path(struct place *p, const char *name)
{
	return arena_printf(&p->mem, STR_FMT "/%s", STR_ARG(p->dir), name).ptr;
}

struct str place_read(struct place *p, const char *name)
{
	enum { MOST = 64 * 1024 };
	auto_fd fd = fd_openat(AT_FDCWD, place_path(p, name), O_RDONLY, 0);
	char *to = arena_alloc(&p->mem, MOST);
	ssize_t n = fd < 0 ? 0 : fd_pread(fd, to, MOST, 0);

	assert_true(n >= 0);
	return str_make(to, (size_t)n);
}

void place_write(struct place *p, const char *name, const char *text,
		 unsigned mode)
{
	const char *path = place_path(p, name);
	auto_fd fd =
		fd_openat(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode);

	assert_true(fd >= 0);
	assert_int_equal(fchmod(fd, mode), 0);
	assert_int_equal(fd_write(fd, str_of(text)), 0);
}

struct tokens *place_tokens(struct place *p)
{
	struct tokens_options options = { .dir = p->dir };
	struct tokens *t = tokens_open(&options, &p->mem, &p->f);

	assert_non_null(t);
	return t;
}

const char *place_words(struct place *p)
{
	return arena_cstr(&p->mem, fault_text(&p->f, &p->mem));
}
