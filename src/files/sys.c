/*
 * sys.c - openat2() through syscall(2), for C libraries without a wrapper.
 */
#include "files/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

int sys_openat2(int dir, const char *path, int flags, uint64_t resolve)
{
	struct open_how how = {
		.flags = (unsigned)flags | O_CLOEXEC,
		.resolve = resolve,
	};

	return (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
}
