#include "../unit.h"

#include "io/pool.h"

#include <stdlib.h>
#include <time.h>

static atomic_uint ran, done, at_once, most_at_once;

static void on_run(void *ctx, struct job *job)
{
	struct timespec moment = { 0, 200 * 1000 };
	unsigned now = atomic_fetch_add(&at_once, 1) + 1;
	unsigned most = atomic_load(&most_at_once);

	while (now > most &&
	       !atomic_compare_exchange_weak(&most_at_once, &most, now))
		;
	(void)nanosleep(&moment, NULL);
	atomic_fetch_sub(&at_once, 1);
	atomic_fetch_add(&ran, 1);
}

static void on_done(void *ctx, struct job *job)
{
	atomic_fetch_add(&done, 1);
	job_free(job);
}

static void every_job_runs_once_on_a_few_threads(void **state)
{
	struct pool *p = pool_new(3, on_run, on_done, NULL);
	struct timespec moment = { 0, 1000 * 1000 };

	for (int i = 0; i < 500; i++)
		pool_add(p, job_new(NULL));
	for (int i = 0; i < 10000 && atomic_load(&done) < 500; i++)
		(void)nanosleep(&moment, NULL);
	assert_int_equal(atomic_load(&ran), 500);
	assert_int_equal(atomic_load(&done), 500);
	assert_true(atomic_load(&most_at_once) <= 3);
	pool_free(p);
}

static void a_pool_that_was_never_used_ends(void **state)
{
	pool_free(pool_new(2, on_run, on_done, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_job_runs_once_on_a_few_threads),
		cmocka_unit_test(a_pool_that_was_never_used_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
