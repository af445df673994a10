#include "app/records.h"

#include "tools/audit.h"
#include "tools/watch.h"

#include <errno.h>
#include <signal.h>

struct records {
	struct audit audit;
	struct watch watch;
};

static enum err cannot_record(const char *option, const char *path, int error,
			      struct arena *mem, struct fault *f)
{
	return fail(f, ERR_BAD_ARGS,
		    .text = arena_printf(mem, "--%s: cannot add to %s: %s",
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
		error = watch_open(&r->watch, c->events);
		if (error)
			return cannot_record("events", c->events, error, mem,
					     f);
		r->watch.sink.next = s->events;
		s->events = &r->watch.sink;
		s->tools.watch = &r->watch;
	}
	if (s->events) /* a reader who leaves is no reason to die */
		(void)signal(SIGPIPE, SIG_IGN);
	return ERR_OK;
}

void records_close(struct server *s)
{
	for (struct event_sink *e = s->events; e; e = e->next)
		if (e->close)
			e->close(e);
}
