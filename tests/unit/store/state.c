/*
 * state.c - a state directory for one test (state.h).
 */
#include "state.h"

#include <dirent.h>
#include <ftw.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534 };

static void must(bool done)
{
	if (!done) {
		perror("state");
		abort();
	}
}

struct state state_make(void)
{
	struct state s = { 0 };
	const char *tmp = getenv("TMPDIR");

	s.base = strdup(
		arena_printf(&s.mem, "%s/stet-test-XXXXXX", tmp ? tmp : "/tmp")
			.ptr);
	must(mkdtemp(s.base));
	s.dir = arena_printf(&s.mem, "%s/stet", s.base);
	s.options.dir = s.dir;
	s.store = store_new(&s.options);
	return s;
}

static int remove_one(const char *path, const struct stat *st, int kind,
		      struct FTW *at)
{
	return remove(path);
}

static int open_up(const char *path, const struct stat *st, int kind,
		   struct FTW *at)
{
	return kind == FTW_D || kind == FTW_DNR ? chmod(path, 0700) : 0;
}

void state_end(struct state *s)
{
	store_free(s->store);
	(void)nftw(s->base, open_up, 16, FTW_PHYS);
	must(!nftw(s->base, remove_one, 16, FTW_PHYS | FTW_DEPTH));
	free(s->base);
	arena_free(&s->mem);
}

void state_again(struct state *s)
{
	store_free(s->store);
	s->store = store_new(&s->options);
}

const char *state_path(struct state *s, const char *name)
{
	return arena_printf(&s->mem, STR_FMT "/%s", STR_ARG(s->dir), name).ptr;
}

sqlite3 *state_open_db(struct state *s)
{
	sqlite3 *sql;

	must(sqlite3_open(state_path(s, "history.db"), &sql) == SQLITE_OK);
	(void)sqlite3_busy_timeout(sql, 5000);
	return sql;
}

int64_t state_number(struct state *s, const char *text)
{
	sqlite3 *sql = state_open_db(s);
	sqlite3_stmt *st;
	int64_t n;

	must(sqlite3_prepare_v2(sql, text, -1, &st, NULL) == SQLITE_OK);
	must(sqlite3_step(st) == SQLITE_ROW);
	n = sqlite3_column_int64(st, 0);
	(void)sqlite3_finalize(st);
	(void)sqlite3_close(sql);
	return n;
}

void state_run(struct state *s, const char *text)
{
	sqlite3 *sql = state_open_db(s);

	must(sqlite3_exec(sql, text, NULL, NULL, NULL) == SQLITE_OK);
	(void)sqlite3_close(sql);
}

enum err state_try_op(struct state *s, const char *path, struct str before,
		      struct str after, struct op *ret)
{
	struct op op = { .kind = before.ptr ? OP_UPDATE : OP_CREATE,
			 .path = str_of(path),
			 .tool = STR("write_text_file"),
			 .client = STR("a client"),
			 .session = STR("a session"),
			 .existed = before.ptr,
			 .exists = true,
			 .before = hash_of(before),
			 .after = hash_of(after),
			 .bytes_before = before.len,
			 .bytes_after = after.len,
			 .mode_before = 0644,
			 .mode_after = 0600 };
	struct history_ticket ticket;
	enum err e;

	history_begin(s->store, &op, before, after, &ticket);
	e = history_wait(s->store, ticket, &s->f);
	if (!e)
		history_end(s->store, &op, OP_DONE, NULL);
	*ret = op;
	return e;
}

struct op state_op(struct state *s, const char *path, const char *before,
		   const char *after)
{
	struct op op;

	assert_int_equal(state_try_op(s, path, str_of(before), str_of(after),
				      &op),
			 ERR_OK);
	return op;
}

static const char *find_wal(struct state *s)
{
	DIR *dir = opendir(state_path(s, "daybook"));
	const char *path = NULL;
	struct dirent *entry;

	while (dir && !path && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			path = arena_printf(&s->mem, STR_FMT "/daybook/%s",
					    STR_ARG(s->dir), entry->d_name)
				       .ptr;
	if (dir)
		(void)closedir(dir);
	return path;
}

const char *state_wal(struct state *s)
{
	const char *path = NULL;

	for (int i = 0; i < 1000 && !path; i++) {
		(void)state_op(s, "/wal", "w", "x");
		(void)usleep(10 * 1000);
		path = find_wal(s);
	}
	must(path);
	/*
	 * An operation in the log comes after all that were submitted before.
	 */
	(void)usleep(100 * 1000);
	(void)state_op(s, "/wal", "w", "x");
	return path;
}

bool state_holds(struct state *s, const struct op *op, enum history_side side,
		 struct str want)
{
	struct str got;

	return !history_content(s->store, op, side, &s->mem, &got, &s->f) &&
	       str_eq(got, want);
}

static int wait_for(pid_t child)
{
	int status = 0;

	must(child > 0 && waitpid(child, &status, 0) == child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

int state_in_child(struct state *s, int (*fn)(struct state *s))
{
	pid_t child = fork();

	if (!child)
		_exit(fn(s));
	return wait_for(child);
}

int state_as_nobody(struct state *s, int (*fn)(struct state *s))
{
	pid_t child;

	if (!geteuid())
		must(!chown(s->base, NOBODY, NOBODY));
	child = fork();
	if (!child) {
		if (!geteuid())
			must(!setgroups(0, NULL) && !setgid(NOBODY) &&
			     !setuid(NOBODY));
		_exit(fn(s));
	}
	return wait_for(child);
}
