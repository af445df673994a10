/*
 * enclosing.h - settings and ignore files of the directories above a root.
 *
 * A client may declare a part of a project as its root. The project's settings
 * and ignore files lie above that, and what they forbid must hold nevertheless.
 * So every directory above a root is searched, up to and with home, or up to
 * "/" for a root outside home. Neither the top of a git work tree nor a mount
 * point is the end of a project: both can lie inside one (a submodule, a disk
 * for data), and a root in there would be a way around its rules.
 *
 * Files count when they belong to the user or to root: in "/tmp" anybody can
 * make them. They are read once and kept, found by their identity (path and
 * stamp), because a process that is confined by then can look at a file above
 * its roots but not read it again.
 */
#ifndef STET_ENCLOSING_H
#define STET_ENCLOSING_H

#include "app/configfile.h"

enum { ENCLOSING_MAX_DIRS = 64 };

struct enclosing_file;

/* Cache of the files read; initialise as { .mem = ... }. */
struct enclosing {
	struct arena *mem;
	struct enclosing_file *file;
	size_t count;
};

/*
 * Lists the directories above @root, nearest first; false if there are more than
 * ENCLOSING_MAX_DIRS. @root and @home are resolved paths; @home may be "".
 */
must_check bool enclosing_dirs(struct str root, struct str home,
			       struct arena *mem, struct str *ret,
			       size_t *ret_n);

/*
 * Reads the settings of @dir: ERR_NOT_FOUND when there are none that count,
 * ERR_BAD_CONFIG as from configfile_read().
 */
must_check enum err enclosing_settings(struct enclosing *known, struct str dir,
				       const struct config_file **ret,
				       struct fault *f);

/*
 * Reads the ignore file @name of @dir; false if there is none that counts. A
 * file that cannot be read completely sets ret->unusable, as in tools/permissions/ignored.h.
 */
must_check bool enclosing_ignore(struct enclosing *known, struct str dir,
				 const char *name, struct ignore_above *ret);

#endif
