/*
 * input.c - requests of ours to the client (elicitation, sampling, roots): how
 * they are sent, and how a response finds the one that it answers.
 *
 * Ids of requests are random, so that a client can answer only what it was
 * asked. Loop thread only.
 */
#include "rpc/input.h"

#include "rpc/job.h"

static const struct {
	const char *method, *capability;
} kinds[] = {
	[INPUT_ELICIT] = { "elicitation/create", "elicitation" },
	[INPUT_SAMPLE] = { "sampling/createMessage", "sampling" },
	[INPUT_ROOTS] = { "roots/list", "roots" },
};

bool input_can_elicit(struct json capabilities)
{
	struct json can = json_get(capabilities, "elicitation");

	/* {} means forms: older clients know no other mode. */
	return json_is(can, JSON_OBJECT) &&
	       (json_is(json_get(can, "form"), JSON_OBJECT) ||
		json_is(json_get(can, "url"), JSON_NONE));
}

static bool is_declared(struct json capabilities, enum input_kind kind)
{
	if (kind == INPUT_ELICIT)
		return input_can_elicit(capabilities);
	return json_is(json_get(capabilities, kinds[kind].capability),
		       JSON_OBJECT);
}

bool input_can(const struct job *job, enum input_kind kind)
{
	struct json meta = json_get(job->message.params, "_meta");
	const struct link *l = job->link;

	if (job->modern)
		return is_declared(json_get(meta,
					    MCP_META "clientCapabilities"),
				   kind);
	if (!job->peer || job->batched)
		return false;
	switch (kind) {
	case INPUT_ELICIT:
		return l->elicits;
	case INPUT_SAMPLE:
		return l->samples;
	case INPUT_ROOTS:
		break;
	}
	return l->has_roots;
}

const char *input_capability(enum input_kind kind)
{
	return kinds[kind].capability;
}

static bool is_elicited(struct json result)
{
	struct json action = json_get(result, "action");

	if (json_str_is(action, "accept"))
		return json_is(json_get(result, "content"), JSON_OBJECT);
	return json_str_is(action, "decline") || json_str_is(action, "cancel");
}

bool input_is_right(enum input_kind kind, struct json result)
{
	switch (kind) {
	case INPUT_ELICIT:
		return is_elicited(result);
	case INPUT_SAMPLE:
		return json_kind(json_get(result, "content")) > JSON_STRING;
	case INPUT_ROOTS:
		break;
	}
	return json_is(json_get(result, "roots"), JSON_ARRAY);
}

void inputs_add(struct inputs *in, struct str key, enum input_kind kind,
		struct str params, struct arena *mem)
{
	size_t size = sizeof(*in->items);

	in->items = arena_grow(mem, in->items, in->count * size,
			       (in->count + 1) * size);
	in->items[in->count++] =
		(struct input){ .key = key, .kind = kind, .params = params };
}

static void put_request(struct json_out *o, const struct input *in)
{
	json_key(o, "method");
	json_put_str(o, str_of(kinds[in->kind].method));
	json_key(o, "params");
	json_put_raw(o, in->params);
}

void inputs_put(struct json_out *o, const struct inputs *in)
{
	json_open(o, '{');
	for (size_t i = 0; i < in->count; i++) {
		json_key_str(o, in->items[i].key);
		json_open(o, '{');
		put_request(o, &in->items[i]);
		json_close(o, '}');
	}
	json_close(o, '}');
}

static void send_request(struct input *in, struct peer *peer)
{
	auto_buf out = BUF_INIT;
	struct json_out o = json_out(&out);

	secret_random_hex(in->id, INPUT_ID);
	json_open(&o, '{');
	json_key(&o, "jsonrpc");
	json_put_str(&o, STR("2.0"));
	json_key(&o, "id");
	json_put_str(&o, str_of(in->id));
	put_request(&o, in);
	json_close(&o, '}');
	if (peer)
		peer->send(peer, buf_str(&out));
}

void inputs_send(struct inputs *in, struct peer *peer)
{
	for (size_t i = 0; i < in->count; i++)
		send_request(&in->items[i], peer);
}

struct input *inputs_find(const struct inputs *in, struct str raw_id)
{
	struct str id = str_sub(raw_id, 1, raw_id.len - 1); /* its quotes */

	for (size_t i = 0; i < in->count; i++)
		if (in->items[i].id[0] && str_is(id, in->items[i].id))
			return &in->items[i];
	return NULL;
}

void input_settle(struct input *in, struct json result, struct arena *mem)
{
	static const struct json_limits limits = { 0 };
	struct json_error ignored;

	in->settled = true;
	/* @result points into a message that is freed before the call. */
	if (json_is(result, JSON_NONE) ||
	    json_parse(arena_copy(mem, json_raw(result)), &limits, mem,
		       &in->result, &ignored))
		in->result = (struct json){ 0 };
}

bool inputs_are_settled(const struct inputs *in)
{
	for (size_t i = 0; i < in->count; i++)
		if (!in->items[i].settled)
			return false;
	return true;
}

void input_withdraw(const struct input *in, struct peer *peer)
{
	auto_buf out = BUF_INIT;
	struct json_out o;

	if (!peer || !in->id[0] || in->settled)
		return;
	o = message_notification(&out, "notifications/cancelled");
	json_key(&o, "requestId");
	json_put_str(&o, str_of(in->id));
	message_notification_end(&o);
	peer->send(peer, buf_str(&out));
}
