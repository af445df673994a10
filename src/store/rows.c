/*
 * rows.c - prepared statements: bind parameters, step, read columns (db.h).
 *
 * Statements are prepared at their first use and kept with the connection.
 */
#include "store/db.h"

static const char *const queries[] = {
#define QUERY(name, sql) sql,
#include "store/queries.def"
#undef QUERY
};

struct rows rows_of(struct db *db, enum db_query query)
{
	sqlite3_stmt **kept = &db->prepared[query];

	if (!*kept)
		(void)sqlite3_prepare_v3(db->sql, queries[query], -1,
					 SQLITE_PREPARE_PERSISTENT, kept, NULL);
	return (struct rows){ .db = db, .statement = *kept };
}

void rows_end(struct rows *r)
{
	if (!r->statement)
		return;
	(void)sqlite3_reset(r->statement);
	(void)sqlite3_clear_bindings(r->statement);
	r->statement = NULL;
}

bool rows_next(struct rows *r, struct fault *f)
{
	int said = r->statement ? sqlite3_step(r->statement) : SQLITE_ERROR;

	r->at = 0;
	if (said == SQLITE_ROW)
		return true;
	r->err = said == SQLITE_DONE ? ERR_OK : db_fail(r->db, f);
	return false;
}

enum err rows_run(struct rows *r, struct fault *f)
{
	while (rows_next(r, f))
		;
	return r->err;
}

/* Errors of bind are not checked: the statement fails when it runs. */
void put_int(struct rows *r, int64_t n)
{
	(void)sqlite3_bind_int64(r->statement, ++r->at, n);
}

void put_null(struct rows *r)
{
	(void)sqlite3_bind_null(r->statement, ++r->at);
}

void put_str(struct rows *r, struct str s)
{
	(void)sqlite3_bind_text64(r->statement, ++r->at, s.len ? s.ptr : "",
				  s.len, SQLITE_STATIC, SQLITE_UTF8);
}

void put_bytes(struct rows *r, struct str s)
{
	(void)sqlite3_bind_blob64(r->statement, ++r->at, s.len ? s.ptr : "",
				  s.len, SQLITE_STATIC);
}

/*
 * Bind an id or a hash of the caller's, which may be gone when the statement
 * runs: from a copy in @r, and by a copy of SQLite's when there is no room.
 */
static void put_copy(struct rows *r, const uint8_t bytes[16])
{
	const bool fits = r->copies < COUNT_OF(r->copy);

	if (fits)
		bytes = memcpy(r->copy[r->copies++], bytes, 16);
	(void)sqlite3_bind_blob(r->statement, ++r->at, bytes, 16,
				fits ? SQLITE_STATIC : SQLITE_TRANSIENT);
}

void put_uuid(struct rows *r, struct uuid id)
{
	put_copy(r, id.bytes);
}

void put_optional_id(struct rows *r, struct uuid id)
{
	if (uuid_is_zero(id))
		put_null(r);
	else
		put_uuid(r, id);
}

void put_hash(struct rows *r, struct hash h)
{
	uint8_t bytes[16];

	for (int i = 0; i < 8; i++) {
		bytes[i] = (uint8_t)(h.high >> (56 - 8 * i));
		bytes[8 + i] = (uint8_t)(h.low >> (56 - 8 * i));
	}
	put_copy(r, bytes);
}

int64_t get_int(struct rows *r)
{
	return sqlite3_column_int64(r->statement, r->at++);
}

struct str get_view(struct rows *r)
{
	int at = r->at++;
	const void *bytes = sqlite3_column_blob(r->statement, at);
	int n = sqlite3_column_bytes(r->statement, at);

	return n > 0 && bytes ? str_make(bytes, (size_t)n) : STR("");
}

struct str get_str(struct rows *r, struct arena *mem)
{
	return arena_copy(mem, get_view(r));
}

struct uuid get_uuid(struct rows *r)
{
	struct str bytes = get_view(r);
	struct uuid id = { 0 };

	if (bytes.len == sizeof(id.bytes))
		memcpy(id.bytes, bytes.ptr, sizeof(id.bytes));
	return id;
}

struct hash get_hash(struct rows *r)
{
	struct str bytes = get_view(r);
	struct hash h = { 0 };

	for (size_t i = 0; bytes.len == 16 && i < 8; i++) {
		h.high = h.high << 8 | (uint8_t)bytes.ptr[i];
		h.low = h.low << 8 | (uint8_t)bytes.ptr[8 + i];
	}
	return h;
}

enum err rows_part(struct db *db, enum db_query query, const char *digits,
		   struct uuid *ret, struct fault *f)
{
	auto_rows r = rows_of(db, query);
	struct uuid id;
	int64_t fits;

	put_str(&r, str_of(digits));
	if (!rows_next(&r, f))
		return r.err ? r.err : fail(f, ERR_NO_OP, .text = STR(""));
	id = get_uuid(&r);
	fits = get_int(&r);
	if (rows_next(&r, f)) {
		(void)get_uuid(&r);
		if (get_int(&r) == fits)
			return fail(f, ERR_MANY_OPS, .text = STR(""));
	}
	if (!r.err)
		*ret = id;
	return r.err;
}
