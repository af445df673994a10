/*
 * weigh.c - what the rules say of a path. The same steps as before a call
 * (change.c, gate.c), but nobody is asked and nothing is done.
 */
#include "tools/weigh.h"

#include "tools/ignored.h"
#include "tools/rules_json.h"

/* Outside the roots, or one of stet's own files: no rule is asked. */
static void weigh_unreachable(const struct fault *f, struct decision *ret)
{
	*ret = (struct decision){ VERDICT_DENY, NULL, f->reason,
				  STR("it lies outside the roots"), false };
	if (!strcmp(f->reason, "config")) {
		ret->why = f->hint;
		ret->hidden = true;
	}
}

void weigh(struct workspace *ws, const struct rules *r,
	   const struct weigh_want *want, struct arena *mem,
	   struct weighed *ret)
{
	struct glob_effort effort = { .steps = RULES_MAX_STEPS };
	struct deed *d = &ret->deed;
	struct look look = { 0 };
	struct ignore_cause cause;
	struct decision told;
	struct fault f = { 0 };
	const struct str *roots;
	size_t n;

	*ret = (struct weighed){ 0 };
	roots = ws_roots(ws, mem, &n);
	d->tool = want->tool;
	d->changes = effects_change(d->tool->effects);
	d->known_size = want->bytes || want->lines_removed;
	d->bytes = want->bytes;
	d->lines_removed = want->lines_removed;
	if (ws_look(ws, want->path, mem, &look, &f) && f.reason) {
		deed_place(d, want->path, STR(""), roots, n, mem);
		weigh_unreachable(&f, &ret->decision);
		return;
	}
	deed_place(d, want->path, look.key, roots, n, mem);
	deed_place_above(d, r, mem);
	d->effort = &effort;
	d->ignored = ignored_by(r, ws, d, NULL, mem);
	if (!d->ignored.len && rules_ignored(r, d, &cause) && cause.rule->line)
		d->ignored = arena_printf(mem, STR_FMT ":%zu",
					  STR_ARG(cause.list->source),
					  cause.rule->line);
	rules_decide(r, d, &ret->decision);
	/* What a change tells may be asked for where the change is not. */
	if (d->changes && ret->decision.verdict == VERDICT_ALLOW &&
	    rules_ask_to_tell(r, d, &told))
		ret->decision = told;
	d->effort = NULL;
}

void weigh_put(struct json_out *o, const struct weighed *w,
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
	json_text_member(o, "tool", str_of(w->deed.tool->name));
	json_text_member(o, "path", w->deed.path);
	json_text_member(o, "key", w->deed.key);
	json_close(o, '}');
}
