#include "tools/approvals_json.h"

#include "base/clock.h"

const char *approvals_state(enum approval_state state)
{
	static const char *const words[] = {
		[APPROVAL_PENDING] = "pending", [APPROVAL_ALLOWED] = "allowed",
		[APPROVAL_DENIED] = "denied",   [APPROVAL_USED] = "used",
		[APPROVAL_EXPIRED] = "expired",
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

static void put_text(struct json_out *o, const char *key, struct str text)
{
	json_key(o, key);
	json_put_str(o, text);
}

static void put_id(struct json_out *o, struct uuid id)
{
	char text[UUID_TEXT + 1];

	uuid_text(id, text);
	put_text(o, "id", str_of(text));
}

static void put_time(struct json_out *o, const char *key, uint64_t ms)
{
	char text[CLOCK_STAMP];

	if (!ms)
		return;
	clock_stamp_of(ms, text);
	put_text(o, key, str_of(text));
}

void approvals_put(struct json_out *o, const struct approval *a)
{
	json_open(o, '{');
	put_id(o, a->id);
	put_text(o, "state", str_of(approvals_state(a->state)));
	put_time(o, "time", a->time_ms);
	put_time(o, "until", a->until_ms);
	put_text(o, "tool", a->tool);
	put_text(o, "path", a->path);
	put_text(o, "client", a->client);
	put_text(o, "session", a->session);
	put_text(o, "summary", a->summary);
	put_text(o, "reason", a->reason);
	put_text(o, "note", a->note);
	put_text(o, "diff", a->diff);
	json_key(o, "parts");
	json_put_int(o, (int64_t)a->parts);
	put_text(o, "hunks", a->hunks);
	json_close(o, '}');
}

void approvals_put_grant(struct json_out *o, const struct grant *g)
{
	json_open(o, '{');
	put_id(o, g->id);
	put_text(o, "reach", str_of(approvals_reach(g->reach)));
	put_time(o, "time", g->time_ms);
	put_time(o, "until", g->until_ms);
	put_text(o, "tool", g->tool);
	put_text(o, "path", g->path);
	put_text(o, "session", g->session);
	json_close(o, '}');
}
