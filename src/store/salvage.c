/*
 * salvage.c - copy what can be read of a damaged database into a new one.
 *
 * Row by row and table by table, from both ends, ignoring errors. Run once, by
 * db.c, under the lock of the state directory.
 */
#include "store/salvage.h"

#include "base/buf.h"

static void statement_finalize(sqlite3_stmt **st)
{
	(void)sqlite3_finalize(*st);
}

#define auto_statement cleanup(statement_finalize) sqlite3_stmt *

static sqlite3_stmt *info_of(sqlite3 *sql, const char *table)
{
	sqlite3_stmt *st = NULL;

	if (sqlite3_prepare_v2(sql, "SELECT name FROM pragma_table_info(?)", -1,
			       &st, NULL) == SQLITE_OK)
		(void)sqlite3_bind_text(st, 1, table, -1, SQLITE_STATIC);
	return st;
}

static const char *next_column(sqlite3_stmt *st)
{
	if (!st || sqlite3_step(st) != SQLITE_ROW)
		return NULL;
	return (const char *)sqlite3_column_text(st, 0);
}

static bool has_column(sqlite3 *sql, const char *table, const char *name)
{
	auto_statement st = info_of(sql, table);
	const char *has = next_column(st);

	while (has && strcmp(has, name) != 0)
		has = next_column(st);
	return has;
}

/*
 * "n, id, time" and "?, ?, ?": the columns that both databases have, because
 * the damaged one may have an older schema.
 */
static bool columns_of(sqlite3 *old, sqlite3 *new, const char *table,
		       struct buf *names, struct buf *marks)
{
	auto_statement st = info_of(new, table);
	const char *name;

	while ((name = next_column(st))) {
		if (!has_column(old, table, name))
			continue;
		buf_addf(names, "%s%s", names->len ? ", " : "", name);
		buf_addf(marks, "%s?", marks->len ? ", " : "");
	}
	return names->len > 0;
}

static sqlite3_stmt *prepare_text(sqlite3 *sql, const struct buf *text)
{
	sqlite3_stmt *st = NULL;

	(void)sqlite3_prepare_v2(sql, text->ptr, (int)text->len, &st, NULL);
	return st;
}

/* Stops at the first row that cannot be read. */
static void copy_rows(sqlite3_stmt *from, sqlite3_stmt *to)
{
	const int n = sqlite3_column_count(from);

	while (sqlite3_step(from) == SQLITE_ROW) {
		for (int i = 0; i < n; i++)
			(void)sqlite3_bind_value(to, i + 1,
						 sqlite3_column_value(from, i));
		(void)sqlite3_step(to);
		(void)sqlite3_reset(to);
	}
}

/* From both ends, so that a bad page costs only the rows around it. */
static void copy_table(sqlite3 *old, sqlite3 *new, const char *table)
{
	static const char *const orders[] = { "ASC", "DESC" };
	auto_buf names = BUF_INIT, marks = BUF_INIT, add = BUF_INIT;

	if (!columns_of(old, new, table, &names, &marks))
		return;
	buf_addf(&add,
		 "INSERT OR IGNORE INTO %s (" STR_FMT ") VALUES (" STR_FMT ")",
		 table, STR_ARG(buf_str(&names)), STR_ARG(buf_str(&marks)));
	auto_statement to = prepare_text(new, &add);
	for (size_t i = 0; to && i < COUNT_OF(orders); i++) {
		auto_buf look = BUF_INIT;

		buf_addf(&look, "SELECT " STR_FMT " FROM %s ORDER BY rowid %s",
			 STR_ARG(buf_str(&names)), table, orders[i]);
		auto_statement from = prepare_text(old, &look);
		if (from)
			copy_rows(from, to);
	}
}

void salvage(const char *path, sqlite3 *to)
{
	static const char *const tables[] = { "blob", "op", "approval", "may" };
	sqlite3 *from = NULL;

	if (sqlite3_open_v2(path, &from,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
			    NULL) == SQLITE_OK)
		for (size_t i = 0; i < COUNT_OF(tables); i++)
			copy_table(from, to, tables[i]);
	(void)sqlite3_close(from);
}
