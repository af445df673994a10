/*
 * api_request.c - shared by the handlers of the API: replies, errors, request
 * bodies.
 */
#include "base/clock.h"
#include "tools/call/result.h"
#include "web/page_local.h"

struct str page_headers(void)
{
	return STR("Cache-Control: no-store\r\n"
		   "Referrer-Policy: no-referrer\r\n"
		   "Cross-Origin-Opener-Policy: same-origin\r\n"
		   "Cross-Origin-Resource-Policy: same-origin\r\n");
}

void put_number(struct json_out *o, const char *key, uint64_t n)
{
	json_key(o, key);
	json_put_int(o, (int64_t)n);
}

void put_flag(struct json_out *o, const char *key, bool set)
{
	json_key(o, key);
	json_put_bool(o, set);
}

void put_id(struct json_out *o, const char *key, struct uuid id)
{
	char text[UUID_TEXT + 1];

	if (uuid_is_zero(id))
		return;
	uuid_text(id, text);
	json_text_member(o, key, str_of(text));
}

/* The HTTP status of an error; 500 for errors that are not listed. */
static const struct {
	enum err err;
	unsigned status;
} statuses[] = {
	{ ERR_BAD_ARGS, 400 },     { ERR_PARSE, 400 },
	{ ERR_NOT_ABSOLUTE, 400 }, { ERR_MANY_OPS, 400 },
	{ ERR_DENIED, 403 },       { ERR_NOT_ALLOWED, 403 },
	{ ERR_OTHER_PLACE, 403 },  { ERR_READ_ONLY_FS, 403 },
	{ ERR_NO_OP, 404 },        { ERR_NO_APPROVAL, 404 },
	{ ERR_NO_CONTENT, 404 },   { ERR_NOT_FOUND, 404 },
	{ ERR_NO_UNDO, 409 },      { ERR_UNDO_CONFLICT, 409 },
	{ ERR_CHANGED, 409 },      { ERR_OVERTAKEN, 409 },
	{ ERR_OLD_PREVIEW, 409 },  { ERR_NOT_A_FILE, 409 },
	{ ERR_IS_DIRECTORY, 409 }, { ERR_BUSY, 503 },
	{ ERR_STORE, 503 },        { ERR_BAD_CONFIG, 409 },
};

static unsigned status_of(const struct fault *f)
{
	if (f->reason && !strcmp(f->reason, "decided"))
		return 409;
	for (size_t i = 0; i < COUNT_OF(statuses); i++)
		if (statuses[i].err == f->err)
			return statuses[i].status;
	return 500;
}

void api_failed(struct api_request *rq)
{
	struct json_out o = json_out(&rq->out);

	buf_clear(&rq->out, 0);
	rq->status = status_of(&rq->fault);
	json_open(&o, '{');
	json_key(&o, "error");
	result_put_error(&o, &rq->fault);
	json_close(&o, '}');
}

struct store *api_store(struct api_request *rq)
{
	struct store *s = rq->page->options.server->tools.store;

	if (s)
		return s;
	(void)fail(&rq->fault, ERR_STORE,
		   .text = STR("stet was started with --history=off"));
	api_failed(rq);
	return NULL;
}

bool api_body(struct api_request *rq, bool may, struct json *ret)
{
	static const struct json_limits limits = { .max_depth = 8,
						   .max_nodes = 10000 };
	struct json_error error;

	*ret = (struct json){ 0 };
	if (may && !rq->body.len)
		return true;
	if (!json_parse(rq->body, &limits, &rq->mem, ret, &error) &&
	    json_is(*ret, JSON_OBJECT))
		return true;
	(void)fail(&rq->fault, ERR_BAD_ARGS,
		   .text = STR("The body must be a JSON object"));
	api_failed(rq);
	return false;
}
