/*
 * grants.c - grants: added, listed, revoked, and matched against calls.
 *
 * On the shared connection. In the database the table is called "may".
 */
#include "base/clock.h"
#include "store/approvals.h"
#include "store/local.h"

static enum err put_one(struct db *db, struct grant *g, struct fault *f)
{
	auto_rows r = rows_of(db, Q_GRANT_ADD);

	g->time_ms = clock_unix_ms();
	g->id = uuid_new(g->time_ms);
	put_uuid(&r, g->id);
	put_int(&r, (int64_t)g->time_ms);
	put_int(&r, (int64_t)g->until_ms);
	put_int(&r, g->reach);
	put_str(&r, g->tool);
	put_str(&r, g->path);
	put_str(&r, g->session);
	put_str(&r, g->client);
	put_int(&r, g->declared);
	put_str(&r, g->root);
	put_str(&r, g->asked);
	put_int(&r, g->changes);
	put_str(&r, g->channel);
	return rows_run(&r, f);
}

static enum err put_for(struct db *db, const struct grant *like,
			struct str path, struct str root, struct fault *f)
{
	struct grant g = *like;

	if (!path.len || str_eq(path, like->path))
		return ERR_OK;
	g.path = g.asked = path;
	g.root = root;
	return put_one(db, &g, f);
}

enum err grant_put(struct db *db, struct grant *g, struct fault *f)
{
	enum err e = put_one(db, g, f);

	for (size_t i = 0; i < g->file_count && !e; i++) {
		e = put_for(db, g, g->files[i].path, g->files[i].root, f);
		if (!e)
			e = put_for(db, g, g->files[i].from, g->files[i].root,
				    f);
	}
	return e;
}

enum err grant_add(struct store *s, struct grant *g, struct fault *f)
{
	auto_shared_db db = NULL;
	enum err e = shared_db_acquire(s, &db, f);

	if (!e)
		e = db_begin(db, s->options.durable, f);
	if (!e)
		e = grant_put(db, g, f);
	return e ? e : db_commit(db, f);
}

/* In the order of GRANT_COLUMNS. */
static void get_grant(struct rows *r, struct arena *mem, struct grant *g)
{
	g->id = get_uuid(r);
	g->time_ms = (uint64_t)get_int(r);
	g->until_ms = (uint64_t)get_int(r);
	g->reach = (enum grant_reach)get_int(r);
	g->tool = get_str(r, mem);
	g->path = get_str(r, mem);
	g->session = get_str(r, mem);
	g->client = get_str(r, mem);
	g->declared = get_int(r);
	g->root = get_str(r, mem);
	g->asked = get_str(r, mem);
	g->changes = get_int(r);
	g->channel = get_str(r, mem);
	g->used_ms = (uint64_t)get_int(r);
	g->revoked_ms = (uint64_t)get_int(r);
	g->files = NULL;
	g->file_count = 0;
}

bool grant_find(struct store *s, struct uuid id, struct arena *mem,
		struct grant *ret)
{
	auto_shared_db db = NULL;
	struct fault ignored;

	if (uuid_is_zero(id) || shared_db_acquire(s, &db, &ignored))
		return false;
	auto_rows r = rows_of(db, Q_GRANT_FIND);
	put_uuid(&r, id);
	if (!rows_next(&r, &ignored))
		return false;
	get_grant(&r, mem, ret);
	return true;
}

bool grant_is_over(const struct grant *g)
{
	return g->revoked_ms || (g->until_ms && g->until_ms <= clock_unix_ms());
}

enum err grant_list(struct store *s, struct arena *mem, struct grant **ret,
		    size_t *ret_n, struct fault *f)
{
	auto_shared_db db = NULL;
	struct grant *list = NULL;
	size_t n = 0, room = 0;
	enum err e = shared_db_acquire(s, &db, f);

	if (e)
		return e;
	auto_rows r = rows_of(db, Q_GRANT_LIST);
	put_int(&r, (int64_t)clock_unix_ms());
	while (rows_next(&r, f)) {
		if (n == room) {
			list = arena_grow(mem, list, room * sizeof(*list),
					  (room * 2 + 16) * sizeof(*list));
			room = room * 2 + 16;
		}
		get_grant(&r, mem, &list[n++]);
	}
	if (r.err)
		return r.err;
	*ret = list;
	*ret_n = n;
	return ERR_OK;
}

static enum err remove_id(struct db *db, struct uuid id, struct fault *f)
{
	auto_rows r = rows_of(db, Q_GRANT_REMOVE);

	put_int(&r, (int64_t)clock_unix_ms());
	put_uuid(&r, id);
	return rows_run(&r, f);
}

/* An unused approval would work like a grant. */
static enum err void_answers(struct db *db, struct str name, struct fault *f)
{
	auto_rows r = rows_of(db, Q_APPROVAL_VOID_TOKEN);

	put_str(&r, name);
	return rows_run(&r, f);
}

static enum err remove_token(struct db *db, struct str name, struct fault *f)
{
	enum err e = void_answers(db, name, f);
	auto_rows r = rows_of(db, Q_GRANT_REMOVE_TOKEN);

	put_int(&r, (int64_t)clock_unix_ms());
	put_str(&r, name);
	return e ? e : rows_run(&r, f);
}

/* In one transaction: the grant @id, or all of @token if @id is NULL. */
static enum err remove_some(struct store *s, const struct uuid *id,
			    struct str token, size_t *ret, struct fault *f)
{
	auto_shared_db db = NULL;
	enum err e = shared_db_acquire(s, &db, f);

	if (!e)
		e = db_begin(db, s->options.durable, f);
	if (!e)
		e = id ? remove_id(db, *id, f) : remove_token(db, token, f);
	if (e)
		return e;
	*ret = (size_t)sqlite3_changes(db->sql);
	return db_commit(db, f);
}

enum err grant_remove(struct store *s, struct uuid id, struct fault *f)
{
	char text[UUID_TEXT + 1];
	size_t n;
	enum err e = remove_some(s, &id, STR(""), &n, f);

	if (e || n)
		return e;
	uuid_text(id, text);
	return fail(f, ERR_NO_APPROVAL, .text = store_message(s, "%s", text));
}

enum err grant_remove_token(struct store *s, struct str name, size_t *ret,
			    struct fault *f)
{
	return remove_some(s, NULL, name, ret, f);
}

static bool is_beneath(struct str path, struct str dir)
{
	while (dir.len && dir.ptr[dir.len - 1] == '/')
		dir.len--;
	return str_starts(path, dir) &&
	       (path.len == dir.len || path.ptr[dir.len] == '/');
}

/* An empty path of a file or a directory covers nothing, not everything. */
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

/* Does @g belong to the client, and to the session if it has one? */
static bool is_owned(const struct grant *g, const struct grant_use *use)
{
	if (g->session.len || g->reach == GRANT_SESSION) {
		if (!g->session.len || !str_eq(g->session, use->session))
			return false;
	} else if (!g->client.len) {
		return false;
	}
	return g->declared == use->declared && str_eq(g->client, use->client);
}

static bool grant_covers_use(const struct grant *g, const struct grant_use *use)
{
	if (!is_owned(g, use) || g->changes != use->changes)
		return false;
	if (!g->root.len || !str_eq(g->root, use->root))
		return false;
	if (use->sensitive && !str_eq(g->asked, use->path))
		return false;
	if (g->tool.len && !str_eq(g->tool, use->tool))
		return false;
	return covers_path(g, use->path);
}

/* At most once a minute, so that a grant in use costs no write per call. */
static void grant_note_use(struct store *s, const struct grant *g)
{
	const uint64_t now = clock_unix_ms(), minute = 60 * 1000;
	auto_shared_db db = NULL;
	struct fault ignored;

	if (now < g->used_ms + minute || s->options.read_only ||
	    shared_db_acquire(s, &db, &ignored) ||
	    db_begin(db, /* full= */ false, &ignored))
		return;
	auto_rows r = rows_of(db, Q_GRANT_USED);
	put_int(&r, (int64_t)now);
	put_uuid(&r, g->id);
	if (!rows_run(&r, &ignored))
		(void)!db_commit(db, &ignored);
}

enum err grant_covers(struct store *s, const struct grant_use *use,
		      struct uuid *ret, struct fault *f)
{
	auto_arena mem = ARENA_INIT;
	struct grant *list;
	size_t n, i = 0;
	enum err e = grant_list(s, &mem, &list, &n, f);

	if (e)
		return e;
	while (i < n && !grant_covers_use(&list[i], use))
		i++;
	*ret = i < n ? list[i].id : (struct uuid){ 0 };
	if (i < n)
		grant_note_use(s, &list[i]);
	return ERR_OK;
}
