#include "tools/dispatch.h"

#include "base/cancel.h"
#include "base/clock.h"
#include "text/utf8.h"
#include "tools/absent.h"
#include "tools/args.h"
#include "tools/changes.h"
#include "tools/gate.h"

enum moment { BEGINS, ASKS, ENDS };

static void tell(struct dispatch *d, enum moment moment)
{
	struct tool_event event = {
		.tool = d->call.tool,
		.id = d->id,
		.arguments = d->arguments,
		.call = &d->call,
		.fault = d->fault.err ? &d->fault : NULL,
		.began = d->began,
	};

	for (struct event_sink *s = d->events; s; s = s->next)
		if (moment == BEGINS)
			s->begin(s, &event);
		else if (moment == ENDS)
			s->end(s, &event);
		else if (s->asks)
			s->asks(s, &event);
}

static enum err ended(struct dispatch *d, enum err e)
{
	if (!e) /* a handler may have got over a failure: forget it */
		d->fault = (struct fault){ 0 };
	if (e != ERR_LATER)
		tell(d, e == ERR_ASK ? ASKS : ENDS);
	return e;
}

static enum err no_tool(struct dispatch *d, struct str name)
{
	const char *names[64], *near;
	size_t n = 0;

	for (size_t i = 0; i < all_tools_count && n < COUNT_OF(names); i++)
		if (!d->offers || d->offers(d->ctx, all_tools[i]))
			names[n++] = all_tools[i]->name;
	near = args_nearest(name, names, n);
	name = utf8_head(name, 100);
	if (near)
		name = arena_printf(d->mem, STR_FMT " (did you mean %s?)",
				    STR_ARG(name), near);
	return fail(&d->fault, ERR_NO_TOOL, .name = name);
}

enum err dispatch_begin(struct dispatch *d, struct str name,
			struct json arguments)
{
	static const struct caller somebody = { 0 };
	struct call *c = &d->call;
	enum err e;

	*c = (struct call){
		.tool = tool_named(name),
		.options = d->options,
		.ws = d->ws,
		.errand = d->errand,
		.mem = d->mem,
		.fault = &d->fault,
		.caller = d->caller ? d->caller : &somebody,
		.id = d->id,
		.arguments = arguments,
	};
	d->arguments = arguments;
	d->began = clock_ms();
	if (!c->tool || (d->offers && !d->offers(d->ctx, c->tool)))
		return no_tool(d, name);
	tell(d, BEGINS);
	e = args_decode(c, arguments);
	if (!e)
		e = args_check(c);
	return e ? ended(d, e) : e;
}

/*
 * The store found other bytes than the handler had loaded, so nothing is lost
 * yet. Unless the caller named the version it wants, run the call again as if
 * it had come a moment later; not for ever, as each round takes memory, and
 * not when a hook would run twice for one call.
 */
static bool lost_a_race(const struct call *c, enum err e, unsigned *tries,
			uint64_t began)
{
	enum { MOST = 32, MOST_MS = 10 * 1000 };

	return e == ERR_CHANGED && c->raced && !c->guard.if_version.len &&
	       !c->hooked && !c->tool->once && ++*tries < MOST &&
	       clock_ms() < began + MOST_MS;
}

enum err dispatch_run(struct dispatch *d, uint64_t patience)
{
	struct call *c = &d->call;
	uint64_t began = clock_ms();
	unsigned tries = 0;
	enum err e;

	c->errand.patience = patience;
	c->granted = d->granted;
	c->shown = d->shown;
	cancel_begin(c->errand.stop, c->errand.ctx);
	do {
		d->fault = (struct fault){ 0 };
		c->raced = false;
		c->unread = (struct unread){ 0 };
		c->out = arena_zero(c->mem, 1, c->tool->out_size);
		e = c->tool->run(c);
	} while (lost_a_race(c, e, &tries, began));
	e = gate_reveal(c, e);
	if (e == ERR_NOT_FOUND)
		absent_explain(c);
	if (changes_are_why(e))
		changes_tell(c);
	if (cancel_seen()) /* some of it was cut short */
		e = fail(&d->fault, ERR_CANCELLED, .path = STR(""));
	cancel_end();
	return ended(d, e);
}

enum err dispatch_refuse(struct dispatch *d, const struct fault *why)
{
	return ended(d, fault_set(&d->fault, why));
}

void dispatch_drop(struct dispatch *d)
{
	(void)ended(d, fail(&d->fault, ERR_CANCELLED, .path = STR("")));
}
