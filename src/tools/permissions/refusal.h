/*
 * refusal.h - the hint beside a denial: which rule denied it.
 *
 * The message of the contract is the same for every denial. The hint may be
 * seen by the client, so it names a rule of the person, but not the path of
 * their settings file.
 */
#ifndef STET_REFUSAL_H
#define STET_REFUSAL_H

#include "tools/permissions/rules.h"

/* For a file that the client may read: "denied by the rule deny write(docs)". */
struct str refusal_says(const struct decision *d, struct arena *mem);

/*
 * For a hidden file. @named is placed by the path that the client gave and by
 * nothing else, so that the hint does not depend on whether the file, or a
 * symlink to it, exists.
 */
struct str refusal_hides(const struct rules *r, const struct action *named,
			 struct arena *mem);

#endif
