/*
 * compress.c - compression of stored contents with zstd.
 *
 * compress_some() is idle work of the writer's thread and of gc: it reads
 * without a transaction, compresses, and then swaps the bytes of a row in a
 * short one. Rows up to the mark 'packed' have been looked at.
 */
#include "store/compress.h"

#include "base/fd.h"
#include "store/local.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

enum { AT_ONCE = 16, LEVEL = 3, CHUNK = 128 * 1024 };
enum { QUICK_LEVEL = 1, QUICK_RATIO = 4 }; /* while a caller waits */

struct raw {
	int64_t id;
	enum blob_form form;
	struct digest digest;
	struct str compressed;    /* result of a row; "" = not worth it */
	char staged[STAGED_NAME]; /* result of a file; "" = not worth it */
	uint64_t stored;
};

static void free_context(ZSTD_CCtx **z)
{
	(void)ZSTD_freeCCtx(*z);
}

#define auto_context cleanup(free_context) ZSTD_CCtx *

static bool is_worth_compressing(size_t size, size_t compressed)
{
	return compressed + compressed / 8 < size;
}

static enum err find_raw(struct db *db, struct raw *list, size_t *ret_n,
			 struct fault *f)
{
	auto_rows r = rows_of(db, Q_BLOB_RAW);
	size_t n = 0;

	put_int(&r, AT_ONCE);
	while (rows_next(&r, f) && n < AT_ONCE) {
		struct str digest;

		list[n] = (struct raw){ .id = get_int(&r) };
		list[n].form = (enum blob_form)get_int(&r);
		digest = get_view(&r);
		memcpy(list[n].digest.bytes, digest.ptr,
		       size_min(digest.len, DIGEST_BYTES));
		n++;
	}
	*ret_n = n;
	return r.err;
}

static enum err compress_row(struct db *db, ZSTD_CCtx *z, struct raw *raw,
			     struct arena *mem, struct fault *f)
{
	auto_rows r = rows_of(db, Q_BLOB_BYTES);
	size_t room, n;
	struct str bytes;
	char *to;

	put_int(&r, raw->id);
	if (!rows_next(&r, f))
		return r.err;
	bytes = get_view(&r);
	room = ZSTD_compressBound(bytes.len);
	to = arena_alloc(mem, room);
	n = ZSTD_compressCCtx(z, to, room, bytes.ptr, bytes.len, LEVEL);
	if (!ZSTD_isError(n) && is_worth_compressing(bytes.len, n))
		raw->compressed = str_make(to, n);
	return ERR_OK;
}

static ZSTD_CCtx *new_context(void)
{
	ZSTD_CCtx *z = ZSTD_createCCtx();

	if (!z)
		out_of_memory();
	return z;
}

/* As a stream: a second copy of a large content would be too much memory. */
static bool write_compressed(ZSTD_CCtx *z, struct str bytes, int level, int fd,
			     uint64_t *ret_size)
{
	ZSTD_inBuffer in = { bytes.ptr, bytes.len, 0 };
	char *chunk = malloc(CHUNK);
	size_t left = 1;

	if (!chunk)
		out_of_memory();
	(void)ZSTD_CCtx_reset(z, ZSTD_reset_session_and_parameters);
	(void)ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, level);
	(void)ZSTD_CCtx_setPledgedSrcSize(z, bytes.len);
	*ret_size = 0;
	while (left && !ZSTD_isError(left)) {
		ZSTD_outBuffer out = { chunk, CHUNK, 0 };

		left = ZSTD_compressStream2(z, &out, &in, ZSTD_e_end);
		if (fd_write(fd, str_make(chunk, out.pos)))
			left = (size_t)-1;
		*ret_size += out.pos;
	}
	free(chunk);
	return !left;
}

/* Judged by the first chunk. */
static bool compresses_well(ZSTD_CCtx *z, struct str bytes)
{
	struct str start = str_head(bytes, CHUNK);
	size_t room = ZSTD_compressBound(start.len), n;
	char *to = malloc(room);

	if (!to)
		out_of_memory();
	n = ZSTD_compressCCtx(z, to, room, start.ptr, start.len, QUICK_LEVEL);
	free(to);
	return !ZSTD_isError(n) && n < start.len / QUICK_RATIO;
}

bool compress_quickly(struct str bytes, int fd, uint64_t *ret_size)
{
	auto_context z = new_context();

	return compresses_well(z, bytes) &&
	       write_compressed(z, bytes, QUICK_LEVEL, fd, ret_size);
}

static bool compress_mapped(struct db *db, ZSTD_CCtx *z, struct raw *raw,
			    struct str bytes)
{
	bool done;

	blob_stage_name(raw->staged);
	auto_fd fd = fd_openat(db->dir, raw->staged,
			       O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0)
		return false;
	done = write_compressed(z, bytes, LEVEL, fd, &raw->stored) &&
	       is_worth_compressing(bytes.len, raw->stored) &&
	       (!db->store->options.durable || !fd_fsync(fd));
	if (!done)
		(void)unlinkat(db->dir, raw->staged, 0);
	return done;
}

/* A content that cannot be compressed stays as it is: it can still be read. */
static void compress_file(struct db *db, ZSTD_CCtx *z, struct raw *raw)
{
	char path[BLOB_PATH];
	struct stat st;
	void *at;

	blob_path(raw->digest, BLOB_FILE, path);
	auto_fd fd = fd_openat(db->dir, path, O_RDONLY | O_NOFOLLOW, 0);
	if (fd < 0 || fstat(fd, &st) || !st.st_size)
		return;
	at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (at == MAP_FAILED)
		return;
	if (!compress_mapped(db, z, raw, str_make(at, (size_t)st.st_size)))
		raw->staged[0] = '\0';
	(void)munmap(at, (size_t)st.st_size);
}

static enum err put_row(struct db *db, const struct raw *raw, struct fault *f)
{
	auto_rows r = rows_of(db, Q_BLOB_COMPRESS);

	put_int(&r, raw->staged[0] ? BLOB_ZSTD_FILE : BLOB_ZSTD);
	put_int(&r, (int64_t)raw->stored);
	if (raw->staged[0])
		put_null(&r);
	else
		put_bytes(&r, raw->compressed);
	put_int(&r, raw->id);
	put_int(&r, raw->form);
	put_bytes(&r, str_make((const char *)raw->digest.bytes, DIGEST_BYTES));
	return rows_run(&r, f);
}

/*
 * In the transaction. The file gets its name last, and only if the row has been
 * changed: gc may have deleted it meanwhile.
 */
static enum err put_compressed(struct db *db, struct raw *raw, struct fault *f)
{
	enum err e;

	if (!raw->compressed.len && !raw->staged[0])
		return ERR_OK;
	if (!raw->staged[0])
		raw->stored = raw->compressed.len;
	e = put_row(db, raw, f);
	if (e || !raw->staged[0] || !sqlite3_changes(db->sql))
		return e;
	return blob_place(db, raw->staged, raw->digest, BLOB_ZSTD_FILE, f);
}

static enum err set_mark(struct db *db, int64_t upto, struct fault *f)
{
	auto_rows r = rows_of(db, Q_MARK_COMPRESSED);

	put_int(&r, upto);
	return rows_run(&r, f);
}

static enum err put_all(struct db *db, struct raw *list, size_t n,
			struct fault *f)
{
	enum err e = db_begin(db, false, f);

	for (size_t i = 0; i < n && !e; i++)
		e = put_compressed(db, &list[i], f);
	if (!e)
		e = set_mark(db, list[n - 1].id, f);
	if (!e)
		e = db_commit(db, f);
	db_rollback(db);
	for (size_t i = 0; i < n; i++)
		if (list[i].staged[0])
			(void)unlinkat(db->dir, list[i].staged, 0);
	return e;
}

enum err compress_some(struct db *db, bool *ret_more, struct fault *f)
{
	auto_arena mem = ARENA_INIT;
	struct raw list[AT_ONCE];
	bool files = false;
	size_t n = 0;
	enum err e = find_raw(db, list, &n, f);

	*ret_more = false;
	if (e || !n)
		return e;
	auto_context z = new_context();
	for (size_t i = 0; i < n && !e; i++) {
		if (list[i].form == BLOB_RAW) {
			e = compress_row(db, z, &list[i], &mem, f);
			continue;
		}
		compress_file(db, z, &list[i]);
		files = true;
	}
	if (!e)
		e = put_all(db, list, n, f);
	if (!e && files)
		e = blob_sweep(db, false, f);
	*ret_more = !e && n == AT_ONCE;
	return e;
}
