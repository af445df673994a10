/*
 * records.c - opens the files of --audit and --events.
 *
 * Both are written line by line (base/linefile.h) by the event sinks in
 * tools/records.
 */
#include "app/records.h"

#include "tools/records/audit.h"
#include "tools/records/event_log.h"

#include <errno.h>
#include <signal.h>

struct records {
	struct audit audit;
	struct event_log watch;
};

static enum err cannot_record(const char *option, const char *path, int error,
			      struct arena *mem, struct fault *f)
{
	return fail(f, ERR_BAD_ARGS,
		    .text = arena_printf(mem, "--%s: cannot append to %s: %s",
					 option, path,
					 error == EINVAL ? "it is stdout"
							 : strerror(error)));
}

enum err records_open(const struct config *c, struct server *s,
		      struct arena *mem, struct fault *f)
{
	struct records *r = arena_new(mem, struct records);
	int error;

	if (c->audit) {
		error = audit_open(&r->audit, c->audit);
		if (error)
			return cannot_record("audit", c->audit, error, mem, f);
		r->audit.sink.next = s->events;
		s->events = &r->audit.sink;
	}
	if (c->events) {
		error = event_log_open(&r->watch, c->events);
		if (error)
			return cannot_record("events", c->events, error, mem,
					     f);
		r->watch.sink.next = s->events;
		s->events = &r->watch.sink;
		s->tools.event_log = &r->watch;
	}
	if (s->events) /* a FIFO whose reader exits must not end the server */
		(void)signal(SIGPIPE, SIG_IGN);
	return ERR_OK;
}

void records_close(struct server *s)
{
	for (struct event_sink *e = s->events; e; e = e->next)
		if (e->close)
			e->close(e);
}
