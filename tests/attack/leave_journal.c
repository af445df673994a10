/*
 * leave_journal.c - crash while a file is overwritten in place.
 *
 *	leave_journal DIRECTORY FILE CONTENT
 *
 * Writes CONTENT over FILE as files/journal.h does, and dies when the journal in
 * DIRECTORY is complete and the file is not written yet.
 */
#include "base/fd.h"
#include "files/journal.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int die(void *ctx)
{
	_exit(0);
}

int main(int argc, char **argv)
{
	struct journal j = { .wait_ms = 1000 };
	struct locks locks;
	int fd;

	if (argc != 4) {
		fprintf(stderr, "leave_journal DIRECTORY FILE CONTENT\n");
		return 2;
	}
	locks_init(&locks, STR(""));
	j.dir = str_of(argv[1]);
	j.locks = &locks;
	fd = fd_openat(AT_FDCWD, argv[2], O_RDWR, 0);
	if (fd < 0 ||
	    journal_write(&j, fd,
			  &(struct journal_want){ .path = str_of(argv[2]),
						  .bytes = str_of(argv[3]),
						  .ready = die }))
		perror(argv[2]);
	return 1; /* not reached: the process dies at the write */
}
