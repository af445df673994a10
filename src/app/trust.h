/*
 * trust.h - which projects may have their way: see `stet trust`.
 *
 * The settings of a project come with it, from whoever wrote it. What would
 * widen what is allowed, or run a command, counts only after the person has
 * seen it; that is noted beside their own settings, with the digest of the
 * file as it was then. When the file changes, it is not trusted any more.
 *
 * The before_edit hooks of the file are noted as well: they forbid, so losing
 * them would widen what is allowed. Until the file is trusted again, what they
 * would have judged is refused (struct hooks: lost).
 */
#ifndef STET_TRUST_H
#define STET_TRUST_H

#include "base/err.h"

/* $XDG_CONFIG_HOME/stet or ~/.config/stet; "" when there is no home. */
struct str trust_user_dir(struct arena *mem);

/*
 * All of a file, up to CONFIG_MOST_BYTES; ERR_NOT_FOUND, or ERR_BAD_CONFIG
 * with why it cannot be read.
 */
must_check enum err trust_read_file(struct str path, struct arena *mem,
				    struct str *ret, struct fault *f);

/* Where the settings of the project at @root are. */
struct str trust_project_path(struct str root, struct arena *mem);

/*
 * The same for the settings of a project, where a link may lead anywhere, and
 * where tools may change the file by its other name: a symbolic link, ".stet"
 * or the file, and a file with several hard links are ERR_BAD_CONFIG.
 */
must_check enum err trust_read_project(struct str root, struct arena *mem,
				       struct str *ret, struct fault *f);

struct trusted_hook {
	struct str command; /* its beginning, to tell which one it was */
	struct str match;   /* pattern of paths; "" = every file */
};

struct trusted {
	struct str dir, digest;     /* without links; hex */
	struct trusted_hook *hooks; /* before_edit of the trusted file */
	size_t hook_count;
	bool hooks_unknown; /* noted by a version that did not keep them */
};

struct trust {
	struct trusted *rows;
	size_t count;
};

must_check enum err trust_load(struct arena *mem, struct trust *ret,
			       struct fault *f);
must_check enum err trust_save(const struct trust *t, struct arena *mem,
			       struct fault *f);

/* The digest of a settings file, as it is noted. */
struct str trust_digest(struct str text, struct arena *mem);

bool trust_has(const struct trust *t, struct str dir, struct str digest);

/* What is noted of @dir, whatever its file is by now; or NULL. */
const struct trusted *trust_find(const struct trust *t, struct str dir);

/* Note it, in place of what was noted of @row->dir. */
void trust_set(struct trust *t, const struct trusted *row, struct arena *mem);

/* The row for a settings file as the person has seen it. */
struct config_file;
struct trusted trust_row(struct str dir, const struct config_file *file,
			 struct arena *mem);

/* False when nothing was noted of it. */
bool trust_drop(struct trust *t, struct str dir);

#endif
