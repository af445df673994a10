/*
 * tokens_file.c - the files `tokens` and `tokens.seen`, read and written.
 */
#include "base/clock.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/log.h"
#include "files/path.h"
#include "web/tokens_local.h"

#include <errno.h>
#include <stdio.h>

static const struct json_limits limits = { .max_depth = 4 };

bool tokens_name_ok(struct str name)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i], letter = (char)(c | 0x20);

		if (!(letter >= 'a' && letter <= 'z') &&
		    !(c >= '0' && c <= '9') && c != '.' && c != '_' && c != '-')
			return false;
	}
	return name.len && name.len <= TOKEN_NAME_MOST;
}

static bool get_time(struct json v, uint64_t *ret)
{
	int64_t n;

	if (!json_int(v, &n) || n < 0)
		return false;
	*ret = (uint64_t)n;
	return true;
}

static bool get_row(struct json v, struct arena *mem, struct token_row *ret)
{
	struct str hex;

	return json_text(json_get(v, "name"), mem, &ret->name) &&
	       tokens_name_ok(ret->name) && !str_is(ret->name, "owner") &&
	       json_text(json_get(v, "digest"), mem, &hex) &&
	       digest_from_hex(hex, &ret->digest) &&
	       get_time(json_get(v, "made"), &ret->made_ms);
}

static bool get_rows(struct str text, struct arena *mem, struct token_rows *ret)
{
	struct json_error error;
	struct json_walk w;
	struct json v;

	if (json_parse(text, &limits, mem, &v, &error) ||
	    !json_is(json_get(v, "tokens"), JSON_ARRAY))
		return false;
	for (w = json_walk(json_get(v, "tokens")); json_step(&w);) {
		struct token_row row = { 0 };

		if (ret->count == TOKENS_MOST || !get_row(w.value, mem, &row))
			return false;
		ret->at[ret->count++] = row;
	}
	return true;
}

enum err tokens_load(const struct state_file_dir *d, struct arena *mem,
		     struct token_rows *ret, int *ret_fd, struct fault *f)
{
	struct str text;
	enum err e;

	ret->count = 0;
	ret->damaged = false;
	e = state_file_read(d, TOKENS_NAMED, mem, &text, ret_fd, f);
	if (e == ERR_NOT_FOUND)
		return ERR_OK;
	if (e)
		return e;
	if (get_rows(text, mem, ret))
		return ERR_OK;
	ret->count = 0;
	ret->damaged = true;
	return fail(f, ERR_BAD_CONFIG,
		    .text = arena_printf(
			    mem,
			    STR_FMT "/" TOKENS_NAMED
				    ": it is not in the format of 'stet token'",
			    STR_ARG(d->path)));
}

enum err tokens_check(struct str dir, struct arena *mem, struct fault *f)
{
	auto_state_file_dir d = STATE_FILE_DIR_INIT;
	struct token_rows *rows = arena_new(mem, struct token_rows);
	enum err e = state_file_dir_open(dir, /* make= */ false, &d, mem, f);

	if (e == ERR_NOT_FOUND)
		return ERR_OK;
	return e ? e : tokens_load(&d, mem, rows, NULL, f);
}

enum err tokens_put_aside(const struct state_file_dir *d, struct arena *mem,
			  struct fault *f)
{
	unsigned ms = (unsigned)(clock_unix_ms() % 1000);
	char stamp[CLOCK_STAMP];
	const char *to;
	int failed;

	clock_stamp(stamp);
	do {
		to = arena_printf(mem, TOKENS_NAMED ".damaged-%s.%03u", stamp,
				  ms)
			     .ptr;
		failed = renameat2(d->fd, TOKENS_NAMED, d->fd, to,
				   RENAME_NOREPLACE);
	} while (failed && errno == EEXIST && ++ms < 1000);
	if (failed)
		return fail_os(f, errno, path_join(mem, d->path, str_of(to)));
	log_always(
		STR_FMT
		"/" TOKENS_NAMED
		" was damaged and was moved to %s; its tokens are refused: create new ones with 'stet token add'",
		STR_ARG(d->path), to);
	return ERR_OK;
}

static void put_row(struct json_out *o, const struct token_row *row)
{
	char hex[DIGEST_HEX + 1];

	digest_hex(row->digest, hex);
	json_open(o, '{');
	json_key(o, "name");
	json_put_str(o, row->name);
	json_key(o, "digest");
	json_put_str(o, str_of(hex));
	json_key(o, "made");
	json_put_int(o, (int64_t)row->made_ms);
	json_close(o, '}');
}

enum err tokens_save(const struct state_file_dir *d,
		     const struct token_rows *rows, struct arena *mem,
		     struct fault *f)
{
	auto_buf out = BUF_INIT;
	struct json_out o = json_out(&out);

	json_open(&o, '{');
	json_key(&o, "tokens");
	json_open(&o, '[');
	for (size_t i = 0; i < rows->count; i++)
		put_row(&o, &rows->at[i]);
	json_close(&o, ']');
	json_close(&o, '}');
	buf_lit(&out, "\n");
	return state_file_write(d, TOKENS_NAMED, buf_str(&out),
				/* durable= */ true, mem, f);
}

/* By digest, so that a new token does not take over from one of its name. */
void tokens_seen_load(const struct state_file_dir *d, struct token_row *rows,
		      size_t n, struct arena *mem)
{
	char hex[DIGEST_HEX + 1];
	struct json_error error;
	struct str text;
	struct json v;
	uint64_t seen;

	if (state_file_read(d, TOKENS_SEEN, mem, &text, NULL, NULL) ||
	    json_parse(text, &limits, mem, &v, &error))
		return;
	for (size_t i = 0; i < n; i++) {
		digest_hex(rows[i].digest, hex);
		if (get_time(json_get(v, hex), &seen) && seen > rows[i].seen_ms)
			rows[i].seen_ms = seen;
	}
}

void tokens_seen_save(const struct state_file_dir *d, struct token_row *rows,
		      size_t n)
{
	auto_arena mem = ARENA_INIT;
	auto_buf out = BUF_INIT;
	struct json_out o = json_out(&out);
	char hex[DIGEST_HEX + 1];
	auto_fd lock = -1;

	if (!state_file_dir_try_lock(d, &lock))
		return;
	/* another server may have seen one later */
	tokens_seen_load(d, rows, n, &mem);
	json_open(&o, '{');
	for (size_t i = 0; i < n; i++) {
		if (!rows[i].seen_ms)
			continue;
		digest_hex(rows[i].digest, hex);
		json_key_str(&o, str_of(hex));
		json_put_int(&o, (int64_t)rows[i].seen_ms);
	}
	json_close(&o, '}');
	buf_lit(&out, "\n");
	(void)!state_file_write(d, TOKENS_SEEN, buf_str(&out),
				/* durable= */ false, &mem, NULL);
}
