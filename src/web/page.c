/* Routes of the page, and requests on their way to a worker and back. */

#include "web/page.h"

#include "base/clock.h"
#include "tools/result.h"
#include "web/page_local.h"

#include <stdlib.h>

enum { MOST_BODY = 256 * 1024 };

static void take_live(struct web_page *p, struct http_exchange *x)
{
	live_open(p->live, x);
}

static const struct route routes[] = {
	{ "GET", "/api/status", .gather = page_status_gather,
	  .work = page_status },
	{ "GET", "/api/approvals", .work = page_approvals },
	{ "GET", "/api/approvals/*/text", .work = page_piece },
	{ "POST", "/api/approvals/*", .changes = true, .work = page_decide },
	{ "GET", "/api/grants", .work = page_grants },
	{ "POST", "/api/grants/revoke", .changes = true, .work = page_revoke },
	{ "GET", "/api/activity", .quick = true, .work = page_activity },
	{ "GET", "/api/files", .work = page_browse },
	{ "GET", "/api/history", .work = page_history },
	{ "GET", "/api/history/*", .work = page_operation },
	{ "POST", "/api/history/*/undo", .changes = true, .work = page_undo },
	{ "POST", "/api/history/*/redo", .changes = true, .work = page_redo },
	{ "POST", "/api/restore", .changes = true, .work = page_restore },
	{ "GET", "/api/chart", .work = page_chart },
	{ "GET", "/api/live", .take = take_live },
	{ "GET", "/metrics", .quick = true, .gather = page_status_gather,
	  .work = page_metrics },
};

/* Is @path of that form? Then @id is what stands for the "*", if any. */
static bool fits(const char *form, struct str path, struct str *id)
{
	const char *star = strchr(form, '*');
	size_t lead = star ? (size_t)(star - form) : strlen(form), end;

	*id = STR("");
	if (!star)
		return str_is(path, form);
	if (!str_starts(path, str_make(form, lead)))
		return false;
	path = str_skip(path, lead);
	end = str_find(path, '/');
	*id = str_head(path, end);
	return end && str_is(str_skip(path, end), star + 1);
}

/* HEAD is GET, and the body stays here. */
static bool same_method(const char *row, struct str method)
{
	return str_is(method, row) ||
	       (!strcmp(row, "GET") && str_is(method, "HEAD"));
}

/* The row, or NULL; @allowed gets the method of one for the path alone. */
static const struct route *find(struct str method, struct str path,
				struct str *id, const char **allowed)
{
	*allowed = NULL;
	for (size_t i = 0; i < COUNT_OF(routes); i++) {
		if (!fits(routes[i].path, path, id))
			continue;
		if (same_method(routes[i].method, method) &&
		    (!routes[i].take || str_is(method, "GET")))
			return &routes[i];
		*allowed = routes[i].method;
	}
	return NULL;
}

enum door page_door(struct str method, struct str path)
{
	const char *allowed;
	struct str id;
	const struct route *route = find(method, path, &id, &allowed);

	return !route && !allowed && files_has(path) ? DOOR_OPEN : DOOR_PAGE;
}

bool page_is_lost(const struct http_exchange *x)
{
	const struct http_request *r = http_request(x);
	const char *allowed;
	struct str id;

	return !find(r->method, r->path, &id, &allowed) && !allowed &&
	       files_is_lost(x);
}

struct web_page *page_new(const struct page_options *options)
{
	struct web_page *p = calloc(1, sizeof(*p));

	if (!p)
		out_of_memory();
	p->options = *options;
	p->options.url = arena_copy(&p->mem, options->url);
	p->began = clock_ms();
	p->refs = 1;
	p->live = live_new(p);
	return p;
}

static void drop(struct web_page *p)
{
	if (--p->refs)
		return;
	arena_free(&p->mem);
	free(p);
}

void page_free(struct web_page *p)
{
	if (!p)
		return;
	live_free(p->live);
	p->live = NULL;
	for (struct visit *v = p->visits; v; v = v->next)
		v->x = NULL;
	drop(p);
}

static void visit_end(struct visit *v)
{
	struct web_page *p = v->page;

	*v->link = v->next;
	if (v->next)
		v->next->link = v->link;
	buf_free(&v->out);
	arena_free(&v->mem);
	free(v);
	drop(p);
}

static void visit_answer(struct visit *v)
{
	struct http_exchange *x = v->x;

	v->x = NULL;
	if (x)
		http_reply(x, v->status, v->type, page_headers(),
			   buf_str(&v->out));
	/* What was decided or undone is news to those who listen. */
	if (v->route->changes && v->page->live)
		live_look(v->page->live);
	visit_end(v);
}

static void on_work(struct http_work *work)
{
	struct visit *v = (struct visit *)work;

	v->route->work(v);
}

static void on_done(struct http_work *work)
{
	visit_answer((struct visit *)work);
}

static struct visit *visit_new(struct web_page *p, struct http_exchange *x,
			       const struct route *route, struct str id)
{
	const struct http_request *r = http_request(x);
	struct visit *v = calloc(1, sizeof(*v));

	if (!v)
		out_of_memory();
	v->work = (struct http_work){ on_work, on_done };
	v->page = p;
	v->x = x;
	v->route = route;
	v->id = arena_copy(&v->mem, id);
	v->query = arena_copy(&v->mem, r->query);
	v->body = arena_copy(&v->mem, r->body);
	v->status = 200;
	v->type = "application/json";
	v->next = p->visits;
	v->link = &p->visits;
	if (v->next)
		v->next->link = &v->next;
	p->visits = v;
	p->refs++;
	return v;
}

static void begin_visit(struct web_page *p, struct http_exchange *x,
			const struct route *route, struct str id)
{
	struct visit *v;

	if (http_request(x)->body.len > MOST_BODY) {
		page_refuse(x, 413, STR("That is too long"));
		return;
	}
	v = visit_new(p, x, route, id);
	if (route->gather)
		route->gather(v);
	if (!route->quick) {
		http_work(p->options.http, &v->work);
		return;
	}
	route->work(v);
	visit_answer(v);
}

static void refuse_method(struct http_exchange *x, const char *allowed)
{
	auto_buf headers = BUF_INIT;

	buf_add(&headers, page_headers());
	buf_addf(&headers, "Allow: %s\r\n", allowed);
	http_reply(x, 405, "text/plain; charset=utf-8", buf_str(&headers),
		   STR("There is no such method here\n"));
}

bool page_request(struct web_page *p, struct http_exchange *x,
		  const struct visitor *who)
{
	const struct http_request *r = http_request(x);
	const struct route *route;
	const char *allowed;
	struct str id;

	route = find(r->method, r->path, &id, &allowed);
	if (!route && !allowed)
		return files_answer(x);
	if (!who->owner)
		page_refuse(x, 403, STR("The page is for its owner"));
	else if (!route)
		refuse_method(x, allowed);
	else if (route->take)
		route->take(p, x);
	else
		begin_visit(p, x, route, id);
	return true;
}

static void put_refusal(struct buf *out, struct str why)
{
	struct json_out o = json_out(out);

	json_open(&o, '{');
	json_key(&o, "error");
	json_open(&o, '{');
	json_text_member(&o, "message", why);
	json_close(&o, '}');
	json_close(&o, '}');
}

void page_refuse(struct http_exchange *x, unsigned status, struct str why)
{
	const struct http_request *r = http_request(x);
	bool api = str_starts(r->path, STR("/api/"));
	auto_buf out = BUF_INIT, headers = BUF_INIT;

	buf_add(&headers, page_headers());
	buf_add(&headers, guard_header(status));
	if (status == 401)
		why = STR("Sign in: run 'stet open'");
	if (api) {
		put_refusal(&out, why);
	} else {
		buf_add(&out, why);
		buf_addc(&out, '\n');
	}
	http_reply(x, status,
		   api ? "application/json" : "text/plain; charset=utf-8",
		   buf_str(&headers), buf_str(&out));
}

void page_gone(struct web_page *p, struct http_exchange *x)
{
	for (struct visit *v = p->visits; v; v = v->next)
		if (v->x == x)
			v->x = NULL;
	live_gone(p->live, x);
}

void page_tick(struct web_page *p)
{
	live_tick(p->live);
}
