/*
 * grep.c - searches files on several threads.
 *
 * The thread of the call walks and fills a batch; a full batch goes to the
 * queue. Workers are started one by one, when the queue grows and none is idle.
 * At the end of the walk its thread works as well. Batches are collected in
 * their order, by whoever has finished the next one; their number is bounded, so
 * that the walk waits for workers that lag behind.
 */
#include "tools/find/grep.h"

#include "base/cancel.h"
#include "base/clock.h"
#include "base/thread.h"
#include "tools/find/grep_local.h"
#include "tools/find/search_turn.h"

#include <sched.h>
#include <stdlib.h>

enum {
	MAX_THREADS = 8,
	BATCHES_PER_THREAD = 4,
	STACK = 512 * 1024,
};

unsigned grep_threads(const struct call *c)
{
	cpu_set_t set;
	int cores = 1;

	if (c->options->find.threads)
		return (unsigned)size_min(c->options->find.threads, 64);
	if (!sched_getaffinity(0, sizeof(set), &set))
		cores = CPU_COUNT(&set);
	return (unsigned)size_min((size_t)cores, MAX_THREADS);
}

static void batch_clear(struct grep_batch *b)
{
	struct tree_dir *last = NULL;

	for (size_t i = 0; i < b->count; i++) {
		if (b->file[i].dir != last)
			tree_dir_drop(b->file[i].dir);
		last = b->file[i].dir;
	}
	b->count = b->collected = b->text_done = 0;
	b->done = b->in_file = b->page_full = false;
	buf_clear(&b->names, GREP_BATCH_OUT);
	buf_clear(&b->paths, GREP_BATCH_OUT);
	buf_clear(&b->out.text, SEARCH_FLUSH);
	b->out.lines = 0;
}

static void batch_free(struct grep_batch *b)
{
	buf_free(&b->names);
	buf_free(&b->paths);
	buf_free(&b->out.text);
	free(b);
}

/* Release what the batch holds of the tree; its results stay. */
static void batch_release(struct grep_batch *b)
{
	struct tree_dir *last = NULL;

	for (size_t i = 0; i < b->count; i++) {
		struct tree_dir *dir = b->file[i].dir;

		if (dir != last)
			tree_dir_drop(dir);
		last = dir;
		b->file[i].dir = NULL;
	}
}

/* Collect all batches that are next and done. Under the lock. */
static void collect_done(struct grep *g)
{
	struct grep_batch *b;

	while (g->collected < g->handed &&
	       (b = g->window[g->collected % g->window_size])->done) {
		grep_collect(g, b);
		batch_clear(b);
		b->next = g->unused;
		g->unused = b;
		g->collected++;
	}
	(void)pthread_cond_broadcast(&g->moved);
}

bool grep_flush(void *worker)
{
	struct grep_worker *w = worker;
	struct grep_batch *b = w->batch;
	struct grep *g = w->g;
	bool more;

	(void)pthread_mutex_lock(&g->lock);
	while (g->collected != b->index && !g->full)
		(void)pthread_cond_wait(&g->moved, &g->lock);
	/* The files of the batch before this one are complete. */
	while (b->collected < (size_t)(w->file - b->file))
		grep_collect_next(g, b);
	if (!g->full)
		grep_collect_lines(g, b, b->out.text.len);
	more = !g->full && !b->page_full;
	(void)pthread_mutex_unlock(&g->lock);
	b->out.text.len = b->text_done = 0;
	return more;
}

static bool worker_stops(void *ctx)
{
	struct grep *g = ctx;

	if (g->stopped)
		return true;
	if (find_is_over(g->find)) {
		g->over = true;
		g->stopped = true;
	}
	return g->stopped;
}

void grep_report(struct grep *g)
{
	enum { EVERY_MS = 250 };
	const struct progress *p = &g->find->call->progress;
	uint64_t now;

	if (!p->report)
		return;
	now = clock_ms();
	if (now < g->reported_at + EVERY_MS)
		return;
	g->reported_at = now;
	p->report(p->ctx, atomic_load(&g->files_done), /* total= */ 0);
}

static void work_batch(struct grep_worker *w, struct grep_batch *b)
{
	struct grep *g = w->g;

	w->batch = b;
	b->out.full = grep_flush;
	b->out.ctx = w;
	for (size_t i = 0; i < b->count && !cancel_asked(); i++) {
		w->file = &b->file[i];
		grep_search_file(w);
		atomic_fetch_add_explicit(&g->files_done, 1,
					  memory_order_relaxed);
		if (w->reports)
			grep_report(g);
	}
	batch_release(b);
}

/* Take and search batches until the queue is closed and empty. */
static void work(struct grep_worker *w)
{
	struct grep *g = w->g;
	struct grep_batch *b;

	(void)pthread_mutex_lock(&g->lock);
	for (;;) {
		while (!g->queue && !g->closed) {
			g->idle++;
			(void)pthread_cond_wait(&g->work, &g->lock);
			g->idle--;
		}
		b = g->queue;
		if (!b)
			break;
		g->queue = b->next;
		if (!g->queue)
			g->queue_end = &g->queue;
		(void)pthread_mutex_unlock(&g->lock);
		work_batch(w, b);
		(void)pthread_mutex_lock(&g->lock);
		b->done = true;
		if (b->index == g->collected)
			collect_done(g);
	}
	(void)pthread_mutex_unlock(&g->lock);
}

/* Search batches on this thread: a worker, or the walk's after the walk. */
static void work_here(struct grep *g, bool reports)
{
	struct grep_worker w;

	if (!grep_worker_open(&w, g))
		out_of_memory();
	w.reports = reports;
	work(&w);
	grep_worker_close(&w);
}

static void *worker_run(void *arg)
{
	struct grep *g = arg;

	cancel_begin(worker_stops, g);
	work_here(g, /* reports= */ false);
	cancel_end();
	return NULL;
}

/* Hand the batch over that is being filled. On the walk's thread. */
static void hand_over(struct grep *g)
{
	struct grep_batch *b = g->filling;
	bool start;

	if (!b || !b->count)
		return;
	g->filling = NULL;
	(void)pthread_mutex_lock(&g->lock);
	b->index = g->handed++;
	b->next = NULL;
	g->window[b->index % g->window_size] = b;
	*g->queue_end = b;
	g->queue_end = &b->next;
	start = !g->idle && g->started < g->threads;
	(void)pthread_cond_signal(&g->work);
	(void)pthread_mutex_unlock(&g->lock);
	if (start && thread_start(&g->thread[g->started], STACK, worker_run, g))
		g->started++;
}

static struct grep_batch *batch_new(void)
{
	struct grep_batch *b = calloc(1, sizeof(*b));

	if (!b)
		out_of_memory();
	return b;
}

/* No worker could be started: search the queued batches on this thread. */
static void work_instead(struct grep *g)
{
	g->closed = true;
	work_here(g, /* reports= */ true);
	g->closed = false;
}

/* An empty batch; waits until there is one. */
static struct grep_batch *batch_take(struct grep *g)
{
	struct grep_batch *b;

	if (!g->started && g->handed - g->collected >= g->window_size)
		work_instead(g);
	(void)pthread_mutex_lock(&g->lock);
	while (g->handed - g->collected >= g->window_size)
		(void)pthread_cond_wait(&g->moved, &g->lock);
	b = g->unused;
	if (b)
		g->unused = b->next;
	(void)pthread_mutex_unlock(&g->lock);
	grep_report(g);
	return b ? b : batch_new();
}

static void walk_waits(void *ctx)
{
	struct grep *g = ctx;

	hand_over(g);
	if (!g->started)
		work_instead(g);
}

static enum tree_next add_file(void *ctx, const struct find_file *file)
{
	struct grep *g = ctx;
	struct grep_batch *b;
	struct grep_file *f;

	if (g->stopped)
		return TREE_STOP;
	if (g->want->type && !file_type_fits(g->want->type, file->name))
		return TREE_GO;
	if (!g->filling)
		g->filling = batch_take(g);
	b = g->filling;
	f = &b->file[b->count];
	*f = (struct grep_file){
		.dir = file->dir,
		.start = file->start,
		.name = b->names.len,
		.name_len = file->name.len,
		.walked = g->find->counts,
	};
	if (!b->count || b->file[b->count - 1].dir != file->dir)
		(void)tree_dir_ref(file->dir);
	buf_add(&b->names, file->name);
	buf_addc(&b->names, '\0');
	if (++b->count == GREP_BATCH)
		hand_over(g);
	return TREE_GO;
}

/* Search what is left, and wait for the workers. */
static void finish(struct grep *g)
{
	const struct call *c = g->find->call;

	hand_over(g);
	(void)pthread_mutex_lock(&g->lock);
	g->closed = true;
	(void)pthread_cond_broadcast(&g->work);
	(void)pthread_mutex_unlock(&g->lock);
	cancel_begin(worker_stops, g);
	work_here(g, /* reports= */ true);
	cancel_begin(c->progress.stop, c->progress.ctx);
	(void)cancel_asked();
	for (size_t i = 0; i < g->started; i++)
		(void)pthread_join(g->thread[i], NULL);
}

static void grep_open(struct grep *g, struct find *find)
{
	*g = (struct grep){ .find = find };
	(void)pthread_mutex_init(&g->lock, NULL);
	(void)pthread_cond_init(&g->work, NULL);
	(void)pthread_cond_init(&g->moved, NULL);
	g->queue_end = &g->queue;
	g->threads = grep_threads(find->call);
	g->window_size = g->threads * BATCHES_PER_THREAD;
	g->thread = arena_array(find->call->mem, pthread_t, g->threads);
	g->window = arena_array(find->call->mem, struct grep_batch *,
				g->window_size);
}

static void grep_close(struct grep *g)
{
	struct grep_batch *b;

	while ((b = g->unused)) {
		g->unused = b->next;
		batch_free(b);
	}
	if (g->filling) {
		batch_clear(g->filling);
		batch_free(g->filling);
	}
	(void)pthread_cond_destroy(&g->moved);
	(void)pthread_cond_destroy(&g->work);
	(void)pthread_mutex_destroy(&g->lock);
}

/* Add what was left out, up to the last file that counts. */
static void add_counts(struct grep *g)
{
	struct find_counts *n = &g->find->counts;

	if (g->full)
		*n = g->walked;
	n->binary += g->searched.binary;
	n->too_large += g->searched.too_large;
	n->unreadable += g->searched.unreadable;
}

void grep_out_drop(struct grep_out *out)
{
	buf_free(&out->text);
	arena_free(&out->mem);
}

enum err grep_run(struct find *find, const struct grep_want *want,
		  struct grep_out *ret)
{
	struct find_sink sink = { .file = add_file, .waits = walk_waits };
	struct grep g;
	enum err e;

	*ret = (struct grep_out){ 0 };
	if (!search_turn_take(find)) {
		find->ended = FIND_TIMED_OUT;
		return cancel_asked() ? fail(find->call->fault, ERR_CANCELLED,
					     .path = STR(""))
				      : ERR_OK;
	}
	grep_open(&g, find);
	g.want = want;
	g.out = ret;
	sink.ctx = &g;
	e = find_run(find, &sink);
	if (e)
		g.stopped = true;
	finish(&g);
	add_counts(&g);
	grep_close(&g);
	search_turn_end();
	if (g.over && !g.full)
		find->ended = FIND_TIMED_OUT;
	if (!e && cancel_seen())
		e = fail(find->call->fault, ERR_CANCELLED, .path = STR(""));
	return e;
}
