/*
 * trust.h - which projects' settings may widen rules (`stet trust`).
 *
 * A project's settings may come from an untrusted author. Settings that would
 * allow more, or run a command, count only after the person has seen them. That
 * is recorded beside the person's own settings, with the digest of the file;
 * when the file changes, it is no longer trusted.
 *
 * The before_edit hooks of the file are recorded as well: they can refuse, so
 * losing them would allow more. Until the file is trusted again, edits that such
 * a hook would have checked are refused (struct hooks: lost).
 */
#ifndef STET_TRUST_H
#define STET_TRUST_H

#include "base/err.h"

/* $XDG_CONFIG_HOME/stet or ~/.config/stet; "" when there is no home. */
struct str trust_user_dir(struct arena *mem);

/* Makes @dir and its parents with mode 0700; ignores errors. */
void trust_make_directories(struct str dir, struct arena *mem);

/*
 * Reads a whole file, up to CONFIG_MOST_BYTES. ERR_NOT_FOUND, or ERR_BAD_CONFIG
 * with the reason why it cannot be read.
 */
must_check enum err trust_read_file(struct str path, struct arena *mem,
				    struct str *ret, struct fault *f);

/* The path of the settings of the project at @root. */
struct str trust_project_path(struct str root, struct arena *mem);

/*
 * Reads a project's settings. A symlink may lead anywhere, and a tool could
 * change the file through another hard link: if ".stet" or the file is a
 * symlink, or the file has several links, that is ERR_BAD_CONFIG.
 */
must_check enum err trust_read_project(struct str root, struct arena *mem,
				       struct str *ret, struct fault *f);

struct trusted_hook {
	struct str command; /* the beginning of the command, for messages */
	struct str match;   /* pattern of paths; "" = every file */
};

struct trusted {
	struct str dir, digest;     /* without links; hex */
	struct trusted_hook *hooks; /* before_edit of the trusted file */
	size_t hook_count;
	bool hooks_unknown; /* recorded by a version that did not store hooks */
};

struct trust {
	struct trusted *rows;
	size_t count;
};

must_check enum err trust_load(struct arena *mem, struct trust *ret,
			       struct fault *f);
must_check enum err trust_save(const struct trust *t, struct arena *mem,
			       struct fault *f);

/* The digest of a settings file, as recorded. */
struct str trust_digest(struct str text, struct arena *mem);

bool trust_has(const struct trust *t, struct str dir, struct str digest);

/* The row for @dir, even if its file has changed since; or NULL. */
const struct trusted *trust_find(const struct trust *t, struct str dir);

/* Adds @row, or replaces the row for the same directory. */
void trust_set(struct trust *t, const struct trusted *row, struct arena *mem);

/* The row for a settings file that the person has approved. */
struct config_file;
struct trusted trust_row(struct str dir, const struct config_file *file,
			 struct arena *mem);

/* False if there is no row for @dir. */
bool trust_drop(struct trust *t, struct str dir);

#endif
