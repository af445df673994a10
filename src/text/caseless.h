/*
 * caseless.h - what a file system without case takes for the same name.
 *
 * Such a file system (ext4 and f2fs with casefold, vfat, NTFS, APFS) finds
 * ".ssh" also under names that no comparison of ASCII letters shows: ".ßh",
 * with the long s, with a character in it that is not to be seen, or with a
 * dot at the end. To forbid a name is to forbid those, too.
 */
#ifndef STET_CASELESS_H
#define STET_CASELESS_H

#include "base/arena.h"

/* Mostly a path is ASCII and no name in it ends oddly: it is as it looks. */
bool caseless_plain(struct str path);

/*
 * Is @path one that may stand for another, in ASCII? Then that is *@ret, in
 * @mem. ASCII letters stay as they are: the caller compares without case.
 */
must_check bool caseless_spelling(struct str path, struct arena *mem,
				  struct str *ret);

/* The same name by name, but for the case of ASCII letters? */
bool caseless_eq(struct str a, struct str b);

/* Is @path the directory @dir or beneath it? Both written the short way. */
bool caseless_beneath(struct str path, struct str dir);

#endif
