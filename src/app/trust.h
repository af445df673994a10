/*
 * trust.h - which projects may have their way: see `stet trust`.
 *
 * The settings of a project come with it, from whoever wrote it. What would
 * widen what is allowed, or run a command, counts only after the person has
 * seen it; that is noted beside their own settings, with the digest of the
 * file as it was then. When the file changes, it is not trusted any more.
 */
#ifndef STET_TRUST_H
#define STET_TRUST_H

#include "base/err.h"

/* $XDG_CONFIG_HOME/stet or ~/.config/stet; "" when there is no home. */
struct str trust_user_dir(struct arena *mem);

/* It and those above it, for their user alone; without a word when it fails. */
void trust_make_directories(struct str dir, struct arena *mem);

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

struct trusted {
	struct str dir, digest; /* without links; hex */
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

/* Note it, in place of what was noted of @dir. */
void trust_set(struct trust *t, struct str dir, struct str digest,
	       struct arena *mem);

/* False when nothing was noted of it. */
bool trust_drop(struct trust *t, struct str dir);

#endif
