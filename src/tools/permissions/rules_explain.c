/*
 * rules_explain.c - decides on a path as a call would.
 *
 * The same steps as in change.c and gate.c, but nobody is asked and nothing is
 * changed.
 */
#include "tools/permissions/rules_explain.h"

#include "tools/permissions/ignored.h"
#include "tools/permissions/rules_json.h"

/* Outside the roots, or one of stet's own files: denied without rules. */
static void explain_unreachable(const struct fault *f, struct decision *ret)
{
	*ret = (struct decision){ VERDICT_DENY, NULL, f->reason,
				  STR("it is outside the roots"), false };
	if (!strcmp(f->reason, "config")) {
		ret->why = f->hint;
		ret->hidden = true;
	}
}

void rules_explain(struct workspace *ws, const struct rules *r,
		   const struct rules_explain_want *want, struct arena *mem,
		   struct rules_explained *ret)
{
	struct glob_budget effort = { .steps = RULES_MAX_STEPS };
	struct action *d = &ret->action;
	struct file_info info = { 0 };
	struct ignore_cause cause;
	struct decision for_read;
	struct fault f = { 0 };
	const struct str *roots;
	size_t n;

	*ret = (struct rules_explained){ 0 };
	roots = ws_roots(ws, mem, &n);
	d->tool = want->tool;
	d->changes = effects_change(d->tool->effects);
	d->known_size = want->bytes || want->lines_removed;
	d->bytes = want->bytes;
	d->lines_removed = want->lines_removed;
	if (ws_stat(ws, want->path, mem, &info, &f) && f.reason) {
		action_place(d, want->path, STR(""), roots, n, mem);
		explain_unreachable(&f, &ret->decision);
		return;
	}
	action_place(d, want->path, info.key, roots, n, mem);
	action_place_above(d, r, mem);
	d->effort = &effort;
	d->ignored = ignored_by(r, ws, d, NULL, mem);
	if (!d->ignored.len && rules_ignored(r, d, &cause) && cause.rule->line)
		d->ignored = arena_printf(mem, STR_FMT ":%zu",
					  STR_ARG(cause.list->source),
					  cause.rule->line);
	rules_decide(r, d, &ret->decision);
	/* Reading for the change may need an approval, too. */
	if (d->changes && ret->decision.verdict == VERDICT_ALLOW &&
	    rules_ask_to_reveal(r, d, &for_read))
		ret->decision = for_read;
	d->effort = NULL;
}

void rules_explained_put(struct json_out *o, const struct rules_explained *w,
			 const struct rules *r)
{
	const struct decision *decision = &w->decision;

	json_open(o, '{');
	json_text_member(o, "verdict", str_of(verdict_name(decision->verdict)));
	json_text_member(o, "reason", str_of(decision->reason));
	json_text_member(o, "why", decision->why);
	if (decision->rule) {
		json_key(o, "rule");
		rules_put_one(o, decision->rule);
	}
	json_text_member(o, "mode", str_of(mode_name(r->mode)));
	json_key(o, "hidden");
	json_put_bool(o, decision->hidden);
	json_text_member(o, "tool", str_of(w->action.tool->name));
	json_text_member(o, "path", w->action.path);
	json_text_member(o, "key", w->action.key);
	json_close(o, '}');
}
