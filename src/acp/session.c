/*
 * session.c - one conversation: an ACP session and its Codex thread.
 *
 * Opening a session takes several requests to Codex; the editor gets its reply
 * after the last of them. A closed session is freed when the bridge has left it
 * and no request to Codex is open any more.
 */
#include "acp/agent_local.h"

#include "base/clock.h"
#include "base/log.h"

#include <stdlib.h>
#include <sys/stat.h>

/* A request to Codex; the session may be closed before the response. */

struct session_request {
	struct session *session;
	session_done *done;
};

static void session_free_if_over(struct session *s)
{
	struct session **at = &s->agent->sessions;

	if (!s->closed || !s->left || s->questions)
		return;
	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	session_free(s);
}

static void on_session_response(void *ctx,
				const struct jsonrpc_response *answer)
{
	struct session_request *asked = ctx;
	struct session *s = asked->session;

	s->questions--;
	if (!s->closed && asked->done)
		asked->done(s, answer);
	free(asked);
	if (!s->agent->ending)
		session_free_if_over(s);
}

void session_ask(struct session *s, const char *method, struct str params,
		 session_done *done)
{
	struct session_request *asked = calloc(1, sizeof(*asked));

	if (!asked)
		out_of_memory();
	*asked = (struct session_request){ s, done };
	s->questions++;
	agent_ask(s->agent, method, params, on_session_response, asked);
}

/* Opening a session. */

static void opening_failed(struct session *s, int code, struct str why)
{
	agent_refuse(s->agent, buf_str(&s->request), code, why);
	session_close(s);
}

static void opening_reply(struct session *s)
{
	auto_buf result = BUF_INIT;
	struct json_out o = json_out(&result);

	json_open(&o, '{');
	if (s->opening == OPENING_NEW)
		json_text_member(&o, "sessionId", s->id);
	session_options_put(&o, s);
	json_close(&o, '}');
	jsonrpc_reply(s->agent->rpc, buf_str(&s->request), buf_str(&result));
	s->opening = OPENED;
	/* after the reply: JetBrains hangs when it comes first */
	commands_update(s);
	if (s->unserved.len)
		agent_notice(s, "warning",
			     STR("MCP servers of type sse are not supported"),
			     buf_str(&s->unserved));
}

void session_models(struct agent *a)
{
	for (struct session *s = a->sessions; s; s = s->next)
		if (!s->closed && s->opening != OPENED && s->answered)
			opening_reply(s);
}

static void replay_thread(struct session *s, struct json thread,
			  struct arena *mem)
{
	struct json_walk turns = json_walk(json_get(thread, "turns"));

	while (json_step(&turns)) {
		struct json_walk items =
			json_walk(json_get(turns.value, "items"));

		while (json_step(&items))
			items_replay(s, items.value, mem);
	}
	items_close_all(s, "The turn was interrupted");
}

static void on_thread(struct session *s, const struct jsonrpc_response *answer)
{
	struct json thread = json_get(answer->result, "thread");

	if (answer->end == JSONRPC_ERROR && s->opening != OPENING_NEW) {
		opening_failed(s, AGENT_NOT_FOUND, answer->message);
		return;
	}
	if (answer->end != JSONRPC_RESULT) {
		agent_refuse_by(s->agent, buf_str(&s->request), answer);
		session_close(s);
		return;
	}
	if (!s->id.len)
		s->id = arena_copy(&s->mem, text_at(thread, "id", answer->mem));
	buf_add(&s->model, text_at(answer->result, "model", answer->mem));
	buf_add(&s->effort,
		text_at(answer->result, "reasoningEffort", answer->mem));
	session_server_attach_editor(s);
	if (s->opening == OPENING_LOAD)
		replay_thread(s, thread, answer->mem);
	s->answered = true;
	if (s->agent->models.len)
		opening_reply(s);
}

void session_put_thread(struct json_out *o, const struct session *s)
{
	struct str inside = str_sub(s->start, 1, s->start.len - 1);

	json_open(o, '{');
	if (s->id.len)
		json_text_member(o, "threadId", s->id);
	json_text_member(o, "approvalPolicy", str_of(s->mode->approval));
	json_text_member(o, "sandbox", str_of(s->mode->sandbox));
	buf_lit(o->buf, ",");
	buf_add(o->buf, inside);
	json_close(o, '}');
}

static void on_account(struct session *s, const struct jsonrpc_response *answer)
{
	auto_buf params = BUF_INIT;
	struct json_out o = json_out(&params);

	if (answer->end == JSONRPC_DISCONNECTED) {
		agent_refuse_by(s->agent, buf_str(&s->request), answer);
		session_close(s);
		return;
	}
	if (answer->end == JSONRPC_RESULT &&
	    json_is(json_get(answer->result, "account"), JSON_NULL) &&
	    json_is(json_get(answer->result, "requiresOpenaiAuth"),
		    JSON_TRUE)) {
		opening_failed(
			s, AGENT_NO_LOGIN,
			STR("Codex is not logged in: authenticate first"));
		return;
	}
	session_put_thread(&o, s);
	session_ask(s, s->id.len ? "thread/resume" : "thread/start",
		    buf_str(&params), on_thread);
}

/* cwd and additionalDirectories. */
static bool session_set_dirs(struct session *s, const struct jsonrpc_message *m)
{
	struct json more = json_get(m->params, "additionalDirectories");
	struct json_walk w = json_walk(more);
	struct str *dirs =
		arena_array(&s->mem, struct str, 1 + json_count(more));
	struct str dir;

	s->cwd = arena_copy(&s->mem, text_at(m->params, "cwd", m->mem));
	if (!s->cwd.len || *s->cwd.ptr != '/')
		return false;
	dirs[s->dir_count++] = s->cwd;
	while (json_is(more, JSON_ARRAY) && json_step(&w)) {
		if (!json_text(w.value, m->mem, &dir) || !dir.len ||
		    *dir.ptr != '/')
			return false;
		dirs[s->dir_count++] = arena_copy(&s->mem, dir);
	}
	s->dirs = dirs;
	return true;
}

static void session_set_start(struct session *s,
			      const struct jsonrpc_message *m)
{
	auto_buf start = BUF_INIT;
	struct json_out o = json_out(&start);

	thread_note_unserved(&s->unserved, json_get(m->params, "mcpServers"),
			     m->mem);
	json_open(&o, '{');
	thread_put_start(&o, s, json_get(m->params, "mcpServers"), m->mem);
	json_close(&o, '}');
	s->start = arena_copy(&s->mem, buf_str(&start));
}

static struct session *session_new(struct agent *a,
				   const struct jsonrpc_message *m,
				   enum session_opening how)
{
	struct session *s = calloc(1, sizeof(*s));

	if (!s)
		out_of_memory();
	s->agent = a;
	s->opening = how;
	s->mode = agent_mode_named(str_of(a->options.mode));
	if (!s->mode)
		s->mode = agent_mode_named(STR("auto"));
	buf_add(&s->request, m->id);
	s->next = a->sessions;
	a->sessions = s;
	return s;
}

void session_open(struct agent *a, const struct jsonrpc_message *m,
		  enum session_opening how)
{
	struct str id = text_at(m->params, "sessionId", m->mem);
	struct session *old = session_of(a, id), *s;
	struct stat st;
	struct fault f;

	if (how != OPENING_NEW && !id.len) {
		agent_refuse(a, m->id, AGENT_BAD_PARAMS,
			     STR("sessionId is missing"));
		return;
	}
	s = session_new(a, m, how);
	if (how != OPENING_NEW)
		s->id = arena_copy(&s->mem, id);
	if (!session_set_dirs(s, m)) {
		opening_failed(s, AGENT_BAD_PARAMS,
			       STR("cwd and additionalDirectories are absolute "
				   "paths"));
		return;
	}
	if (stat(s->cwd.ptr, &st) || !S_ISDIR(st.st_mode)) {
		opening_failed(s, AGENT_BAD_PARAMS,
			       arena_printf(m->mem,
					    "No such directory: " STR_FMT,
					    STR_ARG(s->cwd)));
		return;
	}
	if (!session_server_open(s, &f)) {
		opening_failed(s, AGENT_REFUSED,
			       f.text.len ? f.text
					  : STR("The settings cannot be used"));
		return;
	}
	if (old && how != OPENING_NEW)
		session_close(old);
	session_set_start(s, m);
	session_ask(s, "account/read", STR("{}"), on_account);
}

/* session/list */

struct list_request {
	struct agent *agent;
	struct buf id;
};

static void put_listed(struct json_out *o, struct json thread,
		       struct arena *mem)
{
	enum { TITLE = 120 };
	struct str name = text_at(thread, "name", mem);
	struct str title = name.len ? name : text_at(thread, "preview", mem);
	char stamp[CLOCK_STAMP];
	int64_t updated;

	json_open(o, '{');
	json_text_member(o, "sessionId", text_at(thread, "id", mem));
	json_text_member(o, "cwd", text_at(thread, "cwd", mem));
	if (title.len)
		json_text_member(o, "title", text_line(title, TITLE));
	if (json_int(json_get(thread, "updatedAt"), &updated)) {
		clock_stamp_of((uint64_t)updated * 1000, stamp);
		json_text_member(o, "updatedAt", str_of(stamp));
	}
	json_close(o, '}');
}

static void on_list(void *ctx, const struct jsonrpc_response *answer)
{
	struct list_request *l = ctx;
	auto_buf result = BUF_INIT;
	struct json_out o = json_out(&result);
	struct json_walk w = json_walk(json_get(answer->result, "data"));
	struct str cursor = text_at(answer->result, "nextCursor", answer->mem);

	json_open(&o, '{');
	json_key(&o, "sessions");
	json_open(&o, '[');
	while (answer->end == JSONRPC_RESULT && json_step(&w))
		put_listed(&o, w.value, answer->mem);
	json_close(&o, ']');
	if (cursor.len)
		json_text_member(&o, "nextCursor", cursor);
	json_close(&o, '}');
	if (answer->end == JSONRPC_RESULT)
		jsonrpc_reply(l->agent->rpc, buf_str(&l->id), buf_str(&result));
	else
		agent_refuse_by(l->agent, buf_str(&l->id), answer);
	buf_free(&l->id);
	free(l);
}

void session_list(struct agent *a, const struct jsonrpc_message *m)
{
	struct str cwd = text_at(m->params, "cwd", m->mem);
	struct str cursor = text_at(m->params, "cursor", m->mem);
	struct list_request *l = calloc(1, sizeof(*l));
	auto_buf params = BUF_INIT;
	struct json_out o = json_out(&params);

	if (!l)
		out_of_memory();
	l->agent = a;
	buf_add(&l->id, m->id);
	json_open(&o, '{');
	if (cwd.len)
		json_text_member(&o, "cwd", cwd);
	if (cursor.len)
		json_text_member(&o, "cursor", cursor);
	json_text_member(&o, "sortKey", STR("updated_at"));
	json_key(&o, "sourceKinds");
	json_put_raw(&o, STR("[\"cli\",\"vscode\",\"exec\",\"appServer\"]"));
	json_close(&o, '}');
	agent_ask(a, "thread/list", buf_str(&params), on_list, l);
}

/* Closing. */

void session_close(struct session *s)
{
	auto_arena mem = ARENA_INIT;

	if (s->closed)
		return;
	if (s->prompt.len) {
		turn_cancel(s);
		turn_end(s, "cancelled");
	}
	if (s->opening == OPENED && codex_is_ready(s->agent->codex) &&
	    !s->agent->ending)
		session_ask(s, "thread/unsubscribe",
			    arena_printf(&mem, "{\"threadId\":\"" STR_FMT "\"}",
					 STR_ARG(s->id)),
			    NULL);
	s->closed = true;
	session_server_leave(s);
}

void session_left(struct session *s)
{
	s->left = true;
	if (s->agent->ending)
		agent_check_over(s->agent);
	else
		session_free_if_over(s);
}

void session_free(struct session *s)
{
	loop_timer_stop(s->cancel_timer);
	items_forget_all(s);
	permission_cancel_all(s);
	session_server_close(s);
	buf_free(&s->request);
	buf_free(&s->unserved);
	buf_free(&s->model);
	buf_free(&s->effort);
	buf_free(&s->prompt);
	buf_free(&s->turn);
	buf_free(&s->old_turn);
	buf_free(&s->later);
	buf_free(&s->streamed);
	arena_free(&s->mem);
	free(s);
}
