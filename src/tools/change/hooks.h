/*
 * hooks.h - commands of the person that run before and after a change.
 *
 * Each runs in /bin/sh with a JSON object on stdin:
 *
 *	{"event":"before_edit","tool":"edit_text_file","path":"/p/f",
 *	 "kind":"update","client":"...","session":"...","operation":"..."}
 *
 * with "group" (the same for all files of a call) when the call changes several
 * files, and "from" when the file is moved,
 * and with a minimal environment: PATH and a few other variables of stet, plus
 * STET_PATH and STET_TOOL. Nothing of the call is ever part of the command line.
 */
#ifndef STET_HOOKS_H
#define STET_HOOKS_H

#include "tools/call/tool.h"

enum hook_when { HOOK_BEFORE_EDIT, HOOK_AFTER_EDIT };

struct hook {
	struct str command;
	struct str match;    /* path pattern as in --encoding; "" = all */
	uint64_t timeout_ms; /* 0 = 10,000 */
	struct str pattern;  /* @match as the person wrote it */
	struct str origin;   /* "--after-edit", "FILE:LINE:COLUMN" */
};

/* A before_edit hook whose trust was lost: it must not run any more. */
struct lost_hook {
	struct str match; /* path pattern, as above */
	struct str words; /* message: which hook, and how to trust it again */
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

/* The hooks of this call: from the settings, else from the options. */
const struct hooks *hooks_of(const struct call *c);

struct hook_facts {
	struct str tool;
	struct str path; /* absolute, without symlinks */
	struct str kind; /* create, update, append, remove, mode */
	struct str client, session;
	struct str operation; /* id in the history; "" = not known yet */
	struct str group;     /* of a change of several files; else "" */
	struct str from;      /* the file that is moved to @path; "" */
};

/* The argv of a hook, for child_run(). */
const char *const *hooks_argv(struct str command, struct arena *mem);

/*
 * Run the hooks that match, in their order. ERR_HOOK when one refuses, fails or
 * times out; the text of the fault is its output. A failing before_edit hook
 * stops the others; after_edit hooks run all. ERR_CANCELLED when the call is
 * cancelled meanwhile.
 *
 * Sets c->hook_ran: such a call is not retried by itself, a concurrent change
 * is reported to the caller instead.
 */
must_check enum err hooks_run(struct call *c, enum hook_when when,
			      const struct hook_facts *facts);

/*
 * ERR_HOOK when a before_edit hook for @path has lost its trust, because it
 * might have refused the change. Checked before the person is asked.
 */
must_check enum err hooks_check_lost(struct call *c, struct str path);

/*
 * Make the PATH of this process the one that hooks get: the spawner (spawner.h)
 * passes on no variable that differs from its own. For one thread.
 */
void hooks_clean_path(struct arena *mem);

#endif
