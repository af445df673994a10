/*
 * history_query.c - find operations in the history.
 *
 * Through the shared connection, which has replayed the logs of other
 * processes.
 */
#include "store/history.h"
#include "store/history_local.h"
#include "store/ids.h"
#include "store/local.h"

enum {
	DEFAULT_LIMIT = 100,
	MANY_OPS = 1000, /* beneath a path: then search from the newest */
};

/* In the order of OP_COLUMNS. */
struct process_id history_get_op(struct rows *r, struct arena *mem,
				 struct op *op)
{
	struct process_id by;

	op->id = get_uuid(r);
	op->time_ms = (uint64_t)get_int(r);
	op->kind = (enum op_kind)get_int(r);
	op->state = (enum op_state)get_int(r);
	op->path = get_str(r, mem);
	op->tool = get_str(r, mem);
	op->client = get_str(r, mem);
	op->session = get_str(r, mem);
	op->scope = get_str(r, mem);
	op->call = get_str(r, mem);
	op->undoes = get_uuid(r);
	op->undone = get_uuid(r);
	op->existed = get_int(r);
	op->exists = get_int(r);
	op->before = get_hash(r);
	op->after = get_hash(r);
	op->bytes_before = (uint64_t)get_int(r);
	op->bytes_after = (uint64_t)get_int(r);
	op->mode_before = (unsigned)get_int(r);
	op->mode_after = (unsigned)get_int(r);
	by.pid = get_int(r);
	by.slot = (uint64_t)get_int(r);
	op->root.path = get_str(r, mem);
	op->root.dev = (uint64_t)get_int(r);
	op->root.ino = (uint64_t)get_int(r);
	op->granted_by = get_uuid(r);
	op->group = get_uuid(r);
	op->from = get_str(r, mem);
	return by;
}

struct ops {
	struct op *list;
	size_t n, room;
};

static struct op *ops_add(struct ops *ops, struct arena *mem)
{
	if (ops->n == ops->room) {
		size_t room = ops->room ? ops->room * 2 : 16;

		ops->list = arena_grow(mem, ops->list,
				       ops->room * sizeof(*ops->list),
				       room * sizeof(*ops->list));
		ops->room = room;
	}
	return &ops->list[ops->n++];
}

/* Three parameters: the path, and the bounds of all paths beneath it. */
static void put_path(struct rows *r, struct str path, struct arena *mem)
{
	while (path.len > 1 && path.ptr[path.len - 1] == '/')
		path.len--;
	put_str(r, path);
	if (str_is(path, "/"))
		path.len = 0;
	put_str(r, arena_printf(mem, STR_FMT "/", STR_ARG(path)));
	put_str(r, arena_printf(mem, STR_FMT "0", STR_ARG(path)));
}

static enum err has_many(struct db *db, struct str path, struct arena *mem,
			 bool *ret, struct fault *f)
{
	auto_rows r = rows_of(db, Q_OP_MANY);

	put_path(&r, path, mem);
	put_int(&r, MANY_OPS);
	*ret = rows_next(&r, f) && get_int(&r) == MANY_OPS;
	return r.err;
}

/* The parameters of OP_FITS, and those of the path before them. */
void history_put_query(struct rows *r, const struct history_query *q,
		       struct arena *mem)
{
	put_path(r, q->path, mem);
	put_str(r, q->session);
	put_str(r, q->call);
	put_int(r, (int64_t)q->since_ms);
	put_int(r, q->until_ms ? (int64_t)q->until_ms : INT64_MAX);
	put_int(r, q->intents);
	put_str(r, q->client);
	put_str(r, q->text);
	put_int(r, q->kinds);
	put_str(r, q->client_part);
	put_str(r, q->token);
	put_optional_id(r, q->group);
}

/* The one whose index leads to the operations fastest. */
static enum err choose_query(struct db *db, const struct history_query *q,
			     struct arena *mem, enum db_query *ret,
			     struct fault *f)
{
	bool many = true;
	enum err e = ERR_OK;

	if (!uuid_is_zero(q->group)) {
		*ret = Q_OP_LIST_GROUP;
		return ERR_OK;
	}
	if (q->path.len)
		e = has_many(db, q->path, mem, &many, f);
	*ret = many ? Q_OP_LIST : Q_OP_LIST_AT;
	return e;
}

enum err history_list(struct store *s, const struct history_query *q,
		      struct arena *mem, struct op **ret, size_t *ret_n,
		      struct fault *f)
{
	auto_shared_db db = NULL;
	struct ops ops = { 0 };
	enum db_query query;
	enum err e = shared_db_acquire(s, &db, f);

	if (!e)
		e = choose_query(db, q, mem, &query, f);
	if (e)
		return e;
	auto_rows r = rows_of(db, query);
	history_put_query(&r, q, mem);
	put_int(&r, (int64_t)(q->limit ? q->limit : DEFAULT_LIMIT));
	put_int(&r, (int64_t)q->skip);
	while (rows_next(&r, f))
		(void)history_get_op(&r, mem, ops_add(&ops, mem));
	if (r.err)
		return r.err;
	*ret = ops.list;
	*ret_n = ops.n;
	return ERR_OK;
}

enum err history_group(struct store *s, struct uuid group, struct arena *mem,
		       struct op **ret, size_t *ret_n, struct fault *f)
{
	const struct history_query q = { .group = group,
					 .intents = true,
					 .limit = SIZE_MAX / 2 };
	struct op *ops;
	enum err e = history_list(s, &q, mem, &ops, ret_n, f);

	if (e)
		return e;
	for (size_t i = 0; i < *ret_n / 2; i++) {
		struct op last = ops[*ret_n - 1 - i];

		ops[*ret_n - 1 - i] = ops[i];
		ops[i] = last;
	}
	*ret = ops;
	return ERR_OK;
}

size_t history_group_size(struct store *s, const struct op *op)
{
	auto_shared_db db = NULL;
	struct fault ignored;

	if (uuid_is_zero(op->group) || shared_db_acquire(s, &db, &ignored))
		return 1;
	auto_rows r = rows_of(db, Q_OP_GROUP_SIZE);
	put_uuid(&r, op->group);
	return rows_next(&r, &ignored) ? (size_t)get_int(&r) : 1;
}

_Static_assert(OP_MOVE == 5, "queries.def has the number");

enum err history_moves(struct store *s, const struct op *op, struct arena *mem,
		       struct op **ret, size_t *ret_n, struct fault *f)
{
	auto_shared_db db = NULL;
	struct ops ops = { 0 };
	enum err e = shared_db_acquire(s, &db, f);

	if (e)
		return e;
	auto_rows r = rows_of(db, Q_OP_MOVES);
	put_uuid(&r, op->id);
	put_optional_id(&r, op->group);
	while (rows_next(&r, f))
		(void)history_get_op(&r, mem, ops_add(&ops, mem));
	*ret = ops.list;
	*ret_n = ops.n;
	return r.err;
}

enum err history_count(struct store *s, const struct history_query *q, size_t n,
		       struct arena *mem, struct history_bucket *ret,
		       struct fault *f)
{
	struct history_query within = *q;
	auto_shared_db db = NULL;
	enum err e = shared_db_acquire(s, &db, f);

	if (e)
		return e;
	memset(ret, 0, n * sizeof(*ret));
	auto_rows r = rows_of(db, Q_OP_COUNT);
	within.until_ms--;
	within.intents = false;
	history_put_query(&r, &within, mem);
	put_int(&r, (int64_t)n);
	while (rows_next(&r, f)) {
		uint64_t at = (uint64_t)get_int(&r);
		uint64_t kind = (uint64_t)get_int(&r);

		if (at < n && kind < COUNT_OF(ret->kinds))
			ret[at].kinds[kind] = (uint64_t)get_int(&r);
	}
	return r.err;
}

static enum err find_whole(struct db *db, struct uuid id, struct arena *mem,
			   struct op *ret, struct fault *f)
{
	auto_rows r = rows_of(db, Q_OP_FIND);
	char text[UUID_TEXT + 1];

	put_uuid(&r, id);
	if (rows_next(&r, f)) {
		(void)history_get_op(&r, mem, ret);
		return ERR_OK;
	}
	uuid_text(id, text);
	return r.err ? r.err
		     : fail(f, ERR_NO_OP,
			    .text = arena_copy(mem, str_of(text)));
}

enum err history_find(struct store *s, struct str id, struct arena *mem,
		      struct op *ret, struct fault *f)
{
	char digits[ID_DIGITS + 1];
	auto_shared_db db = NULL;
	struct uuid found;
	enum err e;

	if (!id_digits(id, digits))
		return fail(f, ERR_NO_OP, .text = id, .hint = id_hint(id));
	e = shared_db_acquire(s, &db, f);
	if (!e && !uuid_parse(id, &found))
		e = rows_part(db, Q_OP_PART, digits, &found, f);
	if (e == ERR_NO_OP || e == ERR_MANY_OPS)
		f->text = id;
	return e ? e : find_whole(db, found, mem, ret, f);
}

enum err history_session(struct store *s, struct str part, struct arena *mem,
			 struct str *ret, struct fault *f)
{
	auto_shared_db db = NULL;
	struct str session;
	int64_t fits;
	enum err e = shared_db_acquire(s, &db, f);

	if (e)
		return e;
	auto_rows r = rows_of(db, Q_SESSION_PART);
	put_str(&r, part);
	if (!rows_next(&r, f))
		return r.err ? r.err : fail(f, ERR_NO_OP, .text = part);
	session = get_str(&r, mem);
	fits = get_int(&r);
	if (rows_next(&r, f)) {
		(void)get_str(&r, mem);
		if (get_int(&r) == fits)
			return fail(f, ERR_MANY_OPS, .text = part);
	}
	if (!r.err)
		*ret = session;
	return r.err;
}

size_t history_id_digits(struct store *s, size_t least)
{
	auto_shared_db db = NULL;
	struct fault ignored;

	if (shared_db_acquire(s, &db, &ignored))
		return least;
	for (; least < ID_DIGITS; least++) {
		auto_rows r = rows_of(db, Q_OP_TAILS);

		put_int(&r, (int64_t)least);
		if (!rows_next(&r, &ignored) || !get_int(&r))
			break;
	}
	return least;
}

enum err history_last(struct store *s, struct str path, struct arena *mem,
		      struct op *ret, struct fault *f)
{
	auto_shared_db db = NULL;
	enum err e = shared_db_acquire(s, &db, f);

	if (e)
		return e;
	auto_rows r = rows_of(db, Q_OP_LAST);
	put_str(&r, path);
	if (!rows_next(&r, f))
		return r.err ? r.err : fail(f, ERR_NO_OP, .text = path);
	(void)history_get_op(&r, mem, ret);
	return ERR_OK;
}

/* The process that began the operation of this row; the other columns follow. */
static struct process_id get_process(struct rows *r)
{
	struct process_id by;

	by.pid = get_int(r);
	by.slot = (uint64_t)get_int(r);
	return by;
}

/* Of the rows, only those that are wanted take memory. */
enum err history_open_intents(struct store *s, struct uuid after, size_t limit,
			      struct arena *mem, struct op **ret, size_t *ret_n,
			      struct fault *f)
{
	const struct process_id self = process_self();
	struct ops ops = { 0 };
	auto_shared_db db = NULL;
	enum err e = shared_db_acquire(s, &db, f);

	if (e)
		return e;
	auto_rows r = rows_of(db, Q_OP_OPEN);
	put_uuid(&r, after);
	while (ops.n < limit && rows_next(&r, f)) {
		struct process_id by = get_process(&r);

		if (by.slot != self.slot && !process_is_there(db->dir, by))
			(void)history_get_op(&r, mem, ops_add(&ops, mem));
	}
	if (r.err)
		return r.err;
	*ret = ops.list;
	*ret_n = ops.n;
	return ERR_OK;
}

bool history_under_way(struct store *s, uint64_t before_ms)
{
	const struct process_id self = process_self();
	auto_shared_db db = NULL;
	struct fault ignored;

	if (shared_db_acquire(s, &db, &ignored))
		return false;
	auto_rows r = rows_of(db, Q_OP_UNDER_WAY);
	put_int(&r, (int64_t)before_ms);
	while (rows_next(&r, &ignored)) {
		struct process_id by = get_process(&r);

		if (by.slot != self.slot && process_is_there(db->dir, by))
			return true;
	}
	return false;
}
