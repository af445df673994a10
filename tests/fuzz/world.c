/*
 * world.c - files and a server for the fuzz targets that run whole programs.
 *
 * Uses a temporary directory, and app/config to make a server as the program
 * does.
 */
#include "world.h"

#include "base/json.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

static const char original[] = "one\ntwo\nthree\n";
static struct arena names;
static char base[64];
static bool input_has_secret; /* libFuzzer copies our strings into inputs */

static int remove_one(const char *path, const struct stat *st, int kind,
		      struct FTW *at)
{
	return remove(path);
}

static void remove_all(const char *path)
{
	(void)nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void remove_world(void)
{
	remove_all(base);
}

const char *world_base(void)
{
	if (base[0])
		return base;
	(void)snprintf(base, sizeof(base), "%s/stet-fuzz-XXXXXX",
		       access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	must(mkdtemp(base));
	(void)atexit(remove_world);
	must(!mkdir(world_path("outside"), 0700));
	must(!mkdir(world_path("home"), 0700));
	world_put("outside/secret", WORLD_SECRET, strlen(WORLD_SECRET));
	(void)setenv("HOME", world_path("home"), 1);
	(void)setenv("STET_TOKEN", WORLD_TOKEN, 1);
	(void)unsetenv("XDG_STATE_HOME");
	(void)unsetenv("XDG_CONFIG_HOME");
	(void)unsetenv("XDG_RUNTIME_DIR");
	world_reset();
	return base;
}

const char *world_path(const char *name)
{
	return arena_printf(&names, "%s/%s", world_base(), name).ptr;
}

void world_put(const char *name, const void *bytes, size_t len)
{
	int fd = open(world_path(name),
		      O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	must(fd >= 0 && write(fd, bytes, len) == (ssize_t)len);
	(void)close(fd);
}

void world_reset(void)
{
	remove_all(world_path("root"));
	must(!mkdir(world_path("root"), 0700));
	must(!mkdir(world_path("root/src"), 0700));
	world_put("root/a.txt", original, strlen(original));
	world_put("root/src/b.txt", original, strlen(original));
	must(!symlink("../outside/secret", world_path("root/out")));
	must(!symlink("../outside", world_path("root/away")));
}

struct server *world_server(struct config *config, struct arena *mem)
{
	char *roots[] = { (char *)world_path("root") };
	struct server *server;
	struct fault f;

	config->state_dir = world_path("home/state");
	server = config_server(config, &f, mem);
	if (!server)
		return NULL;
	if (!config_roots(server, roots, 1, mem, &f) &&
	    !config_projects(server, &f))
		return server;
	config_free(server);
	return NULL;
}

static bool holds(struct str text, struct str part)
{
	return part.len <= text.len &&
	       memmem(text.ptr, text.len, part.ptr, part.len);
}

struct str world_input(const uint8_t *bytes, size_t len, struct arena *mem)
{
	struct str rest = str_make((const char *)bytes, len);
	const char *root = world_path("root");
	auto_buf out = BUF_INIT;

	input_has_secret = holds(rest, STR(WORLD_SECRET));
	while (rest.len) {
		size_t at = str_find(rest, '@');

		buf_add(&out, str_head(rest, at));
		rest = str_skip(rest, at);
		if (str_starts(rest, STR("@R@")))
			buf_add(&out, str_of(root));
		else if (str_starts(rest, STR("@T@")))
			buf_lit(&out, WORLD_TOKEN);
		else if (rest.len)
			buf_addc(&out, '@');
		rest = str_skip(rest,
				str_starts(rest, STR("@R@")) ||
						str_starts(rest, STR("@T@"))
					? 3
					: 1);
	}
	return arena_copy(mem, buf_str(&out));
}

void world_is_whole(struct str said)
{
	auto_arena mem = ARENA_INIT;
	int fd = open(world_path("outside/secret"), O_RDONLY | O_CLOEXEC);
	struct stat st;

	must(fd >= 0);
	must(str_is(world_read(fd, &mem), WORLD_SECRET));
	(void)close(fd);
	must(!stat(world_path("outside"), &st) && st.st_nlink == 2);
	must(input_has_secret || !holds(said, STR(WORLD_SECRET)));
}

void world_is_json(struct str said)
{
	auto_arena mem = ARENA_INIT;
	struct json_error error;
	struct str line;
	struct json v;

	while (str_split(&said, '\n', &line))
		if (line.len)
			must(!json_parse(line, NULL, &mem, &v, &error));
}

struct str world_read(int fd, struct arena *mem)
{
	auto_buf all = BUF_INIT;
	char block[65536];
	off_t at = 0;
	ssize_t n;

	while ((n = pread(fd, block, sizeof(block), at)) > 0) {
		buf_add(&all, str_make(block, (size_t)n));
		at += n;
	}
	return arena_copy(mem, buf_str(&all));
}
