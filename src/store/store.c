/*
 * store.c - a store: its options, its messages and its shared connection.
 *
 * shared_db_acquire() is the way in for everything that reads: it commits what
 * this process has submitted and replays the logs of the others.
 */
#include "store/store.h"

#include "base/fd.h"
#include "store/local.h"
#include "store/wal.h"
#include "store/writer.h"

#include <stdlib.h>

struct kept_message {
	struct kept_message *next;
	struct str text;
};

struct store *store_new(const struct store_options *options)
{
	struct store *s = calloc(1, sizeof(*s));

	if (!s)
		out_of_memory();
	s->options = *options;
	s->options.dir = arena_copy(&s->mem, options->dir);
	s->shared_db = (struct db){ .store = s, .dir = -1 };
	s->held = -1;
	(void)pthread_mutex_init(&s->message_lock, NULL);
	(void)pthread_mutex_init(&s->shared_db_lock, NULL);
	(void)pthread_mutex_init(&s->writer_lock, NULL);
	return s;
}

void store_free(struct store *s)
{
	if (!s)
		return;
	writer_free(s->writer);
	db_close(&s->shared_db);
	fd_drop(&s->held);
	(void)pthread_mutex_destroy(&s->message_lock);
	(void)pthread_mutex_destroy(&s->shared_db_lock);
	(void)pthread_mutex_destroy(&s->writer_lock);
	arena_free(&s->mem);
	free(s);
}

static struct str keep_message(struct store *s, struct str text)
{
	struct kept_message *w;

	for (w = s->messages; w; w = w->next)
		if (str_eq(w->text, text))
			return w->text;
	w = arena_new(&s->mem, struct kept_message);
	w->text = arena_copy(&s->mem, text);
	w->next = s->messages;
	s->messages = w;
	return w->text;
}

struct str store_message(struct store *s, const char *format, ...)
{
	auto_buf text = BUF_INIT;
	struct str kept;
	va_list args;

	va_start(args, format);
	buf_addv(&text, format, args);
	va_end(args);
	(void)pthread_mutex_lock(&s->message_lock);
	kept = keep_message(s, buf_str(&text));
	(void)pthread_mutex_unlock(&s->message_lock);
	return kept;
}

void store_note_aside(struct store *s, const char *path)
{
	struct str kept = store_message(s, "%s", path);

	(void)pthread_mutex_lock(&s->message_lock);
	s->aside = kept;
	(void)pthread_mutex_unlock(&s->message_lock);
}

struct str store_put_aside(struct store *s)
{
	struct str path;

	(void)pthread_mutex_lock(&s->message_lock);
	path = s->aside;
	(void)pthread_mutex_unlock(&s->message_lock);
	return path;
}

/* A read-only connection cannot replay a log: a second store does. */
static void replay_by_second_store(struct store *s)
{
	struct store_options options = s->options;
	struct fault ignored;
	struct store *other;

	options.read_only = false;
	other = store_new(&options);
	if (!store_usable(other, &ignored) &&
	    state_dir_db_is(s->shared_db.dir, other->shared_db.id))
		wal_reader_move(&s->shared_db.wal_reader,
				&other->shared_db.wal_reader);
	store_free(other);
}

/* A failure is no reason to refuse the read: it shows what there is. */
static void replay_logs(struct store *s, struct db *db)
{
	if (db->in_memory || db->dir < 0)
		return;
	if (!s->options.read_only)
		wal_replay_others(db, writer_wal_name(s));
	else if (wal_others_have_records(db))
		replay_by_second_store(s);
}

enum err shared_db_acquire_unreplayed(struct store *s, struct db **ret,
				      struct fault *f)
{
	enum err e;

	(void)pthread_mutex_lock(&s->shared_db_lock);
	e = db_open(&s->shared_db, f);
	if (e) {
		(void)pthread_mutex_unlock(&s->shared_db_lock);
		return e;
	}
	*ret = &s->shared_db;
	return ERR_OK;
}

enum err shared_db_acquire(struct store *s, struct db **ret, struct fault *f)
{
	enum err e;

	writer_flush(s);
	e = shared_db_acquire_unreplayed(s, ret, f);
	if (!e)
		replay_logs(s, *ret);
	return e;
}

void shared_db_release(struct db **db)
{
	if (!*db)
		return;
	db_rollback(*db);
	if ((*db)->corrupt) /* replaced now, so that the next call works */
		(void)!db_renew(*db, NULL);
	(void)pthread_mutex_unlock(&(*db)->store->shared_db_lock);
}

enum err store_usable(struct store *s, struct fault *f)
{
	auto_shared_db db = NULL;

	return shared_db_acquire(s, &db, f);
}
