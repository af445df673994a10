/*
 * test_pool.c - work runs on a few threads, its callback on the caller's.
 */
#include "../unit.h"

#include "io/pool.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

static const struct timespec moment = { 0, 200 * 1000 };
static atomic_uint ran, at_once, most_at_once;
static unsigned done;
static pthread_t loop_thread;

static void on_wake(void *ctx)
{
}

static void on_run(void *ctx)
{
	unsigned now = atomic_fetch_add(&at_once, 1) + 1;
	unsigned most = atomic_load(&most_at_once);

	assert_ptr_equal(ctx, &ran);
	while (now > most &&
	       !atomic_compare_exchange_weak(&most_at_once, &most, now))
		;
	(void)nanosleep(&moment, NULL);
	atomic_fetch_sub(&at_once, 1);
	atomic_fetch_add(&ran, 1);
}

static void on_done(void *ctx)
{
	assert_ptr_equal(ctx, &ran);
	assert_true(pthread_equal(pthread_self(), loop_thread));
	done++;
}

static struct mailbox *begin(struct mailbox *box)
{
	loop_thread = pthread_self();
	atomic_store(&ran, 0);
	done = 0;
	mailbox_open(box, on_wake, NULL);
	return box;
}

static void every_job_runs_once_on_a_few_threads(void **state)
{
	struct mailbox box;
	struct pool *p = pool_new(3, begin(&box));

	for (int i = 0; i < 500; i++)
		pool_run(p, on_run, on_done, &ran);
	for (int i = 0; i < 10000 && done < 500; i++) {
		(void)nanosleep(&moment, NULL);
		(void)mailbox_deliver(&box);
	}
	assert_int_equal(atomic_load(&ran), 500);
	assert_int_equal(done, 500);
	assert_true(atomic_load(&most_at_once) <= 3);
	pool_free(p, POOL_DROP_QUEUED);
	mailbox_close(&box);
}

static void whatever_has_run_is_done_when_the_pool_is_freed(void **state)
{
	struct mailbox box;
	struct pool *p = pool_new(2, begin(&box));

	for (int i = 0; i < 50; i++)
		pool_run(p, on_run, on_done, &ran);
	pool_free(p, POOL_DROP_QUEUED);
	assert_int_equal(done, atomic_load(&ran));
	mailbox_close(&box);
}

static void queued_work_runs_before_the_pool_is_freed(void **state)
{
	struct mailbox box;
	struct pool *p = pool_new(2, begin(&box));

	for (int i = 0; i < 50; i++)
		pool_run(p, on_run, on_done, &ran);
	pool_free(p, POOL_RUN_QUEUED);
	assert_int_equal(done, 50);
	mailbox_close(&box);
}

static void a_pool_that_was_never_used_ends(void **state)
{
	struct mailbox box;

	pool_free(pool_new(2, begin(&box)), POOL_DROP_QUEUED);
	pool_free(NULL, POOL_DROP_QUEUED);
	mailbox_close(&box);
}

static void without_a_thread_work_is_done_by_the_caller(void **state)
{
	struct mailbox box;
	struct pool *p = pool_new(0, begin(&box));

	pool_run(p, on_run, on_done, &ran);
	assert_int_equal(atomic_load(&ran), 1);
	assert_int_equal(done, 0);
	assert_true(mailbox_deliver(&box));
	assert_int_equal(done, 1);
	pool_free(p, POOL_DROP_QUEUED);
	mailbox_close(&box);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_job_runs_once_on_a_few_threads),
		cmocka_unit_test(
			whatever_has_run_is_done_when_the_pool_is_freed),
		cmocka_unit_test(queued_work_runs_before_the_pool_is_freed),
		cmocka_unit_test(a_pool_that_was_never_used_ends),
		cmocka_unit_test(without_a_thread_work_is_done_by_the_caller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
