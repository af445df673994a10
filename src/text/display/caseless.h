/*
 * caseless.h - which names a case-insensitive file system considers equal.
 *
 * Such a file system (ext4 and f2fs with casefold, vfat, NTFS, APFS) finds
 * ".ssh" also under names that an ASCII comparison does not show: ".ßh", with a
 * long s, with an invisible character, or with a final dot. A rule that forbids
 * a name must forbid those as well.
 */
#ifndef STET_CASELESS_H
#define STET_CASELESS_H

#include "base/arena.h"

/*
 * Is @path ASCII, and does no name in it end in a dot or blank? Then
 * caseless_fold() would not change it; this is the fast path.
 */
bool caseless_is_plain(struct str path);

/*
 * Fold @path to the ASCII path that such a file system may take it for, in
 * @mem; false when folding changes nothing. ASCII letters keep their case: the
 * caller compares without case.
 */
must_check bool caseless_fold(struct str path, struct arena *mem,
			      struct str *ret);

/* Are they equal but for the case of ASCII letters? */
bool caseless_eq(struct str a, struct str b);

/* Is @path the directory @dir or beneath it? Both are normalised paths. */
bool caseless_beneath(struct str path, struct str dir);

#endif
