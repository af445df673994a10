/*
 * test_damage.c - older, newer, foreign, damaged and deleted databases.
 */
#include "state.h"

#include "store/salvage.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define MIGRATION(number, sql) [number] = sql,
static const char *const migrations[] = {
#include "store/schema.def"
};
#undef MIGRATION

enum { NEWEST = COUNT_OF(migrations) - 1 };

static void list_is(struct state *s, size_t want)
{
	struct history_query all = { .limit = 10000 };
	struct op *list;
	size_t n;

	assert_int_equal(history_list(s->store, &all, &s->mem, &list, &n,
				      &s->f),
			 ERR_OK);
	assert_int_equal(n, want);
}

/* An empty file: another process is creating the database. */
static void one_who_looks_too_early_sees_nothing(void **state)
{
	auto_state s = state_make();

	assert_int_equal(mkdir(s.dir.ptr, 0700), 0);
	assert_int_equal(close(creat(state_path(&s, "history.db"), 0600)), 0);
	s.options.read_only = true;
	state_again(&s);
	list_is(&s, 0);
	s.options.read_only = false;
	state_again(&s);
	(void)state_op(&s, "/new", NULL, "x");
	list_is(&s, 1);
}

/* Migration from every older schema keeps the rows. */
static void an_old_schema_is_brought_up_to_date(void **state)
{
	for (int version = 1; version < NEWEST; version++) {
		auto_state s = state_make();
		struct approval a = { .digest = STR("d"), .waits_ms = 7 };

		assert_int_equal(mkdir(s.dir.ptr, 0700), 0);
		assert_int_equal(close(creat(state_path(&s, "history.db"),
					     0600)),
				 0);
		state_run(&s, "PRAGMA auto_vacuum=INCREMENTAL;"
			      "PRAGMA journal_mode=WAL");
		/* The row has the columns of the first version. */
		state_run(&s, migrations[1]);
		state_run(&s,
			  "INSERT INTO op (n, id, time, kind, state, path,"
			  " tool, client, session, scope, call, undoes, undone,"
			  " existed, exists_after, before, after, bytes_before,"
			  " bytes_after, mode_before, mode_after, before_blob,"
			  " after_blob, pid, started) VALUES (1,"
			  " x'0123456789abcdef"
			  "0123456789abcdef', 5, 1, 1, '/old', '', '', '', '',"
			  " '', NULL, NULL, 0, 0, x'', x'', 0, 0, 0, 0, NULL,"
			  " NULL, 1, 1)");
		for (int i = 2; i <= version; i++)
			state_run(&s, migrations[i]);
		state_run(&s, arena_printf(&s.mem, "PRAGMA user_version=%d",
					   version)
				      .ptr);
		(void)state_op(&s, "/new", NULL, "x");
		assert_int_equal(approval_ask(s.store, &a, &s.mem, &s.f),
				 ERR_OK);
		assert_int_equal(state_number(&s, "SELECT waits + used FROM"
						  " approval"),
				 7);
		list_is(&s, 2);
		assert_int_equal(state_number(&s, "PRAGMA user_version"),
				 NEWEST);
	}
	assert_true(NEWEST > 1);
}

/* A question from before hunks could be chosen. */
static void put_old_question(struct state *s)
{
	assert_int_equal(store_usable(s->store, &s->f), ERR_OK);
	state_again(s);
	state_run(s, "DROP TABLE approval; DROP TABLE may;"
		     "DROP TABLE approval_piece;"
		     "ALTER TABLE op DROP COLUMN root;"
		     "ALTER TABLE op DROP COLUMN root_dev;"
		     "ALTER TABLE op DROP COLUMN root_ino;"
		     "ALTER TABLE op DROP COLUMN granted_by;"
		     "DROP INDEX op_group;"
		     "ALTER TABLE op DROP COLUMN group_id;"
		     "ALTER TABLE op DROP COLUMN from_path");
	state_run(s, migrations[2]);
	state_run(s, "INSERT INTO approval VALUES (1, x'0123456789abcdef"
		     "0123456789abcdef', 5, 1 << 60, 0, 'Write', '/old', '',"
		     " '', '', 'd', 's', 'diff', 'r', '');"
		     "INSERT INTO may VALUES (1, x'0123456789abcdef"
		     "0123456789abcdef', 5, 0, 3, '', '', '');"
		     "PRAGMA user_version=2");
}

/*
 * An old question is listed but cannot be answered, because its binding is
 * incomplete; an old grant has no client.
 */
static void old_questions_are_void_and_old_grants_are_gone(void **state)
{
	struct grant *grants;
	auto_state s = state_make();
	struct approval *list;
	size_t n;

	put_old_question(&s);
	assert_int_equal(approval_list(s.store, true, &s.mem, &list, &n, &s.f),
			 ERR_OK);
	assert_int_equal(n, 1);
	assert_str(list[0].path, "/old");
	assert_int_equal(list[0].state, APPROVAL_EXPIRED);
	assert_int_equal(list[0].parts, 0);
	assert_str(list[0].hunks, "");
	assert_int_equal(approval_decide(s.store, list[0].id, APPROVAL_ALLOWED,
					 STR(""), STR(""), &s.f),
			 ERR_NO_APPROVAL);
	assert_int_equal(grant_list(s.store, &s.mem, &grants, &n, &s.f),
			 ERR_OK);
	assert_int_equal(n, 0);
	assert_int_equal(state_number(&s, "PRAGMA user_version"), NEWEST);
}

static void an_old_one_can_be_salvaged(void **state)
{
	auto_state s = state_make();
	sqlite3 *to;

	put_old_question(&s);
	assert_int_equal(sqlite3_open(":memory:", &to), SQLITE_OK);
	for (int i = 1; i <= NEWEST; i++)
		assert_int_equal(sqlite3_exec(to, migrations[i], NULL, NULL,
					      NULL),
				 SQLITE_OK);
	salvage(state_path(&s, "history.db"), to);
	assert_int_equal(sqlite3_exec(to,
				      "UPDATE approval SET parts = 1"
				      " WHERE path = '/old' AND parts = 0",
				      NULL, NULL, NULL),
			 SQLITE_OK);
	assert_int_equal(sqlite3_changes(to), 1);
	(void)sqlite3_close(to);
}

static void a_newer_one_is_left_alone(void **state)
{
	auto_state s = state_make();
	struct op op;

	(void)state_op(&s, "/a", NULL, "x");
	state_again(&s);
	state_run(&s, "PRAGMA user_version=99");
	assert_int_equal(store_usable(s.store, &s.f), ERR_STORE);
	assert_non_null(strstr(s.f.text.ptr, "newer"));
	assert_non_null(strstr(s.f.text.ptr, "99"));
	assert_int_equal(state_try_op(&s, "/b", STR(""), STR("y"), &op),
			 ERR_STORE);
	assert_int_equal(state_number(&s, "SELECT count(*) FROM op"), 1);
	assert_str(store_put_aside(s.store), "");
}

static void what_is_not_ours_is_left_alone(void **state)
{
	auto_state s = state_make();

	assert_int_equal(mkdir(s.dir.ptr, 0700), 0);
	assert_int_equal(close(creat(state_path(&s, "history.db"), 0600)), 0);
	state_run(&s, "CREATE TABLE t (x); PRAGMA application_id=77");
	assert_int_equal(store_usable(s.store, &s.f), ERR_STORE);
	assert_non_null(strstr(s.f.text.ptr, "not a history"));
	assert_int_equal(state_number(&s, "SELECT count(*) FROM t"), 0);
}

static size_t count_names(struct state *s, const char *with)
{
	DIR *dir = opendir(s->dir.ptr);
	struct dirent *entry;
	size_t n = 0;

	while ((entry = readdir(dir)))
		n += strstr(entry->d_name, with) != NULL;
	(void)closedir(dir);
	return n;
}

static void put_at(struct state *s, long offset, const char *bytes, size_t n)
{
	int fd = open(state_path(s, "history.db"), O_WRONLY);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, n, offset), (ssize_t)n);
	(void)close(fd);
}

/* The damaged file is renamed, and a new database is created. */
static void one_that_is_no_database_is_put_aside(void **state)
{
	auto_state s = state_make();
	struct stat st;

	(void)state_op(&s, "/a", NULL, "x");
	state_again(&s);
	/* Without the -wal, from which SQLite would repair it. */
	assert_int_equal(state_number(&s, "SELECT count(*) FROM op"), 1);
	put_at(&s, 0, "this is no database", 19);
	(void)state_op(&s, "/b", NULL, "y");
	list_is(&s, 1);
	assert_int_equal(count_names(&s, ".corrupt-"), 1);
	assert_non_null(strstr(store_put_aside(s.store).ptr, ".corrupt-"));
	assert_int_equal(stat(store_put_aside(s.store).ptr, &st), 0);
	state_again(&s);
	list_is(&s, 1);
	assert_int_equal(count_names(&s, ".corrupt-"), 1);
	assert_str(store_put_aside(s.store), "");
}

enum { MANY = 400, PAGE = 4096 };

/* A page in the middle is damaged: rows before and after it are kept. */
static void what_can_be_read_of_a_damaged_one_is_kept(void **state)
{
	auto_state s = state_make();
	char junk[PAGE];
	struct history_query all = { .limit = MANY * 2 };
	struct op *list;
	size_t n, whole = 0;
	int64_t root;

	for (int i = 0; i < MANY; i++)
		(void)state_op(&s, arena_printf(&s.mem, "/dir/file-%d", i).ptr,
			       NULL, arena_printf(&s.mem, "content %d", i).ptr);
	state_again(&s);
	/* A leaf of the table somewhere in the middle, found by SQLite. */
	root = state_number(&s, "SELECT pageno FROM dbstat WHERE name = 'op'"
				" AND pagetype = 'leaf'"
				" ORDER BY path LIMIT 1 OFFSET 5");
	memset(junk, 0xa5, sizeof(junk));
	put_at(&s, (root - 1) * PAGE, junk, sizeof(junk));

	/* The read that finds the damage fails; the next one succeeds. */
	(void)!history_list(s.store, &all, &s.mem, &list, &n, &s.f);
	assert_int_equal(history_list(s.store, &all, &s.mem, &list, &n, &s.f),
			 ERR_OK);
	assert_true(n > MANY / 2 && n < MANY);
	assert_int_equal(count_names(&s, ".corrupt-"), 1);
	for (size_t i = 0; i < n; i++) {
		struct str got;

		whole += !history_content(s.store, &list[i], HISTORY_AFTER,
					  &s.mem, &got, &s.f);
	}
	assert_int_equal(whole, n);
	(void)state_op(&s, "/new", NULL, "x");
	list_is(&s, n + 1);
	state_again(&s);
	assert_int_equal(state_number(&s, "SELECT integrity_check = 'ok' FROM"
					  " pragma_integrity_check"),
			 1);
}

/* The writer finds the damage: its operation is in the new database. */
static void the_writer_goes_on_with_a_new_one(void **state)
{
	auto_state s = state_make();
	char junk[PAGE];
	int64_t root;

	(void)state_op(&s, "/a", NULL, "x");
	state_again(&s);
	root = state_number(
		&s, "SELECT rootpage FROM sqlite_schema WHERE name = 'op'");
	memset(junk, 0xa5, sizeof(junk));
	put_at(&s, (root - 1) * PAGE, junk, sizeof(junk));
	(void)state_op(&s, "/b", NULL, "y");
	list_is(&s, 1);
	assert_int_equal(count_names(&s, ".corrupt-"), 1);
}

/* The state directory was removed while the store is open. */
static void a_database_that_vanished_is_made_anew(void **state)
{
	auto_state s = state_make();

	(void)state_op(&s, "/a", NULL, "x");
	list_is(&s, 1);
	assert_int_equal(rename(s.dir.ptr, state_path(&s, "../gone")), 0);
	(void)state_op(&s, "/b", NULL, "y");
	list_is(&s, 1);
}

/* A content that does not fit its digest is never returned. */
static void a_damaged_content_is_told(void **state)
{
	auto_state s = state_make();
	struct op op = state_op(&s, "/a", NULL, "sound");
	struct str got;

	assert_true(state_holds(&s, &op, HISTORY_AFTER, STR("sound")));
	state_run(&s, "UPDATE blob SET bytes = x'00'");
	assert_int_equal(history_content(s.store, &op, HISTORY_AFTER, &s.mem,
					 &got, &s.f),
			 ERR_STORE);
	state_run(&s, "DELETE FROM blob");
	assert_int_equal(history_content(s.store, &op, HISTORY_AFTER, &s.mem,
					 &got, &s.f),
			 ERR_NO_CONTENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_who_looks_too_early_sees_nothing),
		cmocka_unit_test(an_old_schema_is_brought_up_to_date),
		cmocka_unit_test(
			old_questions_are_void_and_old_grants_are_gone),
		cmocka_unit_test(an_old_one_can_be_salvaged),
		cmocka_unit_test(a_newer_one_is_left_alone),
		cmocka_unit_test(what_is_not_ours_is_left_alone),
		cmocka_unit_test(one_that_is_no_database_is_put_aside),
		cmocka_unit_test(what_can_be_read_of_a_damaged_one_is_kept),
		cmocka_unit_test(the_writer_goes_on_with_a_new_one),
		cmocka_unit_test(a_database_that_vanished_is_made_anew),
		cmocka_unit_test(a_damaged_content_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
