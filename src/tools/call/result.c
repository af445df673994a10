/*
 * result.c - turns the result struct or the fault of a call into the members
 * of a tools/call result.
 *
 * Also the accounting of what fits into one reply: result_cost() must be an
 * upper bound, because a page that was measured may be streamed.
 */
#include "tools/call/result.h"

enum { ENVELOPE = 16 * 1024 }; /* bytes of a reply beside the text of a file */

static void put_fields(struct json_out *o, const struct field *fields,
		       const void *base);

static void put_objects(struct json_out *o, const struct field *field,
			const struct item_list *list)
{
	const char *at = list->items;

	json_open(o, '[');
	for (size_t i = 0; i < list->count; i++, at += field->size) {
		json_open(o, '{');
		put_fields(o, field->fields, at);
		json_close(o, '}');
	}
	json_close(o, ']');
}

static void put_texts(struct json_out *o, const struct item_list *list)
{
	const struct str *texts = list->items;

	json_open(o, '[');
	for (size_t i = 0; i < list->count; i++)
		json_put_str(o, texts[i]);
	json_close(o, ']');
}

static void put_ints(struct json_out *o, const struct item_list *list)
{
	const int64_t *numbers = list->items;

	json_open(o, '[');
	for (size_t i = 0; i < list->count; i++)
		json_put_int(o, numbers[i]);
	json_close(o, ']');
}

static void put_value(struct json_out *o, const struct field *field,
		      const void *at)
{
	switch (field->type) {
	case FIELD_STR:
	case FIELD_PATH:
		json_put_str(o, *(const struct str *)at);
		return;
	case FIELD_INT:
		json_put_int(o, *(const int64_t *)at);
		return;
	case FIELD_BOOL:
		json_put_bool(o, *(const bool *)at);
		return;
	case FIELD_LIST:
		put_objects(o, field, at);
		return;
	case FIELD_TEXTS:
		put_texts(o, at);
		return;
	case FIELD_INTS:
		put_ints(o, at);
		return;
	case FIELD_OBJECT:
		json_open(o, '{');
		put_fields(o, field->fields, at);
		json_close(o, '}');
		return;
	}
}

static bool is_absent(const struct field *field, const void *at);

/* An object that has no member to show. */
static bool is_empty(const struct field *fields, const void *base)
{
	for (; fields->name; fields++)
		if (!is_absent(fields, (const char *)base + fields->offset))
			return false;
	return true;
}

/* An optional member is left out when it is empty, zero or false. */
static bool is_absent(const struct field *field, const void *at)
{
	if (field->required)
		return false;
	switch (field->type) {
	case FIELD_STR:
	case FIELD_PATH:
		return !((const struct str *)at)->len;
	case FIELD_INT:
		return !*(const int64_t *)at;
	case FIELD_BOOL:
		return !*(const bool *)at;
	case FIELD_LIST:
	case FIELD_TEXTS:
	case FIELD_INTS:
		return !((const struct item_list *)at)->count;
	case FIELD_OBJECT:
		return is_empty(field->fields, at);
	}
	return false;
}

static void put_fields(struct json_out *o, const struct field *fields,
		       const void *base)
{
	const void *at;

	for (; fields->name; fields++) {
		at = (const char *)base + fields->offset;
		if (is_absent(fields, at))
			continue;
		json_key(o, fields->name);
		put_value(o, fields, at);
	}
}

static void put_payload(struct json_out *o, const struct call *c)
{
	json_open(o, '{');
	put_fields(o, c->tool->out, c->out);
	json_close(o, '}');
}

static void open_text_item(struct json_out *o)
{
	json_open(o, '{');
	json_text_member(o, "type", STR("text"));
	json_key(o, "text");
	json_str_open(o);
}

static void close_text_item(struct json_out *o)
{
	json_str_close(o);
	json_close(o, '}');
}

static void put_text_item(struct json_out *o, struct str text, struct str end)
{
	open_text_item(o);
	json_str_add(o, text);
	json_str_add(o, end);
	close_text_item(o);
}

/* Copies a payload into an open string of @o while it is being written. */
struct quoted {
	struct json_flush flush;
	struct json_out *o;
	size_t done; /* bytes of the payload that were copied */
};

static void quote_more(struct json_flush *flush, struct buf *payload)
{
	struct quoted *q = (struct quoted *)flush;

	json_str_add(q->o, str_skip(buf_str(payload), q->done));
	q->done = payload->len;
}

/* The payload as a text item; @ret gets it unquoted. */
static void put_payload_item(struct json_out *o, const struct call *c,
			     struct buf *ret)
{
	struct quoted q = { { quote_more }, o, 0 };
	struct json_out payload = json_out(ret);

	payload.flush = o->flush ? &q.flush : NULL;
	open_text_item(o);
	put_payload(&payload, c);
	quote_more(&q.flush, ret);
	close_text_item(o);
}

static void put_content_items(struct json_out *o, const struct call *c,
			      struct buf *payload)
{
	bool speaks = !payload || c->tool->text_result ||
		      c->options->results == RESULTS_PLAIN;

	json_key(o, "content");
	json_open(o, '[');
	if (c->items.len)
		json_put_raw(o, c->items);
	else if (speaks)
		put_text_item(o, c->say, c->say_end);
	else
		put_payload_item(o, c, payload);
	if (c->also.len)
		put_text_item(o, c->also, STR(""));
	if (c->note.len)
		put_text_item(o, c->note, STR(""));
	json_close(o, ']');
}

void result_payload(const struct call *c, struct buf *out)
{
	struct json_out o = json_out(out);

	if (c->tool->out) {
		put_payload(&o, c);
		return;
	}
	json_open(&o, '{');
	put_content_items(&o, c, NULL);
	json_close(&o, '}');
}

void result_put(struct json_out *o, const struct call *c)
{
	auto_buf payload = BUF_INIT;

	if (c->options->results == RESULTS_TEXT || !c->tool->out) {
		put_content_items(o, c, NULL);
		return;
	}
	if (c->options->results != RESULTS_STRUCTURED) {
		put_content_items(o, c, &payload);
	} else {
		json_key(o, "content");
		json_put_raw(o, STR("[]"));
	}
	json_key(o, "structuredContent");
	if (payload.len)
		json_put_raw(o, buf_str(&payload));
	else
		put_payload(o, c);
}

static void put_positive(struct json_out *o, const char *name, size_t n)
{
	if (!n)
		return;
	json_key(o, name);
	json_put_int(o, (int64_t)n);
}

/* The member "data" of an error; left out when there is nothing in it. */
static void put_data(struct json_out *o, const struct fault *f)
{
	if (!f->reason && !f->hint.len && !f->version.len && !f->changed.len &&
	    !f->by.len && !f->candidates.len && !f->conflicts.len &&
	    !f->file.len && !f->patch_line && !f->data.len)
		return;
	json_key(o, "data");
	if (f->data.len) {
		json_put_raw(o, f->data);
		return;
	}
	json_open(o, '{');
	if (f->reason)
		json_text_member(o, "reason", str_of(f->reason));
	if (f->roots) {
		json_key(o, "roots");
		json_open(o, '[');
		for (size_t i = 0; i < f->roots_count; i++)
			json_put_str(o, f->roots[i]);
		json_close(o, ']');
	}
	if (f->version.len)
		json_text_member(o, "version", f->version);
	if (f->changed.len)
		json_text_member(o, "changed", f->changed);
	if (f->by.len) {
		json_key(o, "by");
		json_put_raw(o, f->by);
	}
	if (f->conflicts.len) {
		json_key(o, "conflicts");
		json_put_raw(o, f->conflicts);
	}
	if (f->hint.len)
		json_text_member(o, "hint", f->hint);
	if (f->file.len)
		json_text_member(o, "file", f->file);
	put_positive(o, "hunk", f->hunk);
	put_positive(o, "patch_line", f->patch_line);
	if (f->candidates.len) {
		if (f->count) {
			json_key(o, "count");
			json_put_int(o, (int64_t)f->count);
		}
		json_key(o, "candidates");
		json_put_raw(o, f->candidates);
	}
	json_close(o, '}');
}

void result_put_error(struct json_out *o, const struct fault *f)
{
	auto_buf message = BUF_INIT;

	fault_add_message(f, &message);
	json_open(o, '{');
	json_key(o, "code");
	json_put_int(o, err_code(f->err));
	json_text_member(o, "message", buf_str(&message));
	put_data(o, f);
	json_close(o, '}');
}

/* The form of failures that the contract of Write and Edit has. */
static void put_coded(struct json_out *o, const struct fault *f)
{
	auto_buf message = BUF_INIT;

	fault_add_message(f, &message);
	json_open(o, '{');
	json_key(o, "result");
	json_put_bool(o, false);
	json_text_member(o, "message", buf_str(&message));
	if (err_code(f->err)) {
		json_key(o, "errorCode");
		json_put_int(o, err_code(f->err));
	}
	put_data(o, f);
	json_close(o, '}');
}

void result_put_failure(struct json_out *o, const struct fault *f)
{
	if (err_is_coded(f->err)) {
		put_coded(o, f);
		return;
	}
	json_open(o, '{');
	json_key(o, "error");
	result_put_error(o, f);
	json_close(o, '}');
}

/* "The roots are /a and /b", for a path that lies in none of them. */
static void say_roots(const struct fault *f, struct buf *out)
{
	for (size_t i = 0; f->roots && i < f->roots_count; i++)
		buf_addf(out, "%s" STR_FMT,
			 !i                        ? "The roots are "
			 : i + 1 == f->roots_count ? " and "
						   : ", ",
			 STR_ARG(f->roots[i]));
}

/*
 * The diff, the hint and the rest follow the message; in a text item of their
 * own where the contract wants the message alone.
 */
static void put_words(struct json_out *o, const struct fault *f)
{
	auto_buf roots = BUF_INIT, version = BUF_INIT, text = BUF_INIT;
	bool apart = err_is_coded(f->err);

	say_roots(f, &roots);
	if (f->version.len && !apart)
		buf_addf(&version, "The file's version is now " STR_FMT,
			 STR_ARG(f->version));

	const struct str more[] = { f->changed, f->hint, buf_str(&roots),
				    buf_str(&version), f->nearest };

	json_key(o, "content");
	json_open(o, '[');
	fault_add_message(f, &text);
	for (size_t i = 0; i < COUNT_OF(more); i++) {
		if (!more[i].len)
			continue;
		if (apart) {
			put_text_item(o, buf_str(&text), STR(""));
			buf_clear(&text, SIZE_MAX);
		} else {
			buf_addc(&text, '\n');
		}
		buf_add(&text, more[i]);
	}
	put_text_item(o, buf_str(&text), STR(""));
	json_close(o, ']');
}

void result_put_block(struct json_out *o, const struct call *c,
		      const struct fault *f, struct str id)
{
	auto_buf text = BUF_INIT;

	if (f->err) {
		fault_add_message(f, &text);
	} else if (c->tool->text_result) {
		buf_add(&text, c->say);
		buf_add(&text, c->say_end);
	} else {
		result_payload(c, &text);
	}
	if (!f->err && c->also.len) {
		buf_addc(&text, '\n');
		buf_add(&text, c->also);
	}
	if (!f->err && c->note.len) {
		buf_addc(&text, '\n');
		buf_add(&text, c->note);
	}
	json_open(o, '{');
	json_text_member(o, "tool_use_id", id);
	json_text_member(o, "type", STR("tool_result"));
	json_text_member(o, "content", buf_str(&text));
	if (f->err) {
		json_key(o, "is_error");
		json_put_bool(o, true);
	}
	json_close(o, '}');
}

void result_put_fault(struct json_out *o, const struct fault *f,
		      enum results results)
{
	put_words(o, f);
	if (results != RESULTS_TEXT) {
		json_key(o, "structuredContent");
		result_put_failure(o, f);
	}
	json_key(o, "isError");
	json_put_bool(o, true);
}

/*
 * Escaping makes n bytes into e; escaping that again makes at most
 * e + 2 (e - n), because each escape adds a backslash and at most one more
 * character that needs one.
 */
uint64_t result_cost(enum results results, struct str text)
{
	uint64_t once = json_escaped_len(text);

	switch (results) {
	case RESULTS_BOTH:
		return 2 * once + 2 * (once - text.len);
	case RESULTS_PLAIN:
		return 2 * once;
	case RESULTS_TEXT:
	case RESULTS_STRUCTURED:
		break;
	}
	return once;
}

/* A control character takes six bytes, and then a backslash more. */
unsigned result_worst(enum results results)
{
	enum { ONCE = 6 };

	switch (results) {
	case RESULTS_BOTH:
		return 2 * ONCE + 2 * (ONCE - 1);
	case RESULTS_PLAIN:
		return 2 * ONCE;
	case RESULTS_TEXT:
	case RESULTS_STRUCTURED:
		break;
	}
	return ONCE;
}

uint64_t result_room(const struct call *c)
{
	uint64_t max = c->options->max_reply;

	return max > 2 * ENVELOPE ? max - ENVELOPE : max / 2;
}
