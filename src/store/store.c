#include "store/store.h"

#include "base/fd.h"
#include "store/daybook.h"
#include "store/local.h"
#include "store/writer.h"

#include <stdlib.h>

struct words {
	struct words *next;
	struct str text;
};

struct store *store_new(const struct store_options *options)
{
	struct store *s = calloc(1, sizeof(*s));

	if (!s)
		out_of_memory();
	s->options = *options;
	s->options.dir = arena_copy(&s->words, options->dir);
	s->front = (struct db){ .store = s, .dir = -1 };
	s->held = -1;
	(void)pthread_mutex_init(&s->words_lock, NULL);
	(void)pthread_mutex_init(&s->front_lock, NULL);
	(void)pthread_mutex_init(&s->writer_lock, NULL);
	return s;
}

void store_free(struct store *s)
{
	if (!s)
		return;
	writer_free(s->writer);
	db_close(&s->front);
	fd_drop(&s->held);
	(void)pthread_mutex_destroy(&s->words_lock);
	(void)pthread_mutex_destroy(&s->front_lock);
	(void)pthread_mutex_destroy(&s->writer_lock);
	arena_free(&s->words);
	free(s);
}

static struct str keep_words(struct store *s, struct str text)
{
	struct words *w;

	for (w = s->said; w; w = w->next)
		if (str_eq(w->text, text))
			return w->text;
	w = arena_new(&s->words, struct words);
	w->text = arena_copy(&s->words, text);
	w->next = s->said;
	s->said = w;
	return w->text;
}

struct str store_words(struct store *s, const char *format, ...)
{
	auto_buf text = BUF_INIT;
	struct str kept;
	va_list args;

	va_start(args, format);
	buf_addv(&text, format, args);
	va_end(args);
	(void)pthread_mutex_lock(&s->words_lock);
	kept = keep_words(s, buf_str(&text));
	(void)pthread_mutex_unlock(&s->words_lock);
	return kept;
}

void store_note_aside(struct store *s, const char *path)
{
	struct str kept = store_words(s, "%s", path);

	(void)pthread_mutex_lock(&s->words_lock);
	s->aside = kept;
	(void)pthread_mutex_unlock(&s->words_lock);
}

struct str store_put_aside(struct store *s)
{
	struct str path;

	(void)pthread_mutex_lock(&s->words_lock);
	path = s->aside;
	(void)pthread_mutex_unlock(&s->words_lock);
	return path;
}

/* Who only looks cannot: another does it for him, if he may. */
static void have_taken_in(const struct store *s)
{
	struct store_options options = s->options;
	struct fault ignored;
	struct store *other;

	options.read_only = false;
	other = store_new(&options);
	(void)!store_usable(other, &ignored);
	store_free(other);
}

/* What others have in their daybooks. Where it cannot be had, we go on. */
static void take_in(struct store *s, struct db *db)
{
	if (db->in_memory || db->dir < 0)
		return;
	if (!s->options.read_only)
		daybooks_take_in(db, writer_book(s));
	else if (daybooks_hold_any(db->dir))
		have_taken_in(s);
}

enum err front_take(struct store *s, struct db **ret, struct fault *f)
{
	enum err e;

	writer_flush(s);
	(void)pthread_mutex_lock(&s->front_lock);
	e = db_open(&s->front, f);
	if (e) {
		(void)pthread_mutex_unlock(&s->front_lock);
		return e;
	}
	take_in(s, &s->front);
	*ret = &s->front;
	return ERR_OK;
}

void front_give(struct db **db)
{
	if (!*db)
		return;
	db_rollback(*db);
	if ((*db)->corrupt) /* the next call finds a sound one */
		(void)!db_renew(*db, NULL);
	(void)pthread_mutex_unlock(&(*db)->store->front_lock);
}

enum err store_usable(struct store *s, struct fault *f)
{
	auto_front db = NULL;

	return front_take(s, &db, f);
}
