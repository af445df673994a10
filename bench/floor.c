/*
 * floor.c - the least time that the machine allows, without any server.
 *
 *	floor hello               a process that starts and says one line
 *	floor pipe BYTES          answer each request with a line of BYTES
 *	floor bulk COUNT BYTES    BYTES through a large pipe, one after the other
 *	floor read COUNT FILE     open, read, close the file
 *	floor write COUNT FILE BYTES   write beside it, fsync, rename, fsync
 *	floor exchange COUNT FILE BYTES  the same without either fsync, and
 *		with an exchange: ext4 flushes what is renamed over a file
 *	floor scan COUNT FILE     one pass over the file that counts its lines
 *	floor run COUNT LINES COMMAND...  start the program and read its output:
 *		LINES lines of it, or with 0 all; no output is a failure
 *
 * The first two are servers for the client; the others do their work COUNT
 * times and print the nanoseconds of each as a JSON array.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum {
	CHUNK = 256 * 1024,
	LARGE = 32 * 1024, /* bytes of a reply that needs a larger pipe */
	PIPE_SIZE = 1024 * 1024,
	LANES = 64,
	PAGE_SIZE = 4096,
};

struct work {
	const char *path;
	char *other; /* the temporary file in the same directory */
	char *dir;
	size_t bytes;
	char *buffer;
	unsigned turn;
};

__attribute__((noreturn)) static void die(const char *what)
{
	(void)fprintf(stderr, "floor: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void *must(void *ptr)
{
	if (!ptr)
		die("memory");
	return ptr;
}

/* Page-aligned: some machines read far slower otherwise. */
static size_t pages(size_t bytes)
{
	return (bytes + PAGE_SIZE - 1) / PAGE_SIZE * PAGE_SIZE;
}

static size_t number(const char *text)
{
	return text ? strtoul(text, NULL, 10) : 0;
}

static uint64_t now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void write_all(int fd, const char *at, size_t len)
{
	ssize_t n;

	for (; len; at += n, len -= (size_t)n) {
		n = write(fd, at, len);
		if (n < 0)
			die("write");
	}
}

/* A request has an id near its start; a notification gets no answer. */
static void answer(const char *line, size_t len, const struct work *w)
{
	if (!memmem(line, len < 64 ? len : 64, "\"id\":", 5))
		return;
	write_all(STDOUT_FILENO, w->buffer, w->bytes);
}

static void serve_pipe(struct work *w)
{
	static _Alignas(PAGE_SIZE) char in[2 * PIPE_SIZE];
	char *line, *end;
	size_t len = 0;
	ssize_t n;

	w->buffer[w->bytes - 1] = '\n';
	if (w->bytes > LARGE)
		(void)fcntl(STDOUT_FILENO, F_SETPIPE_SZ, PIPE_SIZE);
	while ((n = read(STDIN_FILENO, in + len, sizeof(in) - len)) > 0) {
		/* Search the new bytes only. */
		end = memchr(in + len, '\n', (size_t)n);
		len += (size_t)n;
		line = in;
		while (end) {
			answer(line, (size_t)(end - line), w);
			line = end + 1;
			end = memchr(line, '\n', (size_t)(in + len - line));
		}
		len = (size_t)(in + len - line);
		memmove(in, line, len);
	}
}

static void read_file(struct work *w)
{
	int fd = open(w->path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		die(w->path);
	do
		n = read(fd, w->buffer, w->bytes);
	while (n > 0);
	(void)close(fd);
}

static int put_over(const struct work *w, bool durable)
{
	if (durable ||
	    renameat2(AT_FDCWD, w->other, AT_FDCWD, w->path, RENAME_EXCHANGE))
		return rename(w->other, w->path);
	return unlink(w->other);
}

static void store(struct work *w, bool durable)
{
	int fd = open(w->other, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	int dir = open(w->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || dir < 0)
		die(w->other);
	memset(w->buffer, 'a' + (int)(w->turn++ % 26), w->bytes);
	write_all(fd, w->buffer, w->bytes);
	if ((durable && fsync(fd)) || close(fd) || put_over(w, durable) ||
	    (durable && fsync(dir)) || close(dir))
		die(w->path);
}

static void write_file(struct work *w)
{
	store(w, true);
}

static void exchange_file(struct work *w)
{
	store(w, false);
}

/* Sums that fit a byte, so that the compiler can vectorize the loop. */
static size_t count_lines(const char *at, size_t len)
{
	unsigned char sums[LANES];
	size_t count = 0, i = 0;

	while (i + LANES <= len) {
		memset(sums, 0, sizeof(sums));
		for (int n = 0; n < UINT8_MAX && i + LANES <= len; n++)
			for (size_t lane = 0; lane < LANES; lane++)
				sums[lane] += at[i++] == '\n';
		for (size_t lane = 0; lane < LANES; lane++)
			count += sums[lane];
	}
	while (i < len)
		count += at[i++] == '\n';
	return count;
}

static void scan_file(struct work *w)
{
	int fd = open(w->path, O_RDONLY | O_CLOEXEC);
	volatile size_t lines = 0; /* or the loop is optimized away */
	ssize_t n;

	if (fd < 0)
		die(w->path);
	while ((n = read(fd, w->buffer, CHUNK)) > 0)
		lines += count_lines(w->buffer, (size_t)n);
	(void)lines;
	(void)close(fd);
}

/* The throughput of a pipe that is never empty. */
static void bulk(struct work *w, size_t count)
{
	size_t have = 0, round = 0;
	uint64_t t;
	ssize_t n;
	int fds[2];
	pid_t child;

	if (pipe2(fds, O_CLOEXEC) ||
	    fcntl(fds[1], F_SETPIPE_SZ, PIPE_SIZE) < 0 || (child = fork()) < 0)
		die("pipe");
	if (!child) {
		for (size_t i = 0; i <= count; i++)
			write_all(fds[1], w->buffer, w->bytes);
		_exit(0);
	}
	(void)close(fds[1]);
	t = now();
	putchar('[');
	while ((n = read(fds[0], w->buffer, w->bytes)) > 0) {
		have += (size_t)n;
		if (have < w->bytes)
			continue;
		have -= w->bytes;
		if (round++) /* not the first: it includes the wake-up */
			printf("%s%llu", round > 2 ? "," : "",
			       (unsigned long long)(now() - t));
		t = now();
	}
	puts("]");
	(void)waitpid(child, NULL, 0);
}

static void measure(struct work *w, size_t count, void (*run)(struct work *))
{
	uint64_t t;

	run(w); /* warm up */
	putchar('[');
	for (size_t i = 0; i < count; i++) {
		t = now();
		run(w);
		printf("%s%llu", i ? "," : "", (unsigned long long)(now() - t));
	}
	puts("]");
}

static size_t newlines(const char *at, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += at[i] == '\n';
	return n;
}

/* The pipe is closed after @lines lines: the program ends at its next write. */
static uint64_t run_command(char **command, size_t lines)
{
	static char buffer[CHUNK];
	posix_spawn_file_actions_t files;
	uint64_t t = now();
	size_t have = 0;
	ssize_t n;
	int fds[2];
	pid_t child;

	if (pipe2(fds, O_CLOEXEC))
		die("pipe");
	(void)posix_spawn_file_actions_init(&files);
	(void)posix_spawn_file_actions_adddup2(&files, fds[1], 1);
	errno = posix_spawnp(&child, command[0], &files, NULL, command,
			     environ);
	if (errno)
		die(command[0]);
	(void)posix_spawn_file_actions_destroy(&files);
	(void)close(fds[1]);
	while ((!lines || have < lines) &&
	       (n = read(fds[0], buffer, sizeof(buffer))) > 0)
		have += newlines(buffer, (size_t)n);
	t = now() - t;
	(void)close(fds[0]);
	(void)waitpid(child, NULL, 0);
	if (!have || have < lines)
		die("the command printed too little");
	return t;
}

static void run_commands(size_t count, size_t lines, char **command)
{
	(void)run_command(command, lines); /* warm up */
	putchar('[');
	for (size_t i = 0; i < count; i++)
		printf("%s%llu", i ? "," : "",
		       (unsigned long long)run_command(command, lines));
	puts("]");
}

static const struct {
	const char *name;
	void (*run)(struct work *);
} kinds[] = {
	{ "read", read_file },
	{ "write", write_file },
	{ "exchange", exchange_file },
	{ "scan", scan_file },
};

static void prepare(struct work *w, const char *path)
{
	size_t len = strlen(path);
	const char *slash = strrchr(path, '/');

	w->path = path;
	w->other = must(malloc(len + sizeof(".new")));
	(void)snprintf(w->other, len + sizeof(".new"), "%s.new", path);
	w->dir = must(strndup(path, slash ? (size_t)(slash - path) : 0));
}

int main(int argc, char **argv)
{
	struct work w = { .bytes = 2 * PIPE_SIZE };

	if (argc == 2 && !strcmp(argv[1], "hello")) {
		puts("hello, world");
		return 0;
	}
	if (argc > 4 && !strcmp(argv[1], "run")) {
		run_commands(number(argv[2]), number(argv[3]), argv + 4);
		return 0;
	}
	if (argc == 3)
		w.bytes = number(argv[2]);
	else if (argc == 5)
		w.bytes = number(argv[4]);
	else if (argc == 4 && !strcmp(argv[1], "bulk"))
		w.bytes = number(argv[3]);
	if (argc < 3 || !w.bytes)
		return 2;
	w.buffer = must(aligned_alloc(PAGE_SIZE, pages(w.bytes)));
	memset(w.buffer, 'x', w.bytes);
	if (!strcmp(argv[1], "pipe")) {
		serve_pipe(&w);
		return 0;
	}
	if (argc < 4)
		return 2;
	if (!strcmp(argv[1], "bulk")) {
		bulk(&w, number(argv[2]));
		return 0;
	}
	prepare(&w, argv[3]);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(argv[1], kinds[i].name))
			measure(&w, number(argv[2]), kinds[i].run);
	return 0;
}
