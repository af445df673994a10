/*
 * sweep.c - remove files in blobs/ that no row refers to.
 *
 * A crash leaves them: a content that was being written, one whose row was not
 * committed, or the raw file beside its compressed successor. A file gets its
 * name only under the database's write lock, so that one without a row while we
 * hold that lock will not get one.
 */
#include "base/clock.h"
#include "base/fd.h"
#include "store/blobs.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static const uint64_t STAGED_MS = 3600 * 1000;

static int lower_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The digest in a path "ab/cdef..."; false when that is not a blob's. */
static bool parse_blob_name(const char *dir, const char *name,
			    struct digest *ret, enum blob_form *form)
{
	char hex[DIGEST_HEX];
	size_t n = strlen(name), rest = DIGEST_HEX - 2;

	if (strlen(dir) != 2 || n < rest ||
	    (n > rest && strcmp(name + rest, ".z") != 0))
		return false;
	*form = n > rest ? BLOB_ZSTD_FILE : BLOB_FILE;
	memcpy(hex, dir, 2);
	memcpy(hex + 2, name, rest);
	for (size_t i = 0; i < DIGEST_BYTES; i++) {
		int high = lower_hex_digit(hex[2 * i]),
		    low = lower_hex_digit(hex[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		ret->bytes[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

static enum err has_row(struct db *db, struct digest d, enum blob_form form,
			bool *ret, struct fault *f)
{
	auto_rows r = rows_of(db, Q_BLOB_FORM);

	put_bytes(&r, str_make((char *)d.bytes, DIGEST_BYTES));
	*ret = rows_next(&r, f) && get_int(&r) == (int64_t)form;
	return r.err;
}

static enum err sweep_dir(struct db *db, const char *name, struct fault *f)
{
	char path[sizeof("blobs/") + NAME_MAX];
	struct dirent *entry;
	enum err e;

	(void)snprintf(path, sizeof(path), "blobs/%s", name);
	auto_dir dir = state_dir_list(db->dir, path);
	if (!dir)
		return ERR_OK;
	e = db_begin(db, false, f);
	while (!e && (entry = readdir(dir))) {
		enum blob_form form;
		struct digest d;
		bool known;

		if (!parse_blob_name(name, entry->d_name, &d, &form))
			continue;
		e = has_row(db, d, form, &known, f);
		if (!e && !known)
			(void)unlinkat(dirfd(dir), entry->d_name, 0);
	}
	db_rollback(db);
	return e;
}

static bool is_old(const char *name)
{
	struct uuid id;
	uint64_t ms = 0;

	if (!str_starts(str_of(name), STR("new-")) ||
	    !uuid_parse(str_of(name + 4), &id))
		return false;
	for (int i = 0; i < 6; i++)
		ms = ms << 8 | id.bytes[i];
	return ms + STAGED_MS < clock_unix_ms();
}

enum err blob_sweep(struct db *db, bool all, struct fault *f)
{
	auto_dir dir = state_dir_list(db->dir, "blobs");
	struct dirent *entry;
	enum err e = ERR_OK;

	while (dir && !e && (entry = readdir(dir))) {
		if (strlen(entry->d_name) == 2 && entry->d_name[0] != '.')
			e = sweep_dir(db, entry->d_name, f);
		else if (all && is_old(entry->d_name))
			(void)unlinkat(dirfd(dir), entry->d_name, 0);
	}
	return e;
}
