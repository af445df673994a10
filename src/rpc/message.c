/*
 * message.c - reads and writes the envelope of JSON-RPC 2.0 messages. Pure:
 * it knows no method and keeps no state.
 */
#include "rpc/message.h"

#include "tools/call/result.h"

enum { MOST_ID = 16 * 1024 }; /* bytes: each reply repeats it */

static enum err bad_request(struct fault *f, const char *text)
{
	return fail(f, ERR_BAD_REQUEST, .text = str_of(text));
}

static bool is_id(struct json v)
{
	return json_is(v, JSON_STRING) || json_is(v, JSON_NUMBER);
}

static enum err read_method(struct json method, struct arena *mem,
			    struct message *ret, struct fault *f)
{
	if (!json_is(method, JSON_STRING) ||
	    !json_text(method, mem, &ret->method))
		return bad_request(f,
				   "Invalid request: method must be a string");
	ret->kind = ret->id.len ? MESSAGE_REQUEST : MESSAGE_NOTIFICATION;
	return ERR_OK;
}

enum err message_read(struct json v, struct arena *mem, struct message *ret,
		      struct fault *f)
{
	struct json id = json_get(v, "id"), method = json_get(v, "method");
	struct str twice;

	*ret = (struct message){ .params = json_get(v, "params"),
				 .result = json_get(v, "result") };
	if (!json_is(v, JSON_OBJECT))
		return bad_request(f, "Invalid request: not an object");
	if (json_duplicate_key(v, mem, &twice))
		return bad_request(f, "Invalid request: a key is given twice");
	if (is_id(id) && json_raw(id).len > MOST_ID)
		return bad_request(f, "Invalid request: id is too long");
	if (is_id(id))
		ret->id = json_raw(id);
	else if (!json_is(id, JSON_NONE))
		return bad_request(
			f, "Invalid request: id must be a string or a number");
	if (!json_str_is(json_get(v, "jsonrpc"), "2.0"))
		return bad_request(f,
				   "Invalid request: jsonrpc must be \"2.0\"");
	if (!json_is(method, JSON_NONE))
		return read_method(method, mem, ret, f);
	ret->kind = MESSAGE_RESPONSE;
	if (json_is(ret->result, JSON_NONE) &&
	    json_is(json_get(v, "error"), JSON_NONE))
		return bad_request(f, "Invalid request: no method");
	return ERR_OK;
}

static struct json_out open_reply(struct buf *out, struct str id)
{
	struct json_out o = json_out(out);

	json_open(&o, '{');
	json_key(&o, "jsonrpc");
	json_put_str(&o, STR("2.0"));
	if (id.len) {
		json_key(&o, "id");
		json_put_raw(&o, id);
	}
	return o;
}

struct json_out message_result(struct buf *out, struct str id)
{
	struct json_out o = open_reply(out, id);

	json_key(&o, "result");
	json_open(&o, '{');
	return o;
}

void message_result_end(struct json_out *o)
{
	json_close(o, '}');
	json_close(o, '}');
}

void message_error(struct buf *out, struct str id, const struct fault *f)
{
	struct json_out o = open_reply(out, id);

	json_key(&o, "error");
	result_put_error(&o, f);
	json_close(&o, '}');
}

struct json_out message_notification(struct buf *out, const char *method)
{
	struct json_out o = open_reply(out, STR(""));

	json_key(&o, "method");
	json_put_str(&o, str_of(method));
	json_key(&o, "params");
	json_open(&o, '{');
	return o;
}

void message_notification_end(struct json_out *o)
{
	json_close(o, '}');
	json_close(o, '}');
}
