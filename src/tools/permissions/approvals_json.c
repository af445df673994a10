/*
 * approvals_json.c - approvals and grants as JSON, for the command line and
 * the page.
 */
#include "tools/permissions/approvals_json.h"

#include "base/clock.h"
#include "store/client_name.h"
#include "text/display/confusable_name.h"
#include "text/encoding/utf8.h"
#include "tools/permissions/grant_words.h"

const char *approvals_state(enum approval_state state)
{
	static const char *const words[] = {
		[APPROVAL_PENDING] = "pending", [APPROVAL_ALLOWED] = "allowed",
		[APPROVAL_DENIED] = "denied",   [APPROVAL_USED] = "used",
		[APPROVAL_EXPIRED] = "expired", [APPROVAL_GRANTED] = "granted",
		[APPROVAL_TOLD] = "denied",
	};

	return words[state];
}

const char *approvals_reach(enum grant_reach reach)
{
	static const char *const words[] = {
		[GRANT_FILE] = "file",
		[GRANT_DIRECTORY] = "directory",
		[GRANT_SESSION] = "session",
		[GRANT_ALWAYS] = "always",
	};

	return words[reach];
}

static void put_id(struct json_out *o, struct uuid id)
{
	char text[UUID_TEXT + 1];

	uuid_text(id, text);
	json_text_member(o, "id", str_of(text));
}

static void put_time(struct json_out *o, const char *key, uint64_t ms)
{
	char text[CLOCK_STAMP];

	if (!ms)
		return;
	clock_stamp_of(ms, text);
	json_text_member(o, key, str_of(text));
}

void approvals_put_lines(struct json_out *o, const char *key, struct str lines)
{
	struct str line;

	json_key(o, key);
	json_open(o, '[');
	while (lines.len && str_split(&lines, '\n', &line))
		json_put_str(o, line);
	json_close(o, ']');
}

static void put_files(struct json_out *o, const struct approval *a)
{
	json_key(o, "files");
	json_open(o, '[');
	for (size_t i = 0; i < a->file_count; i++) {
		const struct approval_file *file = &a->files[i];

		json_open(o, '{');
		json_text_member(o, "letter", str_make(&file->letter, 1));
		json_text_member(o, "path", file->path);
		if (file->from.len)
			json_text_member(o, "from", file->from);
		json_text_member(o, "notes", file->notes);
		json_key(o, "lines_added");
		json_put_int(o, (int64_t)file->added);
		json_key(o, "lines_removed");
		json_put_int(o, (int64_t)file->removed);
		json_close(o, '}');
	}
	json_close(o, ']');
}

void approvals_put_facts(struct json_out *o, const struct approval *a)
{
	static const char *const kept[] = {
		[KEPT_WHOLE] = "whole",
		[KEPT_SIDES] = "sides",
		[KEPT_NONE] = "none",
	};

	approvals_put_lines(o, "does", a->does);
	approvals_put_lines(o, "badges", a->badges);
	json_text_member(o, "kept", str_of(kept[a->kept]));
	json_key(o, "lines_added");
	json_put_int(o, (int64_t)a->added);
	json_key(o, "lines_removed");
	json_put_int(o, (int64_t)a->removed);
	if (a->file_count)
		put_files(o, a);
}

void approvals_put(struct json_out *o, const struct approval *a)
{
	json_open(o, '{');
	put_id(o, a->id);
	json_text_member(o, "state", str_of(approvals_state(a->state)));
	put_time(o, "time", a->time_ms);
	put_time(o, "until", a->until_ms);
	put_time(o, "waits", a->waits_ms);
	put_time(o, a->state == APPROVAL_TOLD ? "told" : "used", a->used_ms);
	json_text_member(o, "tool", a->tool);
	json_text_member(o, "path", a->path);
	client_put(o, a->scope, a->client);
	json_text_member(o, "owner", a->owner);
	json_key(o, "declared");
	json_put_bool(o, a->declared);
	json_text_member(o, "root", a->root);
	json_key(o, "changes");
	json_put_bool(o, a->changes);
	json_text_member(o, "session", a->session);
	json_text_member(o, "summary", a->summary);
	approvals_put_facts(o, a);
	json_text_member(o, "reason", a->reason);
	json_text_member(o, "note", a->note);
	json_text_member(o, "diff", a->diff);
	json_key(o, "parts");
	json_put_int(o, (int64_t)a->parts);
	json_text_member(o, "hunks", a->hunks);
	json_close(o, '}');
}

/* With absolute paths, and times in UTC. */
static struct str grant_text(const struct grant *g, struct arena *mem)
{
	char stamp[CLOCK_STAMP] = "";
	struct grant_words w;

	if (g->until_ms)
		clock_stamp_of(g->until_ms, stamp);
	grant_words(g, STR(""), arena_copy(mem, str_of(stamp)), mem, &w);
	return grant_sentence(&w, mem);
}

void approvals_put_grant(struct json_out *o, const struct grant *g,
			 struct arena *mem)
{
	json_open(o, '{');
	put_id(o, g->id);
	json_text_member(o, "words", grant_text(g, mem));
	json_text_member(o, "reach", str_of(approvals_reach(g->reach)));
	put_time(o, "time", g->time_ms);
	put_time(o, "until", g->until_ms);
	put_time(o, "used", g->used_ms);
	put_time(o, "revoked", g->revoked_ms);
	json_text_member(o, "client", g->client);
	json_key(o, "declared");
	json_put_bool(o, g->declared);
	json_text_member(o, "root", g->root);
	json_text_member(o, "asked", g->asked);
	json_key(o, "changes");
	json_put_bool(o, g->changes);
	json_text_member(o, "channel", g->channel);
	json_text_member(o, "tool", g->tool);
	json_text_member(o, "path", g->path);
	json_text_member(o, "session", g->session);
	json_close(o, '}');
}

void approvals_put_lookalikes(struct json_out *o, struct str path,
			      struct arena *mem)
{
	size_t n;
	const struct confusable *list = confusable_name_list(path, mem, &n);

	if (!n)
		return;
	json_key(o, "lookalikes");
	json_open(o, '[');
	for (size_t i = 0; i < n; i++) {
		char plain = (char)list[i].plain, spelled[4];
		size_t len = utf8_put(list[i].code, spelled);

		json_open(o, '{');
		json_text_member(o, "char", str_make(spelled, len));
		json_text_member(o, "like", str_make(&plain, 1));
		json_text_member(o, "name", str_of(list[i].name));
		json_close(o, '}');
	}
	json_close(o, ']');
}
