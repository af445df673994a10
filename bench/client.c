/*
 * client.c - an MCP client on a pipe that measures a server.
 *
 *	client [-n CALLS] [-w WARM] [-o ONCE] [-p] [-t SECONDS] [-m MIB]
 *	       [-l FILE [-k KEPT]] REQUESTS COMMAND [ARGUMENT...]
 *
 * REQUESTS holds one message on a line, ready to be sent: `initialize`, its
 * notification, `tools/list`, ONCE calls that are made once, then the others,
 * which are sent over and over until there were WARM + CALLS of them. Only
 * the last CALLS are measured,
 * each from before its first byte is written until its reply's newline is
 * read; with -p they are all written without waiting and measured together.
 * An empty REQUESTS measures the start alone, to the first line that comes.
 *
 * One JSON object goes to stdout: nanoseconds and KiB. Exit 3 says that the
 * server took more than SECONDS, 1 that it ended early. -l keeps the last
 * KEPT replies, so that the caller can check them. MIB of memory are touched
 * before the server starts: a virtual machine may have returned free memory to
 * its host, and getting it back takes milliseconds for each MiB, which would
 * count for the first server of a run.
 *
 * The pipes are as large as an unprivileged process may make them, as a client
 * that wants to be fast would have them.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum {
	REPLY_MAX = 512 * 1024 * 1024, /* reserved; pages are used on demand */
	PIPE_SIZE = 1024 * 1024,
	START = 64,    /* bytes of a message that are searched for "method" */
	HANDSHAKE = 3, /* lines of REQUESTS before the calls */
	PAGE_SIZE = 4096,
	LEAVE_MS = 2000, /* until a server whose input has ended is killed */
};

struct text {
	char *ptr;
	size_t len;
};

struct requests {
	char *bytes;
	struct text *lines;
	size_t count;
};

struct memory {
	long rss, pss, peak;
};

struct client {
	const char *requests, *last;
	size_t calls, warm, once, kept, memory;
	FILE *keep;
	bool pipelined;
	unsigned seconds;

	int to, from;
	char *reply;
	size_t reply_len;   /* bytes in the buffer */
	size_t reply_bytes; /* length of the last reply */
	size_t bytes;       /* length of all measured replies */
	size_t errors;
	uint64_t start, total, *each;
	struct memory idle, before, after;
};

static pid_t server; /* the signal handler kills it */

static void end_server(void)
{
	if (server > 0)
		(void)kill(server, SIGKILL);
}

static void on_signal(int number)
{
	end_server();
	_exit(number == SIGALRM ? 3 : 1);
}

__attribute__((noreturn)) static void die(const char *what)
{
	(void)fprintf(stderr, "client: %s: %s\n", what, strerror(errno));
	end_server();
	exit(1);
}

static void *must(void *ptr)
{
	if (!ptr)
		die("memory");
	return ptr;
}

static uint64_t now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static struct text load(const char *path)
{
	struct text all = { NULL, 0 };
	FILE *file = fopen(path, "re");
	long size;

	if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0)
		die(path);
	rewind(file);
	all.ptr = must(malloc((size_t)size + 1));
	all.len = fread(all.ptr, 1, (size_t)size, file);
	(void)fclose(file);
	return all;
}

static struct requests split(struct text all)
{
	struct requests r = { all.ptr, NULL, 0 };
	char *at = all.ptr, *end = all.ptr + all.len, *newline;

	while (at < end && (newline = memchr(at, '\n', (size_t)(end - at)))) {
		r.lines = must(
			realloc(r.lines, (r.count + 1) * sizeof(*r.lines)));
		r.lines[r.count].ptr = at;
		r.lines[r.count++].len = (size_t)(newline + 1 - at);
		at = newline + 1;
	}
	return r;
}

/* In huge pages: only those are returned to the host. */
static void use_memory(size_t mib)
{
	size_t size = mib * 1024 * 1024;
	void *at;

	if (!size)
		return;
	at = mmap(NULL, size, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		die("memory");
	(void)madvise(at, size, MADV_HUGEPAGE);
	memset(at, 1, size);
	(void)munmap(at, size);
}

static bool has_left(uint64_t until)
{
	while (!waitpid(server, NULL, WNOHANG)) {
		if (now() > until)
			return false;
		(void)usleep(1000);
	}
	return true;
}

/*
 * Stop the server by closing its input. A killed server would leave work (a
 * write-ahead log) to the next one, where it would be measured.
 */
static void leave(struct client *c)
{
	(void)alarm(0);
	(void)close(c->to);
	if (has_left(now() + LEAVE_MS * 1000000ull))
		return;
	end_server();
	(void)waitpid(server, NULL, 0);
}

/* The server on two large pipes; its stderr goes nowhere. */
static void spawn(struct client *c, char **command)
{
	posix_spawn_file_actions_t files;
	int in[2], out[2];

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		die("pipe");
	(void)fcntl(in[1], F_SETPIPE_SZ, PIPE_SIZE);
	(void)fcntl(out[0], F_SETPIPE_SZ, PIPE_SIZE);
	(void)posix_spawn_file_actions_init(&files);
	(void)posix_spawn_file_actions_adddup2(&files, in[0], 0);
	(void)posix_spawn_file_actions_adddup2(&files, out[1], 1);
	(void)posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY,
					       0);
	c->start = now();
	errno = posix_spawnp(&server, command[0], &files, NULL, command,
			     environ);
	if (errno)
		die(command[0]);
	(void)posix_spawn_file_actions_destroy(&files);
	(void)close(in[0]);
	(void)close(out[1]);
	c->to = in[1];
	c->from = out[0];
}

static void put(struct client *c, struct text bytes)
{
	ssize_t n;

	while (bytes.len) {
		n = write(c->to, bytes.ptr, bytes.len);
		if (n < 0)
			die("write");
		bytes.ptr += n;
		bytes.len -= (size_t)n;
	}
}

/* Is the line a notification or request of the server? They are ignored. */
static bool unasked(const struct client *c)
{
	size_t len = c->reply_len < START ? c->reply_len : START;

	return memmem(c->reply, len, "\"method\":", 9);
}

/* Drop the first line of the buffer. */
static void drop_line(struct client *c)
{
	char *end = memchr(c->reply, '\n', c->reply_len);
	size_t gone = (size_t)(end + 1 - c->reply);

	c->reply_len -= gone;
	memmove(c->reply, end + 1, c->reply_len);
}

static void take(struct client *c)
{
	ssize_t n;

	do {
		n = read(c->from, c->reply + c->reply_len,
			 REPLY_MAX - c->reply_len);
		if (n <= 0)
			die("the server ended");
		c->reply_len += (size_t)n;
	} while (c->reply[c->reply_len - 1] != '\n');
}

/* Read the reply; lines after it are dropped. */
static void get(struct client *c)
{
	c->reply_len = 0;
	do {
		take(c);
		while (c->reply_len && unasked(c))
			drop_line(c);
	} while (!c->reply_len);
	c->reply_bytes = c->reply_len;
}

static bool holds(const struct client *c, const char *what)
{
	return memmem(c->reply, c->reply_len, what, strlen(what));
}

static void check(struct client *c)
{
	if (holds(c, "\"isError\":true") || holds(c, "\"error\":{\"code\":"))
		c->errors++;
}

static long field(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtol(at + strlen(name), NULL, 10) : 0;
}

static void slurp(const char *file, char *to, size_t size)
{
	char path[64];
	ssize_t n;
	int fd;

	to[0] = 0;
	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)server, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	n = read(fd, to, size - 1);
	to[n > 0 ? n : 0] = 0;
	(void)close(fd);
}

static struct memory weigh(void)
{
	struct memory m;
	char text[4096];

	slurp("smaps_rollup", text, sizeof(text));
	m.rss = field(text, "\nRss:");
	m.pss = field(text, "\nPss:");
	slurp("status", text, sizeof(text));
	m.peak = field(text, "\nVmHWM:");
	return m;
}

static void handshake(struct client *c, const struct requests *r)
{
	put(c, r->lines[0]);
	get(c);
	c->start = now() - c->start;
	check(c);
	put(c, r->lines[1]);
	put(c, r->lines[2]);
	get(c);
	check(c);
	c->idle = weigh();
}

static struct text call(const struct client *c, const struct requests *r,
			size_t i)
{
	size_t before = HANDSHAKE + c->once;

	return r->lines[before + i % (r->count - before)];
}

static void keep(struct client *c)
{
	if (fwrite(c->reply, 1, c->reply_len, c->keep) != c->reply_len)
		die(c->last);
}

static void one_by_one(struct client *c, const struct requests *r)
{
	uint64_t t;

	for (size_t i = 0; i < c->calls; i++) {
		t = now();
		put(c, call(c, r, c->warm + i));
		get(c);
		c->each[i] = now() - t;
		c->total += c->each[i];
		c->bytes += c->reply_len;
		check(c);
		if (c->keep && i + c->kept >= c->calls)
			keep(c);
	}
}

static struct text joined(const struct client *c, const struct requests *r)
{
	struct text all = { NULL, 0 };

	for (size_t i = 0; i < c->calls; i++)
		all.len += call(c, r, c->warm + i).len;
	all.ptr = must(malloc(all.len));
	all.len = 0;
	for (size_t i = 0; i < c->calls; i++) {
		memcpy(all.ptr + all.len, call(c, r, c->warm + i).ptr,
		       call(c, r, c->warm + i).len);
		all.len += call(c, r, c->warm + i).len;
	}
	return all;
}

static size_t count_lines(const char *at, const char *end)
{
	size_t n = 0;

	while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
		at++;
		n++;
	}
	return n;
}

/* Replies overwrite each other in c->reply: only newlines are counted. */
static size_t take_some(struct client *c)
{
	ssize_t n = read(c->from, c->reply, REPLY_MAX);

	if (n <= 0)
		die("the server ended");
	c->reply_len = (size_t)n;
	check(c);
	return count_lines(c->reply, c->reply + n);
}

static void all_at_once(struct client *c, const struct requests *r)
{
	struct text rest = joined(c, r);
	char *bytes = rest.ptr;
	size_t replies = 0;
	ssize_t n;

	(void)fcntl(c->to, F_SETFL, O_NONBLOCK);
	c->total = now();
	while (replies < c->calls) {
		struct pollfd fds[] = {
			{ rest.len ? c->to : -1, POLLOUT, 0 },
			{ c->from, POLLIN, 0 },
		};

		if (poll(fds, 2, -1) < 0)
			die("poll");
		if (fds[0].revents) {
			n = write(c->to, rest.ptr, rest.len);
			if (n < 0)
				die("write");
			rest.ptr += n;
			rest.len -= (size_t)n;
		}
		if (fds[1].revents)
			replies += take_some(c);
	}
	c->total = now() - c->total;
	if (c->keep)
		keep(c);
	free(bytes);
}

static void run(struct client *c, const struct requests *r)
{
	handshake(c, r);
	for (size_t i = 0; i < c->once; i++) {
		put(c, r->lines[HANDSHAKE + i]);
		get(c);
		check(c);
	}
	for (size_t i = 0; i < c->warm; i++) {
		put(c, call(c, r, i));
		get(c);
		check(c);
	}
	c->before = weigh();
	if (c->pipelined)
		all_at_once(c, r);
	else
		one_by_one(c, r);
	c->after = weigh();
}

static void say_memory(const char *name, struct memory m)
{
	printf(",\"%s\":{\"rss\":%ld,\"pss\":%ld,\"peak\":%ld}", name, m.rss,
	       m.pss, m.peak);
}

static void say(const struct client *c)
{
	printf("{\"start\":%llu,\"total\":%llu,\"errors\":%zu,\"reply\":%zu,"
	       "\"bytes\":%zu",
	       (unsigned long long)c->start, (unsigned long long)c->total,
	       c->errors, c->reply_bytes, c->bytes);
	say_memory("idle", c->idle);
	say_memory("before", c->before);
	say_memory("after", c->after);
	printf(",\"each\":[");
	for (size_t i = 0; !c->pipelined && i < c->calls; i++)
		printf("%s%llu", i ? "," : "", (unsigned long long)c->each[i]);
	printf("]}\n");
}

static size_t number(const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*end || !*text)
		die(text);
	return n;
}

static char **options(struct client *c, int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "+n:w:o:k:pt:l:m:")) != -1) {
		if (option == 'n')
			c->calls = number(optarg);
		else if (option == 'w')
			c->warm = number(optarg);
		else if (option == 'o')
			c->once = number(optarg);
		else if (option == 'k')
			c->kept = number(optarg);
		else if (option == 'm')
			c->memory = number(optarg);
		else if (option == 't')
			c->seconds = (unsigned)number(optarg);
		else if (option == 'l')
			c->last = optarg;
		else if (option == 'p')
			c->pipelined = true;
		else
			exit(2);
	}
	if (argc - optind < 2)
		exit(2);
	c->requests = argv[optind];
	return argv + optind + 1;
}

int main(int argc, char **argv)
{
	struct client c = { .seconds = 60, .kept = 1 };
	char **command = options(&c, argc, argv);
	struct requests r = split(load(c.requests));

	/* Page-aligned: else some machines read at a quarter of the speed. */
	c.reply = must(aligned_alloc(PAGE_SIZE, REPLY_MAX));
	c.each = must(calloc(c.calls + 1, sizeof(*c.each)));
	if (c.last)
		c.keep = must(fopen(c.last, "we"));
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGALRM, on_signal);
	(void)signal(SIGINT, on_signal);
	(void)signal(SIGTERM, on_signal);
	use_memory(c.memory);
	(void)alarm(c.seconds);
	spawn(&c, command);
	if (r.count > HANDSHAKE || (r.count && !c.calls)) {
		run(&c, &r);
	} else {
		get(&c);
		c.start = now() - c.start;
	}
	if (c.keep && fclose(c.keep))
		die(c.last);
	say(&c);
	leave(&c);
	return 0;
}
