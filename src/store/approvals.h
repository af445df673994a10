/*
 * approvals.h - approval requests and the person's answers.
 *
 * A call that needs approval becomes a row: pending, with the question and the
 * diff. The person allows or denies it; the same call, made again by the same
 * caller, then passes once or is refused. A grant is an answer for more than
 * one call: it covers one client and one root only.
 */
#ifndef STET_APPROVALS_H
#define STET_APPROVALS_H

#include "store/store.h"

enum approval_state {
	APPROVAL_PENDING,
	APPROVAL_ALLOWED, /* the next equal call passes, once */
	APPROVAL_DENIED,  /* the next equal call is refused, once */
	APPROVAL_USED,    /* allowed, and used by a call */
	APPROVAL_EXPIRED, /* timed out, or the effect of the call has changed */
	APPROVAL_GRANTED, /* answered with a grant, which has its own row */
	APPROVAL_TOLD,    /* denied, and reported to a call */
};

/* Texts of a question that are too long to come with each list of them. */
enum approval_text {
	APPROVAL_DIFF,   /* the whole diff, when @diff is only its beginning */
	APPROVAL_BEFORE, /* the file, when a diff would be too large */
	APPROVAL_AFTER,
	APPROVAL_TEXTS,
};

/* Which texts of a change are stored. */
enum approval_kept {
	KEPT_WHOLE, /* @diff is complete, or APPROVAL_DIFF is stored */
	KEPT_SIDES, /* APPROVAL_BEFORE and APPROVAL_AFTER are stored */
	KEPT_NONE,  /* too large: only how many lines it has */
};

/* One file of a question about several. */
struct approval_file {
	char letter;      /* A(dded), M(odified), D(eleted) or R(enamed) */
	struct str path;  /* with R: its new path */
	struct str from;  /* with R: its old path; else "" */
	struct str root;  /* the root that @path lies in; "" = none */
	struct str notes; /* what no line of a diff shows, in one line; "" */
	uint64_t added, removed; /* lines */
};

struct approval {
	struct uuid id;
	uint64_t time_ms, until_ms; /* begin and expiry */
	enum approval_state state;
	struct str tool, path, client, session, scope;
	struct str owner; /* client of a grant made from it: see struct grant */
	bool declared;
	struct str root;    /* the root that @path lies in */
	bool changes;       /* @tool would change the file, not only read it */
	struct str digest;  /* of caller, tool, arguments: "the same call" */
	struct str binding; /* digest of the effect of the call */
	struct str summary; /* the effect of the call in one line */
	struct str does;    /* more of that, one sentence each line */
	struct str badges;  /* encoding and line endings, one each line */
	struct str diff;    /* the diff, or the exact new content */
	bool more;          /* @diff has only the beginning */
	enum approval_kept kept;
	uint64_t added, removed;           /* lines */
	const struct approval_file *files; /* of several; @path is the first */
	size_t file_count;                 /* 0 = one file */
	struct str texts[APPROVAL_TEXTS];  /* input of approval_ask() only */
	struct str reason;                 /* the rule that asks */
	struct str note;  /* the person's reason for a denial */
	size_t parts;     /* hunks of @diff to choose from; 0 = whole only */
	struct str hunks; /* "1,3": only these were allowed; "" = all */
	uint64_t
		waits_ms; /* deadline of the calls that wait for it; 0 = none */
	uint64_t used_ms; /* time of its use or report; 0 = not yet */
	bool withdrawn;   /* by the person; set by ask_queue_decide() */
};

/*
 * Ask: the approval with the same digest and binding if there is one that is
 * pending, or answered and not used yet (the answer may come between a look for
 * it and this call); then nothing is asked twice. Else a new row, which takes
 * the place of a pending or allowed one with another binding. Fills in id,
 * times and state. The call waits for the answer until a->waits_ms.
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

/*
 * The yes @id, which approval_take() found, has let the operation @op happen.
 */
void approval_bind(struct store *s, struct uuid id, struct uuid op);

/* The question whose yes has let the operation @op happen, if one did. */
must_check bool approval_used_by(struct store *s, struct uuid op,
				 struct arena *mem, struct approval *ret);

/*
 * The call that waited until @waits_ms was cancelled by its client. Others that
 * wait for the same answer stay.
 */
void approval_leave(struct store *s, struct uuid id, uint64_t waits_ms);

/*
 * Does @id still wait for an answer? Reads its state only, so that a waiting
 * call can ask often; false also when the store cannot be read.
 */
bool approval_is_pending(struct store *s, struct uuid id);

/* Look without taking; by id or a part of it (ids.h). */
must_check enum err approval_find(struct store *s, struct str id,
				  struct arena *mem, struct approval *ret,
				  struct fault *f);

/*
 * A piece of one of its texts, from byte @at on: whole lines where they are
 * not very long, at most APPROVAL_CHUNK bytes. *@ret_next is where the next
 * one begins, or 0. ERR_NO_APPROVAL with reason "gone" when there is none:
 * texts are kept while a question is open, or its answer has not been used.
 */
enum { APPROVAL_CHUNK = 64 * 1024 };
must_check enum err approval_chunk(struct store *s, struct uuid id,
				   enum approval_text which, uint64_t at,
				   struct arena *mem, struct str *ret,
				   uint64_t *ret_next, struct fault *f);

/* Limit of the stored texts of one client's open questions, in bytes. */
#define APPROVAL_MOST_KEPT (256ULL << 20)

/* All pending ones (or all of them), oldest first. */
must_check enum err approval_list(struct store *s, bool all, struct arena *mem,
				  struct approval **ret, size_t *ret_n,
				  struct fault *f);

/*
 * Approvals that no call waits for any more, oldest first: the same call,
 * repeated, would use one.
 */
must_check enum err approval_list_unused(struct store *s, struct arena *mem,
					 struct approval **ret, size_t *ret_n,
					 struct fault *f);

/*
 * The person decides; ERR_NO_APPROVAL unless it is still pending. @hunks are
 * those of an APPROVAL_ALLOWED that is not for all of it
 * (tools/change/hunks.h).
 */
must_check enum err approval_decide(struct store *s, struct uuid id,
				    enum approval_state state, struct str note,
				    struct str hunks, struct fault *f);

/*
 * Withdraw an unused approval, which becomes a denial. ERR_NO_APPROVAL when it
 * has been used, or was none.
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
	uint64_t time_ms, until_ms; /* until_ms 0 = never expires */
	uint64_t used_ms;           /* last use, to the minute; 0 = never */
	uint64_t revoked_ms;        /* 0 = not revoked */
	enum grant_reach reach;
	struct str client; /* the name of its token, or its declared name */
	bool declared;     /* @client is a declared name, not that of a token */
	struct str root;   /* covers files of this root only */
	struct str asked;  /* file of the question: the one sensitive file */
	bool changes;      /* covers tools that change; else those that read */
	struct str tool;   /* "" = every tool of that kind */
	struct str path;   /* the file, or the directory; "" = any */
	struct str session; /* covers this session only; "" = any */
	struct str channel; /* how it was given: "terminal", "page", "dialog" */
	/*
	 * Input of grant_add() and approval_grant(), with GRANT_FILE: all files
	 * of the question, of which @path is the first. Each becomes a grant.
	 */
	const struct approval_file *files;
	size_t file_count;
};

/* A call that a grant may cover; the names are as in struct grant. */
struct grant_use {
	struct str client;
	bool declared;
	struct str root, tool, path, session;
	bool changes;
	bool sensitive; /* only the question's own file is covered then */
};

/* Fills in g->id and g->time_ms. */
must_check enum err grant_add(struct store *s, struct grant *g,
			      struct fault *f);

/*
 * The person answers approval @id by a grant, which takes the place of the yes:
 * grant_add() and the decision in one transaction. Else as approval_decide().
 */
must_check enum err approval_grant(struct store *s, struct uuid id,
				   struct str note, struct grant *g,
				   struct fault *f);

must_check enum err grant_list(struct store *s, struct arena *mem,
			       struct grant **ret, size_t *ret_n,
			       struct fault *f);
/* The grant @id, even if it has been revoked or has expired. */
must_check bool grant_find(struct store *s, struct uuid id, struct arena *mem,
			   struct grant *ret);

/* Revoked or expired. */
bool grant_is_over(const struct grant *g);

/* Revoke it. The row stays until gc finds no operation that refers to it. */
must_check enum err grant_remove(struct store *s, struct uuid id,
				 struct fault *f);

/* Delete the grants of the removed token @name; returns their number. */
must_check enum err grant_remove_token(struct store *s, struct str name,
				       size_t *ret, struct fault *f);

/*
 * The grant that covers this call, or zero. Notes when it was used, once a
 * minute at most, so that a grant in steady use costs no write at each call.
 */
must_check enum err grant_covers(struct store *s, const struct grant_use *use,
				 struct uuid *ret, struct fault *f);

#endif
