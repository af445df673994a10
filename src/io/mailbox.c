/*
 * mailbox.c - a queue of messages to the thread of an event loop.
 *
 * The lock is held for linking only, never while mail is delivered: a
 * delivery may post again.
 */
#include "io/mailbox.h"

void mailbox_open(struct mailbox *box, void (*wake)(void *ctx), void *ctx)
{
	*box = (struct mailbox){ .wake = wake, .ctx = ctx };
	box->last = &box->first;
	(void)pthread_mutex_init(&box->lock, NULL);
}

void mailbox_close(struct mailbox *box)
{
	(void)pthread_mutex_destroy(&box->lock);
}

void mailbox_post(struct mailbox *box, struct mail *mail)
{
	mail->next = NULL;
	(void)pthread_mutex_lock(&box->lock);
	*box->last = mail;
	box->last = &mail->next;
	(void)pthread_mutex_unlock(&box->lock);
	box->wake(box->ctx);
}

static struct mail *mailbox_take_all(struct mailbox *box)
{
	struct mail *list;

	(void)pthread_mutex_lock(&box->lock);
	list = box->first;
	box->first = NULL;
	box->last = &box->first;
	(void)pthread_mutex_unlock(&box->lock);
	return list;
}

bool mailbox_deliver(struct mailbox *box)
{
	struct mail *first = mailbox_take_all(box), *mail, *next;

	for (mail = first; mail; mail = next) {
		next = mail->next;
		mail->deliver(mail);
	}
	return first;
}

void mailbox_drain(struct mailbox *box)
{
	while (mailbox_deliver(box))
		;
}
