/*
 * person.c - detects a person at a terminal, and loads the files they name.
 *
 * Files go through a workspace of their own (files/ws_local.h).
 */
#include "app/person.h"
#include "app/screen.h"

#include "app/policy.h"
#include "base/fd.h"
#include "text/encoding/utf8.h"
#include "text/lines/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_BYTES = 256 * 1024 * 1024 };

bool person_has_terminal(void)
{
	auto_fd controlling = fd_openat(AT_FDCWD, "/dev/tty", O_RDWR, 0);

	return isatty(STDIN_FILENO) && controlling >= 0;
}

enum err person_check_here(const char *command, struct arena *mem,
			   struct fault *f)
{
	static const struct policy_flags none = { 0 };
	struct policy *policy;
	bool may;
	enum err e;

	if (person_has_terminal())
		return ERR_OK;
	e = policy_new(&none, NULL, &policy, f);
	may = !e && policy_approvals(policy)->yes_i_am_the_person;
	if (e)
		f->text = arena_copy(mem, f->text);
	policy_free(policy);
	if (e || may)
		return e;
	return fail(f, ERR_NO_PERSON, .name = str_of(command));
}

void person_end(struct person *p)
{
	if (p->ws)
		ws_local_free(p->ws);
	arena_free(&p->mem);
}

int person_says(struct person *p, const char *name, const char *words)
{
	screen_warn("stet: %s: %s\n", name, words);
	return 1;
}

int person_misused(const struct command *command, const char *words)
{
	return command_misused(command,
			       &(struct fault){ .err = ERR_BAD_ARGS,
						.text = str_of(words) });
}

int person_cannot_hold(struct person *p, const char *name, const char *encoding,
		       struct str text, size_t bad)
{
	struct str rest = str_skip(text, bad);
	size_t len = 1;

	if (rest.len)
		(void)utf8_next(rest, &len);
	screen_warn("stet: %s: %s cannot represent '" STR_FMT
		    "' (line %zu); the file is unchanged\n",
		    name, encoding, STR_ARG(str_head(rest, len)),
		    lines_at(text, bad));
	return 1;
}

static bool complain(struct person *p, const char *name, struct fault *f)
{
	screen_warn("stet: %s: " STR_FMT "\n", name,
		    STR_ARG(fault_text(f, &p->mem)));
	return false;
}

/* The directory becomes the root, so a symlink cannot lead out of it. */
static bool open_root(struct person *p, const char *name, struct str *path)
{
	char real[PATH_MAX];
	struct str dir;

	if (!realpath(name, real))
		return false;
	*path = arena_copy(&p->mem, str_of(real));
	dir = str_head(*path, size_max(str_rfind(*path, '/'), 1));
	if (!p->ws)
		p->ws = ws_local_new(&(struct ws_local_options){ 0 });
	ws_local_roots(p->ws, &dir, 1, STR(""), NULL);
	return true;
}

static enum err person_load_file(struct person *p, const struct encoding *named,
				 struct person_file *ret, struct fault *f)
{
	enum err e = ws_load(p->ws, ret->path, MOST_BYTES, NULL, &p->mem,
			     &ret->snap, f);

	if (e)
		return e;
	if (encoding_detect(ret->snap.bytes, named, &ret->in) ||
	    encoding_decode_escaped(ret->in.encoding, ret->snap.bytes, &p->mem,
				    &ret->shown))
		return fail(f, ERR_BINARY_READ, .path = ret->path);
	return ERR_OK;
}

bool person_load(struct person *p, const char *name,
		 const struct encoding *named, struct person_file *ret)
{
	struct fault f;

	if (!open_root(p, name, &ret->path)) {
		screen_warn("stet: %s: %s\n", name, strerror(errno));
		return false;
	}
	return !person_load_file(p, named, ret, &f) || complain(p, name, &f);
}

bool person_try(struct person *p, const char *name, struct person_file *ret)
{
	struct fault f;

	return open_root(p, name, &ret->path) &&
	       !person_load_file(p, NULL, ret, &f);
}

bool person_store(struct person *p, const struct person_file *file,
		  struct str bom, struct str bytes)
{
	struct store_want want = { .base = STORE_VERSION,
				   .version = file->snap.version };
	char *all = arena_alloc(&p->mem, bom.len + bytes.len);
	struct stored stored;
	struct fault f;

	if (bom.len)
		memcpy(all, bom.ptr, bom.len);
	if (bytes.len)
		memcpy(all + bom.len, bytes.ptr, bytes.len);
	want.bytes = str_make(all, bom.len + bytes.len);
	if (!ws_store(p->ws, file->path, &want, &p->mem, &stored, &f))
		return true;
	return complain(p, arena_cstr(&p->mem, file->path), &f);
}
