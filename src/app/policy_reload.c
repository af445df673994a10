/*
 * policy_reload.c - applies changed settings of the person to a running server.
 *
 * What can change between two calls is applied, the rest needs a restart.
 */
#include "app/policy_local.h"

struct str policy_mode_origin(const struct policy *p)
{
	return p->newest->mode_origin;
}

struct selection policy_tools(const struct policy *p, struct str *ret_origin)
{
	*ret_origin = p->user.tools_origin;
	return (struct selection){ p->user.tools, p->user.tool_count };
}

struct str policy_user_path(const struct policy *p)
{
	return p->user_path;
}

bool policy_user_is(const struct policy *p, struct str text)
{
	return p->user_text.ptr && str_eq(p->user_text, text);
}

static bool same_hooks(const struct config_file *a, const struct config_file *b)
{
	if (a->hook_count != b->hook_count)
		return false;
	for (size_t i = 0; i < a->hook_count; i++) {
		const struct config_hook *x = &a->hooks[i], *y = &b->hooks[i];

		if (!str_eq(x->command, y->command) ||
		    !str_eq(x->match, y->match) || x->after != y->after ||
		    x->timeout_ms != y->timeout_ms)
			return false;
	}
	return true;
}

static bool same_history(const struct config_history *a,
			 const struct config_history *b)
{
	return a->has_off == b->has_off && a->off == b->off &&
	       a->max_age_days == b->max_age_days &&
	       a->max_bytes == b->max_bytes;
}

static bool same_approvals(const struct config_approvals *a,
			   const struct config_approvals *b)
{
	return a->yes_i_am_the_person == b->yes_i_am_the_person &&
	       a->dialogs_may_last == b->dialogs_may_last;
}

static bool same_tools(const struct config_file *a, const struct config_file *b)
{
	if (a->tool_count != b->tool_count)
		return false;
	for (size_t i = 0; i < a->tool_count; i++) {
		const struct selection_item *x = &a->tools[i],
					    *y = &b->tools[i];

		if (x->kind != y->kind || x->sign != y->sign ||
		    x->name != y->name)
			return false;
	}
	return true;
}

enum err policy_reload(struct policy *p, struct str text, bool *ret_restart,
		       struct arena *mem, struct fault *f)
{
	struct config_file next = { 0 };
	enum err e;

	/* Parsed in scratch memory, so that repeated mistakes do not leak. */
	e = configfile_read(p->user_path, text, mem, &next, f);
	if (e)
		return e;
	next = (struct config_file){ 0 };
	text = arena_copy(&p->mem, text);
	e = configfile_read(p->user_path, text, &p->mem, &next, f);
	if (e)
		return e;
	*ret_restart = !same_hooks(&next, &p->user) ||
		       !same_tools(&next, &p->user) ||
		       !same_history(&next.history, &p->user.history) ||
		       !same_approvals(&next.approvals, &p->user.approvals);
	next.hooks = p->user.hooks;
	next.hook_count = p->user.hook_count;
	next.tools = p->user.tools;
	next.tool_count = p->user.tool_count;
	next.tools_origin = p->user.tools_origin;
	next.history = p->user.history;
	next.approvals = p->user.approvals;
	p->user = next;
	p->user_text = text;
	return ERR_OK;
}
