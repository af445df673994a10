/*
 * fuzz_acp.c - a whole ACP agent.
 *
 * The input is what the editor sends and, after a NUL byte, what Codex sends.
 * Every line to the editor is JSON, and nothing outside the root is read or
 * changed.
 */
#include "world.h"

#include "acp/agent.h"

#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 64 * 1024 };

static struct server *open_files(void *ctx, const struct str *dirs, size_t n,
				 struct arena *mem, struct fault *f)
{
	struct config *config = arena_new(mem, struct config);
	struct server *server;

	*config = config_default;
	config->durability = 1; /* "process": no fsync */
	server = world_server(config, mem);
	if (!server)
		(void)fail(f, ERR_BAD_CONFIG, .text = STR("no server"));
	return server;
}

static void choose_mode(void *ctx, struct server *server, const char *mode)
{
	struct fault f;

	(void)!config_mode(server, mode, &f);
}

static void close_files(void *ctx, struct server *server)
{
	config_free(server);
}

/* The editor: sends everything at once, then only reads. */
struct editor_side {
	int fd;
	struct str says;
	struct buf heard;
};

static void *be_the_editor(void *arg)
{
	struct editor_side *e = arg;
	char room[4096];
	ssize_t n;

	(void)!send(e->fd, e->says.ptr, e->says.len, MSG_NOSIGNAL);
	(void)shutdown(e->fd, SHUT_WR);
	while ((n = recv(e->fd, room, sizeof(room), 0)) > 0)
		buf_add(&e->heard, str_make(room, (size_t)n));
	return NULL;
}

/* A program in place of Codex that prints the file "codex.says". */
static const char *make_codex(struct str says)
{
	const char *path = world_path("codex");
	static bool made;
	struct str script;

	world_put("codex.says", says.ptr ? says.ptr : "", says.len);
	if (made)
		return path;
	script = str_of(world_path("codex.says")); /* ends with its input */
	made = true;
	{
		auto_buf text = BUF_INIT;

		buf_addf(&text, "#!/bin/sh\ncat '%.*s'\nexec cat >/dev/null\n",
			 STR_ARG(script));
		world_put("codex", text.ptr, text.len);
	}
	must(!chmod(path, 0700));
	return path;
}

static void serve(struct str editor, struct str codex)
{
	struct editor_side side = { .says = editor };
	struct agent_options options = {
		.version = "0",
		.codex = make_codex(codex),
		.self = "/bin/false",
		.mode = "auto",
		.app = { NULL, open_files, choose_mode, close_files, NULL },
	};
	pthread_t thread;
	int ends[2];

	must(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends));
	side.fd = ends[0];
	options.in = ends[1];
	options.out = dup(ends[1]);
	must(!pthread_create(&thread, NULL, be_the_editor, &side));
	(void)agent_serve(&options);
	(void)shutdown(ends[0], SHUT_RDWR);
	(void)pthread_join(thread, NULL);
	(void)close(ends[0]);
	world_is_json(buf_str(&side.heard));
	world_is_whole(buf_str(&side.heard));
	buf_free(&side.heard);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	auto_arena mem = ARENA_INIT;
	struct str all, editor;
	size_t end;

	if (len > MOST)
		return 0;
	(void)world_base();
	world_reset();
	all = world_input(bytes, len, &mem);
	end = str_find(all, '\0');
	editor = str_head(all, end);
	serve(editor, str_skip(all, end + 1));
	return 0;
}
