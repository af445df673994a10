/*
 * policy.h - the rules that count, gathered from where people put them.
 *
 * Flags, then the person's settings, then those of the project at each root.
 * A project's own file can only narrow; what would widen counts when the
 * project is trusted (trust.h), and is told on stderr when it is not.
 *
 * The roots may change while calls run: then new rules are made and the old
 * ones point to them (rules_now), so nobody waits and nothing is freed. What
 * they take is limited: see policy_is_full().
 */
#ifndef STET_POLICY_H
#define STET_POLICY_H

#include "app/configfile.h"
#include "app/options.h"
#include "app/trust.h"

struct policy_flags {
	const char *mode, *config;
	bool no_config;
	struct option_list allow, ask, deny, ignore;
};

#define POLICY_OPTION(at, member) ((at) + offsetof(struct policy_flags, member))

/* Rows for the flags, which are at offset @at of the command's struct. */
#define POLICY_OPTIONS(at)                                                          \
	{ "mode", "MODE", OPTION_TEXT, POLICY_OPTION(at, mode),                     \
	  "default, plan, acceptEdits, bypassPermissions or yolo" },                \
		{ "allow", "RULE", OPTION_LIST, POLICY_OPTION(at, allow),           \
		  "Do not ask: TOOL or TOOL(GLOB); may be given again" },           \
		{ "ask", "RULE", OPTION_LIST, POLICY_OPTION(at, ask),               \
		  "Ask before; may be given again" },                               \
		{ "deny", "RULE", OPTION_LIST, POLICY_OPTION(at, deny),             \
		  "Forbid; may be given again, and wins" },                         \
		{ "ignore", "GLOB", OPTION_LIST, POLICY_OPTION(at, ignore),         \
		  "Leave such files alone, as in .gitignore; may be given again" }, \
		{ "config", "FILE", OPTION_TEXT, POLICY_OPTION(at, config),         \
		  "Your settings, instead of ~/.config/stet/config.json" },         \
	{                                                                           \
		"no-config", NULL, OPTION_FLAG, POLICY_OPTION(at, no_config),       \
			"Read no settings, yours or a project's"                    \
	}

struct policy;

/* Of memory, for the settings of all roots; and for all rules ever made. */
enum { POLICY_MOST_BYTES = 16 << 20 };

/*
 * ERR_BAD_ARGS for a flag, ERR_BAD_CONFIG for the person's file; then *@ret
 * holds the words of the fault, and nothing else. @flags and @hooks (of other
 * flags, or NULL) must outlive it.
 */
must_check enum err policy_new(const struct policy_flags *flags,
			       const struct hooks *hooks, struct policy **ret,
			       struct fault *f);
void policy_free(struct policy *p); /* NULL is fine */

/*
 * These are the roots (without links) from now on; @base are the directories
 * that the person named (see rules.h), from which names count. A mistake in a project's
 * file is ERR_BAD_CONFIG, and until it is mended nothing in there may be
 * changed; the rules are made anew all the same. So it is when the settings
 * take more than POLICY_MOST_BYTES: what is left is not read, and nothing
 * beneath these roots may be read or changed.
 */
must_check enum err policy_roots(struct policy *p, const struct str *roots,
				 size_t n, const struct str *base,
				 size_t base_count, struct fault *f);

/*
 * So often have the roots been changed that no peer should change them again:
 * all that was made is kept (see above).
 */
bool policy_is_full(const struct policy *p);

/*
 * The person has chosen another mode, which counts from the next
 * policy_roots() on; NULL = what the flags and settings say.
 */
void policy_mode(struct policy *p, const char *mode);

/* The first rules that were made: see rules_now(). */
const struct rules *policy_rules(const struct policy *p);

/* What the settings say of the history; from the newest rules. */
const struct config_history *policy_history(const struct policy *p);

/* Who may answer for the person, by their own settings. */
const struct config_approvals *policy_approvals(const struct policy *p);

/* Where the mode comes from: a flag, a file, or "built in". */
struct str policy_mode_origin(const struct policy *p);

/* The person's settings: the file, "" when none counts. */
struct str policy_user_path(const struct policy *p);

/* Are they @text, as far as these rules go? */
bool policy_user_is(const struct policy *p, struct str text);

/*
 * The person's settings are @text from the next policy_roots() on: rules, mode,
 * ignored files and encodings. Hooks, history and approvals stay as they were
 * at the start, as others have been made from these: *@ret_restart says that
 * they differ. ERR_BAD_CONFIG: nothing has changed.
 */
must_check enum err policy_renew(struct policy *p, struct str text,
				 bool *ret_restart, struct arena *mem,
				 struct fault *f);

/* One line for each project that is not trusted and would like to be. */
const struct str *policy_warnings(const struct policy *p, size_t *ret_n);

#endif
