/*
 * blobs.c - contents in the database or in files beside it, each kept once.
 *
 * Three steps around a transaction: blob_stage() hashes and writes a large
 * content to a temporary file, blob_put() inserts the row and renames the file,
 * blob_unstage() removes what is left. A crash in between leaves a file without
 * a row, which sweep.c removes.
 */
#include "store/blobs.h"

#include "base/clock.h"
#include "base/fd.h"
#include "store/compress.h"
#include "store/local.h"
#include "store/splices.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

void blob_path(struct digest d, enum blob_form form, char to[BLOB_PATH])
{
	char hex[DIGEST_HEX + 1];

	digest_hex(d, hex);
	(void)snprintf(to, BLOB_PATH, "blobs/%.2s/%s%s", hex, hex + 2,
		       form == BLOB_ZSTD_FILE ? ".z" : "");
}

static enum err fail_file(struct db *db, const char *name, int error,
			  struct fault *f)
{
	char words[128] = "";

	return fail(f, ERR_STORE,
		    .text = store_message(db->store, "%s: %s", name,
					  strerror_r(error, words,
						     sizeof(words))),
		    .os = error);
}

static enum err blob_find(struct db *db, struct content *c, struct fault *f)
{
	auto_rows r = rows_of(db, Q_BLOB_FIND);

	put_bytes(&r, str_make((char *)c->digest.bytes, DIGEST_BYTES));
	c->id = rows_next(&r, f) ? get_int(&r) : 0;
	return r.err;
}

static int sync_dir(struct db *db, const char *name)
{
	auto_fd dir = fd_openat(db->dir, name, O_RDONLY | O_DIRECTORY, 0);

	return dir < 0 ? -1 : fd_fsync(dir);
}

static int write_staged(struct db *db, struct content *c)
{
	auto_fd fd = fd_openat(db->dir, c->staged, O_WRONLY | O_CREAT | O_EXCL,
			       0600);

	if (fd < 0)
		return -1;
	c->form = BLOB_ZSTD_FILE;
	if (!compress_quickly(c->bytes, fd, &c->stored)) {
		c->form = BLOB_FILE;
		c->stored = c->bytes.len;
		if (ftruncate(fd, 0) || fd_pwrite(fd, c->bytes, 0))
			return -1;
	}
	return db->store->options.durable ? fd_fsync(fd) : 0;
}

/* The UUID has the time: sweep.c removes files that are old. */
void blob_stage_name(char to[STAGED_NAME])
{
	char id[UUID_TEXT + 1];

	uuid_text(uuid_new(clock_unix_ms()), id);
	(void)snprintf(to, STAGED_NAME, "blobs/new-%s", id);
}

static enum err stage_file(struct db *db, struct content *c, struct fault *f)
{
	int error;

	if (mkdirat(db->dir, "blobs", 0700) && errno != EEXIST)
		return fail_file(db, "blobs", errno, f);
	blob_stage_name(c->staged);
	if (!write_staged(db, c))
		return ERR_OK;
	error = errno;
	blob_unstage(db, c);
	return fail_file(db, "blobs", error, f);
}

void recent_drop(struct recent *r)
{
	for (size_t i = 0; i < RECENT; i++)
		free((char *)r->kept[i].bytes.ptr);
	*r = (struct recent){ 0 };
}

/* A small content is hashed as quickly; a large one takes too much memory. */
static bool worth_keeping(struct str bytes)
{
	return bytes.len >= 4096 && bytes.len <= BLOB_IN_FILE;
}

static bool find_recent(const struct recent *r, struct content *c)
{
	for (size_t i = 0; i < RECENT && worth_keeping(c->bytes); i++)
		if (str_eq(r->kept[i].bytes, c->bytes)) {
			c->digest = r->kept[i].digest;
			return true;
		}
	return false;
}

static void keep_recent(struct recent *r, const struct content *c)
{
	char *copy;

	if (!worth_keeping(c->bytes))
		return;
	copy = realloc((char *)r->kept[r->next].bytes.ptr, c->bytes.len);
	if (!copy)
		out_of_memory();
	memcpy(copy, c->bytes.ptr, c->bytes.len);
	r->kept[r->next].bytes = str_make(copy, c->bytes.len);
	r->kept[r->next].digest = c->digest;
	r->next = (r->next + 1) % RECENT;
}

enum err blob_stage(struct db *db, struct content *c, struct recent *recent,
		    struct fault *f)
{
	enum err e;

	if (!c->kept)
		return ERR_OK;
	if (c->spliced) {
		c->digest = splices_digest(c->bytes);
		return ERR_OK;
	}
	if (!find_recent(recent, c)) {
		c->digest = digest_of(c->bytes);
		keep_recent(recent, c);
	}
	if (c->bytes.len <= BLOB_IN_FILE)
		return ERR_OK;
	e = blob_find(db, c, f);
	return e || c->id ? e : stage_file(db, c, f);
}

void blob_unstage(struct db *db, struct content *c)
{
	if (c->staged[0])
		(void)unlinkat(db->dir, c->staged, 0);
	c->staged[0] = '\0';
}

enum err blob_place(struct db *db, char *staged, struct digest d,
		    enum blob_form form, struct fault *f)
{
	bool durable = db->store->options.durable;
	char path[BLOB_PATH], dir[] = "blobs/ab";
	bool made;

	blob_path(d, form, path);
	memcpy(dir, path, sizeof(dir) - 1);
	made = !mkdirat(db->dir, dir, 0700);
	if (!made && errno != EEXIST)
		return fail_file(db, dir, errno, f);
	if (renameat(db->dir, staged, db->dir, path))
		return fail_file(db, path, errno, f);
	staged[0] = '\0';
	if (durable && (sync_dir(db, dir) ||
			(made && (sync_dir(db, "blobs") || fd_fsync(db->dir)))))
		return fail_file(db, dir, errno, f);
	return ERR_OK;
}

static enum err place_file(struct db *db, struct content *c, struct fault *f)
{
	enum err e = c->staged[0] ? ERR_OK : stage_file(db, c, f);

	return e ? e : blob_place(db, c->staged, c->digest, c->form, f);
}

static enum err blob_insert(struct db *db, struct content *c, struct fault *f)
{
	bool file = c->bytes.len > BLOB_IN_FILE;
	enum err e = file ? place_file(db, c, f) : ERR_OK;

	if (e)
		return e;
	if (!file) {
		c->form = c->spliced ? BLOB_SPLICES : BLOB_RAW;
		c->stored = c->bytes.len;
	}
	auto_rows r = rows_of(db, Q_BLOB_ADD);
	put_bytes(&r, str_make((char *)c->digest.bytes, DIGEST_BYTES));
	put_int(&r, (int64_t)c->bytes.len);
	put_int(&r, c->form);
	put_int(&r, (int64_t)c->stored);
	if (file)
		put_null(&r);
	else
		put_bytes(&r, c->bytes);
	e = rows_run(&r, f);
	if (!e)
		c->id = sqlite3_last_insert_rowid(db->sql);
	return e;
}

enum err blob_put(struct db *db, struct content *c, struct fault *f)
{
	enum err e;

	if (!c->kept)
		return ERR_OK;
	e = blob_find(db, c, f);
	return e || c->id ? e : blob_insert(db, c, f);
}

static enum err read_file(struct db *db, const char *path, struct arena *mem,
			  struct str *ret, struct fault *f)
{
	auto_fd fd = fd_openat(db->dir, path, O_RDONLY | O_NOFOLLOW, 0);
	struct stat st;
	ssize_t got;
	char *to;

	if (fd < 0 || fstat(fd, &st))
		return fail_file(db, path, errno, f);
	to = arena_alloc(mem, (size_t)st.st_size);
	got = fd_pread(fd, to, (size_t)st.st_size, 0);
	if (got < 0)
		return fail_file(db, path, errno, f);
	*ret = str_make(to, (size_t)got);
	return ERR_OK;
}

static bool blob_decompress(struct str compressed, size_t size,
			    struct arena *mem, struct str *ret)
{
	char *to;

	/* A damaged size must not make us ask for all memory there is. */
	if (ZSTD_getFrameContentSize(compressed.ptr, compressed.len) != size)
		return false;
	to = arena_alloc(mem, size);
	if (ZSTD_decompress(to, size, compressed.ptr, compressed.len) != size)
		return false;
	*ret = str_make(to, size);
	return true;
}

static bool is_whole(struct str bytes, enum blob_form form,
		     const struct digest *digest)
{
	return digest_eq(form == BLOB_SPLICES ? splices_digest(bytes)
					      : digest_of(bytes),
			 *digest);
}

enum err blob_get(struct db *db, int64_t id, struct arena *mem, struct str *ret,
		  bool *ret_spliced, struct fault *f)
{
	auto_rows r = rows_of(db, Q_BLOB_GET);
	struct digest digest = { 0 };
	struct str bytes, named;
	enum blob_form form;
	char path[BLOB_PATH];
	size_t size;

	put_int(&r, id);
	if (!rows_next(&r, f))
		return r.err ? r.err
			     : fail(f, ERR_NO_CONTENT,
				    .text = STR("it disappeared"));
	named = get_view(&r);
	memcpy(digest.bytes, named.ptr, size_min(named.len, DIGEST_BYTES));
	size = (size_t)get_int(&r);
	form = (enum blob_form)get_int(&r);
	bytes = get_view(&r);
	/* For the compressed bytes and the content: both are at most @size. */
	if (size > BLOB_IN_FILE && !arena_reserve(mem, size_add(size, size)))
		return fail_memory(f, STR("a content of this size"), size,
				   mem->charge.budget);
	if (form == BLOB_FILE || form == BLOB_ZSTD_FILE) {
		enum err e;

		blob_path(digest, form, path);
		e = read_file(db, path, mem, &bytes, f);
		if (e)
			return e;
	}
	if (form == BLOB_ZSTD || form == BLOB_ZSTD_FILE) {
		if (!blob_decompress(bytes, size, mem, &bytes))
			bytes = STR("");
	} else if (form == BLOB_RAW || form == BLOB_SPLICES) {
		bytes = arena_copy(mem, bytes);
	}
	if (!is_whole(bytes, form, &digest))
		return fail(f, ERR_STORE,
			    .text = STR("a content in it is damaged"));
	*ret = bytes;
	*ret_spliced = form == BLOB_SPLICES;
	return ERR_OK;
}
