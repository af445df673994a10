#include "base/clock.h"
#include "store/approvals.h"
#include "store/local.h"

enum err grant_add(struct store *s, struct grant *g, struct fault *f)
{
	auto_front db = NULL;
	enum err e = front_take(s, &db, f);

	if (!e)
		e = db_begin(db, s->options.durable, f);
	if (e)
		return e;
	g->time_ms = clock_unix_ms();
	g->id = uuid_new(g->time_ms);
	auto_rows r = rows_of(db, Q_MAY_ADD);
	put_uuid(&r, g->id);
	put_int(&r, (int64_t)g->time_ms);
	put_int(&r, (int64_t)g->until_ms);
	put_int(&r, g->reach);
	put_str(&r, g->tool);
	put_str(&r, g->path);
	put_str(&r, g->session);
	e = rows_run(&r, f);
	return e ? e : db_commit(db, f);
}

enum err grant_list(struct store *s, struct arena *mem, struct grant **ret,
		    size_t *ret_n, struct fault *f)
{
	auto_front db = NULL;
	struct grant *list = NULL;
	size_t n = 0, room = 0;
	enum err e = front_take(s, &db, f);

	if (e)
		return e;
	auto_rows r = rows_of(db, Q_MAY_LIST);
	put_int(&r, (int64_t)clock_unix_ms());
	while (rows_next(&r, f)) {
		if (n == room) {
			list = arena_grow(mem, list, room * sizeof(*list),
					  (room * 2 + 16) * sizeof(*list));
			room = room * 2 + 16;
		}
		list[n].id = get_uuid(&r);
		list[n].time_ms = (uint64_t)get_int(&r);
		list[n].until_ms = (uint64_t)get_int(&r);
		list[n].reach = (enum grant_reach)get_int(&r);
		list[n].tool = get_str(&r, mem);
		list[n].path = get_str(&r, mem);
		list[n].session = get_str(&r, mem);
		n++;
	}
	if (r.err)
		return r.err;
	*ret = list;
	*ret_n = n;
	return ERR_OK;
}

enum err grant_remove(struct store *s, struct uuid id, struct fault *f)
{
	auto_front db = NULL;
	char text[UUID_TEXT + 1];
	enum err e = front_take(s, &db, f);

	if (!e)
		e = db_begin(db, s->options.durable, f);
	if (e)
		return e;
	auto_rows r = rows_of(db, Q_MAY_REMOVE);
	put_uuid(&r, id);
	e = rows_run(&r, f);
	if (e)
		return e;
	if (sqlite3_changes(db->sql))
		return db_commit(db, f);
	uuid_text(id, text);
	return fail(f, ERR_NO_APPROVAL, .text = store_words(s, "%s", text));
}

static bool is_beneath(struct str path, struct str dir)
{
	while (dir.len && dir.ptr[dir.len - 1] == '/')
		dir.len--;
	return str_starts(path, dir) &&
	       (path.len == dir.len || path.ptr[dir.len] == '/');
}

/* A file or a directory that was not named is none: not all of them. */
static bool covers_path(const struct grant *g, struct str path)
{
	switch (g->reach) {
	case GRANT_FILE:
		return g->path.len && str_eq(g->path, path);
	case GRANT_DIRECTORY:
		return g->path.len && is_beneath(path, g->path);
	case GRANT_SESSION:
	case GRANT_ALWAYS:
		return !g->path.len || is_beneath(path, g->path);
	}
	return false;
}

static bool covers(const struct grant *g, struct str tool, struct str path,
		   struct str session)
{
	if (g->tool.len && !str_eq(g->tool, tool))
		return false;
	if (g->reach == GRANT_SESSION &&
	    !(session.len && str_eq(g->session, session)))
		return false;
	return covers_path(g, path);
}

enum err grant_covers(struct store *s, struct str tool, struct str path,
		      struct str session, bool *ret, struct fault *f)
{
	auto_arena mem = ARENA_INIT;
	struct grant *list;
	size_t n;
	bool found = false;
	enum err e = grant_list(s, &mem, &list, &n, f);

	if (e)
		return e;
	for (size_t i = 0; i < n && !found; i++)
		found = covers(&list[i], tool, path, session);
	*ret = found;
	return ERR_OK;
}
