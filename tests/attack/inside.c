/*
 * inside.c - preloaded into a server: code of an attacker who has taken it
 * over. At SIGUSR1 it tries to open every path in $STET_TRY (by colons) and
 * writes "ERRNO PATH" for each, 0 where it could, to the file $STET_TRIED,
 * which it has opened at the start.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *paths;
static int out = -1;

/* stdio in a signal handler: safe here, as no other code uses it. */
static void try_all(int number)
{
	char line[4200];
	char *rest, *path;

	(void)number;
	for (path = strtok_r(paths, ":", &rest); path;
	     path = strtok_r(NULL, ":", &rest)) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		int n = snprintf(line, sizeof(line), "%d %s\n",
				 fd < 0 ? errno : 0, path);

		if (fd >= 0)
			(void)close(fd);
		(void)!write(out, line, (size_t)n);
	}
	(void)!write(out, "end\n", 4);
}

static __attribute__((constructor)) void prepare(void)
{
	struct sigaction act = { .sa_handler = try_all,
				 .sa_flags = SA_RESTART };
	const char *to = getenv("STET_TRIED");

	if (!to || !getenv("STET_TRY"))
		return;
	paths = strdup(getenv("STET_TRY"));
	out = open(to, O_WRONLY | O_APPEND | O_CLOEXEC);
	(void)sigaction(SIGUSR1, &act, NULL);
}
