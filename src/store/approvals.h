/*
 * approvals.h - questions for the person, and what they have answered.
 *
 * A call that must be asked for becomes a row: pending, with the question and
 * the diff. The person allows it (once, or more) or denies it; the same call,
 * made again by the same caller, then passes once or is refused. A grant is
 * an answer that goes beyond one call: it belongs to one client and one root,
 * and holds for nobody and nothing else.
 */
#ifndef STET_APPROVALS_H
#define STET_APPROVALS_H

#include "store/store.h"

enum approval_state {
	APPROVAL_PENDING,
	APPROVAL_ALLOWED, /* the next call like it passes, once */
	APPROVAL_DENIED,  /* the next call like it is told so, once */
	APPROVAL_USED,    /* the yes was: a call has passed */
	APPROVAL_EXPIRED, /* too late, or the call would do something else */
	APPROVAL_GRANTED, /* answered with a grant, which says what was used */
	APPROVAL_TOLD,    /* denied, and a call was told so */
};

/* Texts of a question that are too long to come with each list of them. */
enum approval_text {
	APPROVAL_DIFF,   /* all of it, when @diff is the beginning only */
	APPROVAL_BEFORE, /* the file, when a diff would be too large */
	APPROVAL_AFTER,
	APPROVAL_TEXTS,
};

/* What of the change can be seen. */
enum approval_kept {
	KEPT_WHOLE, /* @diff is all of it, or APPROVAL_DIFF is kept */
	KEPT_SIDES, /* APPROVAL_BEFORE and APPROVAL_AFTER are kept */
	KEPT_NONE,  /* too large: only how many lines it has */
};

struct approval {
	struct uuid id;
	uint64_t time_ms, until_ms; /* asked; and then it is too late */
	enum approval_state state;
	struct str tool, path, client, session, scope;
	struct str owner; /* of a grant from it: see struct grant */
	bool declared;
	struct str root;    /* the root that @path lies in */
	bool changes;       /* @tool would change the file, not only read it */
	struct str digest;  /* of caller, tool, arguments: "the same call" */
	struct str binding; /* of all that it would do: what a yes is for */
	struct str summary; /* one line: what would happen */
	struct str does;    /* more of that, one sentence each line */
	struct str badges;  /* encoding and line endings, one each line */
	struct str diff;    /* what would change; or the exact content */
	bool more;          /* @diff is only the beginning of it */
	enum approval_kept kept;
	uint64_t added, removed;          /* lines */
	struct str texts[APPROVAL_TEXTS]; /* only of a new one */
	struct str reason;                /* the rule that asks */
	struct str note;   /* what the person said when denying */
	size_t parts;      /* hunks of @diff to choose from; 0 = whole only */
	struct str hunks;  /* "1,3": only these were allowed; "" = all */
	uint64_t waits_ms; /* a call waits for the answer until then; 0 */
	uint64_t used_ms;  /* when the answer was used or told; 0 = not yet */
	bool withdrawn;    /* of ask_queue_decide(): a yes was taken back */
};

/*
 * Ask: the approval with the same digest and binding if there is one that is
 * pending, or answered and not used yet (the answer may come between a look for
 * it and this call); then nothing is asked twice. Else a new row, which takes
 * the place of a pending or allowed one with another binding. Fills in id, times and state.
 * The call waits for the answer until a->waits_ms.
 */
must_check enum err approval_ask(struct store *s, struct approval *a,
				 struct arena *mem, struct fault *f);

/*
 * What was decided of @digest: the newest that is not used up. Allowed and
 * denied ones become used or told in the same step, so that two callers cannot
 * both have it. A yes to another @binding is void: it becomes expired, and is
 * returned as that. ERR_NO_APPROVAL when nothing was asked or all is used.
 */
must_check enum err approval_take(struct store *s, struct str digest,
				  struct str binding, struct arena *mem,
				  struct approval *ret, struct fault *f);

/* The yes @id, which approval_take() found, has let the operation @op happen. */
void approval_bind(struct store *s, struct uuid id, struct uuid op);

/* The question whose yes has let the operation @op happen, if one did. */
must_check bool approval_used_by(struct store *s, struct uuid op,
				 struct arena *mem, struct approval *ret);

/*
 * The call that waited until @waits_ms does so no more: its client has given it
 * up. Another one that waits for the same answer stays.
 */
void approval_leave(struct store *s, struct uuid id, uint64_t waits_ms);

/* Look without taking; by id or its first digits. */
must_check enum err approval_find(struct store *s, struct str id,
				  struct arena *mem, struct approval *ret,
				  struct fault *f);

/*
 * A piece of one of its texts, from byte @at on: whole lines where they are
 * not very long, at most APPROVAL_PIECE bytes. *@ret_next is where the next
 * one begins, or 0. ERR_NO_APPROVAL with reason "gone" when there is none:
 * texts are kept while a question is open, or its answer has not been used.
 */
enum { APPROVAL_PIECE = 64 * 1024 };
must_check enum err approval_piece(struct store *s, struct uuid id,
				   enum approval_text which, uint64_t at,
				   struct arena *mem, struct str *ret,
				   uint64_t *ret_next, struct fault *f);

/* The most that is kept of one client's open questions together, in bytes. */
#define APPROVAL_MOST_KEPT (256ULL << 20)

/* All pending ones (or all of them), oldest first. */
must_check enum err approval_list(struct store *s, bool all, struct arena *mem,
				  struct approval **ret, size_t *ret_n,
				  struct fault *f);

/*
 * The person decides; ERR_NO_APPROVAL unless it is still pending. @hunks are
 * those of an APPROVAL_ALLOWED that is not for all of it (tools/hunks.h).
 */
must_check enum err approval_decide(struct store *s, struct uuid id,
				    enum approval_state state, struct str note,
				    struct str hunks, struct fault *f);

/*
 * Take back a yes that was not used: it is a no from then on.
 * ERR_NO_APPROVAL when it was used meanwhile, or was none.
 */
must_check enum err approval_withdraw(struct store *s, struct uuid id,
				      struct str note, struct fault *f);

enum grant_reach { GRANT_FILE, GRANT_DIRECTORY, GRANT_SESSION, GRANT_ALWAYS };

/*
 * "May do this without being asked", as wide as the person said. A grant
 * without a client holds within its session only, one without a root never.
 */
struct grant {
	struct uuid id;
	uint64_t time_ms, until_ms; /* until 0 = for ever */
	uint64_t used_ms;           /* last use, to the minute; 0 = never */
	enum grant_reach reach;
	struct str client;  /* the name of its token, or its declared name */
	bool declared;      /* @client is only what the client calls itself */
	struct str root;    /* covers files of this root only */
	struct str asked;   /* file of the question: the one sensitive file */
	bool changes;       /* covers tools that change; else those that read */
	struct str tool;    /* "" = every tool of that kind */
	struct str path;    /* the file, or the directory; "" = any */
	struct str session; /* covers this session only; "" = any */
	struct str channel; /* how it was given: "terminal", "page", "dialog" */
};

/* A call that a grant may cover; the names are as in struct grant. */
struct grant_use {
	struct str client;
	bool declared;
	struct str root, tool, path, session;
	bool changes;
	bool sensitive; /* only the question's own file is covered then */
};

must_check enum err grant_add(struct store *s, struct grant *g,
			      struct fault *f);
must_check enum err grant_list(struct store *s, struct arena *mem,
			       struct grant **ret, size_t *ret_n,
			       struct fault *f);
must_check enum err grant_remove(struct store *s, struct uuid id,
				 struct fault *f);

/* Those of the token @name, which is no more; how many there were. */
must_check enum err grant_remove_token(struct store *s, struct str name,
				       size_t *ret, struct fault *f);

/*
 * Is there one that covers this call? Notes when it was used, once a minute at
 * most, so that a grant in steady use costs no write at each call.
 */
must_check enum err grant_covers(struct store *s, const struct grant_use *use,
				 bool *ret, struct fault *f);

#endif
