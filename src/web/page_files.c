/*
 * page_files.c - serve the files of web/, which are part of the program.
 *
 * The Content-Security-Policy that confines the page is set here.
 */
#include "web/files.h"
#include "web/page_local.h"

#define LOST "/404.html"

static const struct web_file *file_find(struct str path)
{
	if (str_is(path, "/"))
		path = STR("/index.html");
	for (size_t i = 0; i < web_file_count; i++)
		if (str_is(path, web_files[i].path))
			return &web_files[i];
	return NULL;
}

/*
 * Content-Security-Policy: scripts and requests of our origin only, no framing.
 */
static const struct str policy = STR_INIT(
	"Content-Security-Policy: default-src 'none'; script-src 'self'; "
	"style-src 'self'; img-src 'self' data:; connect-src 'self'; "
	"form-action 'none'; frame-ancestors 'none'; base-uri 'none'\r\n");

/* Revalidated at each use (ETag): an unchanged file is answered with 304. */
static void put_file_headers(struct buf *out, const struct web_file *f)
{
	buf_lit(out, "Cache-Control: no-cache\r\n"
		     "Referrer-Policy: no-referrer\r\n"
		     "Cross-Origin-Opener-Policy: same-origin\r\n"
		     "Cross-Origin-Resource-Policy: same-origin\r\n");
	buf_addf(out, "ETag: %s\r\n", f->etag);
}

bool files_has(struct str path)
{
	return file_find(path);
}

/* The 404 page for a person who follows a wrong link. */
bool files_is_lost(const struct http_exchange *x)
{
	const struct http_request *r = http_request(x);
	struct str accept = http_header(x, HTTP_ACCEPT);

	return (str_is(r->method, "GET") || str_is(r->method, "HEAD")) &&
	       !str_starts(r->path, STR("/api/")) && !file_find(r->path) &&
	       accept.len && memmem(accept.ptr, accept.len, "text/html", 9);
}

static void reply_not_found(struct http_exchange *x)
{
	const struct web_file *f = file_find(STR(LOST));
	auto_buf headers = BUF_INIT;

	buf_add(&headers, page_headers());
	buf_add(&headers, policy);
	http_reply(x, 404, f->type, buf_str(&headers), f->bytes);
}

bool files_answer(struct http_exchange *x)
{
	const struct http_request *r = http_request(x);
	const struct web_file *f = file_find(r->path);
	struct str known = http_header(x, HTTP_IF_NONE_MATCH);
	bool html = f && str_ends(str_of(f->path), STR(".html"));
	auto_buf headers = BUF_INIT;

	if (files_is_lost(x) || str_is(r->path, LOST)) {
		reply_not_found(x);
		return true;
	}
	if (!f)
		return false;
	if (!str_is(r->method, "GET") && !str_is(r->method, "HEAD")) {
		buf_add(&headers, page_headers());
		buf_lit(&headers, "Allow: GET\r\n");
		http_reply(x, 405, "text/plain; charset=utf-8",
			   buf_str(&headers), STR("Method not allowed\n"));
		return true;
	}
	if (html) {
		buf_add(&headers, page_headers());
		buf_add(&headers, policy);
	} else {
		put_file_headers(&headers, f);
	}
	if (!html && str_is(known, f->etag))
		http_reply(x, 304, NULL, buf_str(&headers), STR(""));
	else
		http_reply(x, 200, f->type, buf_str(&headers), f->bytes);
	return true;
}
