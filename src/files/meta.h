/*
 * meta.h - what a file has besides its bytes: mode, owner, ACL, attributes.
 */
#ifndef STET_META_H
#define STET_META_H

#include "base/arena.h"

#include <sys/stat.h>

enum meta_lost {
	META_OWNER = 1,
	META_GROUP = 2,
	META_MODE = 4,
	META_ACL = 8,
	META_XATTR = 16,
};

/*
 * Give @to what @from, of which @st was taken, has: 0, or -1 with errno when
 * that failed in a way that no permission explains. What we may not keep is
 * noted in *@ret_lost. With another owner the set-user-ID bit goes, too; what
 * vouches for the old content (IMA, capabilities) is never kept.
 */
must_check int meta_keep(int from, const struct stat *st, int to,
			 unsigned *ret_lost);

/* "owner,acl" */
struct str meta_words(unsigned lost, struct arena *mem);

#endif
