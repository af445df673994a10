/*
 * kill_at.c - run a command, and kill it just before its Nth system call.
 *
 *	kill_at N COMMAND...
 *
 * Calls are counted over all threads; N = 0: never. The exit status is 0 when
 * it was killed, 1 when it ended by itself, 2 when it could not be traced.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static const int options =
	PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL;

static pid_t start(char **command)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	if (ptrace(PTRACE_TRACEME, 0, 0, 0) || raise(SIGSTOP))
		_exit(126);
	(void)execv(command[0], command);
	_exit(127);
}

/* The signal to deliver to the tracee, or 0 for a stop by ptrace. */
static int signal_for(int status)
{
	int sig = WSTOPSIG(status);

	if (status >> 16 || sig == (SIGTRAP | 0x80) || sig == SIGTRAP ||
	    sig == SIGSTOP)
		return 0;
	return sig;
}

static int trace(pid_t child, long at)
{
	long count = 0;
	int status;
	pid_t pid;

	if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_SETOPTIONS, child, 0, options) ||
	    ptrace(PTRACE_SYSCALL, child, 0, 0))
		return 2;
	while ((pid = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
		if (pid == child && (WIFEXITED(status) || WIFSIGNALED(status)))
			return WIFEXITED(status) ? 1 : 0;
		if (!WIFSTOPPED(status))
			continue;
		/* Each call stops twice: half of these are its start. */
		if (WSTOPSIG(status) == (SIGTRAP | 0x80) && ++count == 2 * at)
			(void)kill(child, SIGKILL);
		else
			(void)ptrace(PTRACE_SYSCALL, pid, 0,
				     signal_for(status));
	}
	return 2;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	return trace(start(argv + 2), strtol(argv[1], NULL, 10));
}
