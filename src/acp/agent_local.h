/*
 * agent_local.h - types and functions shared by the files of the agent.
 *
 * Everything belongs to the thread of the loop unless it says otherwise.
 */
#ifndef STET_AGENT_LOCAL_H
#define STET_AGENT_LOCAL_H

#include "acp/agent.h"
#include "acp/editor.h"
#include "base/linefile.h"

enum {
	AGENT_REFUSED = -32603, /* internal error; the message has the reason */
	AGENT_NO_METHOD = -32601,
	AGENT_BAD_PARAMS = -32602,
	AGENT_BAD_REQUEST = -32600,
	AGENT_NO_LOGIN = -32000,
	AGENT_NOT_FOUND = -32002,
};

/* X14: a mode of the session, as settings of Codex and of stet. */
struct agent_mode {
	const char *id, *name, *description;
	const char *approval; /* Codex's approvalPolicy */
	const char *sandbox;  /* its sandbox mode, for thread/start */
	const char *policy;   /* its sandboxPolicy, JSON, for turn/start */
	const char *stet;     /* mode of stet's rules */
};

extern const struct agent_mode agent_modes[];
extern const size_t agent_mode_count;
const struct agent_mode *agent_mode_named(struct str id); /* or NULL */

struct agent {
	struct agent_options options;
	struct loop *loop;
	struct stream *stream;
	struct jsonrpc *rpc; /* to the editor */
	struct codex *codex;
	struct bridge *bridge; /* NULL = failed, see no_bridge */
	struct str no_bridge;
	struct arena mem;
	struct session *sessions;
	struct loop_timer *last; /* bounds the time of an orderly end */
	struct linefile trace;
	struct buf models;     /* result of model/list; "" = not received yet */
	struct buf codex_gone; /* reason of its end; "" = it runs */
	struct buf login;      /* request id of the open authenticate */
	bool reads, writes;    /* capabilities of the editor */
	bool notices, forms, urls, compactions;
	bool traced, ending, codex_over;
};

/* A tool call that was reported to the editor and has not ended. */
struct open_call {
	struct open_call *next;
	struct session *session;
	struct buf id;
	struct buf
		item; /* JSON of Codex's item; "" = a call of stet's own tools */
	struct buf output;        /* output of a command so far */
	struct loop_timer *later; /* fires when the output is sent */
	bool ended; /* own tool: ended here, Codex has not reported it yet */
};

enum session_opening { OPENING_NEW, OPENING_LOAD, OPENING_RESUME, OPENED };

struct session {
	struct session *next;
	struct agent *agent;
	struct arena mem;
	struct str id; /* also that of the Codex thread; "" = unknown yet */
	struct str cwd;
	const struct str *dirs; /* cwd first */
	size_t dir_count;
	struct str start; /* members of thread/start and thread/resume */

	/* while the session is opened */
	enum session_opening opening;
	struct buf request;  /* raw id of the request to answer */
	struct buf unserved; /* names of MCP servers of an unsupported type */
	bool answered;       /* by Codex; only the list of models is missing */

	/* files */
	struct server *server;
	struct workspace *disk, *ws;
	struct editor *editor;
	struct bridge_session *bridge;
	struct event_sink
		sink; /* events of stet's own tools; called on any thread */
	struct undo *undo; /* a running /undo, or NULL */

	/* options chosen by the user */
	const struct agent_mode *mode;
	struct buf model, effort; /* "" = Codex's default */

	/* the running turn */
	struct buf prompt;   /* raw id of the session/prompt; "" = none runs */
	struct buf turn;     /* Codex's turn id; "" = unknown yet */
	struct buf old_turn; /* cancelled turn that Codex did not end in time */
	struct buf later;    /* params of a turn that follows thread/resume */
	const char *later_method;
	bool cancelled;
	bool new_mode, new_model; /* changed since the last turn */
	bool lost; /* Codex was restarted: resume the thread first */
	struct loop_timer *cancel_timer; /* ends the prompt if Codex does not */
	struct open_call *calls;
	struct buf streamed; /* ids of items that were streamed, one per line */
	uint64_t tokens_used, tokens_room;
	struct permission *permissions; /* open permission requests */

	/* the end */
	bool closed, left;  /* closed by the client; left by the bridge */
	unsigned questions; /* open requests to Codex */
};

struct session *session_of(struct agent *a, struct str id); /* or NULL */

/* The text of a member; "" when it is missing or not a string. */
struct str text_at(struct json object, const char *key, struct arena *mem);

/* The first line of @text, at most @most bytes. */
struct str text_line(struct str text, size_t most);

/* The last @most bytes of @text, with a note about the omitted part. */
struct str text_tail(struct str text, size_t most, struct arena *mem);

/*
 * Send session/update; @update is params.update as JSON. Ignored for a session
 * that is closed.
 */
void agent_update(struct session *s, struct str update);
/* A chunk of text; @id is that of its message, or "". */
void agent_chunk(struct session *s, const char *kind, struct str id,
		 struct str text);
/* A notice if the editor supports notices, else a thought. */
void agent_notice(struct session *s, const char *severity, struct str title,
		  struct str text);
void agent_refuse(struct agent *a, struct str id, int code, struct str message);

/* Pass an error of Codex on to the editor. */
void agent_refuse_by(struct agent *a, struct str id,
		     const struct jsonrpc_response *answer);

/* agent_methods.c: handle a message of the editor; @agent is a struct agent. */
void agent_message(void *agent, const struct jsonrpc_message *m);

/* Send a request to Codex, which is restarted if it has ended. */
void agent_ask(struct agent *a, const char *method, struct str params,
	       jsonrpc_done *done, void *ctx);

/* Stop the loop once all sessions and Codex have ended. */
void agent_check_over(struct agent *a);

/* agent_auth.c */
void auth_put_methods(struct json_out *o);
void auth_begin(struct agent *a, const struct jsonrpc_message *m);
void auth_logout(struct agent *a, const struct jsonrpc_message *m);
void auth_completed(struct agent *a, const struct jsonrpc_message *m);

/* session_options.c: members configOptions and modes of an open object. */
void session_options_put(struct json_out *o, const struct session *s);
void session_options_put_config(struct json_out *o, const struct session *s);
must_check bool session_options_set_mode(struct session *s, struct str id);
must_check bool session_options_set(struct session *s, struct str option,
				    struct str value);
void session_options_notify(struct session *s); /* config_option_update */

/* items.c: a notification of Codex, and a replayed item of a loaded thread. */
void items_message(struct session *s, const struct jsonrpc_message *m);
void items_replay(struct session *s, struct json item, struct arena *mem);

/* Report every open call as failed: after cancel, interrupt or a crash. */
void items_close_all(struct session *s, const char *why);
void items_forget_all(struct session *s);

/* calls.c: tool calls */
struct open_call *call_of(struct session *s, struct str id); /* or NULL */
struct open_call *call_open(struct session *s, struct str id);
void call_close(struct open_call *c);
void calls_began(struct session *s, struct json item, struct arena *mem);
void calls_ended(struct session *s, struct json item, struct arena *mem);
void calls_output(struct session *s, struct json params, struct arena *mem);
bool calls_is(struct json item); /* is the item a tool call? */

/* Whether an update reports the begin of a call, its end, or both. */
enum call_part { CALL_BEGINS = 1, CALL_ENDS = 2, CALL_WHOLE = 3 };
/* Title, kind, locations and content, for a permission request. */
void calls_put_shown(struct json_out *o, struct json item, struct str cwd,
		     struct arena *mem);

/* changes.c: a fileChange. */
struct str changes_title(struct json item, struct str cwd, struct arena *mem);
const char *changes_kind(struct json item);
void changes_put_locations(struct json_out *o, struct json item, struct str cwd,
			   struct arena *mem);
void changes_put_diffs(struct json_out *o, struct json item, struct str cwd,
		       struct arena *mem);
void changes_put_hunks(struct json_out *o, struct str path, struct str diff);
struct str changes_path(struct str cwd, struct str path, struct arena *mem);

/* permission.c: a request of Codex. False: not a question to the user. */
must_check bool permission_ask_for_codex(struct session *s,
					 const struct jsonrpc_message *m);

/* Codex has withdrawn a request. */
void permission_resolved(struct session *s, struct json params);

/* Answer all open requests with "cancel". */
void permission_cancel_all(struct session *s);

/* commands.c: run "/status ..."; false: not a command. */
must_check bool commands_run(struct session *s, struct str text);
void commands_update(struct session *s); /* available_commands_update */

/* session.c */
typedef void session_done(struct session *s, const struct jsonrpc_response *a);

void session_open(struct agent *a, const struct jsonrpc_message *m,
		  enum session_opening how);
void session_list(struct agent *a, const struct jsonrpc_message *m);
void session_close(struct session *s);
void session_free(struct session *s);
/* The list of models has arrived: answer sessions that wait for it. */
void session_models(struct agent *a);

/* Send a request to Codex; @done is not called for a closed session. */
void session_ask(struct session *s, const char *method, struct str params,
		 session_done *done);

/* No call uses its files any more. */
void session_left(struct session *s);
/* The whole params of thread/start or thread/resume. */
void session_put_thread(struct json_out *o, const struct session *s);

/*
 * session_server.c: session_server_open() before the thread is started,
 * session_server_attach_editor() when its id is known, session_server_leave() at
 * the end, which calls session_left(), then session_server_close().
 */
must_check bool session_server_open(struct session *s, struct fault *f);
void session_server_attach_editor(struct session *s);
void session_server_cancel_calls(struct session *s);
/* Was this call of an own tool reported to the editor, with its end? */
must_check bool session_server_reported(struct session *s, struct str id);
/* Report the call as failed. */
void session_server_fail_call(struct session *s, struct str id,
			      const char *why);
void session_server_leave(struct session *s);
void session_server_close(struct session *s);

/* undo.c: run /undo, which answers the running prompt. */
void undo_run(struct session *s, struct str path);
void undo_end(struct session *s);

/* thread.c: the members that thread/start and thread/resume share. */
void thread_put_start(struct json_out *o, const struct session *s,
		      struct json mcp_servers, struct arena *mem);

/* Collect the names of MCP servers that are left out. */
void thread_note_unserved(struct buf *out, struct json mcp_servers,
			  struct arena *mem);

/* turn.c */
void turn_prompt(struct session *s, const struct jsonrpc_message *m);
void turn_cancel(struct session *s);
/* Send turn/start, review/start ... for the running prompt. */
void turn_begin(struct session *s, const char *method, struct str params);
void turn_input(struct session *s, struct str input); /* of turn/start */
/* Answer the running prompt. @stop: "end_turn", "cancelled" ... */
void turn_end(struct session *s, const char *stop);
void turn_fail(struct session *s, int code, struct str message);
void turn_started(struct session *s, struct json turn, struct arena *mem);
void turn_completed(struct session *s, struct json turn, struct arena *mem);
void turn_lost(struct session *s, struct str why); /* Codex is gone */

/* prompt.c: the blocks of a prompt as Codex's input. False: see @why. */
must_check bool prompt_put(struct json_out *o, struct json blocks,
			   struct arena *mem, struct str *why);

#endif
