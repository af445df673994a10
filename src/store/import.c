/*
 * import.c - read a file of export.c, in one transaction (export.h).
 *
 * The file may come from anybody: each line is limited, parsed and checked as a
 * whole, and a content is stored only under the digest that its bytes have.
 */
#include "base/base64.h"
#include "base/clock.h"
#include "base/fd.h"
#include "store/blobs.h"
#include "store/history_local.h"
#include "store/local.h"

#include <errno.h>

struct import_run {
	struct db *db;
	struct history_import *i;
	struct recent recent;
	struct buf text; /* bytes that were read from the file */
	size_t at;       /* how many of them are consumed */
	int64_t version; /* of the format */
	bool end;
	struct arena *words; /* for the fault */
	struct fault *f;
};

static void import_run_free(struct import_run *r)
{
	recent_drop(&r->recent);
	buf_free(&r->text);
}

#define auto_run cleanup(import_run_free) struct import_run

static enum err import_fail(struct import_run *r, const char *why,
			    const char *what)
{
	return fail(r->f, ERR_BAD_ARGS,
		    .text = arena_printf(
			    r->words, "line %zu: %s%s%s; nothing was imported",
			    r->i->line, why, what[0] ? ": " : "", what));
}

/* Read more of the file; sets r->end at its end. */
static enum err import_fill(struct import_run *r)
{
	enum { PIECE = 64 * 1024 };
	static _Thread_local char piece[PIECE];
	ssize_t got;

	if (r->at) {
		memmove(r->text.ptr, r->text.ptr + r->at, r->text.len - r->at);
		r->text.len -= r->at;
		r->at = 0;
	}
	if (r->text.len > IMPORT_MAX_LINE)
		return import_fail(r, "it is too long", "");
	got = fd_read(r->i->fd, piece, sizeof(piece));
	if (got < 0)
		return fail_os(r->f, errno, STR("the file to import"));
	r->end = !got;
	buf_add(&r->text, str_make(piece, (size_t)got));
	return ERR_OK;
}

/* The next line, valid until the next call; len 0 at the end of the file. */
static enum err next_line(struct import_run *r, struct str *ret)
{
	size_t looked = 0, at;
	struct str rest;
	enum err e;

	r->i->line++;
	for (;;) {
		rest = str_skip(buf_str(&r->text), r->at);
		at = looked + str_find(str_skip(rest, looked), '\n');
		if (at < rest.len)
			break;
		if (r->end && rest.len)
			return import_fail(
				r, "the file ends in the middle of the line",
				"");
		*ret = STR("");
		if (r->end)
			return ERR_OK;
		looked = rest.len;
		e = import_fill(r);
		if (e)
			return e;
	}
	*ret = str_head(rest, at);
	r->at += at + 1;
	return at ? ERR_OK : import_fail(r, "it is empty", "");
}

static enum err parse_object(struct import_run *r, struct str line,
			     struct arena *mem, struct json *ret)
{
	const struct json_limits limits = { .max_depth = 4, .max_nodes = 256 };
	struct json_error error;

	if (json_parse(line, &limits, mem, ret, &error))
		return import_fail(r, "invalid JSON", error.why);
	return json_is(*ret, JSON_OBJECT)
		       ? ERR_OK
		       : import_fail(r, "it is not an object", "");
}

static enum err read_header(struct import_run *r)
{
	auto_arena mem = ARENA_INIT;
	struct str line;
	struct json v;
	enum err e = next_line(r, &line);

	if (!e && !line.len)
		return import_fail(r, "the file is empty", "");
	if (!e)
		e = parse_object(r, line, &mem, &v);
	if (e)
		return e;
	if (!json_is(json_get(v, "format"), JSON_STRING) ||
	    !json_str_is(json_get(v, "format"), EXPORT_FORMAT))
		return import_fail(r, "this is not a file of 'stet export'",
				   "");
	if (!json_int(json_get(v, "version"), &r->version) || r->version < 1 ||
	    r->version > EXPORT_VERSION)
		return import_fail(
			r,
			"it was written by an incompatible version of 'stet export'",
			"");
	return ERR_OK;
}

static enum err find_blob(struct import_run *r, struct digest d, int64_t *ret)
{
	auto_rows rows = rows_of(r->db, Q_BLOB_FIND);

	put_bytes(&rows, str_make((char *)d.bytes, DIGEST_BYTES));
	*ret = rows_next(&rows, r->f) ? get_int(&rows) : 0;
	return rows.err;
}

/* A dry run needs only the row, which is rolled back. */
static enum err plan_blob(struct import_run *r, struct digest d)
{
	auto_rows rows = rows_of(r->db, Q_BLOB_ADD);

	put_bytes(&rows, str_make((char *)d.bytes, DIGEST_BYTES));
	put_int(&rows, 0);
	put_int(&rows, BLOB_RAW);
	put_int(&rows, 0);
	put_bytes(&rows, STR(""));
	return rows_run(&rows, r->f);
}

static enum err import_content(struct import_run *r, struct json v,
			       struct arena *mem)
{
	struct json encoding = json_get(v, "encoding");
	struct content c = { .kept = true };
	struct digest digest;
	int64_t known;
	struct str text;
	enum err e;

	if (json_count(v) != 3 ||
	    !exported_digest(json_get(v, "content"), mem, &digest))
		return import_fail(r, "this is not a content", "");
	if (!json_text(json_get(v, "bytes"), mem, &text))
		return import_fail(r, "it has an unexpected form", "bytes");
	c.bytes = text;
	if (!json_is(encoding, JSON_STRING) ||
	    (json_str_is(encoding, "base64")
		     ? !base64_decode(text, mem, &c.bytes)
		     : !json_str_is(encoding, "text")))
		return import_fail(r, "it has an unexpected form", "encoding");
	if (!digest_eq(digest_of(c.bytes), digest))
		return import_fail(r, "the content does not match its checksum",
				   "");
	e = find_blob(r, digest, &known);
	if (e || known)
		return e;
	r->i->contents++;
	if (r->i->plan)
		return plan_blob(r, digest);
	e = blob_stage(r->db, &c, &r->recent, r->f);
	if (!e)
		e = blob_put(r->db, &c, r->f);
	blob_unstage(r->db, &c);
	return e;
}

static void put_op(struct rows *r, const struct op *op)
{
	put_uuid(r, op->id);
	put_int(r, (int64_t)op->time_ms);
	put_int(r, op->kind);
	put_int(r, op->state);
	put_str(r, op->path);
	put_str(r, op->tool);
	put_str(r, op->client);
	put_str(r, op->session);
	put_str(r, op->scope);
	put_str(r, op->call);
	put_uuid(r, op->undoes);
	put_uuid(r, op->undone);
	put_int(r, op->existed);
	put_int(r, op->exists);
	put_hash(r, op->before);
	put_hash(r, op->after);
	put_int(r, (int64_t)op->bytes_before);
	put_int(r, (int64_t)op->bytes_after);
	put_int(r, op->mode_before);
	put_int(r, op->mode_after);
	put_str(r, op->root.path);
	put_int(r, (int64_t)op->root.dev);
	put_int(r, (int64_t)op->root.ino);
	put_optional_id(r, op->group);
	put_str(r, op->from);
}

static void put_blob(struct rows *r, int64_t id)
{
	if (id)
		put_int(r, id);
	else
		put_null(r);
}

/* The version and the size of an operation must be those of its content. */
static enum err check_content(struct import_run *r, int64_t id,
			      struct hash version, uint64_t size)
{
	auto_arena mem = ARENA_INIT;
	bool spliced = false;
	struct str bytes;
	enum err e;

	if (!id || r->i->plan)
		return ERR_OK;
	e = blob_get(r->db, id, &mem, &bytes, &spliced, r->f);
	if (e || spliced)
		return e;
	return bytes.len == size && hash_eq(hash_of(bytes), version)
		       ? ERR_OK
		       : import_fail(
				 r,
				 "its version or size does not match its content",
				 "");
}

/*
 * The author of the file can have put any directory and any time into it. So
 * the identity of the root is dropped: undo asks the person to confirm the
 * directory (--recreated). Set-user-ID bits are dropped. A time in the future
 * is refused, because the oldest operations are trimmed first.
 */
static const char *make_safe(struct op *op)
{
	enum { NO_SET_ID = 01777, DAY_MS = 24 * 60 * 60 * 1000 };
	struct str root = op->root.path;

	if (op->path.len < 2)
		return "path";
	if (!root.len)
		root = str_head(op->path, str_rfind(op->path, '/'));
	op->root.path = root.len ? root : STR("/");
	if (root.len > 1 &&
	    (!str_starts(op->path, root) || op->path.len == root.len ||
	     op->path.ptr[root.len] != '/'))
		return "root";
	op->root.dev = op->root.ino = 0;
	op->mode_before &= NO_SET_ID;
	op->mode_after &= NO_SET_ID;
	if (uuid_eq(op->undoes, op->id))
		return "undoes";
	if (uuid_eq(op->undone, op->id))
		return "undone";
	return op->time_ms > clock_unix_ms() + DAY_MS ? "time" : NULL;
}

/*
 * A group of this machine is complete: what says that it belongs to one would
 * be undone with it, or prevent that.
 */
static enum err check_group(struct import_run *r, struct uuid group)
{
	auto_rows rows = rows_of(r->db, Q_OP_LOCAL_GROUP);

	if (uuid_is_zero(group))
		return ERR_OK;
	put_uuid(&rows, group);
	if (rows_next(&rows, r->f))
		return import_fail(r, "it is not part of that group", "group");
	return rows.err;
}

static enum err import_op(struct import_run *r, struct json v,
			  struct arena *mem)
{
	int64_t before = 0, after = 0;
	struct exported x;
	const char *wrong;
	enum err e = ERR_OK;

	if (json_count(v) != 1)
		return import_fail(r, "this is not an operation", "");
	wrong = exported_read(json_get(v, "operation"), r->version, mem, &x);
	if (!wrong)
		wrong = make_safe(&x.op);
	if (wrong)
		return import_fail(r, "it has an unexpected form", wrong);
	if (x.has_before)
		e = find_blob(r, x.before, &before);
	if (!e && x.has_after)
		e = find_blob(r, x.after, &after);
	if (e)
		return e;
	if ((x.has_before && !before) || (x.has_after && !after))
		return import_fail(r,
				   "a content of it is missing from the file",
				   "");
	e = check_content(r, before, x.op.before, x.op.bytes_before);
	if (!e)
		e = check_content(r, after, x.op.after, x.op.bytes_after);
	if (e)
		return e;
	auto_rows rows = rows_of(r->db, Q_OP_IMPORT);
	put_op(&rows, &x.op);
	put_blob(&rows, before);
	put_blob(&rows, after);
	e = rows_run(&rows, r->f);
	if (e)
		return e;
	if (!sqlite3_changes(r->db->sql)) {
		r->i->present++;
		return ERR_OK;
	}
	r->i->ops++;
	return check_group(r, x.op.group);
}

static enum err import_line(struct import_run *r, struct str line)
{
	auto_arena mem = ARENA_INIT;
	struct json v;
	enum err e = parse_object(r, line, &mem, &v);

	if (e)
		return e;
	if (!json_is(json_get(v, "content"), JSON_NONE))
		return import_content(r, v, &mem);
	return import_op(r, v, &mem);
}

static enum err run_query(struct import_run *r, enum db_query q)
{
	auto_rows rows = rows_of(r->db, q);

	return rows_run(&rows, r->f);
}

static enum err import_all(struct import_run *r)
{
	struct str line = STR("");
	enum err e = read_header(r);

	while (!e) {
		e = next_line(r, &line);
		if (e || !line.len)
			break;
		e = import_line(r, line);
	}
	if (!e && r->i->ops)
		e = run_query(r, Q_OP_ORDER);
	return !e && r->i->ops ? run_query(r, Q_OP_ORDERED) : e;
}

enum err history_import(struct store *s, struct history_import *i,
			struct arena *mem, struct fault *f)
{
	auto_shared_db db = NULL;
	enum err e = shared_db_acquire(s, &db, f);
	auto_run run = { .db = db, .i = i, .words = mem, .f = f };

	if (!e)
		e = db_begin(db, /* full= */ true, f);
	if (e)
		return e;
	e = import_all(&run);
	if (!e && !i->plan)
		return db_commit(db, f);
	db_rollback(db);
	if (!i->plan) /* large contents are files */
		(void)!blob_sweep(db, /* all= */ false, NULL);
	return e;
}
