/*
 * history.c - what recording a change in the history adds to a write.
 *
 *	bench_history DIR [BYTES [ROUNDS]]
 *
 * The same file is replaced with and without a history, in turn, as stet does
 * it: a temporary file, fsync, rename, fsync of the directory. Prints one line of
 * medians in microseconds for each way.
 */
#include "store/history.h"
#include "base/clock.h"
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS_MOST = 10000 };

struct sums {
	const char *name;
	double cpu; /* seconds of all threads */
	double *all, *begin, *wait, *end;
};

static double now_us(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static double cpu_us(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void must(bool done, const char *what)
{
	if (done)
		return;
	perror(what);
	exit(1);
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), by_size);
	return values[n / 2];
}

static void write_neighbour(int dir, struct str bytes, bool sync)
{
	auto_fd fd =
		fd_openat(dir, "file.new", O_WRONLY | O_CREAT | O_TRUNC, 0600);

	must(fd >= 0 && !fd_write(fd, bytes), "write");
	must(!sync || !fd_fsync(fd), "fsync");
}

static void replace(int dir, bool sync)
{
	must(!renameat(dir, "file.new", dir, "file"), "rename");
	must(!sync || !fd_fsync(dir), "fsync dir");
}

/* One write; with a @store it is recorded there. */
static void one(struct store *store, int dir, struct str before,
		struct str after, bool sync, struct sums *s, size_t i)
{
	struct op op = { .kind = OP_UPDATE,
			 .path = STR("/project/src/somewhere/in/it/file.c"),
			 .tool = STR("write_text_file"),
			 .client = STR("a client"),
			 .session = STR("a session"),
			 .call = STR("a call"),
			 .existed = true,
			 .exists = true };
	struct history_ticket ticket;
	struct fault f;
	double start = now_us(), t = start, cpu = cpu_us();

	if (store)
		history_begin(store, &op, before, (struct str){ 0 }, &ticket);
	s->begin[i] = now_us() - t;
	write_neighbour(dir, after, sync);
	t = now_us();
	if (store)
		must(!history_wait(store, ticket, &f), "history");
	s->wait[i] = now_us() - t;
	replace(dir, sync);
	t = now_us();
	if (store)
		history_end(store, &op, OP_DONE, &after);
	s->end[i] = now_us() - t;
	s->all[i] = now_us() - start;
	s->cpu += cpu_us() - cpu;
}

static struct sums sums_new(const char *name)
{
	struct sums s = { .name = name };

	s.all = calloc(ROUNDS_MOST, sizeof(double));
	s.begin = calloc(ROUNDS_MOST, sizeof(double));
	s.wait = calloc(ROUNDS_MOST, sizeof(double));
	s.end = calloc(ROUNDS_MOST, sizeof(double));
	return s;
}

static void say(struct sums *s, size_t n, double floor)
{
	double all = median(s->all, n);

	printf("%-10s all %7.0f us  begin %5.1f  wait %6.1f  end %5.1f  "
	       "p10 %7.0f  p90 %7.0f  cpu %4.0f",
	       s->name, all, median(s->begin, n), median(s->wait, n),
	       median(s->end, n), s->all[n / 10], s->all[n * 9 / 10],
	       s->cpu / (double)n);
	if (floor > 0)
		printf("  added %+.0f us", all - floor);
	printf("\n");
}

static void change(char *bytes, size_t n, size_t round)
{
	(void)snprintf(bytes, n, "/* round %zu */", round);
}

static void run(const char *path, int dir, size_t n, size_t rounds,
		bool durable)
{
	const char *where = durable ? "h-durable" : "h-quick";
	struct store_options options = { .durable = durable };
	struct sums plain = sums_new("plain"), kept = sums_new("history");
	char *before = malloc(n), *after = malloc(n), text[4096];
	struct store *store;

	(void)snprintf(text, sizeof(text), "%s/%s", path, where);
	options.dir = str_of(text);
	store = store_new(&options);
	for (size_t i = 0; i < n; i++)
		before[i] = after[i] =
			"int main(void)\n{\n\treturn 0;\n}\n"[(i * 7 + i / 31) %
							      30];
	for (size_t i = 0; i < rounds; i++) {
		change(after, n, i);
		one(NULL, dir, STR(""), str_make(after, n), durable, &plain, i);
		one(store, dir, str_make(before, n), str_make(after, n),
		    durable, &kept, i);
		change(before, n, i);
	}
	printf("%zu bytes, %s\n", n, durable ? "durable" : "not durable");
	say(&plain, rounds, 0);
	say(&kept, rounds, median(plain.all, rounds));
	store_free(store);
	free(before);
	free(after);
}

static void reopen(const char *path, size_t rounds)
{
	double *open = calloc(rounds, sizeof(*open));
	double *close = calloc(rounds, sizeof(*close));
	char text[4096];

	(void)snprintf(text, sizeof(text), "%s/h-durable", path);
	for (size_t i = 0; i < rounds; i++) {
		struct store_options options = { .dir = str_of(text) };
		struct store *store = store_new(&options);
		double start = now_us();
		struct fault f;

		must(!store_usable(store, &f), "open");
		open[i] = now_us() - start;
		start = now_us();
		store_free(store);
		close[i] = now_us() - start;
	}
	printf("open %.0f us, close %.0f us\n", median(open, rounds),
	       median(close, rounds));
}

/* A process that makes one change and ends, as `stet call` does. */
static void once(const char *path, int dir, size_t n, size_t rounds)
{
	struct sums plain = sums_new("plain"), kept = sums_new("once");
	double *ends = calloc(rounds, sizeof(*ends));
	char *bytes = calloc(1, n), text[4096];

	(void)snprintf(text, sizeof(text), "%s/h-once", path);
	for (size_t i = 0; i < rounds; i++) {
		struct store_options options = { .dir = str_of(text),
						 .durable = true };
		struct store *store = store_new(&options);
		double start;

		change(bytes, n, i);
		one(NULL, dir, STR(""), str_make(bytes, n), true, &plain, i);
		one(store, dir, STR(""), str_make(bytes, n), true, &kept, i);
		start = now_us();
		store_free(store);
		ends[i] = now_us() - start;
	}
	printf("%zu bytes, durable, opened for each; then closed in %.0f us\n",
	       n, median(ends, rounds));
	say(&plain, rounds, 0);
	say(&kept, rounds, median(plain.all, rounds));
	free(bytes);
}

int main(int argc, char **argv)
{
	size_t n = argc > 2 ? strtoul(argv[2], NULL, 10) : 32768;
	size_t rounds = argc > 3 ? strtoul(argv[3], NULL, 10) : 500;
	auto_fd dir = -1;

	if (argc < 2 || n < 64 || !rounds || rounds > ROUNDS_MOST) {
		fprintf(stderr, "usage: bench_history DIR [BYTES [ROUNDS]]\n");
		return 2;
	}
	dir = fd_openat(AT_FDCWD, argv[1], O_RDONLY | O_DIRECTORY, 0);
	must(dir >= 0, argv[1]);
	run(argv[1], dir, n, rounds, true);
	run(argv[1], dir, n, rounds, false);
	once(argv[1], dir, n, size_min(rounds, 200));
	reopen(argv[1], 200);
	return 0;
}
