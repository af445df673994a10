/*
 * sys.h - system calls without a wrapper in the C library.
 */
#ifndef STET_SYS_H
#define STET_SYS_H

#include "base/base.h"

#include <linux/openat2.h>

/* openat2(2), O_CLOEXEC added; -1 with errno. */
must_check int sys_openat2(int dir, const char *path, int flags,
			   uint64_t resolve);

#endif
