/*
 * gate.h - the permission check of a call: rules, grants and approvals.
 *
 * Called for a change that would otherwise be made (A52): first the rules, then
 * earlier answers of the person (grants, decided approvals), and if neither
 * allows it, ERR_ASK with c->question filled in.
 *
 * An approval is bound to the call (question.digest: caller, tool, arguments)
 * and to its effect (question.binding: root, key, mode, old and new content,
 * and the text that was shown). If anything differs the person is asked again.
 */
#ifndef STET_GATE_H
#define STET_GATE_H

#include "tools/change/change.h"
#include "tools/permissions/rules.h"

/* An action with everything that rules and the question need. */
struct action_facts {
	struct str path, key;
	const struct snapshot *before; /* NULL = a new file */
	struct str after;
	const struct encoding *encoding; /* of @after; NULL = not known */
	bool remove;
	struct str summary; /* of the question; "" = made from the above */
	struct str does;    /* with as_is: description of the action */
	struct str held;    /* identity and ctime of a file to be read; "" */
	bool as_is;         /* show @after itself rather than a diff */
	bool appends;       /* @after is appended to the file */
	unsigned mode;      /* new mode; 0 = unchanged */
	bool divisible;     /* some hunks may be approved */
	struct str from;    /* key of the file that is moved to @key; "" */
	bool moved;         /* with @remove: its content is at another's @key */
	/*
	 * A directory, with the keys of all files and directories beneath it:
	 * each is judged as if it was named itself, but no answer names one.
	 */
	bool directory;
	const struct str *beneath;
	size_t beneath_count;
	const struct str *dirs_beneath;
	size_t dirs_beneath_count;
	/* results */
	struct accepted_hunks taken; /* approved hunks: @after has only these */
	struct uuid grant;           /* that covers it; zero = none */
};

/* Digest of all that is shown, to detect that the question changed. */
struct digest question_digest(const struct question *q);

/*
 * All actions of a call: when one is denied all are, and there is one question
 * for all.
 */
must_check enum err gate_change(struct call *c, struct action_facts *facts,
				size_t n);

/*
 * Permission to read the files beneath a directory, for a tool that changes
 * files: c->unread is set as by gate_read(), with the directory.
 * ERR_NOT_ALLOWED when one is hidden; it names only the directory.
 */
must_check enum err gate_read_tree(struct call *c, struct str path,
				   struct str key, const struct str *beneath,
				   size_t n);

/*
 * Permission to read. ERR_DENIED when a rule hides the file from all tools. If a
 * rule asks before reading, or the file holds secrets: ERR_ASK for a tool that
 * only reads; for one that changes files c->unread is set (see gate_reveal()),
 * or ERR_DENIED if the change would be denied whatever the file holds.
 */
must_check enum err gate_read(struct call *c, struct str path, struct str key);

/*
 * ERR_DENIED when @path passes through a hidden name and back by "..". Checked
 * before @path is resolved, so that the answer does not depend on what exists.
 */
must_check enum err gate_check_dotdot(struct call *c, struct str path);

/* Is the file denied to this call, so that not even errors may mention it? */
bool gate_hides(struct call *c, struct str path, struct str key);

/*
 * The final check of a call whose handler returned @e. While c->unread is set,
 * the person is asked before a result or an error is sent, as both depend on
 * the content of the file. The question reads the same whether the change would
 * succeed or not, so that it reveals nothing either.
 */
must_check enum err gate_reveal(struct call *c, enum err e);

/*
 * Is the file sensitive by default, or one of stet's own? Then only a grant for
 * this very file covers it. Rules and mode of the person do not matter here;
 * @base is that of struct rules.
 */
bool gate_is_sensitive(const struct action *action, const struct str *base,
		       size_t base_count);

/*
 * May a hint mention this file? Not if it is denied, ignored or sensitive, or
 * needs an approval.
 */
bool gate_may_name(struct call *c, struct str key);

/* Is it ignored by the project's configuration? */
bool gate_ignores(struct call *c, struct str path, struct str key);

#endif
