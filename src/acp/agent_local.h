/*
 * agent_local.h - what the files of the agent share. All of it belongs to the
 * loop's thread, but for what says otherwise.
 */
#ifndef STET_AGENT_LOCAL_H
#define STET_AGENT_LOCAL_H

#include "acp/agent.h"
#include "acp/editor.h"
#include "base/linefile.h"

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
const struct agent_mode *agent_mode_named(struct str id);

struct agent {
	struct agent_options options;
	struct loop *loop;
	struct stream *stream;
	struct wire *wire; /* to the editor */
	struct codex *codex;
	struct bridge *bridge;
	struct session *sessions;
	struct linefile trace;
	/* what the editor can do */
	bool reads, writes, notices, forms, booleans;
	struct buf models; /* the reply to model/list, JSON; "" = not yet */
	struct str codex_gone; /* why; "" = it runs */
	bool ending;
	struct arena mem;
};

/* A tool call that the editor has been told of. */
struct open_call {
	struct open_call *next;
	struct str id;
	bool ours;  /* one of our own tools: the events are the bridge's */
	bool begun; /* the editor knows it */
	struct buf item; /* of Codex, as it began: JSON */
};

struct session {
	struct session *next;
	struct agent *agent;
	struct arena mem;
	struct str id; /* also the thread's */
	struct str cwd;
	const struct str *dirs; /* cwd first */
	size_t dir_count;
	struct server *server;
	struct workspace *disk, *ws;
	struct editor *editor;
	struct bridge_session *bridge;
	struct event_sink sink; /* of our own tools; called on any thread */
	const struct agent_mode *mode;
	struct buf model, effort; /* "" = what Codex takes */
	struct buf config;        /* of thread/start, JSON: for a restart */

	/* the turn that runs */
	struct buf prompt; /* id of the session/prompt, raw; "" = none runs */
	struct buf turn;   /* Codex's id of it; "" = not known yet */
	bool cancelled;
	struct loop_timer *giving_up; /* on Codex, after a cancel */
	struct open_call *calls;
	struct buf streamed; /* id of the message that came in pieces */
	struct buf thinking; /* the same of its thoughts */
	uint64_t tokens_used, tokens_room;
	struct permission *asking; /* see consent.c */
	bool lost; /* Codex was restarted: resume the thread before a turn */
};

struct session *session_of(struct agent *a, struct str id); /* or NULL */

/*
 * Talking to the editor. @update is the inside of params.update, whole JSON;
 * what has no session any more goes nowhere.
 */
void agent_update(struct session *s, struct str update);
void agent_chunk(struct session *s, const char *kind, struct str text);
/* Something the person should know: a notice where there are such, else a
 * thought. */
void agent_notice(struct session *s, const char *severity, struct str title,
		  struct str text);

/* items.c: what Codex tells of, and a whole item of the past (replay). */
void items_message(struct session *s, const struct wire_message *m);
void items_replay(struct session *s, struct json item);

/* Every call that is open ends as failed: cancel, interrupt, death (53). */
void items_close_all(struct session *s, const char *why);

/* From the events of our own tools, on the loop: begun, ended. */
void items_ours(struct session *s, struct str id, bool begun);

/* consent.c: what Codex asks. True: it was a question, and will be answered. */
must_check bool consent_codex(struct session *s, const struct wire_message *m);

/* What one of our own tools asks; the hook of bridge_want. */
void consent_job(void *session, struct job *job);

/* Nobody answers any more: all are answered with "cancel". */
void consent_cancel_all(struct session *s);

/* commands.c: "/status ..." True: it was one, and answers the prompt. */
must_check bool commands_run(struct session *s, struct str text);
void commands_tell(struct session *s); /* available_commands_update */

/* configOptions and modes of a session, as session/new and others have them:
 * members of an open object. */
void options_put(struct json_out *o, const struct session *s);

/* session.c */
void session_begin_turn(struct session *s, const char *method,
			struct str params); /* turn/start, review/start ... */
/* The prompt that runs is answered. @stop: "end_turn", "cancelled" ... */
void session_end_turn(struct session *s, const char *stop);
void session_fail_turn(struct session *s, int code, struct str message);
void session_turn_completed(struct session *s, struct json turn);
void session_free(struct session *s);

#endif
