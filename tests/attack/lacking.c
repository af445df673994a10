/*
 * lacking.c - run a program as on a kernel without Landlock or seccomp.
 *
 *	lacking landlock|seccomp PROGRAM ARGUMENT...
 *
 * The system calls of the missing feature fail with ENOSYS.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int landlock = argc > 2 && !strcmp(argv[1], "landlock");
	unsigned from = landlock ? 444 : SYS_seccomp;
	unsigned to = landlock ? 446 : SYS_seccomp;
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, from, 0, 2),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, to, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(steps) / sizeof(steps[0]), steps };

	if (argc < 3 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		perror("lacking");
		return 2;
	}
	(void)execv(argv[2], argv + 2);
	perror(argv[2]);
	return 2;
}
