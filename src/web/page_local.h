/*
 * page_local.h - what the files of the page share.
 */
#ifndef STET_PAGE_LOCAL_H
#define STET_PAGE_LOCAL_H

#include "rpc/ask.h"
#include "store/approvals.h"
#include "store/history.h"
#include "web/live.h"
#include "web/page.h"

struct route;

struct web_page {
	struct page_options options; /* the url is ours */
	struct arena mem;
	uint64_t began; /* clock_ms() */
	struct visit *visits;
	struct live *live;
	unsigned refs; /* one for each visit, and one for the owner */
};

/* What is to be shown of the server now: gathered on the loop's thread. */
struct page_counts {
	struct activity_counts activity;
	struct http_counts http;
	uint64_t uptime_ms;
};

/* A request on its way: read, worked on by another thread, answered. */
struct visit {
	struct http_work work; /* first: it is cast */
	struct web_page *page;
	struct http_exchange *x; /* NULL = the peer has gone */
	struct visit *next, **link;
	const struct route *route;
	struct arena mem;
	struct str id;          /* what stands for "*" in the route's path */
	struct str query, body; /* copies */
	struct fault fault;

	/* for the status: copies as well */
	struct page_counts counts;
	struct endpoint_client *clients;
	size_t client_count;

	/* what comes out */
	unsigned status;
	const char *type;
	struct buf out;
};

/*
 * gather() on the loop's thread, then work() on another one, or on the loop's
 * when it is quick. Whoever takes the exchange itself has only take().
 */
struct route {
	const char *method, *path; /* a "*" in it is one segment */
	bool changes; /* something that those who listen are told of */
	bool quick;
	void (*gather)(struct visit *v);
	void (*work)(struct visit *v);
	void (*take)(struct web_page *p, struct http_exchange *x);
};

void page_status_gather(struct visit *v);
void page_status(struct visit *v);
void page_metrics(struct visit *v);
void page_activity(struct visit *v);
void page_approvals(struct visit *v);
void page_decide(struct visit *v);
void page_piece(struct visit *v);
void page_browse(struct visit *v);
void page_history(struct visit *v);
void page_operation(struct visit *v);
void page_chart(struct visit *v);
void page_undo(struct visit *v);
void page_redo(struct visit *v);
void page_restore(struct visit *v);

/* The answer is v->fault, with the status that fits. */
void visit_failed(struct visit *v);

/* The store, or NULL after visit_failed(): the history is off. */
struct store *visit_store(struct visit *v);

/* The body, which must be one JSON object (or nothing at all, if @may). */
must_check bool visit_body(struct visit *v, bool may, struct json *ret);

/* Is there a file of the page of that path? Answer with it. */
bool files_has(struct str path);
must_check bool files_answer(struct http_exchange *x);

/* A browser asks for something to look at that is not there: a page of 404. */
bool files_is_lost(const struct http_exchange *x);

void put_number(struct json_out *o, const char *key, uint64_t n);
void put_flag(struct json_out *o, const char *key, bool set);
void put_id(struct json_out *o, const char *key, struct uuid id);
void put_client(struct json_out *o, const struct endpoint_client *c);

/* With what an operation is looked at. */
struct op_view {
	struct store *store;
	const struct str *roots;
	size_t root_count;
	struct arena *mem;
};

struct op_view op_view(struct web_page *p, struct arena *mem);
void put_operation(struct json_out *o, const struct op_view *view,
		   const struct op *op);
void put_approval(struct json_out *o, const struct op_view *view,
		  const struct approval *a);

/* ---- page_grants.c */

/* ASK_NOTHING: it is none of the words for an answer. */
enum ask_answer page_answer(struct json word);

/* "offers": how far each wide answer to a question would reach. */
void put_offers(struct json_out *o, const struct op_view *view,
		const struct approval *a);
void put_grant(struct json_out *o, const struct op_view *view,
	       const struct grant *g);

/* The reach that the page has shown for a wide answer. */
struct page_reach {
	struct visit *visit;
	struct str shown; /* "" = none */
};

must_check enum err page_read_reach(struct visit *v, struct json body,
				    struct page_reach *ret, uint64_t *ret_for);

/* For struct ask_decision: what was shown must be what would be granted. */
must_check enum err page_agree(void *reach, const struct approval *a,
			       const struct grant *g, struct fault *f);

void page_grants(struct visit *v);
void page_revoke(struct visit *v);

#endif
