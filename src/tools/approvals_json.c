#include "tools/approvals_json.h"

#include "base/clock.h"
#include "store/client_name.h"

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

void approvals_put(struct json_out *o, const struct approval *a)
{
	json_open(o, '{');
	put_id(o, a->id);
	json_text_member(o, "state", str_of(approvals_state(a->state)));
	put_time(o, "time", a->time_ms);
	put_time(o, "until", a->until_ms);
	put_time(o, "waits", a->waits_ms);
	put_time(o, "used", a->used_ms);
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
	json_text_member(o, "reason", a->reason);
	json_text_member(o, "note", a->note);
	json_text_member(o, "diff", a->diff);
	json_key(o, "parts");
	json_put_int(o, (int64_t)a->parts);
	json_text_member(o, "hunks", a->hunks);
	json_close(o, '}');
}

void approvals_put_grant(struct json_out *o, const struct grant *g)
{
	json_open(o, '{');
	put_id(o, g->id);
	json_text_member(o, "reach", str_of(approvals_reach(g->reach)));
	put_time(o, "time", g->time_ms);
	put_time(o, "until", g->until_ms);
	put_time(o, "used", g->used_ms);
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
