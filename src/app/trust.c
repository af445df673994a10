/*
 * trust.c - the list of trusted projects, and reading settings files safely.
 *
 * The list is a JSON file beside the person's settings. A project's file is
 * opened without following symlinks and refused when it has several links.
 */
#include "app/trust.h"

#include "app/configfile.h"
#include "base/digest.h"
#include "base/fd.h"
#include "files/path.h"
#include "files/ws_local.h"
#include "text/encoding/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct str trust_user_dir(struct arena *mem)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	const struct passwd *user;

	if (config && config[0] == '/')
		return path_join(mem, str_of(config), STR("stet"));
	if (!home || home[0] != '/') {
		user = getpwuid(getuid());
		home = user ? user->pw_dir : NULL;
	}
	if (!home || home[0] != '/')
		return STR("");
	return path_join(mem, str_of(home), STR(".config/stet"));
}

static enum err unreadable(struct str path, const char *why, struct arena *mem,
			   struct fault *f)
{
	return fail(f, ERR_BAD_CONFIG,
		    .text = arena_printf(mem, STR_FMT ": %s", STR_ARG(path),
					 why));
}

/* Reads from @fd; if opening failed (@fd < 0), reports errno. */
static enum err read_opened(int fd, struct str path, nlink_t most_names,
			    struct arena *mem, struct str *ret, struct fault *f)
{
	struct stat st;
	ssize_t got;
	char *to;

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return fail(f, ERR_NOT_FOUND, .path = path);
	if (fd < 0 && errno == ELOOP)
		return unreadable(path, "it is a symlink", mem, f);
	if (fd < 0 || fstat(fd, &st))
		return unreadable(path, strerror(errno), mem, f);
	if (!S_ISREG(st.st_mode))
		return unreadable(path, "it is not a file", mem, f);
	if (st.st_nlink > most_names)
		return unreadable(path, "it has several hard links", mem, f);
	if (st.st_size > CONFIG_MOST_BYTES)
		return unreadable(path, "it is larger than 1 MiB", mem, f);
	to = arena_alloc(mem, (size_t)st.st_size + 1);
	got = fd_pread(fd, to, (size_t)st.st_size, 0);
	if (got < 0)
		return unreadable(path, strerror(errno), mem, f);
	*ret = str_make(to, (size_t)got);
	return ERR_OK;
}

enum err trust_read_file(struct str path, struct arena *mem, struct str *ret,
			 struct fault *f)
{
	auto_fd fd = fd_openat(AT_FDCWD, arena_cstr(mem, path),
			       O_RDONLY | O_NONBLOCK, 0);

	return read_opened(fd, path, (nlink_t)-1, mem, ret, f);
}

struct str trust_project_path(struct str root, struct arena *mem)
{
	return path_join(mem, root, STR(".stet/config.json"));
}

enum err trust_read_project(struct str root, struct arena *mem, struct str *ret,
			    struct fault *f)
{
	struct str name = path_join(mem, root, STR(".stet"));
	struct str path = trust_project_path(root, mem);
	auto_fd dir = fd_openat(AT_FDCWD, arena_cstr(mem, name),
				O_PATH | O_NOFOLLOW, 0);
	auto_fd fd = -1;
	struct stat st;

	if (dir < 0)
		return read_opened(dir, path, 1, mem, ret, f);
	if (fstat(dir, &st))
		return unreadable(name, strerror(errno), mem, f);
	if (S_ISLNK(st.st_mode))
		return unreadable(name, "it is a symlink", mem, f);
	fd = fd_openat(dir, "config.json", O_RDONLY | O_NONBLOCK | O_NOFOLLOW,
		       0);
	return read_opened(fd, path, 1, mem, ret, f);
}

static struct str list_path(struct arena *mem)
{
	struct str dir = trust_user_dir(mem);

	return dir.len ? path_join(mem, dir, STR("trusted.json")) : STR("");
}

/* [{"command": ..., "match": ...}, ...] */
static void read_hooks(struct json list, struct arena *mem, struct trusted *ret)
{
	struct json_walk w = json_walk(list);
	struct trusted_hook hook;

	while (json_step(&w)) {
		hook = (struct trusted_hook){ 0 };
		/* a hook that cannot be parsed matches every file */
		(void)!json_text(json_get(w.value, "command"), mem,
				 &hook.command);
		(void)!json_text(json_get(w.value, "match"), mem, &hook.match);
		*arena_add(mem, ret->hooks, ret->hook_count) = hook;
	}
}

/* Earlier versions stored only the digest, as a string. */
static bool read_row(struct json dir, struct json v, struct arena *mem,
		     struct trusted *ret)
{
	struct json hooks = json_get(v, "before_edit");

	*ret = (struct trusted){ 0 };
	if (!json_text(dir, mem, &ret->dir) || !str_starts(ret->dir, STR("/")))
		return false;
	if (json_text(v, mem, &ret->digest)) {
		ret->hooks_unknown = true;
		return true;
	}
	if (!json_text(json_get(v, "digest"), mem, &ret->digest))
		return false;
	ret->hooks_unknown = !json_is(hooks, JSON_ARRAY);
	if (!ret->hooks_unknown)
		read_hooks(hooks, mem, ret);
	return true;
}

enum err trust_load(struct arena *mem, struct trust *ret, struct fault *f)
{
	struct str path = list_path(mem), text = STR("");
	struct json_limits limits = { .max_depth = 6 };
	struct trusted row;
	struct json_error error;
	struct json_walk w;
	struct json v;
	enum err e;

	*ret = (struct trust){ 0 };
	if (!path.len)
		return ERR_OK;
	e = trust_read_file(path, mem, &text, f);
	if (e)
		return e == ERR_NOT_FOUND ? ERR_OK : e;
	if (json_parse(text, &limits, mem, &v, &error) ||
	    !json_is(v, JSON_OBJECT))
		return unreadable(path,
				  "it is not in the format of 'stet trust'",
				  mem, f);
	for (w = json_walk(v); json_step(&w);)
		if (read_row(w.key, w.value, mem, &row))
			trust_set(ret, &row, mem);
	return ERR_OK;
}

void trust_make_directories(struct str dir, struct arena *mem)
{
	char *path = arena_cstr(mem, dir);

	for (char *at = path + 1; *at; at++) {
		if (*at != '/')
			continue;
		*at = '\0';
		(void)mkdir(path, 0700);
		*at = '/';
	}
	(void)mkdir(path, 0700); /* the later open reports a failure */
}

static void trust_put_row(struct json_out *o, const struct trusted *row)
{
	json_key_str(o, row->dir);
	if (row->hooks_unknown) {
		json_put_str(o, row->digest);
		return;
	}
	json_open(o, '{');
	json_key(o, "digest");
	json_put_str(o, row->digest);
	json_key(o, "before_edit");
	json_open(o, '[');
	for (size_t i = 0; i < row->hook_count; i++) {
		json_open(o, '{');
		json_key(o, "command");
		json_put_str(o, row->hooks[i].command);
		json_key(o, "match");
		json_put_str(o, row->hooks[i].match);
		json_close(o, '}');
	}
	json_close(o, ']');
	json_close(o, '}');
}

enum err trust_save(const struct trust *t, struct arena *mem, struct fault *f)
{
	struct str dir = trust_user_dir(mem);
	struct store_want want = { .set_mode = true, .mode = 0600 };
	struct workspace *ws;
	auto_buf out = BUF_INIT;
	struct json_out o = json_out(&out);
	struct stored stored;
	enum err e;

	if (!dir.len)
		return unreadable(STR("trusted.json"),
				  "there is no home directory", mem, f);
	json_open(&o, '{');
	for (size_t i = 0; i < t->count; i++)
		trust_put_row(&o, &t->rows[i]);
	json_close(&o, '}');
	buf_lit(&out, "\n");
	trust_make_directories(dir, mem);
	ws = ws_local_new(&(struct ws_local_options){ 0 });
	ws_local_roots(ws, &dir, 1, STR(""), NULL);
	want.bytes = buf_str(&out);
	e = ws_store(ws, list_path(mem), &want, mem, &stored, f);
	ws_local_free(ws);
	return e;
}

struct str trust_digest(struct str text, struct arena *mem)
{
	char hex[DIGEST_HEX + 1];

	digest_hex(digest_of(text), hex);
	return arena_copy(mem, str_of(hex));
}

const struct trusted *trust_find(const struct trust *t, struct str dir)
{
	for (size_t i = 0; i < t->count; i++)
		if (str_eq(t->rows[i].dir, dir))
			return &t->rows[i];
	return NULL;
}

bool trust_has(const struct trust *t, struct str dir, struct str digest)
{
	const struct trusted *row = trust_find(t, dir);

	return row && str_eq(row->digest, digest);
}

void trust_set(struct trust *t, const struct trusted *row, struct arena *mem)
{
	(void)trust_drop(t, row->dir);
	*arena_add(mem, t->rows, t->count) = *row;
}

struct trusted trust_row(struct str dir, const struct config_file *file,
			 struct arena *mem)
{
	enum { MOST = 200 }; /* bytes of the command that are stored */
	struct trusted row = { .dir = dir, .digest = file->digest };

	for (size_t i = 0; i < file->hook_count; i++) {
		const struct config_hook *hook = &file->hooks[i];

		if (!hook->after)
			*arena_add(mem, row.hooks, row.hook_count) =
				(struct trusted_hook){ utf8_head(hook->command,
								 MOST),
						       hook->match };
	}
	return row;
}

bool trust_drop(struct trust *t, struct str dir)
{
	for (size_t i = 0; i < t->count; i++)
		if (str_eq(t->rows[i].dir, dir)) {
			memmove(&t->rows[i], &t->rows[i + 1],
				(t->count - i - 1) * sizeof(*t->rows));
			t->count--;
			return true;
		}
	return false;
}
