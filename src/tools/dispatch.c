#include "tools/dispatch.h"

#include "text/utf8.h"
#include "tools/args.h"

static void tell(struct dispatch *d, bool begin)
{
	struct tool_event event = {
		.tool = d->call.tool,
		.id = d->id,
		.arguments = d->arguments,
		.call = &d->call,
		.fault = d->fault.err ? &d->fault : NULL,
	};

	if (!d->events)
		return;
	if (begin)
		d->events->begin(d->events, &event);
	else
		d->events->end(d->events, &event);
}

static enum err ended(struct dispatch *d, enum err e)
{
	if (!e) /* a handler may have got over a failure: forget it */
		d->fault = (struct fault){ 0 };
	if (e != ERR_LATER)
		tell(d, false);
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
	struct call *c = &d->call;
	enum err e;

	*c = (struct call){
		.tool = tool_named(name),
		.options = d->options,
		.ws = d->ws,
		.errand = d->errand,
		.mem = d->mem,
		.fault = &d->fault,
	};
	d->arguments = arguments;
	if (!c->tool || (d->offers && !d->offers(d->ctx, c->tool)))
		return no_tool(d, name);
	tell(d, true);
	e = args_decode(c, arguments);
	if (!e)
		e = args_check(c);
	return e ? ended(d, e) : e;
}

enum err dispatch_run(struct dispatch *d, uint64_t patience)
{
	struct call *c = &d->call;

	d->fault = (struct fault){ 0 };
	c->errand.patience = patience;
	c->out = arena_zero(c->mem, 1, c->tool->out_size);
	return ended(d, c->tool->run(c));
}

void dispatch_drop(struct dispatch *d)
{
	(void)ended(d, fail(&d->fault, ERR_CANCELLED, .path = STR("")));
}
