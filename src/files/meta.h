/*
 * meta.h - what a file has besides its bytes: mode, owner, ACL, attributes.
 */
#ifndef STET_META_H
#define STET_META_H

#include "base/arena.h"

#include <sys/stat.h>

enum meta_part {
	META_OWNER = 1,
	META_GROUP = 2,
	META_MODE = 4,
	META_ACL = 8,
	META_XATTR = 16,
	META_LINKS = 32,      /* more names than one */
	META_CAPABILITY = 64, /* and what else vouches for the content */
};

/* What no way of writing can keep. */
enum { META_NEVER_KEPT = META_CAPABILITY };

/*
 * What the file open at @fd, of which @st was taken, has that a new one of
 * ours would not: another owner or group, set-ID or sticky bits, an ACL ...
 * A security label counts as an attribute only where it is not the one that
 * a new file gets: meta_keep() says so when it is lost.
 */
unsigned meta_extra(int fd, const struct stat *st);

struct meta_kept {
	unsigned had;    /* what @from has beyond a new one: meta_extra() */
	unsigned lost;   /* of that, what @to has not */
	struct stat now; /* of @to */
};

/*
 * Give @to what @from, of which @st was taken, has: 0, or -1 with errno when
 * that failed in a way that no permission explains. With another owner the
 * set-user-ID bit goes, too; what vouches for the old content (IMA,
 * capabilities) is never kept.
 */
must_check int meta_keep(int from, const struct stat *st, int to,
			 struct meta_kept *ret);

/*
 * Give @to another mode, as far as we may. *@lost says what it has lost so
 * far, and gets META_MODE when it has not all of @mode, or loses it.
 */
must_check int meta_set_mode(int to, unsigned mode, unsigned *lost);

/* "owner,acl" */
struct str meta_words(unsigned lost, struct arena *mem);

#endif
