/*
 * confine.c - Landlock and seccomp by their system calls.
 *
 * Constants of newer Landlock versions are defined here, because the system's
 * header is often older than the kernel. The seccomp filters are generated at
 * build time (dev/gen-filter.c). Landlock is not applied when other threads
 * exist, as it would not cover them.
 */
#include "base/confine.h"

#include "base/fd.h"
#include "base/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule       445
#define SYS_landlock_restrict_self  446
#endif

enum {
	RULESET_VERSION = 1, /* flag: query the ABI version */
	RULE_PATH = 1,       /* type of rule */
	SCOPE_SOCKETS = 1,
	SCOPE_SIGNALS = 2,
	NET_BIND = 1,
	NET_CONNECT = 2,
	ABI_REFER = 2, /* ABI versions by the feature they added */
	ABI_TRUNCATE = 3,
	ABI_NET = 4,
	ABI_IOCTL = 5,
	ABI_SCOPE = 6,
};

/* Access rights. */
#define FS_EXECUTE    (1ULL << 0)
#define FS_WRITE_FILE (1ULL << 1)
#define FS_READ_FILE  (1ULL << 2)
#define FS_READ_DIR   (1ULL << 3)
#define FS_FIRST      ((1ULL << 13) - 1) /* all rights of version 1 */
#define FS_REFER      (1ULL << 13)
#define FS_TRUNCATE   (1ULL << 14)
#define FS_IOCTL      (1ULL << 15)

/* No tool makes device nodes, sockets or pipes. */
#define FS_MAKE_OTHERS (1ULL << 6 | 1ULL << 9 | 1ULL << 10 | 1ULL << 11)

#define FS_OF_FILES \
	(FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL)

struct ruleset {
	uint64_t fs, net, scoped;
};

struct path_rule {
	uint64_t allowed;
	int32_t fd;
} __attribute__((packed));

static struct confine_state in_force;

static int landlock_version(void)
{
	long version =
		syscall(SYS_landlock_create_ruleset, NULL, 0, RULESET_VERSION);

	return version > 0 ? (int)version : 0;
}

/* The rights that are denied unless a rule allows them. */
static struct ruleset handled_by(int version)
{
	struct ruleset r = { .fs = FS_FIRST };

	if (version >= ABI_REFER)
		r.fs |= FS_REFER;
	if (version >= ABI_TRUNCATE)
		r.fs |= FS_TRUNCATE;
	if (version >= ABI_IOCTL)
		r.fs |= FS_IOCTL;
	if (version >= ABI_NET)
		r.net = NET_BIND | NET_CONNECT;
	if (version >= ABI_SCOPE)
		r.scoped = SCOPE_SOCKETS | SCOPE_SIGNALS;
	return r;
}

/* An older kernel refuses a structure with unknown fields. */
static size_t ruleset_size(int version)
{
	if (version >= ABI_SCOPE)
		return sizeof(struct ruleset);
	return version >= ABI_NET ? offsetof(struct ruleset, scoped)
				  : offsetof(struct ruleset, net);
}

static bool add_path(int ruleset, uint64_t handled,
		     const struct confine_path *p)
{
	auto_fd fd = fd_openat(AT_FDCWD, p->path, O_PATH, 0);
	struct path_rule rule = { FS_READ_DIR, fd };
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return true; /* does not exist: nothing to allow */
	if (p->access == CONFINE_READ)
		rule.allowed |= FS_READ_FILE;
	if (p->access == CONFINE_WRITE)
		rule.allowed =
			handled & ~(FS_EXECUTE | FS_IOCTL | FS_MAKE_OTHERS);
	if (!S_ISDIR(st.st_mode))
		rule.allowed &= FS_OF_FILES;
	return !rule.allowed ||
	       !syscall(SYS_landlock_add_rule, ruleset, RULE_PATH, &rule, 0);
}

/* A task directory has a link per thread. */
static bool is_alone(void)
{
	struct stat st;

	return stat("/proc/self/task", &st) || st.st_nlink <= 3;
}

static void restrict_files(const struct confine_options *want,
			   struct confine_state *ret)
{
	int version = landlock_version();
	struct ruleset r = handled_by(version);
	auto_fd ruleset = -1;

	if (!version || !is_alone())
		return;
	ruleset = (int)syscall(SYS_landlock_create_ruleset, &r,
			       ruleset_size(version), 0);
	if (ruleset < 0)
		return;
	for (size_t i = 0; i < want->count; i++)
		if (!add_path(ruleset, r.fs, &want->paths[i]))
			return;
	if (syscall(SYS_landlock_restrict_self, ruleset, 0))
		return;
	ret->landlock = version;
	ret->network = version >= ABI_NET;
	ret->scoped = version >= ABI_SCOPE;
}

static bool load_filter(bool port)
{
	const struct sock_fprog program =
		port ? (struct sock_fprog){ COUNT_OF(filter_port),
					    (void *)filter_port }
		     : (struct sock_fprog){ COUNT_OF(filter_stdio),
					    (void *)filter_stdio };
	const unsigned flags =
		SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_LOG;

	return !syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags,
			&program) ||
	       !syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			SECCOMP_FILTER_FLAG_TSYNC, &program);
}

void confine_memory(void)
{
	const struct rlimit none = { 0, 0 };

	(void)setrlimit(RLIMIT_CORE, &none);
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

void confine(const struct confine_options *want, struct confine_state *ret)
{
	*ret = (struct confine_state){ 0 };
	if (want->landlock || want->seccomp)
		ret->no_new_privs = !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (want->landlock && ret->no_new_privs)
		restrict_files(want, ret);
	/* Last, because the filter forbids the calls above. */
	if (want->seccomp && ret->no_new_privs)
		ret->seccomp = load_filter(want->port);
	in_force = *ret;
}

struct confine_state confine_now(void)
{
	return in_force;
}

struct confine_state confine_possible(void)
{
	int version = landlock_version();
	const unsigned kill = SECCOMP_RET_KILL_PROCESS;

	return (struct confine_state){
		.landlock = version,
		.network = version >= ABI_NET,
		.scoped = version >= ABI_SCOPE,
		.seccomp = !syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0,
				    &kill),
		.no_new_privs = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) >= 0,
	};
}

void confine_describe(const struct confine_state *s, struct buf *out)
{
	if (s->landlock)
		buf_addf(out, "Landlock %d (files%s%s)", s->landlock,
			 s->network ? ", network" : "",
			 s->scoped ? ", signals" : "");
	else
		buf_lit(out, "no Landlock");
	buf_addf(out, ", %s, %s", s->seccomp ? "seccomp" : "no seccomp",
		 s->no_new_privs ? "no_new_privs" : "no_new_privs is not set");
}
