/*
 * hooks.h - commands of the person's that run before and after a change.
 *
 * Each runs in /bin/sh with a JSON object on stdin:
 *
 *	{"event":"before_edit","tool":"edit_text_file","path":"/p/f",
 *	 "kind":"update","client":"...","session":"...","operation":"..."}
 *
 * and with little in its environment: PATH and a few more of ours, STET_PATH
 * and STET_TOOL. Nothing of the call is ever part of the command itself.
 */
#ifndef STET_HOOKS_H
#define STET_HOOKS_H

#include "tools/tool.h"

enum hook_when { HOOK_BEFORE_EDIT, HOOK_AFTER_EDIT };

struct hook {
	struct str command;
	struct str match;    /* of paths, as with --encoding; "" = all */
	uint64_t timeout_ms; /* 0 = 10,000 */
};

/* A before_edit hook that was trusted and must not be run any more. */
struct lost_hook {
	struct str match; /* of paths, as above */
	struct str words; /* which one it is, and what to do about it */
};

struct hooks {
	const struct hook *rows[2];
	size_t count[2];
	const struct lost_hook *lost;
	size_t lost_count;
};

static inline bool hooks_any(const struct hooks *h, enum hook_when when)
{
	return h && h->count[when];
}

/* Those that count for this call: of the settings, or of the options. */
const struct hooks *hooks_of(const struct call *c);

struct hook_facts {
	struct str tool;
	struct str path; /* absolute, without links */
	struct str kind; /* create, update, append, remove, mode */
	struct str client, session;
	struct str operation; /* of the history, when that is known already */
};

/* How a command is run: what child_run() is given. */
const char *const *hooks_argv(struct str command, struct arena *mem);

/*
 * Run those that match, in their order. ERR_HOOK when one says no, fails or
 * takes too long; the fault's text has its words. Before a change the first
 * to do so is the last to run; after it all of them run. ERR_CANCELLED when
 * the call is given up meanwhile.
 *
 * A call that has run one is not run again by itself (c->hooked): a file that
 * changes under it is then told as changed.
 */
must_check enum err hooks_run(struct call *c, enum hook_when when,
			      const struct hook_facts *facts);

/*
 * ERR_HOOK when a hook that would judge a change of @path has lost its trust:
 * nobody can say whether it would have refused. Asked before the person is.
 */
must_check enum err hooks_check_lost(struct call *c, struct str path);

/*
 * Make the PATH of this process the one that hooks get: the spawner (spawner.h)
 * passes on no variable that differs from its own. For one thread.
 */
void hooks_clean_path(struct arena *mem);

#endif
