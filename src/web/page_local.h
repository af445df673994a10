/*
 * page_local.h - shared by the files of the page's API: the context of a
 * request, the routes, and JSON writers.
 */
#ifndef STET_PAGE_LOCAL_H
#define STET_PAGE_LOCAL_H

#include "rpc/ask.h"
#include "store/approvals.h"
#include "store/history.h"
#include "tools/history/owner.h"
#include "web/page.h"
#include "web/sse.h"

#include <pthread.h>

struct api_route;

/*
 * Cached numbers of added and removed lines: counting needs both contents, and
 * lists of operations are fetched often.
 */
enum { LINES_KEPT = 1024 };

struct line_cache {
	pthread_mutex_t lock; /* guards all fields below */
	struct {
		struct uuid id; /* zero = empty */
		size_t added, removed;
		bool text;
	} rows[LINES_KEPT];
};

struct web_page {
	struct page_options options; /* the url is ours */
	struct line_cache lines;
	struct arena mem;
	uint64_t began; /* clock_ms() */
	struct api_request *requests;
	struct sse *sse; /* NULL = the page is being closed */
	unsigned refs;   /* one for each request, and one for the owner */
	struct page_renewal {
		struct web_page *page;
		bool runs;
	} renewal; /* of the settings, whose file has changed */
};

/* A snapshot of the server's state, taken on the loop's thread. */
struct page_counts {
	struct activity_counts activity;
	struct http_counts http;
	uint64_t uptime_ms;
};

/*
 * Context of one request to the API: created on the loop's thread, processed by
 * a worker, answered on the loop.
 */
struct api_request {
	struct web_page *page;
	struct http_exchange *x; /* NULL = the peer has gone */
	struct api_request *next, **link;
	const struct api_route *route;
	struct arena mem;
	struct str id; /* the segment that matched "*" in the route's path */
	struct str query, body; /* copies */
	struct fault fault;

	/* for the status: copies as well */
	struct page_counts counts;
	struct endpoint_client *clients;
	size_t client_count;

	/* for the tokens: copies, too */
	struct token *tokens;
	size_t token_count;

	/* the reply */
	unsigned status;
	const char *type;
	struct buf out;
};

/*
 * gather() on the loop's thread, then work() on another one, or on the loop's
 * when it is quick. A row with take() handles the exchange itself and has no
 * other callback.
 */
struct api_route {
	const char *method, *path; /* a "*" in it is one segment */
	bool changes;              /* poll the store for events afterwards */
	bool quick;
	void (*gather)(struct api_request *rq);
	void (*work)(struct api_request *rq);
	void (*take)(struct web_page *p, struct http_exchange *x);
};

void page_status_gather(struct api_request *rq);
void page_status(struct api_request *rq);
void page_metrics(struct api_request *rq);
void page_activity(struct api_request *rq);
void page_approvals(struct api_request *rq);
void page_unused(struct api_request *rq);
void page_decide(struct api_request *rq);
void page_piece(struct api_request *rq);
void page_browse(struct api_request *rq);
void page_history(struct api_request *rq);
void page_operation(struct api_request *rq);
void page_chart(struct api_request *rq);
void page_undo(struct api_request *rq);
void page_redo(struct api_request *rq);
void page_restore(struct api_request *rq);
void page_undo_preview(struct api_request *rq);
void page_preview_undo(struct api_request *rq);
void page_preview_redo(struct api_request *rq);
void page_undo_many(struct api_request *rq);
void page_compare(struct api_request *rq);

/* The filters of a request, for the history's list, chart and undo. */
must_check enum err page_filter(struct api_request *rq,
				struct history_query *ret);

/* "abort", "markers", "ours" or "theirs"; "" = abort. */
must_check enum err page_conflicts(struct api_request *rq, struct str word,
				   enum conflicts *ret);

/* A change by the person, called @tool in the history; see owner.h. */
void page_owner(struct api_request *rq, struct store *s, const char *tool,
		struct owner *o);

/*
 * Does the member "digest" of @body belong to a preview of undoing @op that is
 * still true? ERR_OLD_PREVIEW. Without the member nothing is compared.
 */
must_check enum err page_check_preview(struct api_request *rq, struct owner *o,
				       struct json body, const struct op *op);

/* The answer is rq->fault, with the status that fits. */
void api_failed(struct api_request *rq);

/* The store, or NULL after api_failed(): the history is off. */
struct store *api_store(struct api_request *rq);

/* The body, which must be one JSON object (or nothing at all, if @may). */
must_check bool api_body(struct api_request *rq, bool may, struct json *ret);

/* Is there a file of the page at that path? files_answer() responds with it. */
bool files_has(struct str path);
must_check bool files_answer(struct http_exchange *x);

/* Is it a request of a browser for an unknown page? It gets the 404 page. */
bool files_is_lost(const struct http_exchange *x);

void put_number(struct json_out *o, const char *key, uint64_t n);
void put_flag(struct json_out *o, const char *key, bool set);
void put_id(struct json_out *o, const char *key, struct uuid id);
void put_client(struct json_out *o, const struct endpoint_client *c);

/* What put_operation() needs beside the operation. */
struct op_view {
	struct store *store;
	struct line_cache *lines;
	uint64_t *may_read; /* bytes of contents left, to count lines */
	const struct str *roots;
	size_t root_count;
	struct arena *mem;
};

struct op_view op_view(struct web_page *p, struct arena *mem);

/* From its root on; from the root's name on, when there are several. */
struct str shown_path(const struct op_view *view, struct str path);

/* "lines_added" and "lines_removed", unless the contents are too large. */
void put_lines(struct json_out *o, const struct op_view *view,
	       const struct op *op);

/* "diff", cut where it is too long, and "cut"; *@ret_left is taken from. */
void put_diff(struct json_out *o, struct str diff, size_t *ret_left);
void put_operation(struct json_out *o, const struct op_view *view,
		   const struct op *op);
void put_approval(struct json_out *o, const struct op_view *view,
		  const struct approval *a);

/* ---- page_grants.c */

/* ASK_NOTHING = it is not an answer. */
enum ask_answer page_answer(struct json word);

/* "offers": how far each wide answer to a question would reach. */
void put_offers(struct json_out *o, const struct op_view *view,
		const struct approval *a);
void put_grant(struct json_out *o, const struct op_view *view,
	       const struct grant *g);

/* The reach that the page has shown for a wide answer. */
struct page_reach {
	struct api_request *api_request;
	struct str shown; /* "" = none */
};

must_check enum err page_read_reach(struct api_request *rq, struct json body,
				    struct page_reach *ret, uint64_t *ret_for);

/*
 * For struct ask_decision: the scope that was shown must be the one to be
 * granted.
 */
must_check enum err page_agree(void *reach, const struct approval *a,
			       const struct grant *g, struct fault *f);

void page_drop(struct web_page *p); /* one of its refs */

/* ---- page_settings.c, page_tokens.c */

void page_settings(struct api_request *rq);
void page_rules_check(struct api_request *rq);
void page_rule_add(struct api_request *rq);
void page_rule_remove(struct api_request *rq);
void page_settings_tick(struct web_page *p);
void page_notify_settings(
	struct web_page *p); /* any thread: fetch them again */
void page_tokens_gather(struct api_request *rq);
void page_tokens(struct api_request *rq);
void page_token_add(struct api_request *rq);
void page_token_revoke(struct api_request *rq);
void page_link(struct api_request *rq);

void page_grants(struct api_request *rq);
void page_revoke(struct api_request *rq);

#endif
