/*
 * tokens.c - the owner's token and those of clients: read, compare, add,
 * revoke.
 *
 * Digests are compared in constant time, and the list is read again when its
 * file has changed. tokens_add() and tokens_revoke() work on the files under
 * the lock of the state directory, from any thread; everything else belongs to
 * one thread.
 */
#include "web/tokens.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/secret.h"
#include "web/tokens_local.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { NOTE_MS = 60 * 1000, RETRY_MS = 1000 };

/* Which state of a file that is. */
struct file_id {
	uint64_t dev, ino, size;
	struct timespec written, changed;
};

/* Every name that was ever returned: sessions may still refer to it. */
struct known {
	struct known *next;
	struct str name;
};

struct tokens {
	struct state_file_dir dir;
	struct arena mem;
	struct str owner;
	struct known *known;
	/*
	 * The parsed file, with its file_id. It is kept open, so that its inode
	 * number is not reused while we compare by it.
	 */
	int file;
	bool failed; /* the last read failed, at tried_ms */
	bool to_note;
	uint64_t tried_ms;
	struct file_id file_id;
	struct token_row rows[1 + TOKENS_MOST]; /* the owner's is first */
	size_t count;
	uint64_t noted_ms; /* time of the last write of seen_ms to the file */
};

static struct file_id file_id_of(const struct stat *st)
{
	return (struct file_id){ st->st_dev, st->st_ino, (uint64_t)st->st_size,
				 st->st_mtim, st->st_ctim };
}

static bool same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static bool same_file_id(const struct file_id *a, const struct file_id *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->size == b->size &&
	       same_time(a->written, b->written) &&
	       same_time(a->changed, b->changed);
}

/* A valid token after "Bearer " (RFC 6750). */
static bool is_token(struct str s)
{
	static const char others[] = "-._~+/=";

	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i], letter = (char)(c | 0x20);

		if (!(letter >= 'a' && letter <= 'z') &&
		    !(c >= '0' && c <= '9') && (!c || !strchr(others, c)))
			return false;
	}
	return true;
}

static enum err take_owner(struct tokens *t, struct str token,
			   const char *origin, struct arena *mem,
			   struct fault *f)
{
	while (token.len && strchr("\r\n \t", token.ptr[token.len - 1]))
		token.len--;
	if (token.len < TOKEN_GIVEN_LEAST || !is_token(token))
		return fail(f, ERR_BAD_CONFIG,
			    .text = arena_printf(
				    mem,
				    "%s: a token has at least %d characters, "
				    "which are letters, digits and -._~+/=",
				    origin, TOKEN_GIVEN_LEAST));
	secret_free(&t->owner);
	t->owner = secret_guard(token);
	t->rows[0].name = STR("owner");
	t->rows[0].digest = digest_of(token);
	t->count = 1;
	return ERR_OK;
}

static enum err read_owner(struct tokens *t, const struct state_file_dir *dir,
			   const char *name, struct arena *mem, struct fault *f)
{
	auto_fd fd = -1;
	struct stat st;
	struct str text = STR("");
	enum err e = state_file_read(dir, name, mem, &text, &fd, f);

	if (!e)
		e = take_owner(t, text,
			       arena_printf(mem, STR_FMT "%s%s",
					    STR_ARG(dir->path),
					    dir->path.len ? "/" : "", name)
				       .ptr,
			       mem, f);
	secret_wipe(text);
	if (!e && !fstat(fd, &st))
		t->rows[0].made_ms = (uint64_t)st.st_mtim.tv_sec * 1000;
	return e;
}

static struct str new_token(struct arena *mem)
{
	struct str secret = secret_token(mem);
	struct str token = arena_printf(mem, "stet_" STR_FMT, STR_ARG(secret));

	secret_wipe(secret);
	return token;
}

/* Two may start at the same time: the lock is for one of them. */
static enum err make_owner(struct tokens *t, struct arena *mem, struct fault *f)
{
	auto_fd lock = -1;
	struct str token, line;
	enum err e;

	e = state_file_dir_lock(&t->dir, &lock, mem, f);
	if (e)
		return e;
	e = read_owner(t, &t->dir, TOKENS_OWNER, mem, f);
	if (e != ERR_NOT_FOUND)
		return e;
	token = new_token(mem);
	line = arena_printf(mem, STR_FMT "\n", STR_ARG(token));
	e = state_file_write(&t->dir, TOKENS_OWNER, line, /* durable= */ true,
			     mem, f);
	secret_wipe(token);
	secret_wipe(line);
	return e ? e : read_owner(t, &t->dir, TOKENS_OWNER, mem, f);
}

static enum err open_all(struct tokens *t, const struct tokens_options *options,
			 struct arena *mem, struct fault *f)
{
	enum err e = state_file_dir_open(options->dir, /* make= */ true,
					 &t->dir, mem, f);

	if (e)
		return e;
	t->dir.path = arena_copy(&t->mem, t->dir.path);
	if (options->given.len)
		return take_owner(t, options->given, "STET_TOKEN", mem, f);
	if (options->file.len)
		return read_owner(t, &state_file_dir_cwd,
				  arena_cstr(mem, options->file), mem, f);
	e = read_owner(t, &t->dir, TOKENS_OWNER, mem, f);
	return e == ERR_NOT_FOUND ? make_owner(t, mem, f) : e;
}

struct tokens *tokens_open(const struct tokens_options *options,
			   struct arena *mem, struct fault *f)
{
	struct tokens *t = calloc(1, sizeof(*t));

	if (!t)
		out_of_memory();
	t->dir.fd = t->file = -1;
	if (open_all(t, options, mem, f)) {
		tokens_free(t);
		return NULL;
	}
	return t;
}

void tokens_free(struct tokens *t)
{
	if (!t)
		return;
	if (t->to_note)
		tokens_seen_save(&t->dir, t->rows, t->count);
	state_file_dir_close(&t->dir);
	fd_drop(&t->file);
	secret_free(&t->owner);
	arena_free(&t->mem);
	free(t);
}

void tokens_forget_owner(struct tokens *t)
{
	secret_free(&t->owner);
}

struct str tokens_owner(const struct tokens *t)
{
	return t->owner;
}

/* The permanent copy of the name. */
static struct str keep_name(struct tokens *t, struct str name)
{
	struct known *k;

	for (k = t->known; k; k = k->next)
		if (str_eq(k->name, name))
			return k->name;
	k = arena_new(&t->mem, struct known);
	k->name = arena_copy(&t->mem, name);
	k->next = t->known;
	t->known = k;
	return k->name;
}

static uint64_t seen_before(const struct tokens *t, struct digest digest)
{
	for (size_t i = 0; i < t->count; i++)
		if (digest_eq(t->rows[i].digest, digest))
			return t->rows[i].seen_ms;
	return 0;
}

/* Read `tokens` again; on failure no client token is valid. */
static enum err tokens_reload(struct tokens *t, struct arena *mem,
			      struct fault *f)
{
	struct token_rows *rows = arena_new(mem, struct token_rows);
	auto_fd fd = -1;
	struct stat st;
	enum err e = tokens_load(&t->dir, mem, rows, &fd, f);

	for (size_t i = 0; i < rows->count; i++)
		rows->at[i].seen_ms = seen_before(t, rows->at[i].digest);
	for (size_t i = 0; i < rows->count; i++) {
		t->rows[1 + i] = rows->at[i];
		t->rows[1 + i].name = keep_name(t, rows->at[i].name);
	}
	t->count = 1 + rows->count;
	t->file_id = (struct file_id){ 0 };
	if (fd >= 0 && !fstat(fd, &st))
		t->file_id = file_id_of(&st);
	fd_drop(&t->file);
	t->file = fd_take(&fd);
	t->failed = e;
	t->tried_ms = clock_ms();
	return e;
}

static bool is_current(const struct tokens *t)
{
	struct file_id now = { 0 };
	struct stat st;

	if (t->failed)
		return clock_ms() - t->tried_ms < RETRY_MS;
	if (!fstatat(t->dir.fd, TOKENS_NAMED, &st, 0))
		now = file_id_of(&st);
	return same_file_id(&now, &t->file_id);
}

static void tokens_reload_and_log(struct tokens *t)
{
	auto_arena mem = ARENA_INIT;
	bool was_logged = t->failed;
	struct fault f = { 0 };

	if (tokens_reload(t, &mem, &f) && !was_logged)
		log_always("only the owner is admitted: " STR_FMT,
			   STR_ARG(fault_text(&f, &mem)));
}

void tokens_refresh(struct tokens *t)
{
	if (!is_current(t))
		tokens_reload_and_log(t);
}

static void note_seen(struct tokens *t, struct token_row *row)
{
	uint64_t now = clock_unix_ms();

	row->seen_ms = now;
	t->to_note = true;
	if (now - t->noted_ms < NOTE_MS)
		return;
	tokens_seen_save(&t->dir, t->rows, t->count);
	t->noted_ms = now;
	t->to_note = false;
}

struct str tokens_identify(struct tokens *t, struct str token)
{
	struct digest digest = digest_of(token);
	struct token_row *found = NULL;

	for (size_t i = 0; i < t->count; i++)
		if (digest_eq(t->rows[i].digest, digest))
			found = &t->rows[i];
	if (!found)
		return STR("");
	note_seen(t, found);
	return found->name;
}

bool tokens_has(const struct tokens *t, struct str name)
{
	for (size_t i = 0; i < t->count; i++)
		if (str_eq(t->rows[i].name, name))
			return true;
	return false;
}

static enum err tokens_refuse(struct str name, const char *why,
			      struct arena *mem, struct fault *f)
{
	return fail(f, ERR_BAD_ARGS,
		    .text = arena_printf(mem, "'" STR_FMT "' %s", STR_ARG(name),
					 why));
}

static size_t find_name(const struct token_rows *rows, struct str name)
{
	size_t i = 0;

	while (i < rows->count && !str_eq(rows->at[i].name, name))
		i++;
	return i;
}

enum err tokens_add(struct tokens *t, struct str name, struct arena *mem,
		    struct str *ret_token, struct fault *f)
{
	struct token_rows *rows = arena_new(mem, struct token_rows);
	struct str token = new_token(mem);
	auto_fd lock = -1;
	enum err e;

	if (!tokens_name_ok(name))
		return tokens_refuse(
			name,
			"is not a valid name for a token: 1 to 64 letters, digits, '.', '_' and '-'",
			mem, f);
	if (str_is(name, "owner"))
		return tokens_refuse(name, "is the name of your own token", mem,
				     f);
	e = state_file_dir_lock(&t->dir, &lock, mem, f);
	if (!e)
		e = tokens_load(&t->dir, mem, rows, NULL, f);
	if (e && rows->damaged)
		e = tokens_put_aside(&t->dir, mem, f);
	if (e)
		return e;
	if (find_name(rows, name) < rows->count)
		return tokens_refuse(
			name,
			"already has a token: revoke it first, or choose another name",
			mem, f);
	if (rows->count == TOKENS_MOST)
		return tokens_refuse(
			name,
			"exceeds the maximum number of tokens: revoke another first",
			mem, f);
	rows->at[rows->count++] =
		(struct token_row){ .name = name,
				    .digest = digest_of(token),
				    .made_ms = clock_unix_ms() };
	e = tokens_save(&t->dir, rows, mem, f);
	if (!e)
		*ret_token = token;
	return e;
}

enum err tokens_revoke(struct tokens *t, struct str name, struct arena *mem,
		       struct fault *f)
{
	struct token_rows *rows = arena_new(mem, struct token_rows);
	auto_fd lock = -1;
	size_t at;
	enum err e;

	if (str_is(name, "owner"))
		return tokens_refuse(
			name,
			"is your own token: to replace it, delete the file 'token' in the state directory and restart the server",
			mem, f);
	e = state_file_dir_lock(&t->dir, &lock, mem, f);
	if (!e)
		e = tokens_load(&t->dir, mem, rows, NULL, f);
	if (e)
		return e;
	at = find_name(rows, name);
	if (at == rows->count)
		return tokens_refuse(name, "has no token", mem, f);
	rows->count--;
	memmove(&rows->at[at], &rows->at[at + 1],
		(rows->count - at) * sizeof(rows->at[0]));
	return tokens_save(&t->dir, rows, mem, f);
}

enum err tokens_list(struct tokens *t, struct arena *mem, struct token **ret,
		     size_t *ret_n, struct fault *f)
{
	enum err e = tokens_reload(t, mem, f);
	struct token *list;

	if (e)
		return e;
	tokens_seen_load(&t->dir, t->rows, t->count, mem);
	list = arena_array(mem, struct token, t->count);
	for (size_t i = 0; i < t->count; i++)
		list[i] = (struct token){ t->rows[i].name, t->rows[i].made_ms,
					  t->rows[i].seen_ms };
	*ret = list;
	*ret_n = t->count;
	return ERR_OK;
}
