/*
 * page.c - the routes of the page's API, and the life of a request.
 *
 * A request is copied on the loop's thread, worked on by the thread pool, and
 * answered on the loop again; its peer may have left by then (rq->x is NULL).
 * The page is freed when the last request has ended.
 */
#include "web/page.h"

#include "base/clock.h"
#include "tools/call/result.h"
#include "web/page_local.h"

#include <stdlib.h>

enum { MOST_BODY = 256 * 1024 };

static void open_events(struct web_page *p, struct http_exchange *x)
{
	sse_open(p->sse, x);
}

static const struct api_route routes[] = {
	{ "GET", "/api/status", .gather = page_status_gather,
	  .work = page_status },
	{ "GET", "/api/approvals", .work = page_approvals },
	{ "GET", "/api/approvals/unused", .work = page_unused },
	{ "GET", "/api/approvals/*/text", .work = page_piece },
	{ "POST", "/api/approvals/*", .changes = true, .work = page_decide },
	{ "GET", "/api/grants", .work = page_grants },
	{ "POST", "/api/grants/revoke", .changes = true, .work = page_revoke },
	{ "GET", "/api/settings", .work = page_settings },
	{ "GET", "/api/rules/check", .work = page_rules_check },
	{ "POST", "/api/rules", .changes = true, .work = page_rule_add },
	{ "POST", "/api/rules/remove", .changes = true,
	  .work = page_rule_remove },
	{ "GET", "/api/tokens", .gather = page_tokens_gather,
	  .work = page_tokens },
	{ "POST", "/api/tokens", .changes = true, .work = page_token_add },
	{ "POST", "/api/tokens/revoke", .changes = true,
	  .work = page_token_revoke },
	{ "POST", "/api/link", .quick = true, .work = page_link },
	{ "GET", "/api/activity", .quick = true, .work = page_activity },
	{ "GET", "/api/files", .work = page_browse },
	{ "GET", "/api/history", .work = page_history },
	{ "GET", "/api/history/*", .work = page_operation },
	{ "GET", "/api/history/*/undo", .work = page_preview_undo },
	{ "GET", "/api/history/*/redo", .work = page_preview_redo },
	{ "POST", "/api/history/*/undo", .changes = true, .work = page_undo },
	{ "POST", "/api/history/*/redo", .changes = true, .work = page_redo },
	{ "GET", "/api/undo", .work = page_undo_preview },
	{ "POST", "/api/undo", .changes = true, .work = page_undo_many },
	{ "GET", "/api/compare", .work = page_compare },
	{ "POST", "/api/restore", .changes = true, .work = page_restore },
	{ "GET", "/api/chart", .work = page_chart },
	{ "GET", "/api/live", .take = open_events },
	{ "GET", "/metrics", .quick = true, .gather = page_status_gather,
	  .work = page_metrics },
};

/* Is @path of that form? Then @id is what stands for the "*", if any. */
static bool path_matches(const char *form, struct str path, struct str *id)
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

/* HEAD matches GET; its body is not sent. */
static bool same_method(const char *row, struct str method)
{
	return str_is(method, row) ||
	       (!strcmp(row, "GET") && str_is(method, "HEAD"));
}

/* The row, or NULL; @allowed gets the method of one for the path alone. */
static const struct api_route *route_find(struct str method, struct str path,
					  struct str *id, const char **allowed)
{
	*allowed = NULL;
	for (size_t i = 0; i < COUNT_OF(routes); i++) {
		if (!path_matches(routes[i].path, path, id))
			continue;
		if (same_method(routes[i].method, method) &&
		    (!routes[i].take || str_is(method, "GET")))
			return &routes[i];
		*allowed = routes[i].method;
	}
	return NULL;
}

enum auth page_auth(struct str method, struct str path)
{
	const char *allowed;
	struct str id;
	const struct api_route *route = route_find(method, path, &id, &allowed);

	return !route && !allowed && files_has(path) ? AUTH_NONE : AUTH_OWNER;
}

bool page_is_lost(const struct http_exchange *x)
{
	const struct http_request *r = http_request(x);
	const char *allowed;
	struct str id;

	return !route_find(r->method, r->path, &id, &allowed) && !allowed &&
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
	(void)pthread_mutex_init(&p->lines.lock, NULL);
	p->sse = sse_new(p);
	return p;
}

void page_drop(struct web_page *p)
{
	if (--p->refs)
		return;
	(void)pthread_mutex_destroy(&p->lines.lock);
	arena_free(&p->mem);
	free(p);
}

void page_free(struct web_page *p)
{
	if (!p)
		return;
	sse_free(p->sse);
	p->sse = NULL;
	for (struct api_request *rq = p->requests; rq; rq = rq->next)
		rq->x = NULL;
	page_drop(p);
}

static void api_request_free(struct api_request *rq)
{
	struct web_page *p = rq->page;

	*rq->link = rq->next;
	if (rq->next)
		rq->next->link = rq->link;
	buf_free(&rq->out);
	arena_free(&rq->mem);
	free(rq);
	page_drop(p);
}

static void api_request_reply(struct api_request *rq)
{
	struct http_exchange *x = rq->x;

	rq->x = NULL;
	if (x)
		http_reply(x, rq->status, rq->type, page_headers(),
			   buf_str(&rq->out));
	/* Report a decision or an undo to open event streams at once. */
	if (rq->route->changes && rq->page->sse)
		sse_poll_now(rq->page->sse);
	api_request_free(rq);
}

static void api_request_work(void *ctx)
{
	struct api_request *rq = ctx;

	rq->route->work(rq);
}

static void api_request_done(void *ctx)
{
	api_request_reply(ctx);
}

static struct api_request *api_request_new(struct web_page *p,
					   struct http_exchange *x,
					   const struct api_route *route,
					   struct str id)
{
	const struct http_request *r = http_request(x);
	struct api_request *rq = calloc(1, sizeof(*rq));

	if (!rq)
		out_of_memory();
	rq->page = p;
	rq->x = x;
	rq->route = route;
	rq->id = arena_copy(&rq->mem, id);
	rq->query = arena_copy(&rq->mem, r->query);
	rq->body = arena_copy(&rq->mem, r->body);
	rq->status = 200;
	rq->type = "application/json";
	rq->next = p->requests;
	rq->link = &p->requests;
	if (rq->next)
		rq->next->link = &rq->next;
	p->requests = rq;
	p->refs++;
	return rq;
}

static void api_request_begin(struct web_page *p, struct http_exchange *x,
			      const struct api_route *route, struct str id)
{
	struct api_request *rq;

	if (http_request(x)->body.len > MOST_BODY) {
		page_refuse(x, 413, STR("The request is too long"));
		return;
	}
	rq = api_request_new(p, x, route, id);
	if (route->gather)
		route->gather(rq);
	if (!route->quick) {
		http_work(p->options.http, api_request_work, api_request_done,
			  rq);
		return;
	}
	route->work(rq);
	api_request_reply(rq);
}

static void refuse_method(struct http_exchange *x, const char *allowed)
{
	auto_buf headers = BUF_INIT;

	buf_add(&headers, page_headers());
	buf_addf(&headers, "Allow: %s\r\n", allowed);
	http_reply(x, 405, "text/plain; charset=utf-8", buf_str(&headers),
		   STR("Method not allowed\n"));
}

bool page_request(struct web_page *p, struct http_exchange *x,
		  const struct principal *who)
{
	const struct http_request *r = http_request(x);
	const struct api_route *route;
	const char *allowed;
	struct str id;

	route = route_find(r->method, r->path, &id, &allowed);
	if (!route && !allowed)
		return files_answer(x);
	if (!who->owner)
		page_refuse(x, 403, STR("The page is for its owner"));
	else if (!route)
		refuse_method(x, allowed);
	else if (route->take)
		route->take(p, x);
	else
		api_request_begin(p, x, route, id);
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
	for (struct api_request *rq = p->requests; rq; rq = rq->next)
		if (rq->x == x)
			rq->x = NULL;
	sse_gone(p->sse, x);
}

void page_tick(struct web_page *p)
{
	sse_tick(p->sse);
	page_settings_tick(p);
}
