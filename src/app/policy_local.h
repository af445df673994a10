/*
 * policy_local.h - shared by the policy*.c files only.
 *
 * The generation of rules that is being built, and how files add to it.
 */
#ifndef STET_POLICY_LOCAL_H
#define STET_POLICY_LOCAL_H

#include "app/enclosing.h"
#include "app/policy.h"
#include "tools/change/hooks.h"

/* The rules for one set of roots. */
struct policy_generation {
	struct rules rules;
	struct rule *rule;
	struct ignore_set *ignore;
	struct encoding_rule *encodings;
	struct hooks hooks;
	struct hook *hook_rows[2];
	struct lost_hook *lost;
	struct str
		*enclosing; /* directories above the roots that have settings */
	struct str *above;  /* all directories above the roots */
	size_t above_count;
	struct ignore_above *ignore_above;
	struct git_above *git_above;
	struct str *git_tops;
	struct config_history history;
	struct str mode_origin;
	struct str *warnings;
	size_t warning_count;
	struct trust trust;
	bool alone; /* there is only one root */
};

struct policy {
	struct arena mem;
	const struct policy_flags *flags;
	const struct hooks *flag_hooks;
	struct rule *flag_rules;
	size_t flag_count;
	bool flag_mode;
	enum mode mode;
	struct config_file user;
	struct str user_path; /* "" = there is none, or none counts */
	struct str user_text; /* .ptr NULL = the file does not exist */
	struct str home, real_home;
	struct str *roots;
	size_t root_count;
	struct enclosing read; /* settings and ignore files above the roots */
	struct policy_generation *first, *newest;
};

/* The resolved home directory; "" = unknown. */
struct str policy_real_home(struct policy *p);

/* Adds a settings file; of an untrusted project only what narrows. */
void policy_add_file(struct policy *p, struct policy_generation *m,
		     const struct config_file *file, struct str root,
		     bool trusted);

/* Denies every change beneath @root, for the reason @why. */
void policy_shut(struct policy *p, struct policy_generation *m, struct str root,
		 struct str why);

/* Also denies reading, because the settings have not been read. */
enum err policy_shut_unread(struct policy *p, struct policy_generation *m,
			    struct str root, struct str because,
			    struct fault *f);

/* Fails if a project's file has keys that only the person's may have. */
must_check enum err policy_check_project(struct policy *p,
					 const struct config_file *file,
					 struct fault *f);

/* A project's pattern as one for absolute paths. */
struct str policy_glob_in(struct policy *p, struct str root, struct str glob);

/* Hooks of the flags and of the person's settings, before those of projects. */
void policy_add_own_hooks(struct policy *p, struct policy_generation *m);

/* The hooks of a project that is trusted, or of the person ("" = any root). */
void policy_add_hooks(struct policy *p, struct policy_generation *m,
		      const struct config_file *file, struct str root);

/* Only before_edit, of a trusted project that is around a root. */
void policy_add_hooks_above(struct policy *p, struct policy_generation *m,
			    const struct config_file *file, struct str dir);

/*
 * The settings file of the project at @dir was trusted, and now has the digest
 * @now ("" = it was deleted): refuse the changes that its before_edit hooks
 * checked, until it is trusted again.
 */
void policy_add_lost(struct policy *p, struct policy_generation *m,
		     struct str dir, struct str now);

/* The settings of the projects that are around @root and no roots themselves. */
must_check enum err policy_read_above(struct policy *p,
				      struct policy_generation *m,
				      struct str root, const struct str *roots,
				      size_t n, struct fault *f);

/*
 * What forbids or asks in the projects that lie beneath @root: those that the
 * person has trusted, and the one that the server was started in. A client that
 * declares the directory above a project must not get rid of its rules.
 */
must_check enum err policy_read_beneath(struct policy *p,
					struct policy_generation *m,
					struct str root,
					const struct str *roots, size_t n,
					struct fault *f);

/* What git ignores by files outside the roots, for searches. */
void policy_read_git(struct policy *p, struct policy_generation *m,
		     const struct str *roots, size_t n);

/* Their ignore files, once it is known whether .gitignore counts. */
void policy_read_ignore_above(struct policy *p, struct policy_generation *m);

#endif
