/*
 * dispatch.c - runs one tool call: finds the row, decodes the arguments, runs
 * the handler and tells the event sinks.
 *
 * A handler that lost a race with another writer is run again here, within
 * limits. Runs on the loop (byte_limit > 0) or on a worker (byte_limit 0); the
 * cancel state of base/cancel.h is per thread and is set around the handler.
 */
#include "tools/call/dispatch.h"

#include "base/cancel.h"
#include "base/clock.h"
#include "text/encoding/utf8.h"
#include "tools/call/args.h"
#include "tools/handlers/similar_names.h"
#include "tools/permissions/gate.h"
#include "tools/reading/concurrent_change.h"

enum moment { BEGINS, ASKS, ENDS };

static void emit_event(struct dispatch *d, enum moment moment)
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

static enum err end_call(struct dispatch *d, enum err e)
{
	if (!e) /* a handler may have recovered from a failure */
		d->fault = (struct fault){ 0 };
	if (e != ERR_LATER)
		emit_event(d, e == ERR_ASK ? ASKS : ENDS);
	return e;
}

static enum err no_tool(struct dispatch *d, struct str name)
{
	const char *names[64], *near;
	size_t n = 0;

	for (size_t i = 0; i < all_tools_count && n < COUNT_OF(names); i++)
		if (!d->offered || d->offered(d->ctx, all_tools[i]))
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
		.progress = d->progress,
		.mem = d->mem,
		.fault = &d->fault,
		.caller = d->caller ? d->caller : &somebody,
		.id = d->id,
		.arguments = arguments,
	};
	d->arguments = arguments;
	d->began = clock_ms();
	if (c->tool && d->offered)
		c->tool = d->offered(d->ctx, c->tool);
	if (!c->tool)
		return no_tool(d, name);
	emit_event(d, BEGINS);
	e = args_decode(c, arguments);
	if (!e)
		e = args_check(c);
	return e ? end_call(d, e) : e;
}

/*
 * The file changed between load and store, and nothing was written. Unless the
 * caller named a version, run the call again as if it had come a moment later.
 * Bounded, because each round takes memory; never when a hook has run, which
 * must not run twice for one call.
 */
static bool lost_a_race(const struct call *c, enum err e, unsigned *tries,
			uint64_t began)
{
	enum { MOST = 32, MOST_MS = 10 * 1000 };

	return e == ERR_CHANGED && c->lost_race && !c->guard.if_version.len &&
	       !c->hook_ran && !c->tool->no_retry && ++*tries < MOST &&
	       clock_ms() < began + MOST_MS;
}

/*
 * The first call, also one that only reads, completes or undoes what a process
 * that died left of a change of several files: a client's other programs would
 * see the mixture, and the temporary files.
 */
static enum err recover_groups(struct call *c)
{
	enum err e;

	if (!c->ws || atomic_load(&c->ws->groups_recovered))
		return ERR_OK;
	e = ws_recover(c->ws, &c->progress);
	if (!e)
		atomic_store(&c->ws->groups_recovered, true);
	return e;
}

enum err dispatch_run(struct dispatch *d, uint64_t byte_limit)
{
	struct call *c = &d->call;
	uint64_t began = clock_ms();
	unsigned tries = 0;
	enum err e;

	c->progress.byte_limit = byte_limit;
	c->granted = d->granted;
	c->shown = d->shown;
	if (recover_groups(c) == ERR_LATER)
		return end_call(d, ERR_LATER);
	cancel_begin(c->progress.stop, c->progress.ctx);
	do {
		d->fault = (struct fault){ 0 };
		c->lost_race = false;
		c->unread = (struct unread){ 0 };
		c->out = arena_zero(c->mem, 1, c->tool->out_size);
		e = c->tool->run(c);
	} while (lost_a_race(c, e, &tries, began));
	if (e == ERR_CHANGED && c->group)
		e = fail(&d->fault, ERR_CHANGED_AT, .path = d->fault.path);
	e = gate_reveal(c, e);
	if (e == ERR_NOT_FOUND)
		similar_names_suggest(c);
	if (is_concurrent_change(e))
		concurrent_change_explain(c);
	if (cancel_seen()) /* a loop ended early: the result is not usable */
		e = fail(&d->fault, ERR_CANCELLED, .path = STR(""));
	cancel_end();
	if (e == ERR_LATER && !byte_limit)
		e = fail(&d->fault, ERR_INTERNAL,
			 .text = STR("A tool did not finish on its worker"));
	return end_call(d, e);
}

enum err dispatch_refuse(struct dispatch *d, const struct fault *why)
{
	return end_call(d, fault_set(&d->fault, why));
}

void dispatch_drop(struct dispatch *d)
{
	(void)end_call(d, fail(&d->fault, ERR_CANCELLED, .path = STR("")));
}
