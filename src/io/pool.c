/*
 * pool.c - a thread pool for work that may block.
 *
 * A struct pool_work travels from the pool's queue to a thread, then as mail to the
 * loop, then into the free list, which belongs to the loop's thread and needs no
 * lock.
 */
#include "io/pool.h"

#include "base/arena.h"
#include "base/thread.h"

#include <stdlib.h>

enum { MAX_THREADS = 16, STACK_SIZE = 512 * 1024 };

struct pool_work {
	struct mail mail; /* first: it is cast */
	struct pool_work *next;
	struct pool *pool;
	void (*run)(void *ctx);
	void (*done)(void *ctx);
	void *ctx;
};

struct pool {
	struct mailbox *box;
	unsigned max_threads;
	struct pool_work
		*free_list; /* reused by pool_run(); loop's thread only */
	struct pool *slow;  /* for pool_run_slow(); loop's thread only */

	pthread_mutex_t lock; /* for all below */
	pthread_cond_t wake;
	struct pool_work *first, **last;
	unsigned threads, idle, queued;
	bool ending;       /* threads exit when the queue is empty, ... */
	bool drops_queued; /* ... or at once */
	pthread_t ids[MAX_THREADS];
};

struct pool *pool_new(unsigned max_threads, struct mailbox *box)
{
	struct pool *p = calloc(1, sizeof(*p));

	if (!p)
		out_of_memory();
	p->box = box;
	p->max_threads = max_threads < MAX_THREADS ? max_threads : MAX_THREADS;
	p->last = &p->first;
	(void)pthread_mutex_init(&p->lock, NULL);
	(void)pthread_cond_init(&p->wake, NULL);
	return p;
}

static struct pool_work *work_new(struct pool *p)
{
	struct pool_work *w = p->free_list;

	if (w)
		p->free_list = w->next;
	else
		w = malloc(sizeof(*w));
	if (!w)
		out_of_memory();
	return w;
}

static void work_free_all(struct pool_work *w)
{
	struct pool_work *next;

	for (; w; w = next) {
		next = w->next;
		free(w);
	}
}

/* Freed before the callback, which may call pool_run() and reuse it. */
static void work_deliver(struct mail *mail)
{
	struct pool_work *w = (struct pool_work *)mail;
	void (*done)(void *ctx) = w->done;
	void *ctx = w->ctx;

	w->next = w->pool->free_list;
	w->pool->free_list = w;
	done(ctx);
}

/* NULL: the thread ends. */
static struct pool_work *pool_take(struct pool *p)
{
	struct pool_work *w = NULL;

	(void)pthread_mutex_lock(&p->lock);
	p->idle++;
	while (!p->first && !p->ending)
		(void)pthread_cond_wait(&p->wake, &p->lock);
	p->idle--;
	if (p->first && !p->drops_queued) {
		w = p->first;
		p->first = w->next;
		if (!p->first)
			p->last = &p->first;
		p->queued--;
	}
	(void)pthread_mutex_unlock(&p->lock);
	return w;
}

static void work_perform(struct pool_work *w)
{
	w->run(w->ctx);
	mailbox_post(w->pool->box, &w->mail);
}

static void *pool_thread(void *arg)
{
	struct pool *p = arg;
	struct pool_work *w;

	while ((w = pool_take(p)))
		work_perform(w);
	return NULL;
}

/* Under the lock. False: there is no thread at all. */
static bool pool_has_thread(struct pool *p)
{
	if (p->idle < p->queued && p->threads < p->max_threads &&
	    thread_start(&p->ids[p->threads], STACK_SIZE, pool_thread, p))
		p->threads++;
	return p->threads;
}

void pool_run(struct pool *p, void (*run)(void *ctx), void (*done)(void *ctx),
	      void *ctx)
{
	struct pool_work *w = work_new(p);
	bool has_thread;

	*w = (struct pool_work){ .mail.deliver = work_deliver,
				 .pool = p,
				 .run = run,
				 .done = done,
				 .ctx = ctx };
	(void)pthread_mutex_lock(&p->lock);
	*p->last = w;
	p->last = &w->next;
	p->queued++;
	has_thread = pool_has_thread(p);
	(void)pthread_mutex_unlock(&p->lock);
	if (has_thread)
		(void)pthread_cond_signal(&p->wake);
	else
		work_perform(pool_take(p));
}

void pool_run_slow(struct pool *p, void (*run)(void *ctx),
		   void (*done)(void *ctx), void *ctx)
{
	if (!p->slow)
		p->slow = pool_new(POOL_SLOW_THREADS, p->box);
	pool_run(p->slow, run, done, ctx);
}

static void pool_join(struct pool *p, bool drops_queued)
{
	(void)pthread_mutex_lock(&p->lock);
	p->ending = true;
	p->drops_queued = drops_queued;
	(void)pthread_cond_broadcast(&p->wake);
	(void)pthread_mutex_unlock(&p->lock);
	for (unsigned i = 0; i < p->threads; i++)
		(void)pthread_join(p->ids[i], NULL);
	p->threads = p->max_threads = 0;
}

void pool_free(struct pool *p, enum pool_queued queued)
{
	if (!p)
		return;
	pool_free(p->slow, queued);
	p->slow = NULL;
	pool_join(p, queued == POOL_DROP_QUEUED);
	work_free_all(p->first);
	p->first = NULL;
	p->last = &p->first;
	p->drops_queued = false; /* a callback may call pool_run() */
	mailbox_drain(p->box);
	pool_free(p->slow, queued); /* a callback may have made another */
	work_free_all(p->free_list);
	(void)pthread_mutex_destroy(&p->lock);
	(void)pthread_cond_destroy(&p->wake);
	free(p);
}
