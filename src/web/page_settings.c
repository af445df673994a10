/*
 * page_settings.c - API of the settings: rules, roots and hooks with their
 * origin; the decision for a path; adding and removing rules.
 *
 * The settings themselves belong to the layer above (web/settings.h).
 */
#include "files/path.h"
#include "tools/permissions/rules_explain.h"
#include "tools/permissions/rules_json.h"
#include "tools/permissions/sensitive.h"
#include "web/page_local.h"
#include "web/query.h"
#include "web/sse_local.h"

static const struct rules *rules_of(const struct web_page *p)
{
	static const struct rules none = { .mode = MODE_DEFAULT };
	const struct rules *r = p->options.server->tools.rules;

	return r ? rules_now(r) : &none;
}

static void put_rule(struct json_out *o, const struct web_page *p,
		     const struct rule *rule)
{
	const struct settings_source *s = p->options.settings;

	json_open(o, '{');
	json_text_member(o, "verdict", str_of(verdict_name(rule->verdict)));
	json_text_member(o, "rule", rule->text);
	json_text_member(o, "origin", rule->origin);
	json_text_member(o, "root", rule->root);
	put_flag(o, "own", s && s->is_own(s->ctx, rule));
	json_close(o, '}');
}

static void put_ignored(struct json_out *o, const struct ignore_set *set,
			struct arena *mem)
{
	for (size_t i = 0; i < set->list.count; i++) {
		const struct ignore_rule *rule = &set->list.rules[i];
		struct str origin = set->list.source;

		if (rule->line)
			origin = arena_printf(mem, STR_FMT ":%zu",
					      STR_ARG(origin), rule->line);
		json_open(o, '{');
		json_text_member(o, "pattern",
				 arena_printf(mem, "%s" STR_FMT "%s",
					      rule->negated ? "!" : "",
					      STR_ARG(rule->pattern),
					      rule->only_directory ? "/" : ""));
		json_text_member(o, "origin", origin);
		json_text_member(o, "root", set->root);
		json_close(o, '}');
	}
}

void page_settings(struct api_request *rq)
{
	const struct page_options *options = &rq->page->options;
	const struct settings_source *s = options->settings;
	const struct rules *r = rules_of(rq->page);
	struct json_out o = json_out(&rq->out);

	json_open(&o, '{');
	json_text_member(&o, "mode", str_of(mode_name(r->mode)));
	json_key(&o, "rules");
	json_open(&o, '[');
	for (size_t i = 0; i < r->count; i++)
		put_rule(&o, rq->page, &r->rule[i]);
	json_close(&o, ']');
	put_number(&o, "built_in", sensitive_count);
	json_key(&o, "ignore");
	json_open(&o, '[');
	for (size_t i = 0; i < r->ignore_count; i++)
		put_ignored(&o, &r->ignore[i], &rq->mem);
	json_close(&o, ']');
	json_key(&o, "ignore_files");
	json_open(&o, '[');
	for (size_t i = 0; r->ignore_files && r->ignore_files[i]; i++)
		json_put_str(&o, str_of(r->ignore_files[i]));
	json_close(&o, ']');
	if (s)
		s->put(s->ctx, &o, &rq->mem);
	json_text_member(&o, "phone", options->phone);
	json_close(&o, '}');
}

/* ---- what decides for a path */

static void put_weighed(struct json_out *o, struct api_request *rq,
			struct str path)
{
	static const char *const tools[][2] = {
		{ "read", "read_text_file" }, { "write", "write_text_file" }
	};
	const struct rules *r = rules_of(rq->page);

	for (size_t i = 0; i < COUNT_OF(tools); i++) {
		struct rules_explain_want want = {
			.tool = tool_named(str_of(tools[i][1])), .path = path
		};
		struct rules_explained w;

		rules_explain(rq->page->options.server->ws, r, &want, &rq->mem,
			      &w);
		json_open(o, '{');
		json_text_member(o, "does", str_of(tools[i][0]));
		json_key(o, "decision");
		rules_explained_put(o, &w, r);
		json_close(o, '}');
	}
}

/* A relative path is from every root. */
void page_rules_check(struct api_request *rq)
{
	enum { MOST_ROOTS = 8, RULES_PATH_MOST = 4096 };
	struct str path = query_text(rq->query, "path", &rq->mem);
	struct json_out o = json_out(&rq->out);
	const struct str *roots;
	size_t n;

	if (!path.len || path.len > RULES_PATH_MOST ||
	    memchr(path.ptr, '\0', path.len)) {
		(void)fail(&rq->fault, ERR_BAD_ARGS,
			   .text = STR("path is missing or invalid"));
		api_failed(rq);
		return;
	}
	json_open(&o, '{');
	json_key(&o, "checks");
	json_open(&o, '[');
	if (path.ptr[0] == '/') {
		put_weighed(&o, rq, path);
	} else {
		roots = ws_roots(rq->page->options.server->ws, &rq->mem, &n);
		for (size_t i = 0; i < size_min(n, MOST_ROOTS); i++)
			put_weighed(&o, rq,
				    path_join(&rq->mem, roots[i], path));
	}
	json_close(&o, ']');
	json_close(&o, '}');
}

/* ---- changing them */

/* Does the pattern fit every file of a root? */
static bool is_everything(struct str pattern)
{
	static const char *const all[] = { "",   "*",   "**",  "/",
					   "/*", "/**", "**/*" };

	for (size_t i = 0; i < COUNT_OF(all); i++)
		if (str_is(pattern, all[i]))
			return true;
	return false;
}

/* "every tool may change", "write_text_file may be used on" */
static struct str tool_part(struct str tool, struct arena *mem)
{
	if (str_is(tool, "*"))
		return STR("every tool may read and change");
	if (str_is(tool, "read") || str_is(tool, "write"))
		return arena_printf(mem, "every tool may %s",
				    str_is(tool, "read") ? "read" : "change");
	return arena_printf(mem, STR_FMT " may be used on", STR_ARG(tool));
}

static struct str files_part(struct api_request *rq, const struct rule *rule)
{
	auto_buf out = BUF_INIT;
	const struct str *roots;
	size_t n;

	if (!is_everything(rule->path))
		return arena_printf(&rq->mem,
				    "every file that matches " STR_FMT,
				    STR_ARG(rule->path));
	roots = ws_roots(rq->page->options.server->ws, &rq->mem, &n);
	buf_lit(&out, "every file");
	for (size_t i = 0; i < n; i++)
		buf_addf(&out, "%s" STR_FMT "/", i ? ", " : " in ",
			 STR_ARG(roots[i]));
	return arena_copy(&rq->mem, buf_str(&out));
}

/*
 * A description of an allow rule for a whole root or for all tools; "" for any
 * other. Such a rule is added when the page sends the same text back, as
 * confirmation.
 */
static struct str wide_reach(struct api_request *rq, enum verdict verdict,
			     struct str text)
{
	struct fault ignored;
	struct rule rule;

	if (verdict != VERDICT_ALLOW ||
	    rule_parse(text, &rq->mem, &rule, &ignored) ||
	    (!is_everything(rule.path) && !str_is(rule.tool, "*")))
		return STR("");
	return arena_printf(
		&rq->mem,
		STR_FMT
		" " STR_FMT
		" without asking · sensitive files included · every client · until you remove the rule",
		STR_ARG(tool_part(rule.tool, &rq->mem)),
		STR_ARG(files_part(rq, &rule)));
}

static bool read_change(struct api_request *rq, enum verdict *ret_verdict,
			struct str *ret_rule, struct str *ret_reach)
{
	static const enum verdict all[] = { VERDICT_ALLOW, VERDICT_ASK,
					    VERDICT_DENY };
	struct json body;

	if (!api_body(rq, /* may= */ false, &body))
		return false;
	for (size_t i = 0; i < COUNT_OF(all); i++)
		if (json_str_is(json_get(body, "verdict"),
				verdict_name(all[i])) &&
		    json_text(json_get(body, "rule"), &rq->mem, ret_rule)) {
			if (!json_text(json_get(body, "reach"), &rq->mem,
				       ret_reach))
				*ret_reach = STR("");
			*ret_verdict = all[i];
			return true;
		}
	(void)fail(&rq->fault, ERR_BAD_ARGS,
		   .text = STR(
			   "verdict is allow, ask or deny; rule is a string"));
	api_failed(rq);
	return false;
}

static void change_rule(struct api_request *rq, bool remove)
{
	const struct settings_source *s = rq->page->options.settings;
	struct json_out o = json_out(&rq->out);
	enum verdict verdict;
	struct str rule, reach, agreed;

	if (!read_change(rq, &verdict, &rule, &agreed))
		return;
	reach = remove ? STR("") : wide_reach(rq, verdict, rule);
	if (reach.len && !str_eq(reach, agreed)) {
		json_open(&o, '{');
		json_text_member(&o, "confirm", reach);
		json_close(&o, '}');
		return;
	}
	if (!s)
		(void)fail(&rq->fault, ERR_BAD_CONFIG,
			   .text = STR("this server has no settings"));
	if (!s ||
	    s->change(s->ctx, remove, verdict, rule, &rq->mem, &rq->fault)) {
		api_failed(rq);
		return;
	}
	page_notify_settings(rq->page);
	json_open(&o, '{');
	json_text_member(&o, remove ? "removed" : "added", rule);
	json_close(&o, '}');
}

void page_rule_add(struct api_request *rq)
{
	change_rule(rq, false);
}

void page_rule_remove(struct api_request *rq)
{
	change_rule(rq, true);
}

/* ---- a settings file that another program has changed */

void page_notify_settings(struct web_page *p)
{
	auto_buf data = BUF_INIT;

	buf_lit(&data, "{}");
	if (p->sse)
		sse_send(p->sse, "settings", &data);
}

static void on_renew(void *ctx)
{
	const struct page_renewal *r = ctx;
	const struct settings_source *s = r->page->options.settings;

	s->renew(s->ctx);
}

static void on_renewed(void *ctx)
{
	struct page_renewal *r = ctx;

	r->runs = false;
	page_notify_settings(r->page);
	page_drop(r->page);
}

void page_settings_tick(struct web_page *p)
{
	const struct settings_source *s = p->options.settings;
	struct page_renewal *r = &p->renewal;

	if (!s || r->runs || !s->is_due(s->ctx))
		return;
	*r = (struct page_renewal){ p, true };
	p->refs++;
	http_work(p->options.http, on_renew, on_renewed, r);
}
