/*
 * activity.c - the calls that run and the latest that ended, for the page.
 *
 * An event sink of the server: handlers report from their own threads, so every
 * field below the mutex of struct activity is read and written under it.
 * Running calls are a linked list, ended ones a ring; each entry owns copies of
 * its texts.
 */
#include "web/activity.h"

#include "tools/permissions/approvals_json.h"

#include "base/clock.h"
#include "store/client_name.h"
#include "text/encoding/utf8.h"
#include "tools/call/args.h"
#include "tools/records/event_log.h"

#include <pthread.h>
#include <stdlib.h>

enum { MOST_PATH = 4096, MOST_NAME = 300, MOST_MESSAGE = 1000 };

/* A call that is remembered, with its texts behind it. */
struct activity_entry {
	struct activity_call call;
	const struct call *of; /* the running call; NULL = ended */
	struct activity_entry *next, **link;
	char *message; /* ours; NULL = none */
};

struct activity {
	struct event_sink sink; /* first: it is cast */
	struct event_log watch; /* counts, if the server has no event log */
	const struct event_log *counter;

	pthread_mutex_t lock; /* guards all fields below */
	struct activity_entry *running;
	struct activity_entry *ended[ACTIVITY_KEPT]; /* a ring */
	uint64_t began, gone; /* numbers of calls that began and ended */
	uint64_t failed, denied, asked; /* of those that ended */
	activity_listener *listener;
	void *listener_ctx;
};

static void entry_free(struct activity_entry *e)
{
	if (!e)
		return;
	free(e->message);
	free(e);
}

static struct str add_text(char **at, struct str text)
{
	char *to = *at;

	if (text.len)
		memcpy(to, text.ptr, text.len);
	*at += text.len;
	return str_make(to, text.len);
}

/* The file that the arguments name. */
static struct str path_argument(const struct tool_event *e)
{
	struct str path;

	for (const struct field *f = e->tool->fields; f && f->name; f++) {
		if (f->type != FIELD_PATH && strcmp(f->name, "path") != 0)
			continue;
		if (json_text(args_value(f, e->arguments), e->call->mem, &path))
			return path;
		break;
	}
	return STR("");
}

/* The name of the client's token, or "stdio". */
static struct str transport_name(struct str scope)
{
	const struct str token = client_token(scope);

	return token.len ? token : str_head(scope, str_find(scope, ':'));
}

static struct activity_entry *entry_new(const struct tool_event *e)
{
	const struct caller *by = e->call->caller;
	struct str path = utf8_head(path_argument(e), MOST_PATH);
	struct str client = utf8_head(by->client, MOST_NAME);
	struct str session = utf8_head(by->session, MOST_NAME);
	struct str name = utf8_head(transport_name(by->scope), MOST_NAME);
	struct activity_entry *n = malloc(sizeof(*n) + path.len + client.len +
					  session.len + name.len);
	char *at = (char *)(n + 1);

	if (!n)
		out_of_memory();
	*n = (struct activity_entry){ .of = e->call };
	n->call.tool = e->tool->name;
	n->call.began_ms = clock_unix_ms();
	n->call.bytes_in = json_raw(e->arguments).len;
	n->call.path = add_text(&at, path);
	n->call.client = add_text(&at, client);
	n->call.session = add_text(&at, session);
	n->call.name = add_text(&at, name);
	n->call.has_token = client_token(by->scope).len;
	return n;
}

/* Under the lock. */
static void notify_listener(struct activity *a, const struct activity_entry *n)
{
	if (a->listener)
		a->listener(a->listener_ctx, &n->call);
}

static void link_running(struct activity *a, struct activity_entry *n)
{
	n->next = a->running;
	n->link = &a->running;
	if (n->next)
		n->next->link = &n->next;
	a->running = n;
}

static struct activity_entry *find_running(struct activity *a,
					   const struct call *of)
{
	struct activity_entry *n = a->running;

	while (n && n->of != of)
		n = n->next;
	return n;
}

static void on_call_begin(struct event_sink *sink, const struct tool_event *e)
{
	struct activity *a = (struct activity *)sink;
	struct activity_entry *n = entry_new(e);

	(void)pthread_mutex_lock(&a->lock);
	n->call.number = ++a->began;
	link_running(a, n);
	notify_listener(a, n);
	(void)pthread_mutex_unlock(&a->lock);
}

static void on_call_asks(struct event_sink *sink, const struct tool_event *e)
{
	struct activity *a = (struct activity *)sink;
	struct activity_entry *n;

	(void)pthread_mutex_lock(&a->lock);
	n = find_running(a, e->call);
	if (n) {
		n->call.state = ACTIVITY_ASKING;
		notify_listener(a, n);
	}
	(void)pthread_mutex_unlock(&a->lock);
}

static uint64_t texts_in(const struct field *fields, const void *base);

static uint64_t texts_of(const struct field *f, const void *at)
{
	const struct item_list *list = at;
	uint64_t n = 0;

	switch (f->type) {
	case FIELD_STR:
	case FIELD_PATH:
		return ((const struct str *)at)->len;
	case FIELD_OBJECT:
		return texts_in(f->fields, at);
	case FIELD_TEXTS:
		for (size_t i = 0; i < list->count; i++)
			n += ((const struct str *)list->items)[i].len;
		return n;
	case FIELD_LIST:
		for (size_t i = 0; i < list->count; i++)
			n += texts_in(f->fields,
				      (const char *)list->items + i * f->size);
		return n;
	case FIELD_INT:
	case FIELD_INTS:
	case FIELD_BOOL:
		break;
	}
	return 0;
}

/* How much text a result has: its reply is made elsewhere, and later. */
static uint64_t texts_in(const struct field *fields, const void *base)
{
	uint64_t n = 0;

	for (const struct field *f = fields; f && f->name; f++)
		n += texts_of(f, (const char *)base + f->offset);
	return n;
}

static void set_fault(struct activity_entry *n, const struct fault *f)
{
	static const enum activity_state states[] = {
		[FAULT_FAILED] = ACTIVITY_FAILED,
		[FAULT_DENIED] = ACTIVITY_DENIED,
		[FAULT_ASKED] = ACTIVITY_ASKED,
	};
	auto_buf words = BUF_INIT;
	struct str text;

	fault_add_message(f, &words);
	text = utf8_head(buf_str(&words), MOST_MESSAGE);
	n->call.state = states[fault_end(f)];
	n->call.code = err_code(f->err);
	n->message = malloc(text.len + 1);
	if (!n->message)
		out_of_memory();
	memcpy(n->message, text.ptr, text.len);
	n->call.message = str_make(n->message, text.len);
}

static void set_end(struct activity_entry *n, const struct tool_event *e)
{
	n->of = NULL;
	n->call.ms = clock_ms() - e->began;
	n->call.state = ACTIVITY_OK;
	n->call.files = e->call->files;
	if (e->fault)
		set_fault(n, e->fault);
	else if (e->call->out)
		n->call.bytes_out = texts_in(e->tool->out, e->call->out);
	if (!e->fault && effects_change(e->tool->effects) && e->call->id.len &&
	    e->call->id.len <= ACTIVITY_CHANGE)
		memcpy(n->call.change, e->call->id.ptr, e->call->id.len);
}

static void on_call_end(struct event_sink *sink, const struct tool_event *e)
{
	struct activity *a = (struct activity *)sink;
	struct activity_entry **place, *n;

	(void)pthread_mutex_lock(&a->lock);
	n = find_running(a, e->call);
	if (n) {
		*n->link = n->next;
		if (n->next)
			n->next->link = n->link;
		set_end(n, e);
		place = &a->ended[a->gone++ % ACTIVITY_KEPT];
		entry_free(*place);
		*place = n;
		a->failed += n->call.state == ACTIVITY_FAILED;
		a->denied += n->call.state == ACTIVITY_DENIED;
		a->asked += n->call.state == ACTIVITY_ASKED;
		notify_listener(a, n);
	}
	(void)pthread_mutex_unlock(&a->lock);
}

struct activity *activity_new(void)
{
	struct activity *a = calloc(1, sizeof(*a));

	if (!a)
		out_of_memory();
	a->sink = (struct event_sink){ .begin = on_call_begin,
				       .end = on_call_end,
				       .asks = on_call_asks };
	event_log_count_only(&a->watch);
	a->counter = &a->watch;
	(void)pthread_mutex_init(&a->lock, NULL);
	return a;
}

void activity_free(struct activity *a)
{
	struct activity_entry *n, *next;

	if (!a)
		return;
	for (n = a->running; n; n = next) {
		next = n->next;
		entry_free(n);
	}
	for (size_t i = 0; i < ACTIVITY_KEPT; i++)
		entry_free(a->ended[i]);
	(void)pthread_mutex_destroy(&a->lock);
	free(a);
}

void activity_join(struct activity *a, struct server *s)
{
	a->sink.next = s->events;
	s->events = &a->sink;
	if (!s->tools.event_log)
		s->tools.event_log = &a->watch;
	a->counter = s->tools.event_log;
}

void activity_leave(struct activity *a, struct server *s)
{
	struct event_sink **at = &s->events;

	while (*at && *at != &a->sink)
		at = &(*at)->next;
	if (*at)
		*at = a->sink.next;
	if (s->tools.event_log == &a->watch)
		s->tools.event_log = NULL;
	a->counter = &a->watch;
}

void activity_listen(struct activity *a, activity_listener *listener, void *ctx)
{
	(void)pthread_mutex_lock(&a->lock);
	a->listener = listener;
	a->listener_ctx = ctx;
	(void)pthread_mutex_unlock(&a->lock);
}

static void copy_call(struct arena *mem, const struct activity_entry *from,
		      struct activity_call *to)
{
	*to = from->call;
	to->path = arena_copy(mem, to->path);
	to->client = arena_copy(mem, to->client);
	to->session = arena_copy(mem, to->session);
	to->name = arena_copy(mem, to->name);
	to->message = arena_copy(mem, to->message);
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = ((const struct activity_call *)a)->number;
	uint64_t y = ((const struct activity_call *)b)->number;

	return x < y ? -1 : x > y;
}

void activity_list(struct activity *a, struct arena *mem,
		   struct activity_call **ret, size_t *ret_n)
{
	struct activity_call *list =
		arena_array(mem, struct activity_call, ACTIVITY_KEPT);
	size_t n = 0;

	(void)pthread_mutex_lock(&a->lock);
	for (struct activity_entry *e = a->running; e && n < ACTIVITY_KEPT;
	     e = e->next)
		copy_call(mem, e, &list[n++]);
	for (uint64_t i = a->gone;
	     i && n < ACTIVITY_KEPT && i + ACTIVITY_KEPT > a->gone; i--)
		copy_call(mem, a->ended[(i - 1) % ACTIVITY_KEPT], &list[n++]);
	(void)pthread_mutex_unlock(&a->lock);
	qsort(list, n, sizeof(*list), by_number);
	*ret = list;
	*ret_n = n;
}

struct activity_counts activity_counts(struct activity *a)
{
	const struct event_log *w = a->counter;
	struct activity_counts c = {
		.created = atomic_load(&w->created),
		.updated = atomic_load(&w->updated),
		.removed = atomic_load(&w->removed),
		.lines_added = atomic_load(&w->lines_added),
		.lines_removed = atomic_load(&w->lines_removed),
	};

	(void)pthread_mutex_lock(&a->lock);
	c.calls = a->began;
	c.failed = a->failed;
	c.denied = a->denied;
	c.asked = a->asked;
	(void)pthread_mutex_unlock(&a->lock);
	return c;
}

static void put_uint(struct json_out *o, const char *key, uint64_t n)
{
	json_key(o, key);
	json_put_int(o, (int64_t)n);
}

/* client_words() of a call; made on request, as few calls are ever shown. */
static struct str client_of_call(const struct activity_call *call,
				 struct arena *mem)
{
	const struct str token = call->has_token ? call->name : STR("");

	if (!call->name.len) /* there was no scope */
		return client_words(STR(""), call->client, mem);
	return client_words_of(token, call->client, mem);
}

void activity_put(struct json_out *o, const struct activity_call *call)
{
	static const char *const states[] = {
		[ACTIVITY_RUNNING] = "running", [ACTIVITY_ASKING] = "asking",
		[ACTIVITY_OK] = "ok",           [ACTIVITY_FAILED] = "failed",
		[ACTIVITY_DENIED] = "denied",   [ACTIVITY_ASKED] = "asked",
	};
	auto_arena mem = ARENA_INIT;

	json_open(o, '{');
	json_text_member(o, "id",
			 arena_printf(&mem, "%llu",
				      (unsigned long long)call->number));
	json_text_member(o, "tool", str_of(call->tool));
	json_text_member(o, "path", call->path);
	approvals_put_lookalikes(o, call->path, &mem);
	json_text_member(o, "client", call->client);
	json_text_member(o, "session", call->session);
	json_text_member(o, "name", call->name);
	if (call->has_token)
		json_text_member(o, "token", call->name);
	json_text_member(o, "who", client_of_call(call, &mem));
	put_uint(o, "began", call->began_ms);
	put_uint(o, "bytes_in", call->bytes_in);
	json_text_member(o, "state", str_of(states[call->state]));
	if (call->state >= ACTIVITY_OK)
		put_uint(o, "ms", call->ms);
	if (call->state == ACTIVITY_OK)
		put_uint(o, "bytes_out", call->bytes_out);
	if (call->files > 1)
		put_uint(o, "files", call->files);
	if (call->change[0])
		json_text_member(o, "change", str_of(call->change));
	if (call->state >= ACTIVITY_FAILED) {
		json_key(o, "error");
		json_open(o, '{');
		json_key(o, "code");
		json_put_int(o, call->code);
		json_text_member(o, "message", call->message);
		json_close(o, '}');
	}
	json_close(o, '}');
}
