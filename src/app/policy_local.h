/*
 * policy_local.h - what policy.c and policy_above.c share: the generation of
 * rules that is being gathered, and how something is added to it.
 */
#ifndef STET_POLICY_LOCAL_H
#define STET_POLICY_LOCAL_H

#include "app/enclosing.h"
#include "app/policy.h"
#include "tools/hooks.h"

/* One generation: what was gathered for one set of roots. */
struct made {
	struct rules rules;
	struct rule *rule;
	struct ignore_set *ignore;
	struct encoding_rule *encodings;
	struct hooks hooks;
	struct hook *hook_rows[2];
	struct lost_hook *lost;
	struct str *enclosing; /* above the roots, with settings */
	struct str *above;     /* all that are above the roots */
	size_t above_count;
	struct ignore_above *ignore_above;
	struct config_history history;
	struct str mode_origin;
	struct str *warnings;
	size_t warning_count;
	struct trust trust;
	bool alone; /* there is one root */
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
	struct str user_text; /* .ptr NULL: the file is not there */
	struct str home, real_home;
	struct str *roots;
	size_t root_count;
	struct enclosing read; /* settings and ignore files above the roots */
	struct made *first, *newest;
};

/* Home without links; "" = none is known. */
struct str policy_real_home(struct policy *p);

/* What a file says; of a project's own only what narrows, unless trusted. */
void policy_add_file(struct policy *p, struct made *m,
		     const struct config_file *file, struct str root,
		     bool trusted);

/* Nothing beneath @root may be changed, because of @why. */
void policy_shut(struct policy *p, struct made *m, struct str root,
		 struct str why);

/* Nothing may be read either, as nobody has read the settings. */
enum err policy_shut_unread(struct policy *p, struct made *m, struct str root,
			    struct str because, struct fault *f);

/* Has a project's file what belongs into the person's own alone? */
must_check enum err policy_check_project(struct policy *p,
					 const struct config_file *file,
					 struct fault *f);

/* A pattern of the project at @root, as one for the whole disk. */
struct str policy_glob_in(struct policy *p, struct str root, struct str glob);

/* Hooks of the flags and of the person's settings, before those of projects. */
void policy_add_own_hooks(struct policy *p, struct made *m);

/* The hooks of a project that is trusted, or of the person ("" = any root). */
void policy_add_hooks(struct policy *p, struct made *m,
		      const struct config_file *file, struct str root);

/* Only before_edit, of a trusted project that is around a root. */
void policy_add_hooks_above(struct policy *p, struct made *m,
			    const struct config_file *file, struct str dir);

/*
 * The file of the project at @dir has now the digest @now, "" = it is gone:
 * refuse what hooks of it would judge that were trusted as it was before.
 */
void policy_add_lost(struct policy *p, struct made *m, struct str dir,
		     struct str now);

/* The settings of the projects that are around @root and no roots themselves. */
must_check enum err policy_read_above(struct policy *p, struct made *m,
				      struct str root, const struct str *roots,
				      size_t n, struct fault *f);

/*
 * What forbids or asks in the projects that lie beneath @root: those that the
 * person has trusted, and the one that the server was started in. A client that
 * declares the directory above a project must not get rid of its rules.
 */
must_check enum err policy_read_beneath(struct policy *p, struct made *m,
					struct str root,
					const struct str *roots, size_t n,
					struct fault *f);

/* Their ignore files, once it is known whether .gitignore counts. */
void policy_read_ignore_above(struct policy *p, struct made *m);

#endif
