#include "io/pool.h"

#include "base/thread.h"

#include <pthread.h>
#include <stdlib.h>

enum { MOST_THREADS = 16, STACK_SIZE = 512 * 1024 };

struct pool {
	void (*run)(void *ctx, struct job *);
	void (*done)(void *ctx, struct job *);
	void *ctx;
	unsigned most;

	pthread_mutex_t lock; /* for all below */
	pthread_cond_t work;
	struct job *first, **last;
	unsigned threads, idle, queued;
	bool ending;
	pthread_t ids[MOST_THREADS];
};

struct pool *pool_new(unsigned most, void (*run)(void *ctx, struct job *),
		      void (*done)(void *ctx, struct job *), void *ctx)
{
	struct pool *p = calloc(1, sizeof(*p));

	if (!p)
		out_of_memory();
	p->run = run;
	p->done = done;
	p->ctx = ctx;
	p->most = most < MOST_THREADS ? most : MOST_THREADS;
	p->last = &p->first;
	(void)pthread_mutex_init(&p->lock, NULL);
	(void)pthread_cond_init(&p->work, NULL);
	return p;
}

/* The next job, or NULL when it is time to go. */
static struct job *take(struct pool *p)
{
	struct job *job = NULL;

	(void)pthread_mutex_lock(&p->lock);
	p->idle++;
	while (!p->first && !p->ending)
		(void)pthread_cond_wait(&p->work, &p->lock);
	p->idle--;
	if (!p->ending) {
		job = p->first;
		p->first = job->next;
		if (!p->first)
			p->last = &p->first;
		p->queued--;
		job->next = NULL;
	}
	(void)pthread_mutex_unlock(&p->lock);
	return job;
}

static void *serve(void *arg)
{
	struct pool *p = arg;
	struct job *job;

	while ((job = take(p))) {
		p->run(p->ctx, job);
		p->done(p->ctx, job);
	}
	return NULL;
}

/* Under the lock. */
static void add_thread(struct pool *p)
{
	if (thread_start(&p->ids[p->threads], STACK_SIZE, serve, p))
		p->threads++;
}

static void run_all_here(struct pool *p)
{
	struct job *job;

	while ((job = p->first)) {
		p->first = job->next;
		job->next = NULL;
		p->run(p->ctx, job);
		p->done(p->ctx, job);
	}
	p->last = &p->first;
	p->queued = 0;
}

void pool_add(struct pool *p, struct job *job)
{
	bool alone;

	job->next = NULL;
	(void)pthread_mutex_lock(&p->lock);
	*p->last = job;
	p->last = &job->next;
	p->queued++;
	if (p->idle < p->queued && p->threads < p->most)
		add_thread(p);
	alone = !p->threads;
	(void)pthread_mutex_unlock(&p->lock);
	(void)pthread_cond_signal(&p->work);
	/* No thread can be had: slower, but nothing is lost. */
	if (alone)
		run_all_here(p);
}

void pool_free(struct pool *p)
{
	(void)pthread_mutex_lock(&p->lock);
	p->ending = true;
	(void)pthread_cond_broadcast(&p->work);
	(void)pthread_mutex_unlock(&p->lock);
	for (unsigned i = 0; i < p->threads; i++)
		(void)pthread_join(p->ids[i], NULL);
	(void)pthread_mutex_destroy(&p->lock);
	(void)pthread_cond_destroy(&p->work);
	free(p);
}
