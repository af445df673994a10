#include "tools/audit.h"

#include "base/clock.h"
#include "store/client_name.h"
#include "text/utf8.h"

enum { MOST_TEXT = 4096 };

static void put(struct json_out *o, const char *key, struct str text)
{
	json_key(o, key);
	json_put_str(o, utf8_head(text, MOST_TEXT));
}

/* The names we gave, so that nothing a caller made up gets in here. */
static const char *known(const struct tool *t, struct json key)
{
	for (const struct field *f = t->fields; f->name; f++)
		if (json_str_is(key, f->name))
			return f->name;
	return json_str_is(key, "if_version") ? "if_version" : "?";
}

static void put_names(struct json_out *o, const struct tool_event *e)
{
	struct json_walk w = json_walk(e->arguments);

	json_key(o, "parameters");
	json_open(o, '[');
	for (int i = 0; i < 32 && json_step(&w); i++)
		if (w.object)
			json_put_str(o, str_of(known(e->tool, w.key)));
	json_close(o, ']');
}

static void put_path(struct json_out *o, const struct tool_event *e)
{
	struct str path;

	for (const struct field *f = e->tool->fields; f->name; f++) {
		if (f->type != FIELD_PATH && strcmp(f->name, "path") != 0)
			continue;
		if (json_text(json_get(e->arguments, f->name), e->call->mem,
			      &path))
			put(o, "path", path);
		return;
	}
}

static void on_begin(struct event_sink *sink, const struct tool_event *e)
{
}

static void on_end(struct event_sink *sink, const struct tool_event *e)
{
	struct audit *a = (struct audit *)sink;
	enum err err = e->fault ? e->fault->err : ERR_OK;
	const struct caller *caller = e->call->caller;
	char stamp[CLOCK_STAMP];
	auto_buf line = BUF_INIT;
	struct json_out o = json_out(&line);

	clock_stamp(stamp);
	json_open(&o, '{');
	put(&o, "time", str_of(stamp));
	put(&o, "tool", str_of(e->tool->name));
	put_names(&o, e);
	put_path(&o, e);
	json_key(&o, "code");
	json_put_int(&o, err_code(err));
	put(&o, "result", str_of(err_name(err)));
	json_key(&o, "user_approved");
	json_put_bool(&o, e->call->granted);
	put(&o, "client", caller->client);
	if (client_token(caller->scope).len)
		put(&o, "token", client_token(caller->scope));
	put(&o, "who",
	    client_words(caller->scope, caller->client, e->call->mem));
	put(&o, "session", caller->session);
	put(&o, "id", e->id);
	json_key(&o, "duration_ms");
	json_put_int(&o, (int64_t)(clock_ms() - e->began));
	json_close(&o, '}');
	linefile_add(&a->file, &line);
}

static void on_close(struct event_sink *sink)
{
	linefile_close(&((struct audit *)sink)->file);
}

int audit_open(struct audit *a, const char *path)
{
	*a = (struct audit){ .sink = { on_begin, on_end, on_close } };
	return linefile_open(&a->file, path);
}
