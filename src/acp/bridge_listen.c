/*
 * bridge_listen.c - creates the listening socket of the bridge.
 *
 * In a fresh directory of mode 0700 below XDG_RUNTIME_DIR or /tmp.
 */
#include "acp/bridge_listen.h"

#include "base/fd.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 16 };

int bridge_listen(struct arena *mem, char **dir, struct str *path)
{
	const char *run = getenv("XDG_RUNTIME_DIR");
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	auto_fd fd =
		socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	/* "/stet-XXXXXX/acp" must fit */
	if (!run || *run != '/' || strlen(run) + 20 > sizeof(at.sun_path))
		run = "/tmp";
	*dir = arena_cstr(mem, arena_printf(mem, "%s/stet-XXXXXX", run));
	if (!mkdtemp(*dir)) {
		*dir = NULL;
		return -1;
	}
	*path = arena_printf(mem, "%s/acp", *dir);
	memcpy(at.sun_path, path->ptr, path->len);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) ||
	    chmod(path->ptr, 0600) || listen(fd, BACKLOG))
		return -1;
	return fd_take(&fd);
}
