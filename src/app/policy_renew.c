/*
 * policy_renew.c - the person's settings have changed while a server runs.
 * What can be taken over between two calls is, and the rest waits for a start.
 */
#include "app/policy_local.h"

struct str policy_mode_origin(const struct policy *p)
{
	return p->newest->mode_origin;
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

enum err policy_renew(struct policy *p, struct str text, bool *ret_restart,
		      struct arena *mem, struct fault *f)
{
	struct config_file next = { 0 };
	enum err e;

	/* A mistake may come again and again: it must not stay in our memory. */
	e = configfile_read(p->user_path, text, mem, &next, f);
	if (e)
		return e;
	next = (struct config_file){ 0 };
	text = arena_copy(&p->mem, text);
	e = configfile_read(p->user_path, text, &p->mem, &next, f);
	if (e)
		return e;
	*ret_restart = !same_hooks(&next, &p->user) ||
		       !same_history(&next.history, &p->user.history) ||
		       !same_approvals(&next.approvals, &p->user.approvals);
	next.hooks = p->user.hooks;
	next.hook_count = p->user.hook_count;
	next.history = p->user.history;
	next.approvals = p->user.approvals;
	p->user = next;
	p->user_text = text;
	return ERR_OK;
}
