/*
 * export.c - write the history as lines of JSON (export.h).
 *
 * One query gives the operations from the snapshot that it began with; contents
 * are looked up for each, and written once.
 */
#include "store/export.h"

#include "base/base64.h"
#include "base/clock.h"
#include "base/utf8_valid.h"
#include "store/blobs.h"
#include "store/history_local.h"
#include "store/local.h"

#include <errno.h>
#include <stdlib.h>

struct export_run {
	struct db *db;
	struct history_export *x;
	unsigned char *seen; /* bitmap of the blobs that were written */
	size_t seen_bytes;
	struct fault *f;
};

static void export_run_free(struct export_run *r)
{
	free(r->seen);
}

#define auto_run cleanup(export_run_free) struct export_run

/* Sets the bit of the blob @id; returns its old value. */
static bool note_seen(struct export_run *r, int64_t id)
{
	size_t at = (size_t)id / 8, room;
	unsigned bit = 1U << (id % 8);
	bool was;

	if (at >= r->seen_bytes) {
		room = (at + 1) * 2;
		r->seen = realloc(r->seen, room);
		if (!r->seen)
			out_of_memory();
		memset(r->seen + r->seen_bytes, 0, room - r->seen_bytes);
		r->seen_bytes = room;
	}
	was = r->seen[at] & bit;
	r->seen[at] |= (unsigned char)bit;
	return was;
}

static enum err put_line(struct export_run *r, struct buf *line)
{
	buf_addc(line, '\n');
	if (r->x->put(r->x->ctx, buf_str(line)))
		return ERR_OK;
	return fail_os(r->f, errno, STR("the exported file"));
}

static enum err put_header(struct export_run *r)
{
	auto_buf line = BUF_INIT;
	struct json_out o = json_out(&line);

	json_open(&o, '{');
	json_text_member(&o, "format", STR(EXPORT_FORMAT));
	json_key(&o, "version");
	json_put_int(&o, EXPORT_VERSION);
	json_text_member(&o, "stet", str_of(r->x->version));
	json_key(&o, "time");
	json_put_int(&o, (int64_t)clock_unix_ms());
	json_close(&o, '}');
	return put_line(r, &line);
}

static enum err put_content_line(struct export_run *r, struct digest d,
				 struct str bytes)
{
	auto_buf line = BUF_INIT;
	struct json_out o = json_out(&line);
	char hex[DIGEST_HEX + 1];
	bool text = utf8_valid_prefix(bytes) == bytes.len;

	digest_hex(d, hex);
	json_open(&o, '{');
	json_text_member(&o, "content", str_of(hex));
	json_text_member(&o, "encoding", text ? STR("text") : STR("base64"));
	json_key(&o, "bytes");
	if (text) {
		json_put_str(&o, bytes);
	} else {
		buf_addc(&line, '"');
		base64_add(&line, bytes);
		buf_addc(&line, '"');
	}
	json_close(&o, '}');
	r->x->contents++;
	return put_line(r, &line);
}

/* The blob that has the whole content; 0 = none. */
static enum err find_whole(struct export_run *r, struct digest d, int64_t *ret)
{
	auto_rows rows = rows_of(r->db, Q_BLOB_FIND);

	put_bytes(&rows, str_make((char *)d.bytes, DIGEST_BYTES));
	*ret = rows_next(&rows, r->f) ? get_int(&rows) : 0;
	return rows.err;
}

/* Write the content of @blob, unless it was written before. */
static enum err export_content(struct export_run *r, int64_t blob,
			       int64_t before, bool *ret_has,
			       struct digest *ret)
{
	auto_arena mem = ARENA_INIT;
	struct str bytes;
	bool spliced;
	enum err e;

	*ret_has = false;
	if (!blob)
		return ERR_OK;
	e = blob_get(r->db, blob, &mem, &bytes, &spliced, r->f);
	if (!e && spliced)
		e = history_get_spliced(r->db, before, bytes, &mem, &bytes,
					r->f);
	if (e == ERR_NO_CONTENT) {
		r->x->lost++;
		return ERR_OK;
	}
	if (e)
		return e;
	*ret = digest_of(bytes);
	*ret_has = true;
	if (spliced)
		e = find_whole(r, *ret, &blob);
	if (e || (blob && note_seen(r, blob)))
		return e;
	return put_content_line(r, *ret, bytes);
}

static enum err export_op(struct export_run *r, struct rows *rows)
{
	auto_arena mem = ARENA_INIT;
	auto_buf line = BUF_INIT;
	struct json_out o = json_out(&line);
	struct exported x = { 0 };
	int64_t before, after;
	enum err e;

	(void)history_get_op(rows, &mem, &x.op);
	before = get_int(rows);
	after = get_int(rows);
	e = export_content(r, before, 0, &x.has_before, &x.before);
	if (!e)
		e = export_content(r, after, before, &x.has_after, &x.after);
	if (e)
		return e;
	json_open(&o, '{');
	json_key(&o, "operation");
	exported_put(&o, &x);
	json_close(&o, '}');
	r->x->ops++;
	return put_line(r, &line);
}

enum err history_export(struct store *s, const struct history_query *q,
			struct history_export *x, struct fault *f)
{
	auto_shared_db db = NULL;
	auto_arena mem = ARENA_INIT;
	enum err e = shared_db_acquire(s, &db, f);
	auto_run run = { .db = db, .x = x, .f = f };

	if (e)
		return e;
	auto_rows rows = rows_of(db, Q_OP_EXPORT);
	history_put_query(&rows, q, &mem);
	e = put_header(&run);
	while (!e && rows_next(&rows, f))
		e = export_op(&run, &rows);
	return e ? e : rows.err;
}
