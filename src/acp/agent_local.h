/*
 * agent_local.h - what the files of the agent share. All of it belongs to the
 * loop's thread, but for what says otherwise.
 */
#ifndef STET_AGENT_LOCAL_H
#define STET_AGENT_LOCAL_H

#include "acp/agent.h"
#include "acp/editor.h"
#include "base/linefile.h"

enum {
	AGENT_REFUSED = -32603, /* it did not work, and the message says why */
	AGENT_NO_METHOD = -32601,
	AGENT_BAD_PARAMS = -32602,
	AGENT_BAD_REQUEST = -32600,
	AGENT_NO_LOGIN = -32000,
	AGENT_NOT_FOUND = -32002,
};

/* X14: each row is what a mode is to Codex and to stet. */
struct agent_mode {
	const char *id, *name, *description;
	const char *approval; /* Codex's approvalPolicy */
	const char *sandbox;  /* its sandbox mode, for thread/start */
	const char *policy;   /* its sandboxPolicy, JSON, for turn/start */
	const char *stet;     /* stet's own mode */
};

extern const struct agent_mode agent_modes[];
extern const size_t agent_mode_count;
const struct agent_mode *agent_mode_named(struct str id); /* or NULL */

struct agent {
	struct agent_options options;
	struct loop *loop;
	struct stream *stream;
	struct wire *wire; /* to the editor */
	struct codex *codex;
	struct bridge *bridge; /* NULL, and why: */
	struct str no_bridge;
	struct arena mem;
	struct session *sessions;
	struct loop_timer *last; /* nobody waits longer for the end */
	struct linefile trace;
	struct buf models;     /* the reply to model/list; "" = not yet */
	struct buf codex_gone; /* why; "" = it runs */
	struct buf login;      /* id of the authenticate that waits */
	bool reads, writes;    /* what the editor can do */
	bool notices, forms, urls, compactions;
	bool traced, ending, codex_over;
};

/* A tool call that the editor has been told of. */
struct open_call {
	struct open_call *next;
	struct session *session;
	struct buf id;
	struct buf item;   /* of Codex, as it began: JSON; "" = one of ours */
	struct buf output; /* of a command, so far */
	struct loop_timer *later; /* when that will be shown */
	bool ended; /* one of ours has, and Codex has not said so yet */
};

enum session_opening { OPENING_NEW, OPENING_LOAD, OPENING_RESUME, OPENED };

struct session {
	struct session *next;
	struct agent *agent;
	struct arena mem;
	struct str id; /* also the thread's; "" = not known yet */
	struct str cwd;
	const struct str *dirs; /* cwd first */
	size_t dir_count;
	struct str start; /* members of thread/start and thread/resume */

	/* while it is opened */
	enum session_opening opening;
	struct buf request;  /* who waits for that: a raw id */
	struct buf unserved; /* names of MCP servers that Codex cannot have */
	bool answered;       /* Codex has; the models are waited for */

	/* its files */
	struct server *server;
	struct workspace *disk, *ws;
	struct editor *editor;
	struct bridge_session *bridge;
	struct event_sink sink; /* of our own tools; called on any thread */
	struct undo *undo;      /* an /undo that runs */

	/* what the person has chosen */
	const struct agent_mode *mode;
	struct buf model, effort; /* "" = what Codex takes */

	/* the turn that runs */
	struct buf prompt;   /* id of the session/prompt, raw; "" = none runs */
	struct buf turn;     /* Codex's id of it; "" = not known yet */
	struct buf old_turn; /* one that we gave up on */
	struct buf later;    /* params of a turn that waits for a resume */
	const char *later_method;
	bool cancelled;
	bool new_mode, new_model; /* chosen since the last turn */
	bool lost; /* Codex was restarted: resume the thread before a turn */
	struct loop_timer *giving_up; /* on Codex, after a cancel */
	struct open_call *calls;
	struct buf streamed; /* ids of items that came in pieces, a line each */
	uint64_t tokens_used, tokens_room;
	struct permission *asking; /* see consent.c */

	/* its end */
	bool closed, left;  /* nobody knows it; the bridge has let it go */
	unsigned questions; /* to Codex, that will be answered */
};

struct session *session_of(struct agent *a, struct str id); /* or NULL */

/* Reading and writing JSON, a little shorter. "" where there is no text. */
struct str text_at(struct json object, const char *key, struct arena *mem);

/* Its first line, of at most that many bytes. */
struct str text_line(struct str text, size_t most);

/* A text cut to its last @most bytes, with a note of that. */
struct str text_tail(struct str text, size_t most, struct arena *mem);

/*
 * Talking to the editor. @update is the inside of params.update, whole JSON;
 * what has no session any more goes nowhere.
 */
void agent_update(struct session *s, struct str update);
/* @id of the message that it is a piece of, or "". */
void agent_chunk(struct session *s, const char *kind, struct str id,
		 struct str text);
/* Something the person should know: a notice where there are such, else a
 * thought. */
void agent_notice(struct session *s, const char *severity, struct str title,
		  struct str text);
void agent_refuse(struct agent *a, struct str id, int code, struct str message);

/* Codex did not do it: the error that the editor gets for that. */
void agent_refuse_by(struct agent *a, struct str id,
		     const struct wire_answer *answer);

/* agent_methods.c: a message of the editor; @agent is a struct agent. */
void agent_message(void *agent, const struct wire_message *m);

/* Ask Codex, which is started again if it is gone. */
void agent_ask(struct agent *a, const char *method, struct str params,
	       wire_done *done, void *ctx);

/* Is there nothing left to wait for? Then the loop ends. */
void agent_check_over(struct agent *a);

/* agent_auth.c */
void auth_put_methods(struct json_out *o);
void auth_begin(struct agent *a, const struct wire_message *m);
void auth_logout(struct agent *a, const struct wire_message *m);
void auth_completed(struct agent *a, const struct wire_message *m);

/* modes.c: configOptions and modes of a session, as session/new and others
 * have them: members of an open object. */
void options_put(struct json_out *o, const struct session *s);
void options_put_config(struct json_out *o, const struct session *s);
must_check bool options_set_mode(struct session *s, struct str id);
must_check bool options_set(struct session *s, struct str option,
			    struct str value);
void options_tell(struct session *s); /* config_option_update */

/* items.c: what Codex tells of, and a whole item of the past (replay). */
void items_message(struct session *s, const struct wire_message *m);
void items_replay(struct session *s, struct json item, struct arena *mem);

/* Every call that is open ends as failed: cancel, interrupt, death (53). */
void items_close_all(struct session *s, const char *why);
void items_forget_all(struct session *s);

/* calls.c: tool calls */
struct open_call *call_of(struct session *s, struct str id); /* or NULL */
struct open_call *call_open(struct session *s, struct str id);
void call_close(struct open_call *c);
void calls_began(struct session *s, struct json item, struct arena *mem);
void calls_ended(struct session *s, struct json item, struct arena *mem);
void calls_output(struct session *s, struct json params, struct arena *mem);
bool calls_is(struct json item); /* a tool call at all? */

/* What an update tells: of a call that begins, ends, or did both. */
enum call_part { CALL_BEGINS = 1, CALL_ENDS = 2, CALL_WHOLE = 3 };
/* Title, kind, locations, content: what a question shows of it. */
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

/* consent.c: what Codex asks. True: it was a question, and will be answered. */
must_check bool consent_codex(struct session *s, const struct wire_message *m);

/* Codex does not wait for that answer any more. */
void consent_resolved(struct session *s, struct json params);

/* Nobody answers any more: all are answered with "cancel". */
void consent_cancel_all(struct session *s);

/* commands.c: "/status ..." True: it was one, and answers the prompt. */
must_check bool commands_run(struct session *s, struct str text);
void commands_tell(struct session *s); /* available_commands_update */

/* session.c */
typedef void session_done(struct session *s, const struct wire_answer *a);

void session_open(struct agent *a, const struct wire_message *m,
		  enum session_opening how);
void session_list(struct agent *a, const struct wire_message *m);
void session_close(struct session *s);
void session_free(struct session *s);
/* The models are known: those that waited for that are answered. */
void session_models(struct agent *a);

/* Ask Codex; @done is not called for a session that is closed by then. */
void session_ask(struct session *s, const char *method, struct str params,
		 session_done *done);

/* Nothing of its files is used any more. */
void session_left(struct session *s);
/* The whole params of thread/start or thread/resume. */
void session_put_thread(struct json_out *o, const struct session *s);

/* files.c: before its thread is begun; when its id is known; at its end,
 * which calls session_left(); and the rest of it. */
must_check bool files_open(struct session *s, struct fault *f);
void files_ready(struct session *s);
void files_cancel(struct session *s); /* the calls under way */
/* Has the editor been told of this call of ours, to its end? */
must_check bool files_told(struct session *s, struct str id);
/* Tell that it has failed: it will not end by itself. */
void files_end_call(struct session *s, struct str id, const char *why);
void files_leave(struct session *s);
void files_close(struct session *s);

/* undo.c: /undo answers the prompt that runs. */
void files_undo(struct session *s, struct str path);
void undo_end(struct session *s);

/* thread.c: the members that thread/start and thread/resume share. */
void thread_put_start(struct json_out *o, const struct session *s,
		      struct json mcp_servers, struct arena *mem);

/* The names of those that are left out there. */
void thread_note_unserved(struct buf *out, struct json mcp_servers,
			  struct arena *mem);

/* turn.c */
void turn_prompt(struct session *s, const struct wire_message *m);
void turn_cancel(struct session *s);
/* turn/start, review/start ... for the prompt that runs. */
void turn_begin(struct session *s, const char *method, struct str params);
void turn_input(struct session *s, struct str input); /* of turn/start */
/* The prompt that runs is answered. @stop: "end_turn", "cancelled" ... */
void turn_end(struct session *s, const char *stop);
void turn_fail(struct session *s, int code, struct str message);
void turn_started(struct session *s, struct json turn, struct arena *mem);
void turn_completed(struct session *s, struct json turn, struct arena *mem);
void turn_lost(struct session *s, struct str why); /* Codex is gone */

/* prompt.c: the blocks of a prompt as Codex's input. False: why not. */
must_check bool prompt_put(struct json_out *o, struct json blocks,
			   struct arena *mem, struct str *why);

#endif
