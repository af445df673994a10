/*
 * policy.h - the effective rules, gathered from flags and settings files.
 *
 * Order: flags, then the person's settings, then those of the project at each
 * root. A project's file can only narrow; settings that would widen count only
 * when the project is trusted (trust.h), and are reported on stderr otherwise.
 *
 * The roots may change while calls run: then a new generation of rules is built
 * and the old one points to it (rules_now), so no call waits and nothing is
 * freed. The memory for this is limited: see policy_is_full().
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

/* Option rows for the flags, at offset @at of the command's struct. */
#define POLICY_OPTIONS(at)                                                                      \
	{ "mode", "MODE", OPTION_TEXT, POLICY_OPTION(at, mode),                                 \
	  "default, plan, acceptEdits, bypassPermissions or yolo" },                            \
		{ "allow", "RULE", OPTION_LIST, POLICY_OPTION(at, allow),                       \
		  "Allow without asking: TOOL or TOOL(GLOB); repeatable" },                     \
		{ "ask", "RULE", OPTION_LIST, POLICY_OPTION(at, ask),                           \
		  "Ask first: TOOL or TOOL(GLOB); repeatable" },                                \
		{ "deny", "RULE", OPTION_LIST, POLICY_OPTION(at, deny),                         \
		  "Forbid: TOOL or TOOL(GLOB); repeatable; takes precedence over all others" }, \
		{ "ignore", "GLOB", OPTION_LIST, POLICY_OPTION(at, ignore),                     \
		  "Do not write files that match a .gitignore pattern; repeatable" },           \
		{ "config", "FILE", OPTION_TEXT, POLICY_OPTION(at, config),                     \
		  "Your settings, instead of ~/.config/stet/config.json" },                     \
	{                                                                                       \
		"no-config", NULL, OPTION_FLAG, POLICY_OPTION(at, no_config),                   \
			"Ignore all settings, yours and the project's"                          \
	}

struct policy;

/* Memory limit: for the settings of all roots, and for all generations. */
enum { POLICY_MOST_BYTES = 16 << 20 };

/*
 * ERR_BAD_ARGS for a flag, ERR_BAD_CONFIG for the person's file; then *@ret only
 * owns the text of the fault. @flags and @hooks (from other flags, or NULL) must
 * outlive the policy.
 */
must_check enum err policy_new(const struct policy_flags *flags,
			       const struct hooks *hooks, struct policy **ret,
			       struct fault *f);
void policy_free(struct policy *p); /* NULL is fine */

/*
 * Builds the rules for these roots (resolved paths). @base are the directories
 * that the person named (see rules.h), which sensitive names are relative to. A
 * mistake in a project's file is ERR_BAD_CONFIG: the rules are built anyway, and
 * nothing in that project may be changed until it is corrected. If the settings
 * take more than POLICY_MOST_BYTES, the rest is not read and nothing beneath the
 * remaining roots may be read or changed.
 */
must_check enum err policy_roots(struct policy *p, const struct str *roots,
				 size_t n, const struct str *base,
				 size_t base_count, struct fault *f);

/*
 * Have the roots changed so often that a client must not change them again?
 * Every generation is kept (see above).
 */
bool policy_is_full(const struct policy *p);

/*
 * Sets the mode for the next policy_roots(); NULL = as flags and settings say.
 */
void policy_mode(struct policy *p, const char *mode);

/* The first generation of rules: see rules_now(). */
const struct rules *policy_rules(const struct policy *p);

/* The history settings of the newest generation. */
const struct config_history *policy_history(const struct policy *p);

/* Who may answer for the person, from the person's own settings. */
const struct config_approvals *policy_approvals(const struct policy *p);

/* "tools" of the person's settings, and where they are; empty = not set. */
struct selection policy_tools(const struct policy *p, struct str *ret_origin);

/* The origin of the mode: a flag, a file, or "built in". */
struct str policy_mode_origin(const struct policy *p);

/* Path of the person's settings file; "" when none counts. */
struct str policy_user_path(const struct policy *p);

/* Were these rules made from @text as the person's settings? */
bool policy_user_is(const struct policy *p, struct str text);

/*
 * Takes @text as the person's settings for the next policy_roots(): rules, mode,
 * ignore patterns and encodings. Hooks, history, approvals and tools were applied
 * at the start and need a restart: *@ret_restart says that they differ.
 * ERR_BAD_CONFIG changes nothing.
 */
must_check enum err policy_reload(struct policy *p, struct str text,
				  bool *ret_restart, struct arena *mem,
				  struct fault *f);

/* One line for each untrusted project whose settings would widen rules. */
const struct str *policy_warnings(const struct policy *p, size_t *ret_n);

#endif
