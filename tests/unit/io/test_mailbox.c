/*
 * test_mailbox.c - mail from many threads arrives once, in each one's order.
 */
#include "../unit.h"

#include "io/mailbox.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { SENDERS = 4, EACH = 2000 };

struct letter {
	struct mail mail; /* first: it is cast */
	unsigned sender, number;
};

struct sender {
	struct mailbox *box;
	unsigned number;
};

static atomic_uint wakes;
static unsigned delivered, next_of[SENDERS];
static bool in_order;

static void on_wake(void *ctx)
{
	atomic_fetch_add(&wakes, 1);
}

static void on_letter(struct mail *mail)
{
	struct letter *l = (struct letter *)mail;

	in_order = in_order && l->number == next_of[l->sender]++;
	delivered++;
	free(l);
}

static void post_letter(struct mailbox *box, unsigned sender, unsigned number)
{
	struct letter *l = calloc(1, sizeof(*l));

	assert_non_null(l);
	*l = (struct letter){ { NULL, on_letter }, sender, number };
	mailbox_post(box, &l->mail);
}

static void *send_all(void *arg)
{
	struct sender *s = arg;

	for (unsigned i = 0; i < EACH; i++)
		post_letter(s->box, s->number, i);
	return NULL;
}

static void mail_of_each_thread_arrives_once_and_in_order(void **state)
{
	struct sender senders[SENDERS];
	pthread_t threads[SENDERS];
	struct mailbox box;

	in_order = true;
	mailbox_open(&box, on_wake, NULL);
	for (unsigned i = 0; i < SENDERS; i++) {
		senders[i] = (struct sender){ &box, i };
		assert_false(pthread_create(&threads[i], NULL, send_all,
					    &senders[i]));
	}
	while (delivered < SENDERS * EACH)
		(void)mailbox_deliver(&box);
	for (unsigned i = 0; i < SENDERS; i++)
		(void)pthread_join(threads[i], NULL);
	assert_true(in_order);
	assert_int_equal(delivered, SENDERS * EACH);
	assert_int_equal(atomic_load(&wakes), SENDERS * EACH);
	assert_false(mailbox_deliver(&box));
	mailbox_close(&box);
}

struct repeater {
	struct mail mail; /* first: it is cast */
	struct mailbox *box;
	unsigned left;
};

static void on_repeat(struct mail *mail)
{
	struct repeater *r = (struct repeater *)mail;

	if (r->left--)
		mailbox_post(r->box, &r->mail);
}

/* A delivery that posts again must not keep the loop from its descriptors. */
static void mail_posted_by_a_delivery_waits_for_the_next_turn(void **state)
{
	struct mailbox box;
	struct repeater r = { { NULL, on_repeat }, &box, 3 };

	mailbox_open(&box, on_wake, NULL);
	mailbox_post(&box, &r.mail);
	assert_true(mailbox_deliver(&box));
	assert_int_equal(r.left, 2);
	mailbox_drain(&box);
	assert_int_equal(r.left, UINT_MAX);
	mailbox_close(&box);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mail_of_each_thread_arrives_once_and_in_order),
		cmocka_unit_test(
			mail_posted_by_a_delivery_waits_for_the_next_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
