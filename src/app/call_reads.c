/*
 * call_reads.c - what `stet call --session` has read, between runs.
 *
 * In the file call-sessions.json: a list of session, path and version, newest
 * last, rewritten as a whole under the lock of the state directory.
 */
#include "app/call_reads.h"

#include "base/fd.h"
#include "base/json.h"
#include "web/state_file.h"

#define NAME "call-sessions.json"

enum { MOST_ROWS = 500, MOST_NAME = 64 };

struct read_row {
	struct str session, path, version;
};

struct read_rows {
	struct read_row *items;
	size_t n;
};

bool call_reads_name_ok(struct str name)
{
	static const char more[] = "._-";

	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		      (c >= '0' && c <= '9') || (c && strchr(more, c))))
			return false;
	}
	return name.len > 0 && name.len <= MOST_NAME;
}

/* A row that cannot be parsed counts as a file that was not read. */
static struct read_rows reads_parse(struct str text, struct arena *mem)
{
	struct json_limits limits = { .max_depth = 3 };
	struct read_rows rows = { 0 };
	struct json_error error;
	struct read_row row;
	struct json_walk w;
	struct json v;

	if (json_parse(text, &limits, mem, &v, &error) ||
	    !json_is(v, JSON_ARRAY))
		return rows;
	for (w = json_walk(v); json_step(&w);)
		if (json_is(w.value, JSON_OBJECT) &&
		    json_text(json_get(w.value, "session"), mem,
			      &row.session) &&
		    json_text(json_get(w.value, "path"), mem, &row.path) &&
		    json_text(json_get(w.value, "version"), mem, &row.version))
			*arena_add(mem, rows.items, rows.n) = row;
	return rows;
}

static enum err read_rows(const struct call_reads *r,
			  const struct state_file_dir *d, struct read_rows *ret,
			  struct fault *f)
{
	struct str text;
	enum err e = state_file_read(d, NAME, r->mem, &text, NULL, f);

	*ret = (struct read_rows){ 0 };
	if (!e)
		*ret = reads_parse(text, r->mem);
	return e == ERR_NOT_FOUND ? ERR_OK : e;
}

enum err call_reads_load(const struct call_reads *r, struct fault *f)
{
	static const struct stat_data unknown;
	auto_state_file_dir d = STATE_FILE_DIR_INIT;
	struct read_rows rows;
	struct hash version;
	enum err e =
		state_file_dir_open(r->dir, /* make= */ true, &d, r->mem, f);

	if (!e)
		e = read_rows(r, &d, &rows, f);
	for (size_t i = 0; !e && i < rows.n; i++)
		if (str_eq(rows.items[i].session, r->session) &&
		    hash_parse(rows.items[i].version, &version))
			readstate_put(r->reads, rows.items[i].path, version,
				      &unknown, NULL);
	return e;
}

static void reads_put_row(struct json_out *o, const struct read_row *row)
{
	json_open(o, '{');
	json_text_member(o, "session", row->session);
	json_text_member(o, "path", row->path);
	json_text_member(o, "version", row->version);
	json_close(o, '}');
}

/* All of @rows except the row that @new replaces, and the oldest. */
static void put_rows(struct buf *out, const struct read_rows *rows,
		     const struct read_row *new)
{
	struct json_out o = json_out(out);
	size_t first = rows->n > MOST_ROWS ? rows->n - MOST_ROWS : 0;

	json_open(&o, '[');
	for (size_t i = first; i < rows->n; i++)
		if (!str_eq(rows->items[i].session, new->session) ||
		    !str_eq(rows->items[i].path, new->path))
			reads_put_row(&o, &rows->items[i]);
	if (new->version.len)
		reads_put_row(&o, new);
	json_close(&o, ']');
	buf_lit(out, "\n");
}

enum err call_reads_save(const struct call_reads *r, struct str key,
			 struct fault *f)
{
	struct read_row new = { r->session, key, STR("") };
	auto_state_file_dir d = STATE_FILE_DIR_INIT;
	auto_buf out = BUF_INIT;
	struct read_entry entry;
	struct read_rows rows;
	auto_fd lock = -1;
	enum err e;

	if (readstate_get(r->reads, key, r->mem, &entry))
		new.version = hash_text(entry.version, r->mem);
	e = state_file_dir_open(r->dir, /* make= */ true, &d, r->mem, f);
	if (!e)
		e = state_file_dir_lock(&d, &lock, r->mem, f);
	if (!e)
		e = read_rows(r, &d, &rows, f);
	if (e)
		return e;
	put_rows(&out, &rows, &new);
	return state_file_write(&d, NAME, buf_str(&out), /* durable= */ false,
				r->mem, f);
}
