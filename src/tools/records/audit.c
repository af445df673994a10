/*
 * audit.c - the audit log: one line of JSON for each call that ended.
 *
 * An event sink; lines are appended by base/linefile.h, which is thread-safe.
 */
#include "tools/records/audit.h"

#include "base/clock.h"
#include "store/client_name.h"
#include "text/encoding/utf8.h"
#include "tools/call/args.h"

enum { MOST_TEXT = 4096 };

static void put_shortened(struct json_out *o, const char *key, struct str text)
{
	json_key(o, key);
	json_put_str(o, utf8_head(text, MOST_TEXT));
}

/* The name from the field table, else "?": callers put no text into the log. */
static const char *parameter_name(const struct tool *t, struct json key)
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
			json_put_str(o, str_of(parameter_name(e->tool, w.key)));
	json_close(o, ']');
}

static void put_path(struct json_out *o, const struct tool_event *e)
{
	struct str path;

	for (const struct field *f = e->tool->fields; f->name; f++) {
		if (f->type != FIELD_PATH && strcmp(f->name, "path") != 0)
			continue;
		if (json_text(args_value(f, e->arguments), e->call->mem, &path))
			put_shortened(o, "path", path);
		return;
	}
}

static void audit_begin(struct event_sink *sink, const struct tool_event *e)
{
}

static void audit_end(struct event_sink *sink, const struct tool_event *e)
{
	struct audit *a = (struct audit *)sink;
	enum err err = e->fault ? e->fault->err : ERR_OK;
	const struct caller *caller = e->call->caller;
	char stamp[CLOCK_STAMP];
	auto_buf line = BUF_INIT;
	struct json_out o = json_out(&line);

	clock_stamp(stamp);
	json_open(&o, '{');
	put_shortened(&o, "time", str_of(stamp));
	put_shortened(&o, "tool", str_of(e->tool->name));
	put_names(&o, e);
	put_path(&o, e);
	if (e->call->files > 1) {
		json_key(&o, "files");
		json_put_int(&o, (int64_t)e->call->files);
	}
	json_key(&o, "code");
	json_put_int(&o, err_code(err));
	put_shortened(&o, "result", str_of(err_name(err)));
	json_key(&o, "user_approved");
	json_put_bool(&o, e->call->granted);
	put_shortened(&o, "client", caller->client);
	if (client_token(caller->scope).len)
		put_shortened(&o, "token", client_token(caller->scope));
	put_shortened(&o, "who",
		      client_words(caller->scope, caller->client,
				   e->call->mem));
	put_shortened(&o, "session", caller->session);
	put_shortened(&o, "id", e->id);
	json_key(&o, "duration_ms");
	json_put_int(&o, (int64_t)(clock_ms() - e->began));
	json_close(&o, '}');
	linefile_add(&a->file, &line);
}

static void audit_close(struct event_sink *sink)
{
	linefile_close(&((struct audit *)sink)->file);
}

int audit_open(struct audit *a, const char *path)
{
	*a = (struct audit){ .sink = { audit_begin, audit_end, audit_close } };
	return linefile_open(&a->file, path);
}
