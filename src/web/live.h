/*
 * live.h - what happens, as it happens: a stream of events for each page that
 * is open.
 *
 *	hello {}              first; what the lists hold from then on is told
 *	approval A            a new question
 *	approval_gone {...}   it waits no more
 *	call C                a call begins, asks, ends
 *	operation O           a file was changed; and one that this takes back
 *	client {...}          one came, or ("gone") went
 *
 * Calls are told by the thread they run on. Questions and operations are in
 * the store, where other processes put theirs as well: while somebody
 * listens, a thread of its own looks there twice a second, and at once when a
 * call of ours has ended. A page that does not keep up is hung up on: it
 * comes again and fetches the lists.
 */
#ifndef STET_LIVE_H
#define STET_LIVE_H

#include "io/http.h"

struct live;
struct web_page;

/* All for the loop's thread. */
struct live *live_new(struct web_page *p);
void live_free(struct live *l);
void live_open(struct live *l, struct http_exchange *x);
void live_gone(struct live *l, struct http_exchange *x);
void live_tick(struct live *l); /* some times a second */

/* From any thread: there is news in the store. */
void live_look(struct live *l);

#endif
