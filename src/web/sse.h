/*
 * sse.h - Server-Sent Events: one stream for each page that is open.
 *
 *	hello {}              first: changes from now on are sent
 *	approval A            a new question
 *	approval_gone {...}   it is no longer open
 *	approval_waits {...}  the time until which a call waits has changed
 *	call C                a call begins, asks, ends
 *	operation O           a file was changed; sent again for those it undoes
 *	client {...}          one has connected, or ("gone") disconnected
 *	grants, unused {...}  the list has changed: fetch it again
 *
 * Events of calls come from the thread that runs the call. Questions and
 * operations are in the store, which other processes write to as well: while a
 * stream is open, a thread polls it (sse_poll.c). A stream that does not keep
 * up is closed: the page connects again and fetches the lists.
 */
#ifndef STET_SSE_H
#define STET_SSE_H

#include "io/http.h"

struct sse;
struct web_page;

/* All for the loop's thread. */
struct sse *sse_new(struct web_page *p);
void sse_free(struct sse *l);
void sse_open(struct sse *l, struct http_exchange *x);
void sse_gone(struct sse *l, struct http_exchange *x);
void sse_tick(struct sse *l); /* four times a second */

/* From any thread: something in the store has changed, poll it now. */
void sse_poll_now(struct sse *l);

#endif
