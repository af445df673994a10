/*
 * metadata.h - copy mode, owner, ACL and extended attributes to a new file.
 */
#ifndef STET_METADATA_H
#define STET_METADATA_H

#include "base/arena.h"

#include <sys/stat.h>

enum metadata_part {
	METADATA_OWNER = 1,
	METADATA_GROUP = 2,
	METADATA_MODE = 4,
	METADATA_ACL = 8,
	METADATA_XATTR = 16,
	METADATA_LINKS = 32, /* several hard links */
	METADATA_CAPABILITY =
		64, /* file capabilities, IMA and EVM signatures */
};

/* Invalid for new content, so no way of writing keeps them. */
enum { METADATA_NEVER_KEPT = METADATA_CAPABILITY };

/*
 * The metadata of @fd (@st is its fstat()) that a file created by this process
 * would not have: another owner or group, set-ID or sticky bits, an ACL ...
 * A security label does not count here; metadata_copy() reports one that
 * differs from that of a new file and could not be set.
 */
unsigned metadata_extra(int fd, const struct stat *st);

struct metadata_copied {
	unsigned had;    /* metadata_extra() of @from */
	unsigned lost;   /* the part that @to did not get */
	struct stat now; /* of @to */
};

/*
 * Copy the metadata of @from (@st is its fstat()) to @to: 0, or -1 with errno
 * for a failure that is not about permissions. The set-ID bits are dropped
 * when the owner cannot be kept; capabilities and IMA or EVM signatures, which
 * attest the old content, are never copied.
 */
must_check int metadata_copy(int from, const struct stat *st, int to,
			     struct metadata_copied *ret);

/*
 * Set the mode of @to, as far as permitted. METADATA_MODE in *@lost is set
 * when @to did not get all bits of @mode, else cleared.
 */
must_check int metadata_set_mode(int to, unsigned mode, unsigned *lost);

/* A comma-separated list, as in "owner,acl". */
struct str metadata_names(unsigned lost, struct arena *mem);

#endif
