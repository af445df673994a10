#include "store/process.h"

#include "base/fd.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { STARTED = 22, STAT_MAX = 1024 }; /* proc(5): fields count from 1 */

struct life {
	bool over;        /* nobody has asked yet how it ended */
	uint64_t started; /* 0 = cannot be seen */
};

/*
 * The second field is the program's name in brackets, which may hold blanks
 * and brackets itself: what counts comes after the last one.
 */
static struct life life_in(const char *stat)
{
	const char *at = strrchr(stat, ')');
	bool over = at && (at[2] == 'Z' || at[2] == 'X');

	for (int field = 2; at && field < STARTED; field++)
		at = strchr(at + 1, ' ');
	return (struct life){ over, at ? strtoull(at + 1, NULL, 10) : 0 };
}

static struct life life_of(int64_t pid)
{
	char name[64], stat[STAT_MAX];
	ssize_t n;

	(void)snprintf(name, sizeof(name), "/proc/%lld/stat", (long long)pid);
	auto_fd fd = fd_openat(AT_FDCWD, name, O_RDONLY, 0);
	if (fd < 0)
		return (struct life){ 0 };
	n = fd_read(fd, stat, sizeof(stat) - 1);
	if (n <= 0)
		return (struct life){ 0 };
	stat[n] = '\0';
	return life_in(stat);
}

struct process process_self(void)
{
	int64_t pid = getpid();

	return (struct process){ pid, life_of(pid).started };
}

bool process_is_there(struct process p)
{
	struct life now;

	if (p.pid <= 0 || (kill((pid_t)p.pid, 0) && errno == ESRCH))
		return false;
	now = life_of(p.pid);
	if (now.over)
		return false;
	return !now.started || !p.started || now.started == p.started;
}
