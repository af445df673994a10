/*
 * page_settings.c - rules, roots and hooks, each with where it comes from; what
 * decides for a path; and rules that are added and removed.
 *
 * The settings themselves belong to the layer above (web/settings.h).
 */
#include "files/path.h"
#include "tools/rules_json.h"
#include "tools/sensitive.h"
#include "tools/weigh.h"
#include "web/live_local.h"
#include "web/page_local.h"
#include "web/query.h"

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

void page_settings(struct visit *v)
{
	const struct page_options *options = &v->page->options;
	const struct settings_source *s = options->settings;
	const struct rules *r = rules_of(v->page);
	struct json_out o = json_out(&v->out);

	json_open(&o, '{');
	json_text_member(&o, "mode", str_of(mode_name(r->mode)));
	json_key(&o, "rules");
	json_open(&o, '[');
	for (size_t i = 0; i < r->count; i++)
		put_rule(&o, v->page, &r->rule[i]);
	json_close(&o, ']');
	put_number(&o, "built_in", sensitive_count);
	json_key(&o, "ignore");
	json_open(&o, '[');
	for (size_t i = 0; i < r->ignore_count; i++)
		put_ignored(&o, &r->ignore[i], &v->mem);
	json_close(&o, ']');
	json_key(&o, "ignore_files");
	json_open(&o, '[');
	for (size_t i = 0; r->ignore_files && r->ignore_files[i]; i++)
		json_put_str(&o, str_of(r->ignore_files[i]));
	json_close(&o, ']');
	if (s)
		s->put(s->ctx, &o, &v->mem);
	json_text_member(&o, "phone", options->phone);
	json_close(&o, '}');
}

/* ---- what decides for a path */

static void put_weighed(struct json_out *o, struct visit *v, struct str path)
{
	static const char *const tools[][2] = {
		{ "read", "read_text_file" }, { "write", "write_text_file" }
	};
	const struct rules *r = rules_of(v->page);

	for (size_t i = 0; i < COUNT_OF(tools); i++) {
		struct weigh_want want = {
			.tool = tool_named(str_of(tools[i][1])), .path = path
		};
		struct weighed w;

		weigh(v->page->options.server->ws, r, &want, &v->mem, &w);
		json_open(o, '{');
		json_text_member(o, "does", str_of(tools[i][0]));
		json_key(o, "decision");
		weigh_put(o, &w, r);
		json_close(o, '}');
	}
}

/* A relative path is from every root. */
void page_rules_check(struct visit *v)
{
	enum { MOST_ROOTS = 8, RULES_PATH_MOST = 4096 };
	struct str path = query_text(v->query, "path", &v->mem);
	struct json_out o = json_out(&v->out);
	const struct str *roots;
	size_t n;

	if (!path.len || path.len > RULES_PATH_MOST ||
	    memchr(path.ptr, '\0', path.len)) {
		(void)fail(&v->fault, ERR_BAD_ARGS,
			   .text = STR("path is missing, or no path"));
		visit_failed(v);
		return;
	}
	json_open(&o, '{');
	json_key(&o, "checks");
	json_open(&o, '[');
	if (path.ptr[0] == '/') {
		put_weighed(&o, v, path);
	} else {
		roots = ws_roots(v->page->options.server->ws, &v->mem, &n);
		for (size_t i = 0; i < size_min(n, MOST_ROOTS); i++)
			put_weighed(&o, v, path_join(&v->mem, roots[i], path));
	}
	json_close(&o, ']');
	json_close(&o, '}');
}

/* ---- changing them */

static bool read_change(struct visit *v, enum verdict *ret_verdict,
			struct str *ret_rule)
{
	static const enum verdict all[] = { VERDICT_ALLOW, VERDICT_ASK,
					    VERDICT_DENY };
	struct json body;

	if (!visit_body(v, /* may= */ false, &body))
		return false;
	for (size_t i = 0; i < COUNT_OF(all); i++)
		if (json_str_is(json_get(body, "verdict"),
				verdict_name(all[i])) &&
		    json_text(json_get(body, "rule"), &v->mem, ret_rule)) {
			*ret_verdict = all[i];
			return true;
		}
	(void)fail(&v->fault, ERR_BAD_ARGS,
		   .text = STR(
			   "verdict is allow, ask or deny; rule is a text"));
	visit_failed(v);
	return false;
}

static void change_rule(struct visit *v, bool remove)
{
	const struct settings_source *s = v->page->options.settings;
	struct json_out o = json_out(&v->out);
	enum verdict verdict;
	struct str rule;

	if (!read_change(v, &verdict, &rule))
		return;
	if (!s)
		(void)fail(&v->fault, ERR_BAD_CONFIG,
			   .text = STR("this server has no settings"));
	if (!s ||
	    s->change(s->ctx, remove, verdict, rule, &v->mem, &v->fault)) {
		visit_failed(v);
		return;
	}
	page_tell_settings(v->page);
	json_open(&o, '{');
	json_text_member(&o, remove ? "removed" : "added", rule);
	json_close(&o, '}');
}

void page_rule_add(struct visit *v)
{
	change_rule(v, false);
}

void page_rule_remove(struct visit *v)
{
	change_rule(v, true);
}

/* ---- a file that somebody else has changed */

void page_tell_settings(struct web_page *p)
{
	auto_buf data = BUF_INIT;

	buf_lit(&data, "{}");
	if (p->live)
		live_tell(p->live, "settings", &data);
}

static void on_renew(struct http_work *work)
{
	const struct page_renewal *r = (struct page_renewal *)work;
	const struct settings_source *s = r->page->options.settings;

	s->renew(s->ctx);
}

static void on_renewed(struct http_work *work)
{
	struct page_renewal *r = (struct page_renewal *)work;

	r->runs = false;
	page_tell_settings(r->page);
	page_drop(r->page);
}

void page_settings_tick(struct web_page *p)
{
	const struct settings_source *s = p->options.settings;
	struct page_renewal *r = &p->renewal;

	if (!s || r->runs || !s->is_due(s->ctx))
		return;
	*r = (struct page_renewal){ { on_renew, on_renewed }, p, true };
	p->refs++;
	http_work(p->options.http, &r->work);
}
