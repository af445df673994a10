/*
 * approvals.c - the queue of questions, and the answers to them.
 *
 * Every function is one transaction on the shared connection. The long texts of
 * a question are in chunks.c, grants in grants.c.
 */
#include "store/approvals.h"

#include "base/clock.h"
#include "store/approval_files.h"
#include "store/chunks.h"
#include "store/client_name.h"
#include "store/ids.h"
#include "store/local.h"

enum { MOST_PENDING = 100 }; /* questions of one client */

static const uint64_t DEFAULT_MS = 24 * 3600 * 1000ULL;

/* In the order of APPROVAL_COLUMNS. */
static void get_approval(struct rows *r, struct arena *mem, uint64_t now,
			 struct approval *a)
{
	a->id = get_uuid(r);
	a->time_ms = (uint64_t)get_int(r);
	a->until_ms = (uint64_t)get_int(r);
	a->state = (enum approval_state)get_int(r);
	a->tool = get_str(r, mem);
	a->path = get_str(r, mem);
	a->client = get_str(r, mem);
	a->session = get_str(r, mem);
	a->scope = get_str(r, mem);
	a->digest = get_str(r, mem);
	a->summary = get_str(r, mem);
	a->diff = get_str(r, mem);
	a->reason = get_str(r, mem);
	a->note = get_str(r, mem);
	a->parts = (size_t)get_int(r);
	a->hunks = get_str(r, mem);
	a->owner = get_str(r, mem);
	a->declared = get_int(r);
	a->root = get_str(r, mem);
	a->changes = get_int(r);
	a->binding = get_str(r, mem);
	a->does = get_str(r, mem);
	a->badges = get_str(r, mem);
	a->more = get_int(r);
	a->kept = (enum approval_kept)get_int(r);
	a->added = (uint64_t)get_int(r);
	a->removed = (uint64_t)get_int(r);
	memset(a->texts, 0, sizeof(a->texts));
	a->waits_ms = (uint64_t)get_int(r);
	a->used_ms = (uint64_t)get_int(r);
	a->files = approval_files_get(get_str(r, mem), mem, &a->file_count);
	a->withdrawn = false;
	if (a->state < APPROVAL_USED && a->until_ms <= now)
		a->state = APPROVAL_EXPIRED;
}

/* The newest row with this digest that @query selects. */
static enum err find_newest(struct db *db, enum db_query query,
			    struct str digest, struct arena *mem,
			    struct approval *ret, bool *ret_found,
			    struct fault *f)
{
	const uint64_t now = clock_unix_ms();
	auto_rows r = rows_of(db, query);

	put_str(&r, digest);
	put_int(&r, (int64_t)now);
	*ret_found = rows_next(&r, f);
	if (*ret_found)
		get_approval(&r, mem, now, ret);
	return r.err;
}

static enum err approval_insert(struct db *db, struct approval *a,
				struct fault *f)
{
	auto_rows r = rows_of(db, Q_APPROVAL_ADD);
	auto_buf files = BUF_INIT;

	approval_files_put(&files, a->files, a->file_count);
	a->time_ms = clock_unix_ms();
	if (!a->until_ms)
		a->until_ms = a->time_ms + DEFAULT_MS;
	a->id = uuid_new(a->time_ms);
	a->state = APPROVAL_PENDING;
	put_uuid(&r, a->id);
	put_int(&r, (int64_t)a->time_ms);
	put_int(&r, (int64_t)a->until_ms);
	put_str(&r, a->tool);
	put_str(&r, a->path);
	put_str(&r, a->client);
	put_str(&r, a->session);
	put_str(&r, a->scope);
	put_str(&r, a->digest);
	put_str(&r, a->summary);
	put_str(&r, a->diff);
	put_str(&r, a->reason);
	put_str(&r, STR(""));
	put_int(&r, (int64_t)a->parts);
	put_str(&r, a->owner);
	put_int(&r, a->declared);
	put_str(&r, a->root);
	put_int(&r, a->changes);
	put_str(&r, a->binding);
	put_str(&r, a->does);
	put_str(&r, a->badges);
	put_int(&r, a->more);
	put_int(&r, a->kept);
	put_int(&r, (int64_t)a->added);
	put_int(&r, (int64_t)a->removed);
	put_int(&r, (int64_t)a->waits_ms);
	put_str(&r, buf_str(&files));
	return rows_run(&r, f);
}

/* Another call waits for the same answer: keep the later deadline. */
static enum err approval_wait_longer(struct db *db, struct approval *had,
				     uint64_t waits_ms, struct fault *f)
{
	if (waits_ms <= had->waits_ms)
		return ERR_OK;
	auto_rows r = rows_of(db, Q_APPROVAL_WAIT);
	had->waits_ms = waits_ms;
	put_int(&r, (int64_t)waits_ms);
	put_uuid(&r, had->id);
	return rows_run(&r, f);
}

/* A call uses the answer @a, which is then used up. */
static enum err approval_mark_used(struct db *db, const struct approval *a,
				   struct fault *f)
{
	static const enum approval_state after[] = {
		[APPROVAL_ALLOWED] = APPROVAL_USED,
		[APPROVAL_DENIED] = APPROVAL_TOLD,
		[APPROVAL_EXPIRED] = APPROVAL_EXPIRED,
	};
	auto_rows r = rows_of(db, Q_APPROVAL_USE);

	put_int(&r, after[a->state]);
	put_int(&r,
		a->state == APPROVAL_EXPIRED ? 0 : (int64_t)clock_unix_ms());
	put_uuid(&r, a->id);
	return rows_run(&r, f);
}

/*
 * The same call has another effect now: the old question is removed from the
 * queue, and an approval of it is void. A denial stays.
 */
static enum err approval_supersede(struct db *db, struct approval *had,
				   struct fault *f)
{
	if (had->state == APPROVAL_DENIED)
		return ERR_OK;
	if (had->state == APPROVAL_ALLOWED) {
		had->state = APPROVAL_EXPIRED;
		return approval_mark_used(db, had, f);
	}
	auto_rows r = rows_of(db, Q_APPROVAL_DROP);
	put_uuid(&r, had->id);
	return rows_run(&r, f);
}

/*
 * The part of the scope that the client does not choose itself, "stdio:" or
 * "http:TOKEN:": limits are counted by it.
 */
static struct str asker_of(struct str scope)
{
	const struct str token = client_token(scope);

	if (token.len)
		return str_head(scope, sizeof("http:") + token.len);
	return str_head(scope, str_find(scope, ':') + 1);
}

/* Delete old questions; ERR_MANY_ASKED when this client has too many. */
static enum err approval_make_room(struct db *db, const struct approval *a,
				   struct fault *f)
{
	const int64_t now = (int64_t)clock_unix_ms();
	const struct str who = asker_of(a->scope);
	int64_t count = 0;
	bool fits = true;
	enum err e;

	auto_rows old = rows_of(db, Q_APPROVAL_EXPIRE);
	put_int(&old, now - (int64_t)DEFAULT_MS);
	e = rows_run(&old, f);
	if (!e)
		e = chunks_sweep(db, f);
	if (!e)
		e = chunks_fit(db, who, a->texts, &fits, f);
	if (e)
		return e;
	auto_rows r = rows_of(db, Q_APPROVAL_COUNT);
	put_int(&r, now);
	put_int(&r, (int64_t)who.len);
	put_str(&r, who);
	if (rows_next(&r, f))
		count = get_int(&r);
	if (!r.err && (count >= MOST_PENDING || !fits))
		return fail(f, ERR_MANY_ASKED, .count = (size_t)count);
	return r.err;
}

enum err approval_ask(struct store *s, struct approval *a, struct arena *mem,
		      struct fault *f)
{
	auto_shared_db db = NULL;
	struct approval had;
	bool found = false;
	enum err e = shared_db_acquire(s, &db, f);

	if (!e)
		e = db_begin(db, s->options.durable, f);
	if (!e)
		e = find_newest(db, Q_APPROVAL_NEWEST, a->digest, mem, &had,
				&found, f);
	if (!e && found && !str_eq(had.binding, a->binding)) {
		e = approval_supersede(db, &had, f);
		found = false;
	}
	if (!e && !found)
		e = approval_make_room(db, a, f);
	if (!e)
		e = found ? approval_wait_longer(db, &had, a->waits_ms, f)
			  : approval_insert(db, a, f);
	if (!e && !found)
		e = chunks_add(db, a->id, a->texts, f);
	if (!e)
		e = db_commit(db, f);
	if (!e && found)
		*a = had;
	return e;
}

void approval_leave(struct store *s, struct uuid id, uint64_t waits_ms)
{
	auto_shared_db db = NULL;
	struct fault ignored;

	if (shared_db_acquire(s, &db, &ignored) ||
	    db_begin(db, /* full= */ false, &ignored))
		return;
	auto_rows r = rows_of(db, Q_APPROVAL_LEAVE);
	put_uuid(&r, id);
	put_int(&r, (int64_t)waits_ms);
	if (!rows_run(&r, &ignored))
		(void)!db_commit(db, &ignored);
}

void approval_bind(struct store *s, struct uuid id, struct uuid op)
{
	char text[UUID_TEXT + 1];
	auto_shared_db db = NULL;
	struct fault ignored;

	if (shared_db_acquire(s, &db, &ignored) ||
	    db_begin(db, /* full= */ false, &ignored))
		return;
	auto_rows r = rows_of(db, Q_APPROVAL_BIND);
	uuid_text(op, text);
	put_str(&r, str_of(text));
	put_uuid(&r, id);
	if (!rows_run(&r, &ignored))
		(void)!db_commit(db, &ignored);
}

bool approval_used_by(struct store *s, struct uuid op, struct arena *mem,
		      struct approval *ret)
{
	char text[UUID_TEXT + 1];
	auto_shared_db db = NULL;
	struct fault ignored;

	if (shared_db_acquire(s, &db, &ignored))
		return false;
	auto_rows r = rows_of(db, Q_APPROVAL_USED_BY);
	uuid_text(op, text);
	put_str(&r, str_of(text));
	if (!rows_next(&r, &ignored))
		return false;
	get_approval(&r, mem, clock_unix_ms(), ret);
	return true;
}

enum err approval_take(struct store *s, struct str digest, struct str binding,
		       struct arena *mem, struct approval *ret, struct fault *f)
{
	auto_shared_db db = NULL;
	struct approval a;
	bool found = false;
	enum err e = shared_db_acquire(s, &db, f);

	if (!e)
		e = db_begin(db, s->options.durable, f);
	if (!e)
		e = find_newest(db, Q_APPROVAL_NEWEST, digest, mem, &a, &found,
				f);
	if (!e && found && a.state == APPROVAL_ALLOWED &&
	    !str_eq(a.binding, binding))
		a.state = APPROVAL_EXPIRED;
	if (!e && found && a.state != APPROVAL_PENDING)
		e = approval_mark_used(db, &a, f);
	if (!e && found && a.state != APPROVAL_PENDING)
		e = chunks_sweep(db, f);
	if (!e)
		e = db_commit(db, f);
	if (e)
		return e;
	if (!found)
		return fail(f, ERR_NO_APPROVAL, .text = digest);
	*ret = a;
	return ERR_OK;
}

bool approval_is_pending(struct store *s, struct uuid id)
{
	auto_shared_db db = NULL;
	struct fault ignored;

	if (shared_db_acquire_unreplayed(s, &db, &ignored))
		return false;
	auto_rows r = rows_of(db, Q_APPROVAL_STATE);
	put_uuid(&r, id);
	return rows_next(&r, &ignored) && get_int(&r) == APPROVAL_PENDING &&
	       (uint64_t)get_int(&r) > clock_unix_ms();
}

enum err approval_find(struct store *s, struct str id, struct arena *mem,
		       struct approval *ret, struct fault *f)
{
	char digits[ID_DIGITS + 1];
	auto_shared_db db = NULL;
	struct uuid found;
	enum err e;

	if (!id_digits(id, digits))
		return fail(f, ERR_NO_APPROVAL, .text = id,
			    .hint = id_hint(id));
	e = shared_db_acquire(s, &db, f);
	if (!e && !uuid_parse(id, &found))
		e = rows_part(db, Q_APPROVAL_PART, digits, &found, f);
	if (e == ERR_MANY_OPS)
		f->text = id;
	if (e == ERR_NO_OP)
		return fail(f, ERR_NO_APPROVAL, .text = id);
	if (e)
		return e;
	auto_rows r = rows_of(db, Q_APPROVAL_FIND);
	put_uuid(&r, found);
	if (!rows_next(&r, f))
		return r.err ? r.err : fail(f, ERR_NO_APPROVAL, .text = id);
	get_approval(&r, mem, clock_unix_ms(), ret);
	return ERR_OK;
}

static enum err get_approvals(struct rows *r, uint64_t now, struct arena *mem,
			      struct approval **ret, size_t *ret_n,
			      struct fault *f)
{
	struct approval *list = NULL;
	size_t n = 0, room = 0;

	while (rows_next(r, f)) {
		if (n == room) {
			list = arena_grow(mem, list, room * sizeof(*list),
					  (room * 2 + 16) * sizeof(*list));
			room = room * 2 + 16;
		}
		get_approval(r, mem, now, &list[n++]);
	}
	if (r->err)
		return r->err;
	*ret = list;
	*ret_n = n;
	return ERR_OK;
}

enum err approval_list(struct store *s, bool all, struct arena *mem,
		       struct approval **ret, size_t *ret_n, struct fault *f)
{
	const uint64_t now = clock_unix_ms();
	auto_shared_db db = NULL;
	enum err e = shared_db_acquire(s, &db, f);

	if (e)
		return e;
	auto_rows r = rows_of(db, Q_APPROVAL_LIST);
	put_int(&r, all);
	put_int(&r, (int64_t)now);
	return get_approvals(&r, now, mem, ret, ret_n, f);
}

enum err approval_list_unused(struct store *s, struct arena *mem,
			      struct approval **ret, size_t *ret_n,
			      struct fault *f)
{
	const uint64_t now = clock_unix_ms();
	auto_shared_db db = NULL;
	enum err e = shared_db_acquire(s, &db, f);

	if (e)
		return e;
	auto_rows r = rows_of(db, Q_APPROVAL_UNUSED);
	put_int(&r, (int64_t)now);
	return get_approvals(&r, now, mem, ret, ret_n, f);
}

/* Fail when the statement has changed no row. */
static enum err check_changed(struct db *db, struct uuid id, const char * not,
			      struct fault *f)
{
	char text[UUID_TEXT + 1];

	if (sqlite3_changes(db->sql))
		return ERR_OK;
	uuid_text(id, text);
	return fail(f, ERR_NO_APPROVAL,
		    .text = store_message(db->store, "%s is not %s", text,
					  not ));
}

/* Within a transaction. */
static enum err put_decision(struct db *db, struct uuid id,
			     enum approval_state state, struct str note,
			     struct str hunks, struct fault *f)
{
	auto_rows r = rows_of(db, Q_APPROVAL_DECIDE);
	enum err e;

	put_int(&r, state);
	put_str(&r, note);
	put_str(&r, hunks);
	put_uuid(&r, id);
	put_int(&r, (int64_t)clock_unix_ms());
	e = rows_run(&r, f);
	return e ? e : check_changed(db, id, "waiting for an answer", f);
}

enum err approval_decide(struct store *s, struct uuid id,
			 enum approval_state state, struct str note,
			 struct str hunks, struct fault *f)
{
	auto_shared_db db = NULL;
	enum err e = shared_db_acquire(s, &db, f);

	if (!e)
		e = db_begin(db, s->options.durable, f);
	if (!e)
		e = put_decision(db, id, state, note, hunks, f);
	return e ? e : db_commit(db, f);
}

enum err approval_grant(struct store *s, struct uuid id, struct str note,
			struct grant *g, struct fault *f)
{
	auto_shared_db db = NULL;
	enum err e = shared_db_acquire(s, &db, f);

	if (!e)
		e = db_begin(db, s->options.durable, f);
	if (!e)
		e = put_decision(db, id, APPROVAL_GRANTED, note, STR(""), f);
	if (!e)
		e = grant_put(db, g, f);
	return e ? e : db_commit(db, f);
}

enum err approval_withdraw(struct store *s, struct uuid id, struct str note,
			   struct fault *f)
{
	auto_shared_db db = NULL;
	enum err e = shared_db_acquire(s, &db, f);

	if (!e)
		e = db_begin(db, s->options.durable, f);
	if (e)
		return e;
	auto_rows r = rows_of(db, Q_APPROVAL_WITHDRAW);
	put_str(&r, note);
	put_uuid(&r, id);
	put_int(&r, (int64_t)clock_unix_ms());
	e = rows_run(&r, f);
	if (!e)
		e = check_changed(db, id, "an unused approval", f);
	return e ? e : db_commit(db, f);
}
